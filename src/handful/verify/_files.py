"""A model file with what lies beside it: certificate and report say what the model says."""

from __future__ import annotations

import hashlib
import html
import json
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from handful.verify._audit import Audit, Verdict
from handful.verify._claimed import claim_of, part, together, value_text
from handful.verify._document import MAX_BYTES, UnreadableFileError, read_document

Document = Mapping[str, Any]
Check = Callable[[Document, str, str], Verdict]

CLAIM_FIELDS = ("risk", "delta", "bound", "quantity", "n_samples", "n_compressed", "n_errors")
_BLOCK = re.compile(
    r'<script\b[^>]*\bid\s*=\s*"handful-claim"[^>]*>(.*?)</script\s*>', re.DOTALL | re.IGNORECASE
)
_NUMBER = re.compile(r'<p class="number"[^>]*><span>at most</span><strong>([^<]*)</strong></p>')
_SENTENCE = re.compile(r'<p class="sentence">([^<]*)</p>')


def check_file(path: str | os.PathLike[str], check: Check) -> Verdict:
    """Read a model file, check its content, and compare what lies beside it."""
    audit = Audit()
    try:
        document, digest = read_document(path)
    except UnreadableFileError as error:
        audit.check("the file can be read", False, str(error))
        return audit.verdict()
    verdict = check(document, digest, sha_of(Path(path).with_suffix(".skops")))
    if Path(path).name == "model.json":
        with audit.guard("the files beside the model"):
            _check_certificate(audit, document, Path(path).with_name("certificate.json"))
            _check_report(audit, document, Path(path).with_name("report.html"))
    return replace(
        verdict,
        findings=(*verdict.findings, *audit.findings),
        claim={**verdict.claim, "file_sha256": sha_of(Path(path))},
    )


def sha_of(path: Path) -> str:
    """SHA-256 of a file; empty where there is none."""
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


def _check_certificate(audit: Audit, document: Document, beside: Path) -> None:
    if not beside.is_file():
        return
    try:
        found, _ = read_document(beside)
    except UnreadableFileError as error:
        audit.check("certificate.json", False, str(error))
        return
    wanted = document["certificate"] or {}
    if "together" in found and part(document, "training", "kind") == "menu":
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
        for name in (*CLAIM_FIELDS, "form"):
            audit.equal(f"report.html: {name}", part(said, name), claim[name])
    wanted = value_text(claim["risk"], part(certificate, "limit"))
    shown = [html.unescape(text) for text in _NUMBER.findall(page)]
    audit.equal("report.html: the number that is shown", shown, [wanted])
    sentences = [html.unescape(text) for text in _SENTENCE.findall(page)]
    is_said = len(sentences) == 1 and (
        claim["risk"] >= part(certificate, "limit") or f"is at most {wanted}." in sentences[0]
    )
    audit.check("report.html: the sentence that is shown", is_said, f"does not say {wanted}")
