"""A fitted classifier as data: how the table is read, the labels, and the form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from handful.arrays import Floats, Ints
from handful.codec import decode, encode, fail
from handful.models.foreign import n_estimators, placed, restored
from handful.models.form import Form
from handful.models.risk_curve import RiskCurve
from handful.models.words import Vocabulary
from handful.tables import Columns

if TYPE_CHECKING:
    import pandas as pd

PART_COLUMNS = ("form", "condition", "label", "value")


@dataclass(frozen=True)
class Fitted:
    """A fitted classifier as data: all that `predict` needs, and nothing else.

    Parameters
    ----------
    form : str
        Name of the form, as in a menu.
    columns : Columns
    classes : tuple of str
        Labels as words, in the order of class positions.
    machine : Form
    risk : RiskCurve or None
        The estimated risk by the score; None if it is not known.

    Examples
    --------
    >>> import numpy as np
    >>> from handful.models import Condition, OrderedRules, Rule
    >>> from handful.tables import Column
    >>> rules = OrderedRules((Rule((Condition.on(0, ">=", 28.0),), 1),), default=0)
    >>> fitted = Fitted("one rule", Columns((Column("age"),)), ("well", "ill"), rules)
    >>> fitted.labels(np.array([[30.0], [20.0]]))
    array([1, 0])
    >>> Fitted.from_document(fitted.to_document()) == fitted
    True
    """

    form: str
    columns: Columns
    classes: tuple[str, ...]
    machine: Form
    risk: RiskCurve | None = None

    def rows(self, X: Any) -> Any:
        """The rows as the form reads them."""
        return X if self.machine.reads_table else self.columns.encode(X)

    def labels(self, X: Any) -> Ints:
        """Predicted class positions of rows of a table."""
        return self.machine.labels(self.rows(X))

    def scores(self, X: Any) -> Floats:
        """Scores of rows of a table: (n,) for two classes, (n, n_classes) for more."""
        return self.machine.scores(self.rows(X))

    def risks(self, X: Any) -> Floats:
        """Estimated probability of the second class, for rows of a table."""
        if self.risk is None:
            raise ValueError(
                f"{self.form!r} has no risks, only labels. Choose a form with a score."
            )
        return self.risk.of(self.scores(X))

    def at(self, threshold: float) -> Fitted:
        """The classifier that says the second class if this one's score is above a number."""
        machine = self.machine.at(threshold)
        before, after = self.machine.points_offset, machine.points_offset
        moved = threshold if before is None or after is None else after - before
        return replace(self, machine=machine, risk=self.risk and self.risk.moved(moved))

    @property
    def words(self) -> Vocabulary:
        """Names and labels for sentences."""
        columns = self.columns
        return Vocabulary(columns.names, self.classes, columns.scales, columns.features)

    def sentences(self, *, include_rows: bool = False) -> list[str]:
        """Exactly what is evaluated; training rows by name, or cell by cell."""
        return self.machine.sentences(replace(self.words, shows_rows=include_rows))

    def parts(self) -> pd.DataFrame:
        """One row a part: form, condition, label, value."""
        import pandas as pd

        rows = [{"form": self.form, **part} for part in self.machine.described(self.words)]
        return pd.DataFrame(rows, columns=list(PART_COLUMNS))

    @property
    def uses(self) -> tuple[str, ...]:
        """Names of the table's columns that it reads."""
        # Several encoded features may ask one column: its value, its words, whether it is missing.
        sources = self.columns.sources
        wanted = sorted({sources[j] for j in self.machine.features})
        return tuple(self.columns.columns[i].name for i in wanted)

    def reasons(self, X: Any) -> list[str]:
        """For each row of a table, what decided; empty if the form has no such part."""
        return self.machine.reasons(self.rows(X), self.words)

    def reduced(self) -> Fitted:
        """The same classifier over the columns that it reads, and no others."""
        # An estimator of another library reads all columns: none can be left out.
        if not self.is_plain:
            return self
        columns, places = self.columns.keep(set(self.machine.features))
        return replace(self, columns=columns, machine=self.machine.moved(places))

    @property
    def n_training_rows(self) -> int:
        """Number of training rows in the classifier: those of prototypes, supports and balls."""
        return self.machine.n_training_rows

    @property
    def is_plain(self) -> bool:
        """Whether the classifier is made of plain data, so that it has a document."""
        return self.machine.is_plain

    def to_document(self, estimators: list[Any] | None = None) -> dict[str, Any]:
        """Plain data (JSON-ready); estimators of other libraries go into ``estimators``."""
        if estimators is None and not self.is_plain:
            raise TypeError(
                f"{self.form!r} has no document: it is not made of plain data. Save the estimator "
                "itself, beside the digest that its certificate names."
            )
        found: list[Any] = [] if estimators is None else estimators
        document: dict[str, Any] = encode(replace(self, machine=placed(self.machine, found)))
        return document

    @classmethod
    def from_document(cls, document: Mapping[str, Any], estimators: Sequence[Any] = ()) -> Fitted:
        """Rebuild what ``to_document`` gave, with the same ``estimators``."""
        found: Fitted = decode(cls, document, "fitted")
        if found.n_estimators > len(estimators):
            raise fail(
                "fitted.machine", f"made of {len(estimators)} estimators", found.n_estimators
            )
        return replace(found, machine=restored(found.machine, estimators))

    @property
    def n_estimators(self) -> int:
        """Number of estimators of other libraries that the document names."""
        return n_estimators(self.machine)

    def check_fields(self, where: str) -> None:
        """Refuse classes that are not different, and a form that does not fit the columns."""
        if not self.classes or len(set(self.classes)) < len(self.classes):
            raise fail(f"{where}.classes", "different words, at least one", self.classes)
        self.machine.check("machine", len(self.columns.names), len(self.classes))
        if self.risk is not None and len(self.classes) != 2:
            raise fail(f"{where}.risk", "null but for two classes", "a curve")
