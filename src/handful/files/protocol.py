"""A protocol: what is fixed before the data are seen, in a file that a person can fill in.

The digest of the file shows what it says. When it was written nobody can tell from it, unless the
digest was published.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from importlib import resources
from pathlib import Path
from typing import Any

from handful.certified import (
    CertifiedClassifier,
    Goal,
    check_favourite,
    goal_of_case,
    is_first_case,
    named_candidates,
    wanted_forms,
)
from handful.checks import check_choice, check_delta
from handful.codec import ModelFileError, decode, encode, fail, to_toml
from handful.tables import Choices, read_study
from handful.writing import write_atomically

VERSION = 1  # of the keys of a file
MAX_BYTES = 50_000  # of a file: it is stored in model files, whose texts are limited
_NO_DATE = "2000-01-01"  # of the template
_HEAD = ("title", "date", "registration", "planned_rows")
_SETTINGS = (
    *("favourite", "delta", "tolerance", "pool_share", "group_loss", "max_items", "max_points"),
)
_UNSAID = ("acknowledged",)  # choices that are no part of a protocol: answers to what was noticed


@dataclass(frozen=True)
class Deviation:
    """A setting that is not as the protocol says: its name, and both values as they are shown."""

    setting: str
    said: str
    used: str

    def __str__(self) -> str:
        return f"{self.setting} is {self.used}, the protocol says {self.said}"


@dataclass(frozen=True)
class FollowedProtocol:
    """The protocol of a study in a model file, and where the study deviates from it.

    Attributes
    ----------
    text, sha256 : str
        The whole file, and its digest.
    date : str
        The day that it states.
    deviations : tuple of Deviation
    reason : str
        Why the study deviates; empty if it does not.
    """

    text: str
    sha256: str
    date: str
    deviations: tuple[Deviation, ...]
    reason: str

    def lines(self, n_rows: int) -> list[str]:
        """What is said beside the certificate of so many rows."""
        planned, of = Protocol.of(self.text).planned_rows, f"{self.date} (SHA-256 {self.sha256})"
        lines = [f"Deviation from the protocol: {one}." for one in self.deviations]
        lines += [f"Reason for the deviation: {self.reason.rstrip('.')}."] if lines else []
        if planned not in (0, n_rows):
            lines.append(f"The protocol planned {planned} rows, the table has {n_rows}.")
        how = "was followed but for these deviations" if self.deviations else "was followed"
        return [*lines, f"The protocol of {of} {how}."]

    def check_fields(self, where: str) -> None:
        """Refuse a text that has another digest, or is no protocol."""
        if self.sha256 != hashlib.sha256(self.text.encode()).hexdigest():
            raise fail(f"{where}.sha256", "the digest of the text", self.sha256)
        if bool(self.deviations) != bool(self.reason) or self.reason != self.reason.strip():
            raise fail(f"{where}.reason", "said if there are deviations", self.reason)


@dataclass(frozen=True, kw_only=True)
class Protocol:
    """Settings, goals and columns of a study, named before the data are seen.

    Attributes
    ----------
    title, date, registration : str
    planned_rows : int
        0 if no number was planned.
    candidates, favourite, goal, delta, tolerance, pool_share, group_loss, max_items, max_points
        As in `CertifiedClassifier`.
    columns : Choices
        Its ``target`` must be said, and of two classes the ``positive`` one.
    text : str
        The file; made from the other fields if it is not given.

    Examples
    --------
    >>> said = Protocol(title="Sepsis", date="2026-03-01", goal="sensitivity >= 0.9",
    ...                 columns=Choices(target="outcome", positive="sepsis"))
    >>> same = Protocol.of(said.text)
    >>> same == said, same.settings()["goal"], len(same.sha256)
    (True, 'sensitivity >= 0.9', 64)
    """

    title: str = ""
    date: str = ""
    registration: str = ""
    planned_rows: int = 0
    candidates: str | tuple[str, ...] = "readable"
    favourite: str | None = None
    goal: str | None = None
    delta: float = 0.05
    tolerance: float = 0.01
    pool_share: float = 0.5
    group_loss: str = "mean"
    max_items: int = 8
    max_points: int = 5
    columns: Choices = field(default_factory=Choices)
    text: str = field(default="", metadata={"file": False}, repr=False)

    def __post_init__(self) -> None:
        wanted_forms(self.candidates if isinstance(self.candidates, str) else [*self.candidates], 2)
        check_favourite(self.favourite, self.candidates)
        check_delta(self.delta)
        check_choice("group_loss", self.group_loss, ("mean", "any"))
        if self.goal is not None:
            Goal.of(self.goal)
        for name in ("tolerance", "pool_share"):
            if not 0.0 <= getattr(self, name) < 1.0:
                raise ValueError(f"`{name}` must be in [0, 1), got {getattr(self, name)!r}.")
        if not re.fullmatch(r"\d{4}-\d\d-\d\d", self.date):
            raise ValueError(f"`date` must be a day such as 2026-03-01, got {self.date!r}.")
        if self.planned_rows < 0:
            raise ValueError(f"`planned_rows` must be at least 0, got {self.planned_rows}.")
        if not self.columns.target:
            raise ValueError(
                '`target` must name the column to predict, got none. Write target = "outcome" '
                "under [columns] of the protocol."
            )
        if not self.text:
            object.__setattr__(self, "text", self._written())

    @property
    def sha256(self) -> str:
        """Digest of the file, as ``sha256sum`` prints it."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    @classmethod
    def of(cls, text: str) -> Protocol:
        """The protocol of a text in TOML."""
        if len(text.encode()) > MAX_BYTES:
            raise ValueError(f"`protocol` must have at most {MAX_BYTES} bytes. Shorten it.")
        try:
            found = tomllib.loads(text.removeprefix("\ufeff"))
        except tomllib.TOMLDecodeError as error:
            raise ValueError(
                f"`protocol` must be a file in TOML, got one that is not: {error}. Compare it with "
                "what `handful protocol new` writes."
            ) from error
        if found.pop("protocol", None) != VERSION:
            raise ValueError(f"`protocol` must begin with protocol = {VERSION}.")
        settings, columns = found.pop("settings", {}), found.pop("columns", {})
        plain = encode(cls(date=_NO_DATE, columns=Choices(target="?"), text="?"))
        _known("the protocol", found, _HEAD)
        _known("[settings]", settings, [name for name in plain if name not in (*_HEAD, "columns")])
        _known("[columns]", columns, [f.name for f in fields(Choices) if f.name not in _UNSAID])
        found |= {name: value for name, value in settings.items() if value != ""}
        if isinstance(found.get("date"), datetime.date):
            found["date"] = found["date"].isoformat()
        said = {name: value for name, value in columns.items() if value != ""}
        for name in ("missing", "not_missing"):
            said |= {name: {"": said[name]}} if isinstance(said.get(name), list) else {}
        plain |= {**found, "columns": {**encode(Choices()), **said}}
        try:
            decoded: Protocol = decode(cls, plain, "protocol")
        except ModelFileError as error:
            told = str(error.__cause__ or error).replace("The file is not usable.", "Mend it.")
            raise ValueError(told) from error
        return replace(decoded, text=text)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Protocol:
        """The protocol of a file."""
        place = Path(path)
        if not place.is_file():
            raise FileNotFoundError(
                f"there is no protocol {place}. Make one with `handful protocol new`."
            )
        try:
            return cls.of(place.read_bytes().decode("utf-8"))
        except UnicodeDecodeError as error:
            raise ValueError(f"`protocol` must be text in UTF-8, got {place.name}.") from error

    def write(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write the file, with a comment for every key."""
        write_atomically(path, self.text, overwrite=overwrite)

    def said(self) -> dict[str, Any]:
        """Title, date, registration and planned number of rows, as plain data."""
        return {name: getattr(self, name) for name in _HEAD}

    def settings_said(self) -> dict[str, Any]:
        """All settings and columns by name, as plain data."""
        return _flat(self.settings(), self.columns)

    def settings(self) -> dict[str, Any]:
        """Parameters of `CertifiedClassifier`."""
        one = isinstance(self.candidates, str)
        more = {name: getattr(self, name) for name in ("goal", *_SETTINGS)}
        return {"candidates": self.candidates if one else list(self.candidates), **more}

    def learn(self, frame: Any, **more: Any) -> CertifiedClassifier:
        """A menu of a whole table as the protocol says; ``more`` are other parameters of it."""
        study = read_study(frame, self.columns, pool_share=self.pool_share)
        return CertifiedClassifier(**self.settings(), **more).fit(study)

    def compare(
        self, settings: Mapping[str, Any], columns: Choices | None, *, is_late: bool = False
    ) -> tuple[Deviation, ...]:
        """Settings that are not as the protocol says; a late goal was set after a look."""
        said = _flat(self.settings(), self.columns)
        used = _flat(settings, columns or Choices())
        if is_late:
            used["goal"] = f"{used['goal']} after looking"
        return tuple(
            Deviation(name, _shown(said[name]), _shown(used[name]))
            for name in said
            if said[name] != used[name]
        )

    def deviations(self, machine: CertifiedClassifier) -> tuple[Deviation, ...]:
        """Settings of a fitted menu that are not as the protocol says."""
        reading, goal = machine.reading_, machine.goal_
        positive = None if reading is None else reading.positive
        if goal is not None:
            goal = goal_of_case(goal, is_first_case(positive, machine.fitted_.classes))
        candidates = named_candidates(machine.candidates)[0]
        settings = {name: getattr(machine, name) for name in _SETTINGS}
        settings |= {"candidates": candidates, "goal": goal and Goal(*goal).text}
        return self.compare(settings, reading, is_late=machine.goal_ != machine.named_goal_)

    def followed(self, machine: CertifiedClassifier, reason: str = "") -> FollowedProtocol:
        """The record of a model file; an error if the menu deviates without a reason."""
        deviations, reason = self.deviations(machine), reason.strip()
        if deviations and not reason:
            raise ValueError(
                f"`protocol` must be followed, got a study in which {deviations[0]}. Do what it "
                "says, or give the reason (--deviate 'why'), which is written beside the "
                "certificate."
            )
        why = reason if deviations else ""
        return FollowedProtocol(self.text, self.sha256, self.date, deviations, why)

    def _written(self) -> str:
        """The text of the template with the values that are not its own."""
        plain, text = encode(self), protocol_template()
        columns = plain.pop("columns")
        values = {**plain, **{n: v for n, v in columns.items() if n not in _UNSAID}}
        for name, value in values.items():
            if value in (None, [], {}) or value is False:
                continue
            line = to_toml({"_": {name: value}}).splitlines()[-1]
            line = f"date = {value}" if name == "date" else line
            line = line.replace("\\", "\\\\")  # as `re.sub` reads it
            text = re.sub(f"(?m)^(# )?{name} = .*$", line, text, count=1)
        return text


def protocol_template(today: str = "") -> str:
    """The text of a protocol to fill in, with a comment for every key."""
    folder = resources.files("handful.files") / "templates"
    text = (folder / "protocol.toml").read_text(encoding="utf-8")
    return text.replace(_NO_DATE, today) if today else text


def _known(where: str, found: Any, names: Any) -> None:
    if not isinstance(found, Mapping) or (odd := sorted(set(found) - set(names))):
        shown = repr(odd[0]) if isinstance(found, Mapping) else repr(found)
        raise ValueError(f"keys of {where} must be among {', '.join(names)}, got {shown}.")


def _flat(settings: Mapping[str, Any], columns: Choices) -> dict[str, Any]:
    """Settings and columns by name, as JSON has them."""
    goal = settings["goal"]
    said = {**settings, "goal": goal and Goal.of(goal).text, **encode(columns)}
    if said["candidates"] not in ("readable", "all") and isinstance(said["candidates"], str):
        said["candidates"] = [said["candidates"]]
    for name in ("tolerance", "delta", "pool_share"):
        said[name] = float(said[name])
    plain: dict[str, Any] = json.loads(json.dumps(said))
    return {name: value for name, value in plain.items() if name not in _UNSAID}


def _shown(value: Any) -> str:
    return "nothing" if value in (None, [], {}) else json.dumps(value, ensure_ascii=False)
