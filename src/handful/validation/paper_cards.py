"""Score cards as they are printed in papers: a small file that `handful validate` reads.

``docs/guide/validation.md`` describes the format. It is for scores that exist already. Model
files, which `handful certify` writes, are another thing.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from handful.arrays import Floats, Mask
from handful.checks import check_choice, check_real
from handful.validation.comparisons import Comparison

MISSING_RULES = ("refuse", "no points", "leave out")
_FIELDS = {
    "card": int, "name": str, "purpose": str, "reference": str, "threshold": (int, float),
    "missing": str, "item": list, "risk": dict, "worked": list,
}  # fmt: skip
_NEEDED = ("card", "name", "threshold", "missing", "item")
_ITEM = {"name": str, "points": (int, float), "when": list}
_WORKED = {"points": (int, float), "case": dict}
_MOST_ITEMS = 200  # no card that a person adds up has more


@dataclass(frozen=True)
class CardItem:
    """Points for a row that meets one of some comparisons."""

    name: str
    points: float
    when: tuple[Comparison, ...]

    def met(self, frame: Any, place: Mapping[str, str]) -> tuple[Mask, Mask]:
        """Rows that get the points, and rows of which it cannot be said."""
        found = [one.met(frame, place) for one in self.when]
        is_met = np.any([met for met, _ in found], axis=0)
        return is_met, np.any([gone for _, gone in found], axis=0) & ~is_met


@dataclass(frozen=True)
class PaperCard:
    """A card that was fixed beforehand: items, threshold, rule for missing items, risks.

    Attributes
    ----------
    threshold : float
        From so many points on, a row is called a case.
    missing : {"refuse", "no points", "leave out"}
        What is done if an item cannot be decided.
    risk : tuple of (points, risk)
        Predicted risk by points; from one number of points to the next the first one holds.
    worked : tuple of (case, points)
        Cases with the points that they must get.

    Examples
    --------
    >>> import pandas as pd
    >>> item = CardItem("fast breathing", 1.0, (Comparison.parse("rate >= 22"),))
    >>> card = PaperCard("one", 1.0, "no points", (item,))
    >>> card.points(pd.DataFrame({"rate": [25, 12, None]}))[0].tolist()
    [1.0, 0.0, 0.0]
    """

    name: str
    threshold: float
    missing: str
    items: tuple[CardItem, ...]
    purpose: str = ""
    reference: str = ""
    risk: tuple[tuple[float, float], ...] = ()
    worked: tuple[tuple[Mapping[str, Any], float], ...] = ()

    def points(self, frame: Any, place: Mapping[str, str] | None = None) -> tuple[Floats, Mask]:
        """Points of each row, and the rows that have none because an item is missing."""
        total, is_gone = np.zeros(len(frame)), np.zeros(len(frame), dtype=bool)
        for item in self.items:
            is_met, is_unknown = item.met(frame, place or {})
            total += item.points * is_met
            is_gone |= is_unknown
            if self.missing == "refuse" and is_unknown.any():
                raise ValueError(
                    f"the item {item.name!r} of {self.name} cannot be decided in row "
                    f"{int(np.argmax(is_unknown)) + 1}, where a value is missing. Fill it in, or "
                    "say in the card what a missing item means: missing = 'no points' or "
                    "'leave out'."
                )
        return total, is_gone & (self.missing == "leave out")

    def risks(self, points: Floats) -> Floats | None:
        """The predicted risk of each row, if the card has a table of risks."""
        if not self.risk:
            return None
        ends, risks = np.array(self.risk).T
        if len(points) and points.min() < ends[0]:
            raise ValueError(
                f"`risk` of {self.name} must begin at the lowest points, got {ends[0]:g} and a row "
                f"with {points.min():g}. Add the line to the card."
            )
        return np.asarray(risks[np.searchsorted(ends, points, side="right") - 1])

    def check_worked(self) -> None:
        """Compute the worked cases again; a card that gets one wrong was copied wrongly."""
        import pandas as pd

        for case, wanted in self.worked:
            found = self.points(pd.DataFrame([dict(case)]))[0][0]
            if found != wanted:
                raise ValueError(
                    f"the worked case {dict(case)} of {self.name} must get {wanted:g} points, and "
                    f"gets {found:g}. Compare the items with the publication."
                )

    def sentences(self) -> list[str]:
        """The whole card as lines."""
        lines = [
            f"{item.name}: {item.points:+g} if {' or '.join(map(str, item.when))}"
            for item in self.items
        ]
        lines.append(f"{self.threshold:g} points or more: a case.")
        lines.append(f"If an item is missing: {self.missing}.")
        lines += [f"Risk from {points:g} points on: {risk:g}." for points, risk in self.risk]
        return [*lines, f"Reference: {self.reference}"] if self.reference else lines


def load_card(path: str | Path) -> PaperCard:
    """Read a card and check it, its worked cases included.

    Raises
    ------
    ValueError
        The file is no card; the message names the place.
    """
    place = Path(path)
    if not place.is_file():
        raise FileNotFoundError(f"there is no card {place}. Check the path.")
    try:
        data = tomllib.loads(place.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(
            f"{place.name} is not a card: {error}. See the guide, Validation."
        ) from error
    return card_from_dict(data)


def card_from_dict(data: Mapping[str, Any]) -> PaperCard:
    """The card of plain data, as TOML gives them."""
    _check_fields("card", data, _FIELDS, _NEEDED)
    if data["card"] != 1:
        raise ValueError(f"`card` must be 1, got {data['card']!r}. Use the format of the guide.")
    items = data["item"]
    if not 1 <= len(items) <= _MOST_ITEMS:
        raise ValueError(f"`item` must stand 1 to {_MOST_ITEMS} times, got {len(items)}.")
    card = PaperCard(
        name=data["name"],
        threshold=check_real("threshold", data["threshold"]),
        missing=check_choice("missing", data["missing"], MISSING_RULES),
        items=tuple(_item(f"item {i + 1}", item) for i, item in enumerate(items)),
        purpose=data.get("purpose", ""),
        reference=data.get("reference", ""),
        risk=_risk(data.get("risk", {})),
        worked=tuple(_worked(f"worked {i + 1}", w) for i, w in enumerate(data.get("worked", []))),
    )
    card.check_worked()
    return card


def _check_fields(where: str, data: Any, kinds: Mapping[str, Any], needed: tuple[str, ...]) -> None:
    """Refuse names that are not known, names that lack, and values of another type."""
    if not isinstance(data, Mapping):
        raise ValueError(f"`{where}` must be a table of names, got {data!r}. See the guide.")
    if odd := sorted(set(data) - set(kinds)):
        raise ValueError(f"`{where}` must not have {odd[0]!r}. It has: {', '.join(kinds)}.")
    if lost := [name for name in needed if name not in data]:
        raise ValueError(f"`{where}` must say {lost[0]!r}. See the guide, Validation.")
    for name, value in data.items():
        if isinstance(value, bool) or not isinstance(value, kinds[name]):
            raise ValueError(f"`{where}.{name}` is of the wrong type, got {value!r}.")


def _item(where: str, data: Any) -> CardItem:
    _check_fields(where, data, _ITEM, ("points", "when"))
    when = tuple(Comparison.parse(text) for text in data["when"])
    if not when:
        raise ValueError(f"`{where}.when` must hold a comparison, got none.")
    points = check_real(f"{where}.points", data["points"])
    return CardItem(data.get("name", " or ".join(map(str, when))), points, when)


def _risk(data: Mapping[str, Any]) -> tuple[tuple[float, float], ...]:
    found = []
    for points, risk in data.items():
        try:
            found.append((float(points), check_real(f"risk.{points}", risk, low=0.0, high=1.0)))
        except ValueError as error:
            raise ValueError(f"`risk` must say a risk for points, as 2 = 0.1. {error}") from error
    return tuple(sorted(found))


def _worked(where: str, data: Any) -> tuple[Mapping[str, Any], float]:
    _check_fields(where, data, _WORKED, ("points", "case"))
    return data["case"], float(data["points"])
