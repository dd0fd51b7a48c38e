"""The state of a watch as a file: written whole or not at all, sealed, without rows."""

from __future__ import annotations

import base64
import hashlib
import json
import math
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from handful.codec import ModelFileError, decode, encode
from handful.evidence import WatchState
from handful.monitoring.case_watch import CaseWatch, ClaimWatch, WatchPlan
from handful.writing import PathLike, write_atomically

FORMAT, VERSION = "handful-watch", 1  # of the state file
_FIELDS = {
    *("format", "version", "plan", "salt", "digests", "cells", "n_entered", "claims"),
    *("reference", "content_sha256"),
}


def watch_to_dict(watch: CaseWatch) -> dict[str, Any]:
    """The state as plain data with its seal."""
    document: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "plan": encode(watch.plan),
        "salt": watch.salt.hex(),
        "digests": _text(watch.digests.astype("<u8").tobytes()),
        "cells": _text(watch.cells.tobytes()),
        "n_entered": watch.n_entered,
        "claims": [_claim(one) for one in watch.claims.values()],
        "reference": dict(watch.reference),
    }
    return document | {"content_sha256": seal_of(document)}


def seal_of(document: dict[str, Any]) -> str:
    """SHA-256 of everything but the seal."""
    rest = {name: part for name, part in document.items() if name != "content_sha256"}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def _text(content: bytes) -> str:
    return base64.b64encode(content).decode("ascii")


def _claim(one: ClaimWatch) -> dict[str, Any]:
    plain = {**asdict(one.state), **{k: v for k, v in asdict(one).items() if k != "state"}}
    for name in ("log_evidence", "log_detector"):
        plain[name] = plain[name] if math.isfinite(plain[name]) else None
    return {k: list(v) if isinstance(v, tuple) else v for k, v in plain.items()}


def save_watch(watch: CaseWatch, path: PathLike) -> None:
    """Write the state; an interruption leaves the old file as it was.

    Examples
    --------
    >>> import tempfile
    >>> watch = CaseWatch(WatchPlan(claims=(("error", 0.1),)))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_watch(watch, f"{folder}/watch.json")
    ...     load_watch(f"{folder}/watch.json").n_cases
    0
    """
    write_atomically(path, json.dumps(watch_to_dict(watch), allow_nan=False) + "\n")


def load_watch(path: PathLike) -> CaseWatch:
    """Read a state file; one that was cut or changed is refused.

    Raises
    ------
    ModelFileError
        A ValueError that says what is wrong.
    """
    name = Path(path).name
    try:
        document = json.loads(Path(path).read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ModelFileError(
            f"{name} is not a whole state file: {str(error)[:120]}. Use the last copy that was "
            "written, and give the files since then again."
        ) from error
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ModelFileError(f"`format` of {name} must be {FORMAT!r}: it is no state of a watch.")
    if document.get("version") != VERSION or set(document) != _FIELDS:
        raise ModelFileError(f"{name} is of another release, or its fields were changed.")
    if document["content_sha256"] != seal_of(document):
        raise ModelFileError(f"{name} was changed: its digest differs. Use an untouched copy.")
    try:
        return _watch(document)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise ModelFileError(f"{name} cannot be read: {str(error)[:200]}.") from error


def _watch(document: dict[str, Any]) -> CaseWatch:
    plan: WatchPlan = decode(WatchPlan, document["plan"], "plan")
    cells = np.frombuffer(base64.b64decode(document["cells"]), dtype=np.uint8).copy()
    digests = np.frombuffer(base64.b64decode(document["digests"]), dtype="<u8").astype(np.uint64)
    if len(cells) != len(digests) or not 0 <= document["n_entered"] <= len(cells):
        raise ValueError("its numbers of cases differ")
    claims = {part["name"]: _claim_of(part) for part in document["claims"]}
    if list(claims) != [name for name, _ in plan.claims]:
        raise ValueError("its claims are not those of its plan")
    return CaseWatch(
        plan=plan,
        salt=bytes.fromhex(document["salt"]),
        digests=digests,
        cells=cells,
        n_entered=document["n_entered"],
        claims=claims,
        reference=document["reference"],
    )


def _claim_of(part: dict[str, Any]) -> ClaimWatch:
    given = dict(part)
    for name in ("log_evidence", "log_detector"):
        given[name] = -math.inf if given[name] is None else float(given[name])
    names = ("n_cases", "n_errors", "late", "detector", "alarm_at", "notice_at")
    state = {name: given.pop(name) for name in names}
    state |= {name: tuple(float(v) for v in state[name]) for name in ("late", "detector")}
    return ClaimWatch(state=WatchState(**state), **given)
