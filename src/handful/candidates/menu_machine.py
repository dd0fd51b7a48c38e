"""What every machine does that offers a menu: it shows the rows, and predicts with one of them."""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

from sklearn.utils.validation import check_is_fitted

from handful.arrays import Floats
from handful.bounds import Certificate, percent_text
from handful.candidates.candidate import RATE_NAMES, Failure
from handful.candidates.menu import Menu

if TYPE_CHECKING:
    import pandas as pd


_EACH = " (one blindly drawn row of each group was counted)"


class MenuMachine:
    """A machine whose candidates are certified at once; a family fills `_hold`.

    Attributes
    ----------
    candidate_ : Candidate
        The chosen row, with its price and counts.
    tolerance : float
        The simplest row whose certificate is this close to the smallest is chosen.
    goal_ : None, or a pair of goal and value
        What the row must reach, if that chose it.
    """

    _menu: Menu[Any]
    candidate_: Any
    certificate_: Certificate
    delta: float
    tolerance: float = 0.0
    goal_: tuple[str, float] | None = None
    named_goal_: tuple[str, float] | None = None  # that of all rows

    @abstractmethod
    def _hold(self, candidate: Any) -> None:
        """Make this candidate the chosen one."""

    @property
    def chosen_(self) -> str:
        """Name of the row that predicts."""
        check_is_fitted(self)
        return str(self.candidate_.name)

    @property
    def menu_(self) -> pd.DataFrame:
        """All rows with certificates that hold at once."""
        check_is_fitted(self)
        return self._menu.frame()

    @property
    def candidates_(self) -> tuple[Any, ...]:
        """The candidates themselves, in the order of the menu."""
        check_is_fitted(self)
        return tuple(self._menu[row] for row in range(len(self._menu)))

    @property
    def failures_(self) -> tuple[Failure, ...]:
        """Candidates that could not be fitted or counted, each with its reason."""
        check_is_fitted(self)
        return self._menu.failures

    @property
    def menu_risks_(self) -> Floats:
        """Certified risks in the order of the menu."""
        check_is_fitted(self)
        return self._menu.risks[self._menu.order]

    def choose(self, choice: int | str) -> Self:
        """The same machine with another row of the menu; its certificate holds as well.

        Parameters
        ----------
        choice : int or str
            Row number or name of a candidate.
        """
        check_is_fitted(self)
        return self._holding(self._menu[self._menu.row_of(choice)])

    def _holding(self, candidate: Any, goal: tuple[str, float] | None = None) -> Self:
        other = copy.copy(self)
        other._hold(candidate)
        other.goal_ = goal or self.named_goal_
        return other

    def simplest(self, among: Sequence[int]) -> int:
        """Row of the simplest candidate within the tolerance of the best, among some rows."""
        check_is_fitted(self)
        return self._menu.default(self.tolerance, among)

    @property
    def named_beforehand_(self) -> tuple[str, ...]:
        """Settings that no price pays for: they must be named before a certificate is seen."""
        return ()

    def points_lines(self) -> list[str]:
        """What totals of points mean, one line a range; nothing for rows without points."""
        return []

    def statements(self, band: Any = None) -> list[str]:
        """What is said of the chosen row beside its certificate, each at the menu's confidence."""
        return []

    def together(self, band: Any = None) -> str:
        """With which confidence everything that is shown of the chosen row holds at once.

        Errors, rates, the table of points and the answers outside of doubt are families of their
        own: each fails with probability delta at most, and all of them with the sum.

        Parameters
        ----------
        band : Band, optional
            Silence in doubt, if it is shown too.
        """
        return self.certificate_.together(self.statements(band))

    def chosen_lines(self, *, include_rows: bool = False) -> list[str]:
        """The chosen row in sentences, with what its points mean.

        Parameters
        ----------
        include_rows : bool
            Show training rows that the row contains; else it is not shown at all.
        """
        fitted = self.candidate_.fitted
        if fitted.n_training_rows and not include_rows:
            return [
                f"This form contains {fitted.n_training_rows} training rows. "
                f"Say --include-rows to print and to write them{self._instead()}."
            ]
        return [*fitted.sentences(include_rows=include_rows), *self._points_block()]

    def _shown_lines(self) -> list[str]:
        """The chosen row, as a notebook shows it: without training rows."""
        return [*self.candidate_.fitted.sentences(), *self._points_block()]

    def _shown_menu(self) -> list[list[str]]:
        """All rows, as a notebook shows them."""
        rows = zip(self.candidates_, self.menu_risks_.tolist(), strict=True)
        return [
            ["menu", "uses", "errs at most"],
            *(
                [
                    candidate.in_words() + " (chosen)" * (candidate.name == self.chosen_),
                    candidate.uses_in_words(),
                    percent_text(risk, is_padded=True),
                ]
                for candidate, risk in rows
            ),
        ]

    def _points_block(self) -> list[str]:
        """The meaning of points under its heading."""
        meaning = self.points_lines()
        each = "" if self.candidate_.counts.groups is None else _EACH
        said = f"With {100.0 * (1.0 - self.delta):g} % confidence, all at once{each}:"
        return ["", said, *meaning] if meaning else []

    def _instead(self) -> str:
        """The best row that holds no training rows, as a second way to go on."""
        for candidate in self.candidates_:
            if candidate.fitted.is_plain and not candidate.fitted.n_training_rows:
                return f", or --choose '{candidate.name}' for a form without any"
        return ""

    def class_rates(self, case: str | None = None) -> list[dict[str, Any]]:
        """Sensitivity and specificity: what was counted, and the limit that is certified.

        Parameters
        ----------
        case : str, optional
            The class whose rate is the sensitivity; the second of two by default.
        """
        certificate, words = self.certificate_, list(self.candidate_.fitted.classes)
        names = RATE_NAMES
        if not certificate.has_rate(names[0]):
            return []
        second = words[1] if case is None else case
        first = next(word for word in words if word != second)
        rates = []
        for name, label in (("sensitivity", second), ("specificity", first)):
            k = words.index(label)
            n, n_errors = self.candidate_.counts.by_class[k]
            found = {"name": name, "class": label, "n_right": n - n_errors, "n": n}
            rates.append({**found, "at_least": 1.0 - certificate.rate(names[k])})
        return rates
