"""A model file and what lies beside it, read with nothing but the standard library."""

from __future__ import annotations

import hashlib
import html
import json
import math
import os
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from handful.verify.audit import Audit, Document, Verdict
from handful.verify.protocol_check import check_beside
from handful.verify.row_evidence import check_evidence_head
from handful.verify.stated import NUMBERS, claim_of, part, together, value_text

MAX_BYTES = 64 * 2**20  # read whole into memory before anything is known of it
# Checked on the bytes, before anything is built.
MAX_VALUES, MAX_TEXT, MAX_DIGITS = 4_000_000, 100_000, 40
HASH_FIELD = "content_sha256"
FORMAT, VERSION = "handful-model", 3
_FIELDS = (
    *("format", "version", "fitted", "labels", "certificate", "kept", "training", "data"),
    *("provenance", HASH_FIELD),
)
_PARTS = {
    "fitted": ("form", "columns", "classes", "machine", "risk"),
    "data": (
        *("file", "target", "groups", "reading", "n_set_aside", "sha256", "n_rows", "n_features"),
        *("columns", "features", "words", "row_codes", "seed"),
    ),
    "provenance": ("estimator", "notes", "versions"),
}
TRAINING = {
    "machine": ("kind", "parameters", "n_groups", "delta"),
    "rules": (
        *("kind", "candidates", "family_sets", "pool_families", "kinds", "n_kernels", "n_groups"),
        *("delta", "costs", "group_loss", "codes"),
    ),
    "menu": (
        *("kind", "candidates", "favourite", "tolerance", "delta", "pool_share", "group_loss"),
        *("chosen", "is_default", "goal", "after_looking", "band", "rank", "n_candidates", "roles"),
        *("max_items", "max_points", "estimators_sha256", "protocol"),
    ),
    "refit": (
        *("kind", "sentence", "n_rows", "n_same", "estimated_error", "n_errors", "n_counted"),
        *("n_unlabelled", "n_disagreements", "is_picked", "menu"),
    ),
}
# What a page shows of a claim, beside the block that holds it as data.
_BLOCK = re.compile(
    r'<script\b[^>]*\bid\s*=\s*"handful-claim"[^>]*>(.*?)</script\s*>', re.DOTALL | re.IGNORECASE
)
_NUMBER = re.compile(r'<p class="number"[^>]*><span>at most</span><strong>([^<]*)</strong></p>')
_SENTENCE = re.compile(r'<p class="sentence">([^<]*)</p>')


def _is_spelled(label: Any, word: str) -> bool:
    """Whether a class is the word of a label; 1.0 is the word 1 of a table, or 1.0 of an array."""
    is_whole = type(label) is float and label.is_integer()
    return word in (str(label), str(int(label)) if is_whole else None)


def check_head(audit: Audit, document: Any, digest: str) -> bool:
    """Hash, format and fields of a document, and labels that are its classes."""
    audit.equal("content hash", document.get(HASH_FIELD), digest)
    is_known = audit.equal("format", document.get("format"), FORMAT)
    is_known &= audit.equal("version", document.get("version"), VERSION)
    if not is_known or not audit.equal("fields", sorted(document), sorted(_FIELDS)):
        return False
    kind = document["training"]["kind"]
    wanted = {**_PARTS, "training": TRAINING[kind]}
    found = [audit.fields(name, document[name], wanted[name]) for name in wanted]
    if not all(found):
        return False
    is_known = document["fitted"]["risk"] is None or kind in ("menu", "refit")
    said = "only that of a form of a menu is computed again"
    audit.check("risk", is_known or document["certificate"] is None, said)
    if kind == "menu":
        late, goal = document["training"]["after_looking"], document["training"]["goal"]
        is_said = late is False or (late is True and goal is not None)
        audit.check("after looking", is_said, f"{late!r:.20} without a goal")
    labels, classes = document["labels"], document["fitted"]["classes"]
    is_same = labels is None or (
        len(labels) == len(classes)
        and all(map(_is_spelled, labels, classes))
        and not all(isinstance(label, str) for label in labels)
    )
    return audit.check("labels", is_same, "are not the classes as values")


class UnreadableFileError(ValueError):
    """The file is not a JSON document of a sensible size."""


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is not a number")


def _whole(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise ValueError(f"a number of {len(digits)} digits, {MAX_DIGITS} at most")
    return int(digits)


def _real(digits: str) -> float:
    value = math.inf if len(digits) > MAX_DIGITS else float(digits)
    if not math.isfinite(value):
        raise ValueError(f"{digits[:40]} is too large or too long a number")
    return value


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    if len(set(names)) < len(names):
        raise ValueError("a field occurs twice in the same object")
    return dict(pairs)


def read_document(path: str | os.PathLike[str]) -> tuple[dict[str, Any], str]:
    """The document, and the hash of its content as written, digit by digit."""
    target = Path(path)
    if not target.is_file():
        raise FileNotFoundError(f"there is no model file {target}. Check the path.")
    size = target.stat().st_size
    if size > MAX_BYTES:
        raise UnreadableFileError(f"{target} has {size} bytes, larger than {MAX_BYTES}.")
    content = target.read_bytes()
    try:
        _check_sizes(content)
        document = json.loads(
            content.decode("utf-8"),
            parse_constant=_refuse,
            parse_int=_whole,
            parse_float=_real,
            object_pairs_hook=_once_each,
        )
    except (ValueError, RecursionError) as error:
        reason = str(error)[:200]
        raise UnreadableFileError(f"{target} is not a JSON document: {reason}.") from error
    if not isinstance(document, dict):
        raise UnreadableFileError(f"{target} must hold an object, not {type(document).__name__}.")
    return document, _digest(content)


# quoted texts (even open ones), blanks, the rest: something matches everywhere, once
_TOKENS = re.compile(rb'"(?:[^"\\]++|\\.)*+\\?+"?+|\s++|[^"\s]++', re.DOTALL)
_SEAL = re.compile(rb'(?<!\\)"%b"\s*+:\s*+"[0-9a-f]*+"' % HASH_FIELD.encode())


def _check_sizes(content: bytes) -> None:
    """Cheap limits before anything is built: number of values, length of texts."""
    n_values = content.count(b",") + content.count(b"[") + content.count(b"{")
    if n_values > MAX_VALUES:
        raise ValueError(f"about {n_values} values, {MAX_VALUES} at most")
    longest = max((m.end() - m.start() for m in _TOKENS.finditer(content)
                   if content[m.start()] == 34), default=0)  # fmt: skip
    if longest > MAX_TEXT:
        raise ValueError(f"a text of {longest} bytes, {MAX_TEXT} at most")


def content_hash(text: str) -> str:
    """SHA-256 of the text without blanks outside quotes and without the hash field itself.

    Examples
    --------
    >>> content_hash('{"a": 1}') == content_hash('{"a":  1, "content_sha256": "77"}')
    True
    >>> content_hash('{"a": 1}') == content_hash('{"a": 1.0}')
    False
    """
    return _digest(text.encode())


def hash_of(document: Any) -> str:
    """`content_hash` of a document that is no text yet."""
    return content_hash(json.dumps(document))


def _digest(content: bytes) -> str:
    digest, before = hashlib.sha256(), content
    if (seal := _SEAL.search(content)) is not None:
        before, content = content[: seal.start()].rstrip(), content[seal.end() :]
        before = before[:-1] if before.endswith(b",") else before
    else:
        content = b""
    for piece in (before, content):
        for token in _TOKENS.finditer(piece):
            if not token[0].isspace():
                digest.update(token[0])
    return digest.hexdigest()


# -- what lies beside --------------------------------------------------------------------------


def check_file(path: str | os.PathLike[str], check: Callable[..., Verdict]) -> Verdict:
    """Read a model file, check its content, and compare what lies beside it.

    ``check`` gets the document, its digest, and that of the file of other libraries' estimators.
    """
    audit = Audit()
    try:
        document, digest = read_document(path)
    except UnreadableFileError as error:
        audit.check("the file can be read", False, str(error))
        return audit.verdict()
    is_study = Path(path).name == "model.json"
    evidence = _evidence_beside(audit, document, digest, Path(path)) if is_study else None
    verdict = check(document, digest, sha_of(Path(path).with_suffix(".skops")), evidence)
    if is_study:
        with audit.guard("the files beside the model"):
            _check_certificate(audit, document, Path(path).with_name("certificate.json"))
            _check_report(audit, document, Path(path).with_name("report.html"))
            check_beside(audit, document, Path(path).with_name("protocol.toml"))
    return replace(
        verdict,
        findings=(*verdict.findings, *audit.findings),
        claim={**verdict.claim, "file_sha256": sha_of(Path(path))},
    )


def sha_of(path: Path) -> str:
    """SHA-256 of a file; empty if there is none."""
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


def _evidence_beside(
    audit: Audit, document: Document, digest: str, path: Path
) -> dict[str, Any] | None:
    """evidence.json beside a model, if it is about this model."""
    beside = path.with_name("evidence.json")
    if not beside.is_file():
        return None
    try:
        found, _ = read_document(beside)
    except UnreadableFileError as error:
        audit.check("evidence.json", False, str(error))
        return None
    is_ours = False
    with audit.guard("evidence.json"):
        is_ours = check_evidence_head(audit, document, found, digest)
    return found if is_ours else None


def _check_certificate(audit: Audit, document: Document, beside: Path) -> None:
    if not beside.is_file():
        return
    try:
        found, _ = read_document(beside)
    except UnreadableFileError as error:
        audit.check("certificate.json", False, str(error))
        return
    wanted = document["certificate"] or {}
    if "together" in found and part(document, "training", "kind") in ("menu", "rules"):
        said, allowed = found.pop("together"), together(document)
        detail = f"the file says {said!r:.200}, it is {allowed[0]!r}"
        audit.check("certificate.json: together", said in allowed, detail)
    audit.equal("certificate.json: fields", sorted(found), sorted(wanted))
    for name in sorted(set(found) & set(wanted)):
        said, own = json.dumps(found[name]), json.dumps(wanted[name])
        audit.equal(f"certificate.json: {name}", said, own)


def _check_report(audit: Audit, document: Document, beside: Path) -> None:
    if not beside.is_file():
        return
    if not audit.check("report.html: size", beside.stat().st_size <= MAX_BYTES, "is too large"):
        return
    page = beside.read_bytes().decode("utf-8", errors="replace")
    claim, certificate = claim_of(document), part(document, "certificate")
    blocks = _BLOCK.findall(page)
    if audit.equal("report.html: number of claims", len(blocks), 1):
        said = json.loads(blocks[0])
        for name in (*NUMBERS, "form"):
            audit.equal(f"report.html: {name}", part(said, name), claim[name])
    wanted = value_text(claim["risk"], part(certificate, "limit"))
    shown = [html.unescape(text) for text in _NUMBER.findall(page)]
    audit.equal("report.html: the number that is shown", shown, [wanted])
    sentences = [html.unescape(text) for text in _SENTENCE.findall(page)]
    is_said = len(sentences) == 1 and (
        claim["risk"] >= part(certificate, "limit") or f"is at most {wanted}." in sentences[0]
    )
    audit.check("report.html: the sentence that is shown", is_said, f"does not say {wanted}")
