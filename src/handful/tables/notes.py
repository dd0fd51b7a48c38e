"""Notes on a table: sentences with a code, by which a guide page explains them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

# Codes of one ten belong together; H01x are cautions: without an answer, certificates may not hold.
_TITLES = (
    *("H010 rows scaled together", "H012 repeated patients", "H013 too few distinct rows"),
    *("H020 one column gives the target", "H021 missing cells give the target"),
    *("H022 known only afterwards", "H023 an outcome that is unknown"),
    *("H024 numbers that may mean missing", "H025 perhaps weights"),
    *("H026 numbers that may be codes", "H027 an answer that may mean missing"),
    *("H028 a class that the pool does not know", "H029 one class in several spellings"),
    *("H030 few rows, rare classes, many columns", "H031 which class is the case"),
    *("H040 empty or constant", "H041 identifiers", "H042 dates", "H043 text"),
    *("H044 the target again", "H045 left out as asked", "H050 how numbers are written"),
    *("H051 ordered words", "H052 one word in several spellings", "H053 codes read as categories"),
    *("H054 marks of missing values", "H055 words among numbers", "H056 limits of detection"),
    *("H057 infinite values", "H058 two numbers in a cell", "H060 how the file was read"),
    *("H061 rows left out or set aside", "H070 rows that lack a value", "H071 words never seen"),
)
CODES = dict(title.split(" ", 1) for title in _TITLES)


class Note(str):
    """A sentence with the code of what it is about, and the user's reason if it is answered.

    Examples
    --------
    >>> note = Note("H012", "Rows are not independent cases.")
    >>> note, note.code, note.answered({"H012": "visits are far apart"})
    ('Rows are not independent cases.', 'H012', 'Rows are not independent cases. Acknowledged: visits are far apart.')
    """  # noqa: E501

    code: str
    reason: str

    def __new__(cls, code: str, text: str, reason: str = "") -> Note:
        made = super().__new__(cls, text)
        made.code, made.reason = code, reason
        return made

    def __getnewargs__(self) -> Any:
        return self.code, str(self), self.reason

    @property
    def is_open(self) -> bool:
        """Whether it is a caution or a question that the user has not answered."""
        return self.code < "H030" and not self.reason

    def of(self, name: str) -> Note:
        """The note with the name of its column before it."""
        return Note(self.code, f"{name}: {self}", self.reason)

    def answered(self, reasons: Any) -> Note:
        """The note with the user's reason, if there is one for its code."""
        reason = reasons.get(self.code, "")
        if self.reason or not reason:
            return self
        text = f"{self.removesuffix('.')}. Acknowledged: {reason.removesuffix('.')}."
        return Note(self.code, text, reason)


PRIVATE = ("H055",)  # they show a cell as it was written


def plain_notes(notes: Iterable[Note], *, for_others: bool = False) -> list[dict[str, str]]:
    """Notes as plain data: code, title, sentence and the user's reason; no cell for others."""
    return [
        {"code": n.code, "title": CODES[n.code], "text": str(n), "reason": n.reason}
        for n in notes
        if not (for_others and n.code in PRIVATE)
    ]
