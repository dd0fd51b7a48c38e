"""The protocol of a study: its digest, and every setting of the file against what it says."""

from __future__ import annotations

import datetime
import hashlib
import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from handful.verify.audit import Audit, Document

_FIELDS = ("text", "sha256", "date", "deviations", "reason")
_SETTINGS = {
    **{"candidates": "readable", "favourite": None, "goal": None, "delta": 0.05},
    **{"tolerance": 0.01, "pool_share": 0.5, "group_loss": "mean"},
    **{"max_items": 8, "max_points": 5},
}
_COLUMNS: dict[str, Any] = {
    **dict.fromkeys(("target", "positive", "groups", "weights")),
    **{name: [] for name in ("id", "exclude", "features", "ordered", "categories", "subgroups")},
    **{"increasing": [], "decreasing": [], "must_ask": [], "missing": {}, "not_missing": {}},
    "drop_missing_target": False,
}
_HEAD = ("protocol", "title", "date", "registration", "planned_rows")
_GOAL = re.compile(r"\s*([a-z]+)\s*(?:>=|≥|<=|≤)\s*([0-9]*\.?[0-9]+)\s*(%?)\s*")
OPTIONS = "the options (candidates, tolerance, delta, columns) were fixed before the data"
_TRUST = (
    "the protocol was written before the data were seen: it says what this file does, and its "
    "digest {digest} shows what it says, not when it was written (it states {date}). Compare the "
    "digest with the one that was published"
)
_ROWS = "the number of rows ({n}, planned were {planned}) did not depend on what was seen in them"


def check_protocol(audit: Audit, document: Document) -> None:
    """What a file says of its protocol; what is then left to trust."""
    record = document["training"]["protocol"]
    if record is None:
        audit.trust(OPTIONS)
        return
    if not audit.fields("protocol", record, _FIELDS):
        return
    digest = hashlib.sha256(record["text"].encode()).hexdigest()
    audit.equal("protocol: digest", record["sha256"], digest)
    text = tomllib.loads(record["text"].removeprefix("\ufeff"))
    odd = set(text) - {*_HEAD, "settings", "columns"} or set(text.get("settings", {})) - {
        *_SETTINGS
    }
    odd |= set(text.get("columns", {})) - {*_COLUMNS}
    audit.check("protocol: keys", not odd and text.get("protocol") == 1, f"{sorted(odd)!r:.80}")
    date = text.get("date", "")
    date = date.isoformat() if isinstance(date, datetime.date) else date
    audit.equal("protocol: date", record["date"], date)
    said, used = _said(text), _used(document)
    wanted = [
        {"setting": name, "said": _shown(said[name]), "used": _shown(used[name])}
        for name in said
        if json.dumps(said[name], sort_keys=True) != json.dumps(used[name], sort_keys=True)
    ]
    audit.equal("protocol: deviations", record["deviations"], wanted)
    reason = record["reason"]
    is_said = isinstance(reason, str) and reason == reason.strip() and bool(reason) == bool(wanted)
    audit.check("protocol: reason", is_said, "must be given if, and only if, there are deviations")
    if wanted:
        names = ", ".join(deviation["setting"] for deviation in wanted)
        why = f"the reason that is given: {reason!s:.200}"
        audit.trust(f"{OPTIONS}, although the protocol says otherwise of {names} ({why})")
    else:
        audit.trust(_TRUST.format(digest=digest, date=date or "no date"))
    planned, n = text.get("planned_rows", 0), document["data"]["n_rows"]
    if planned not in (0, n):
        audit.trust(_ROWS.format(n=n, planned=planned))


def check_beside(audit: Audit, document: Document, beside: Path) -> None:
    """The copy of the protocol in the folder must be the text that the file holds."""
    record = document["training"].get("protocol")
    if beside.is_file() and record is not None:
        found = hashlib.sha256(beside.read_bytes()).hexdigest()
        audit.equal("protocol.toml: digest", found, record["sha256"])


def _said(text: Mapping[str, Any]) -> dict[str, Any]:
    """Settings and columns by name, as a protocol says them."""
    given = {**text.get("settings", {}), **text.get("columns", {})}
    said = {**_SETTINGS, **_COLUMNS, **{k: v for k, v in given.items() if v != ""}}
    for name in ("missing", "not_missing"):
        said[name] = {"": said[name]} if isinstance(said[name], list) else said[name]
    if said["goal"] is not None and (goal := _GOAL.fullmatch(said["goal"])) is not None:
        said["goal"] = _goal(goal[1], float(goal[2]) / (100.0 if goal[3] else 1.0))
    return _plain(said)


def _used(document: Document) -> dict[str, Any]:
    """The same of what was done, as a file says it; the rest of the re-check derives it again."""
    training, reading = document["training"], document["data"]["reading"] or {}
    used = {name: training[name] for name in _SETTINGS}
    used |= {name: reading.get(name, default) for name, default in _COLUMNS.items()}
    if used["goal"] is not None:
        used["goal"] = _goal(*used["goal"]) + " after looking" * training["after_looking"]
    return _plain(used)


def _goal(quantity: str, value: float) -> str:
    return f"{quantity} {'<=' if quantity == 'error' else '>='} {value!r}"


def _plain(said: dict[str, Any]) -> dict[str, Any]:
    if said["candidates"] not in ("readable", "all") and isinstance(said["candidates"], str):
        said["candidates"] = [said["candidates"]]
    return said | {name: float(said[name]) for name in ("delta", "tolerance", "pool_share")}


def _shown(value: Any) -> str:
    return "nothing" if value in (None, [], {}) else json.dumps(value, ensure_ascii=False)
