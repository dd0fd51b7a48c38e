"""What languages share: columns that none of them reads, doubt, formulas in parts with names."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from handful.models import Branch, Form, Language
from handful.tables import Column

_MOST = 16  # branches inside each other
_LONGEST = 1500  # characters of a part


class NamedLanguage(Language):
    """A language that keeps parts under names, as R; ``choose`` is its function for a case."""

    choose: str

    def __init__(self) -> None:
        self.parts: list[str] = []

    @abstractmethod
    def named(self, text: str) -> str:
        """Keep a part and return its name."""

    def shortened(self, text: str) -> str:
        """The text, or its name if it is long."""
        return self.named(text) if len(text) > _LONGEST else text

    def case(self, branches: Sequence[Branch], otherwise: str) -> str:
        text = otherwise
        # From the last branch inwards: the first condition ends up outside, so it is asked first.
        for k, (test, value) in enumerate(reversed(branches)):
            text = self.named(text) if k and k % _MOST == 0 else self.shortened(text)
            text = f"{self.choose}({test}, {value}, {text})"
        return text


def decision_of(
    machine: Form, outputs: Sequence[str], language: Language, width: float | None, nothing: str
) -> str:
    """The output of the predicted class; ``nothing`` if the score is at most ``width`` from 0."""
    if width is None:
        return machine.decision(outputs, language)
    first, second = outputs
    high, low = (form.decision(("0", "1"), language) for form in machine.around(width))
    in_doubt = (language.at_least(low, "1"), nothing)
    return language.case([(language.at_least(high, "1"), second), in_doubt], first)


def check_common(column: Column, who: str) -> None:
    """Refuse a column whose cells ``who`` does not read as this package does."""
    if not column.is_common:
        what = "dates" if column.kind == "date" else f"{column.kind} cells ({column.style})"
        raise ValueError(
            f"column {column.name!r} holds {what}, which {who} does not read as the library does. "
            "Use `handful predict`, or leave the column out with --exclude."
        )
