"""What an encoded feature asks of its column."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Question:
    """What an encoded feature asks of its column.

    Attributes
    ----------
    name : str
        Of the encoded feature; a sentence where the answer is yes or no.
    kind : {"value", "word", "missing"}
        Its number, whether it is a word, or whether it is missing.
    column, word : str
        The column that is asked, and the word that is asked for.

    Examples
    --------
    >>> Question.of_word("colour", "red").name
    'colour = red'
    >>> Question.of_word("colour", "red").negated, Question.of_missing("age").negated
    ('colour ≠ red', 'age is known')
    """

    name: str
    kind: str = "value"
    column: str = ""
    word: str = ""

    @classmethod
    def of_word(cls, column: str, word: str) -> Question:
        """Whether a column is a word."""
        return cls(f"{column} = {word}", "word", column, word)

    @classmethod
    def of_missing(cls, column: str) -> Question:
        """Whether the value of a column is missing."""
        return cls(f"{column} is missing", "missing", column)

    @property
    def is_flag(self) -> bool:
        """Whether the feature is 0 or 1 and its name a sentence."""
        return self.kind != "value"

    @property
    def negated(self) -> str:
        """The sentence of a flag that is 0."""
        if self.kind == "word":
            return f"{self.column} ≠ {self.word}"
        return f"{self.column} is known"
