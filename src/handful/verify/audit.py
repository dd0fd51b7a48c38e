"""Findings of a re-check, how they are collected, and the verdict that they give."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful.verify.stated import claim_of, part, stated_of

Document = Mapping[str, Any]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

VALID, CONSISTENT, NOT_VALID = "VALID", "CONSISTENT, NOT VERIFIED", "NOT VALID"
NOT_CERTIFIED = "NOT CERTIFIED"
TOLERANCE = 1e-8  # relative; of recomputed nats and scores
_SMALL = 1e-3  # numbers below it may be off by as much as it
_BROKEN = (
    *(AttributeError, ArithmeticError, LookupError, TypeError, ValueError),
    *(StopIteration, MemoryError, np.linalg.LinAlgError),
)


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at, whether it holds, and what differs if it does not."""

    name: str
    holds: bool
    detail: str = ""


@dataclass(frozen=True)
class Verdict:
    """What a re-check found.

    Attributes
    ----------
    findings : tuple of Finding
    trusted : tuple of str
        What no program can derive from the file and the data.
    unverified : tuple of str
        Parts of the claim that were not derived again here, although they could be.
    claim : mapping
        What the verdict is about, in the words of the file: claim, form, target, case, counts,
        delta, digests of the content and of the file.
    stated : mapping
        What the file states of its making and was compared with nothing: versions, the name of
        the data, notes on how its file was read.
    is_certified : bool
        False for a rule that was learned from all rows, without any certificate.
    """

    findings: tuple[Finding, ...]
    trusted: tuple[str, ...]
    unverified: tuple[str, ...] = ()
    claim: Mapping[str, Any] = field(default_factory=dict)
    stated: Mapping[str, Any] = field(default_factory=dict)
    is_certified: bool = True

    @property
    def is_consistent(self) -> bool:
        """Whether everything that was looked at holds."""
        # A verdict without any finding looked at nothing.
        return bool(self.findings) and all(finding.holds for finding in self.findings)

    @property
    def is_valid(self) -> bool:
        """Whether the whole claim was derived again, and holds."""
        return self.is_consistent and self.is_certified and not self.unverified

    @property
    def status(self) -> str:
        """One of "VALID", "CONSISTENT, NOT VERIFIED", "NOT CERTIFIED" or "NOT VALID"."""
        if not self.is_consistent:
            return NOT_VALID
        if not self.is_certified:
            return NOT_CERTIFIED
        return CONSISTENT if self.unverified else VALID

    @property
    def differences(self) -> tuple[str, ...]:
        """What differs, one sentence each."""
        return tuple(f"{f.name}: {f.detail}" for f in self.findings if not f.holds)

    def to_dict(self) -> dict[str, Any]:
        """Plain data (JSON-ready)."""
        return {
            "status": self.status,
            "is_valid": self.is_valid,
            **self.claim,
            "stated_not_checked": dict(self.stated),
            "findings": [vars(finding) for finding in self.findings],
            "trusted": list(self.trusted),
            "unverified": list(self.unverified),
        }


@dataclass
class Audit:
    """Collects findings; what a hostile file breaks becomes a finding too."""

    findings: list[Finding] = field(default_factory=list)
    trusted: list[str] = field(default_factory=list)
    unverified: list[str] = field(default_factory=list)
    compared: set[str] = field(default_factory=set)  # notes of the file

    def check(self, name: str, holds: bool, detail: str = "") -> bool:
        """Add a finding and pass on whether it holds."""
        holds = bool(holds)
        self.findings.append(Finding(name, holds, "" if holds else detail))
        return holds

    def equal(self, name: str, found: Any, wanted: Any) -> bool:
        """The file's value must be exactly what was recomputed."""
        detail = f"the file says {_show(found)}, it is {_show(wanted)}"
        return self.check(name, is_same(found, wanted), detail)

    def close(self, name: str, found: Any, wanted: float) -> bool:
        """The file's number must be what was recomputed, up to rounding."""
        holds = is_number(found) and is_close(found, wanted, _SMALL)
        return self.check(name, holds, f"the file says {_show(found)}, it is {wanted!r}")

    def count(self, name: str, found: Any, low: int, high: int) -> bool:
        """The file's number must be a whole one in a range."""
        holds = type(found) is int and low <= found <= high
        return self.check(name, holds, f"{_show(found)} is no whole number in {low} .. {high}")

    def fields(self, name: str, found: Any, wanted: tuple[str, ...]) -> bool:
        """The file's record must have all these fields and no others."""
        said = sorted(found) if isinstance(found, Mapping) else type(found).__name__
        return self.equal(f"{name}: fields", said, sorted(wanted))

    def trust(self, sentence: str) -> None:
        """Say what no program can derive again."""
        if sentence not in self.trusted:
            self.trusted.append(sentence)

    def leave(self, sentence: str) -> None:
        """Say which part of the claim is not derived again: it cannot be called valid."""
        if sentence not in self.unverified:
            self.unverified.append(sentence)

    def notes(
        self, document: Document, again: Sequence[Sequence[Document]], unseen: Collection[str]
    ) -> None:
        """The file's notes on the table must be those that the library finds in it again.

        ``again`` has what each note may say, ``unseen`` the codes that the rows do not show.
        """
        told = document["provenance"]["notes"]
        found = [note for note in told if note["code"] not in unseen]
        wanted = [versions for versions in again if versions[0]["code"] not in unseen]
        self.compared |= {note["code"] for note in found}
        holds = len(found) == len(wanted) and all(
            any(is_same(note, version) for version in versions)
            for note, versions in zip(found, wanted, strict=True)
        )
        codes = [[note["code"] for note in found], [versions[0]["code"] for versions in wanted]]
        text = "the texts differ from what is noticed in the table"
        if codes[0] != codes[1]:
            text = f"the file says {_show(codes[0])}, in the table is noticed {_show(codes[1])}"
        self.check("notes on the table", holds, text)

    @contextmanager
    def guard(self, name: str) -> Iterator[None]:
        """Turn errors of reading a broken file into a finding."""
        try:
            yield
        except _BROKEN as error:
            kind = type(error).__name__
            self.check(name, False, f"the file cannot be read there ({kind}: {_show(str(error))})")

    def verdict(self, document: Any = None) -> Verdict:
        """All findings, and what they are about."""
        found, trusted, left = tuple(self.findings), tuple(self.trusted), tuple(self.unverified)
        said = stated_of(document, self.compared)
        is_refit = part(document, "training", "kind") == "refit"
        is_certified = not is_refit or part(document, "certificate") is not None
        return Verdict(found, trusted, left, claim_of(document), said, is_certified)


def is_same(found: Any, wanted: Any) -> bool:
    """Whether two JSON values are the same: 1, 1.0 and True are equal in Python, not in a file."""
    if type(found) is not type(wanted):
        return False
    if isinstance(wanted, dict):
        return found.keys() == wanted.keys() and all(is_same(found[k], wanted[k]) for k in wanted)
    if isinstance(wanted, list):
        return len(found) == len(wanted) and all(map(is_same, found, wanted))
    return bool(found == wanted)


def is_number(value: Any) -> bool:
    """A finite int or float, not a truth value."""
    is_real = isinstance(value, (int, float)) and not isinstance(value, bool)
    # Squares and products of larger numbers would overflow in the checks themselves.
    return is_real and abs(value) < 1e300 and math.isfinite(value)


def is_close(found: float, wanted: float, scale: float = 1.0) -> bool:
    """Equal up to `TOLERANCE`, relative to the larger of both and ``scale``."""
    return abs(found - wanted) <= TOLERANCE * max(scale, abs(found), abs(wanted))


def _show(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
