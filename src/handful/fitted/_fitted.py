"""A fitted classifier as data: how the table is read, the labels, and the machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from handful._types import Floats, Ints
from handful.fitted._columns import Columns
from handful.fitted._document import is_plain, machine_from_document, machine_to_document
from handful.fitted._machine import Machine, Spoken
from handful.fitted._opaque import Opaque
from handful.fitted._parts import PART_COLUMNS, parts_of
from handful.fitted._reasons import reasons
from handful.fitted._reduced import n_training_rows, reduced

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Fitted:
    """What `predict` needs, and nothing else.

    Parameters
    ----------
    form : str
        Name of the form, as in a menu.
    columns : Columns
    classes : tuple of str
        Labels as words, in the order of class positions.
    machine : Machine

    Examples
    --------
    >>> import numpy as np
    >>> from handful.fitted import Column, Cut, OrderedRules, Rule
    >>> rules = OrderedRules((Rule((Cut(0, 28.0),), 1),), default=0)
    >>> fitted = Fitted("one rule", Columns((Column("age"),)), ("well", "ill"), rules)
    >>> fitted.labels(np.array([[30.0], [20.0]]))
    array([1, 0])
    >>> Fitted.from_document(fitted.to_document()) == fitted
    True
    """

    form: str
    columns: Columns
    classes: tuple[str, ...]
    machine: Machine

    def rows(self, X: Any) -> Any:
        """The rows as the machine reads them."""
        return X if self.reads_table else self.columns.encode(X)

    def labels(self, X: Any) -> Ints:
        """Predicted class positions of rows of a table."""
        return self.machine.labels(self.rows(X))

    @property
    def reads_table(self) -> bool:
        """Whether the machine reads the table itself, not its encoding."""
        return isinstance(self.machine, Opaque) and self.machine.takes == "table"

    def scores(self, X: Any) -> Floats:
        """Scores of rows of a table: (n,) for two classes, (n, n_classes) for more."""
        return self.machine.scores(self.rows(X))

    @property
    def words(self) -> Spoken:
        """Names and labels to speak in."""
        columns = self.columns
        return Spoken(columns.names, self.classes, columns.scales, columns.questions)

    def sentences(self, *, include_rows: bool = False) -> list[str]:
        """Exactly what is evaluated; training rows by name, or cell by cell."""
        return self.machine.sentences(replace(self.words, shows_rows=include_rows))

    def parts(self) -> pd.DataFrame:
        """One row a part: form, condition, label, value."""
        import pandas as pd

        rows = [{"form": self.form, **part} for part in parts_of(self.machine, self.words)]
        return pd.DataFrame(rows, columns=list(PART_COLUMNS))

    @property
    def uses(self) -> tuple[str, ...]:
        """Names of the table's columns that it reads."""
        sources = self.columns.sources
        wanted = sorted({sources[j] for j in self.machine.features})
        return tuple(self.columns.columns[i].name for i in wanted)

    def reasons(self, X: Any) -> list[str]:
        """For each row of a table, what decided; empty where the form has no such part."""
        if isinstance(self.machine, Opaque):
            return [""] * len(X)
        return reasons(self.machine, self.rows(X), self.words)

    def reduced(self) -> Fitted:
        """The same classifier over the columns that it reads, and no others."""
        if not self.is_plain:
            return self
        columns, machine = reduced(self.columns, self.machine)
        return Fitted(self.form, columns, self.classes, machine)

    @property
    def n_training_rows(self) -> int:
        """How many training rows it contains: those of prototypes, supports and balls."""
        return n_training_rows(self.machine)

    @property
    def is_plain(self) -> bool:
        """Whether it is made of plain data, so that it has a document."""
        return is_plain(self.machine)

    def to_document(self, estimators: list[Any] | None = None) -> dict[str, Any]:
        """Plain data (JSON-ready); estimators of other libraries go into ``estimators``."""
        return {
            "form": self.form,
            "columns": self.columns.to_document(),
            "classes": list(self.classes),
            "machine": machine_to_document(self.machine, estimators),
        }

    @classmethod
    def from_document(cls, document: Mapping[str, Any], estimators: Sequence[Any] = ()) -> Fitted:
        """Rebuild what ``to_document`` gave, with the same ``estimators``."""
        return cls(
            str(document["form"]),
            Columns.from_document(document["columns"]),
            tuple(str(c) for c in document["classes"]),
            machine_from_document(document["machine"], estimators),
        )
