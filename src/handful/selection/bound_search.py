"""A search like scikit-learn's GridSearchCV that chooses by certificate."""

from __future__ import annotations

import math
import pickle
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import joblib
import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.model_selection import ParameterGrid, cross_val_score
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from handful.bounds import Certificate, NotCertifiableError
from handful.checks import check_count, check_delta
from handful.display import NotebookView
from handful.estimator import shared_certificate

if TYPE_CHECKING:
    import pandas as pd

Settings = dict[str, Any]
_GROUPS = ("groups", "groups of settings")


def _has(name: str) -> Any:
    def check(search: Any) -> bool:
        fitted = getattr(search, "best_estimator_", search.estimator)
        getattr(fitted, name)
        return True

    return available_if(check)


def _delegated(name: str, meaning: str) -> Any:
    """A property of the search that is read from the chosen machine."""

    def read(search: Any) -> Any:
        check_is_fitted(search, "best_estimator_")
        return getattr(search.best_estimator_, name)

    return property(read, doc=meaning)


class BoundSearch(NotebookView, MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """Fit a grid of settings on all the data, keep the best, and certify it for the whole grid.

    Parameters
    ----------
    estimator : estimator
        An estimator with ``certify(delta)``. scikit-learn's ``SVC`` (or a subclass) becomes a
        `SupportVectorMachine`. Without a certificate only ``by="cv"`` works.
    param_grid : dict or list of dict
        As in scikit-learn's ``GridSearchCV``.
    by : str
        "certificate", "cv", or the name of a criterion of the estimator ("c2", "span", ...).
        "auto" is "span" for support vector machines and "certificate" for all others. A
        criterion has no guarantee and only chooses. Then only the chosen machine is certified,
        and its certificate pays for the whole grid. Ties go to fewer support vectors, then to
        the earlier setting.
    delta : float
        Allowed probability that the certificate fails. It is divided over the groups of settings
        for which the certificate does not hold at once.
    cv : int or splitter
        Folds of ``by="cv"``.
    n_jobs : int, optional
        Number of parallel fits, through joblib.

    Attributes
    ----------
    best_estimator_, best_params_, best_index_, best_score_
    by_ : str
        "certificate", "cv" or the name of the criterion that chose.
    n_groups_ : int
        Number of groups of settings over which the confidence was divided.
    certificate_ : Certificate
        Valid for the choice among all settings.
    results_ : DataFrame
        One row for each setting: parameters, score, certificate (if certified), seconds.

    Examples
    --------
    >>> from handful import BoundSearch, SetCoveringMachine, load_dataset
    >>> data = load_dataset("haberman-294")
    >>> grid = {"rules": ["stumps", "balls"], "penalty": [1.0, 2.0]}
    >>> machine = SetCoveringMachine(candidates=40, random_state=0)
    >>> search = BoundSearch(machine, param_grid=grid)
    >>> search = search.fit(data.X, data.y)
    >>> search.certificate_.terms[-1].text
    'choice among 2 groups of settings'
    """

    best_index_: int
    certificate_: Certificate | None

    def __init__(
        self,
        estimator: Any,
        param_grid: Any,
        *,
        by: str = "auto",
        delta: float = 0.05,
        cv: Any = 10,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.param_grid = param_grid
        self.by = by
        self.delta = delta
        self.cv = cv
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = getattr(self.estimator, "__sklearn_tags__", None)
        if inner is not None:
            tags.input_tags = inner().input_tags
            tags.classifier_tags = inner().classifier_tags
        return tags

    def fit(self, X: Any, y: Any) -> BoundSearch:
        """Fit every setting and choose.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)

        Returns
        -------
        self
        """
        check_delta(self.delta)
        settings = list(ParameterGrid(self.param_grid))
        base = _as_machine(self.estimator)
        self.by_ = self.by
        if self.by is None or self.by == "auto":
            self.by_ = getattr(base, "search_criterion", "certificate")
        if self.by_ == "cv":
            return self._fit_by_cv(base, settings, X, y)
        if not hasattr(base, "certify"):
            raise NotCertifiableError(
                f"{type(base).__name__} cannot be certified: it has no `certify`. "
                "Use by='cv', or wrap it in PickToLearn."
            )
        if self.by_ != "certificate" and not hasattr(base, "criterion"):
            raise ValueError(
                f"`by` must be 'certificate' or 'cv' for {type(base).__name__}, "
                f"got {self.by!r}: it has no criteria."
            )
        fitted, seconds = self._fit_all(base, settings, X, y)
        self.n_groups_ = count_groups(base, settings)
        self._choose(fitted, settings, seconds, self.n_groups_)
        return self

    def _fit_all(
        self, base: Any, settings: Sequence[Settings], X: Any, y: Any
    ) -> tuple[list[Any], list[float]]:
        if hasattr(base, "fit_grid"):
            start = time.perf_counter()
            criterion = None if self.by_ == "certificate" else self.by_
            fitted = list(base.fit_grid(X, y, list(settings), criterion=criterion))
            return fitted, [(time.perf_counter() - start) / len(fitted)] * len(fitted)
        jobs = (delayed(_timed_fit)(clone(base).set_params(**s), X, y) for s in settings)
        pairs = Parallel(n_jobs=self.n_jobs)(jobs)
        return [pair[0] for pair in pairs], [pair[1] for pair in pairs]

    def _choose(
        self,
        fitted: Sequence[Any],
        settings: Sequence[Settings],
        seconds: Sequence[float],
        n_groups: int,
    ) -> None:
        """Score all machines; if a criterion chooses, only its choice is certified."""
        # Every setting gets delta / n_groups, so all certificates of the grid hold at once with
        # probability 1 - delta. The certificate of whichever setting is chosen holds then too.
        if self.by_ == "certificate":
            certificates = [_share(m, self.delta, n_groups) for m in fitted]
            risks = [c.risk for c in certificates]
            self._keep(settings, risks, risks, seconds)
            self.certificate_ = certificates[self.best_index_]
        else:
            values = [float(m.criterion(self.by_)) for m in fitted]
            # A setting for which the criterion is not defined must not win.
            scores = [math.inf if math.isnan(v) else v for v in values]
            sizes = [np.size(getattr(m, "support_", ())) for m in fitted]
            self._keep(settings, scores, sizes, seconds)
            chosen = fitted[self.best_index_]
            self.certificate_ = _share(chosen, self.delta, n_groups)
            self._risks = [math.nan] * len(fitted)
            self._risks[self.best_index_] = self.certificate_.risk
        self.best_estimator_ = fitted[self.best_index_]

    def _fit_by_cv(self, base: Any, settings: Sequence[Settings], X: Any, y: Any) -> BoundSearch:
        """Choose by the error of cross-validation, and fit the best setting on all the data."""
        start = time.perf_counter()
        folds = {"cv": self.cv, "n_jobs": self.n_jobs}
        machines = [clone(base).set_params(**setting) for setting in settings]
        scores = [1.0 - float(cross_val_score(m, X, y, **folds).mean()) for m in machines]
        seconds = (time.perf_counter() - start) / len(settings)
        self._keep(settings, scores, scores, [seconds] * len(settings))
        self._risks = [math.nan] * len(settings)
        self.best_estimator_ = clone(base).set_params(**self.best_params_).fit(X, y)
        self.certificate_ = None
        if hasattr(self.best_estimator_, "certify"):
            # The folds contain the training examples: the choice among the settings is paid for.
            self.n_groups_ = count_groups(base, settings)
            self.certificate_ = _share(self.best_estimator_, self.delta, self.n_groups_)
        return self

    def _keep(
        self,
        settings: Sequence[Settings],
        scores: Sequence[float],
        ties: Sequence[float],
        seconds: Sequence[float],
    ) -> None:
        self._settings, self._seconds = list(settings), list(seconds)
        self._scores, self._risks = [float(s) for s in scores], [float(s) for s in scores]
        order = range(len(self._scores))
        # Ties go to the smaller second number (support vectors, if it knows them), then to the
        # setting that stands first in the grid.
        self.best_index_ = min(order, key=lambda i: (self._scores[i], ties[i], i))
        self.best_params_ = self._settings[self.best_index_]
        self.best_score_ = self._scores[self.best_index_]

    @property
    def results_(self) -> pd.DataFrame:
        """One row for each setting."""
        import pandas as pd

        check_is_fitted(self, "best_index_")
        frame = pd.DataFrame([{f"param_{k}": v for k, v in s.items()} for s in self._settings])
        frame["score"] = self._scores
        frame["certificate"] = self._risks
        frame["seconds"] = self._seconds
        frame["is_best"] = np.arange(len(frame)) == self.best_index_
        return frame

    classes_ = _delegated("classes_", "Labels of the chosen machine.")
    labels_ = _delegated("labels_", "Its labels in the order of its classes as data.")
    n_features_in_ = _delegated("n_features_in_", "Number of features of the chosen machine.")
    fitted_ = _delegated("fitted_", "The chosen machine as data.")
    compression_set_ = _delegated("compression_set_", "Examples that it is made of.")
    held_back_ = _delegated("held_back_", "Examples that its certificate does not count.")
    n_training_errors_ = _delegated("n_training_errors_", "Its errors on the training examples.")

    def get_rules(self) -> pd.DataFrame:
        """A frame with the parts of the chosen machine."""
        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_.get_rules()

    def explain(self) -> str:
        """The chosen machine in sentences; its certificate pays for the choice."""
        check_is_fitted(self, "best_estimator_")
        lines = [*self.fitted_.sentences(), ""]
        return "\n".join([*lines, "" if self.certificate_ is None else self.certificate_.explain()])

    def predict(self, X: Any) -> NDArray[Any]:
        """Labels by the chosen machine."""
        check_is_fitted(self, "best_estimator_")
        return np.asarray(self.best_estimator_.predict(X))

    @_has("decision_function")
    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Decision function of the chosen machine."""
        check_is_fitted(self, "best_estimator_")
        return np.asarray(self.best_estimator_.decision_function(X))

    def certify(
        self,
        delta: float | None = None,
        *,
        bound: str = "auto",
        n_choices: int = 1,
        X: Any = None,
        y: Any = None,
    ) -> Certificate:
        """Certificate of the chosen machine, valid for the choice among all settings.

        Parameters
        ----------
        delta : float, optional
            Allowed probability of failure; that of the search by default.
        bound : str
            A bound of the machine.
        n_choices : int
            Number of searches among which this one was chosen.
        X, y : array-like, optional
            Examples that had no part in training or in the search. Their certificate does not pay
            for the settings.

        Returns
        -------
        Certificate
        """
        check_is_fitted(self, "best_estimator_")
        machine, delta = self.best_estimator_, check_delta(self.delta if delta is None else delta)
        n_choices = check_count("n_choices", n_choices, low=1)
        if not hasattr(machine, "certify"):
            raise NotCertifiableError(
                f"{type(machine).__name__} has no `certify`. Wrap it in PickToLearn."
            )
        # On examples that did not choose, the chosen machine is a fixed classifier.
        if X is not None or bound == "held-out":
            return machine.certify(delta, bound=bound, n_choices=n_choices, X=X, y=y)
        options = {} if bound == "auto" else {"bound": bound}
        return shared_certificate(
            lambda share: machine.certify(share, **options),
            delta,
            self.n_groups_ * n_choices,
            _GROUPS,
        )


def _timed_fit(machine: Any, X: Any, y: Any) -> tuple[Any, float]:
    start = time.perf_counter()
    machine.fit(X, y)
    return machine, time.perf_counter() - start


def _as_machine(estimator: Any) -> Any:
    """The estimator; scikit-learn's SVC as a machine that can be certified."""
    from sklearn.svm import SVC

    if isinstance(estimator, SVC):
        from handful.svm import SupportVectorMachine

        return SupportVectorMachine.from_svc(estimator)
    return estimator


def count_groups(base: Any, settings: Sequence[Settings]) -> int:
    """Number of settings that differ in more than the estimator's free parameters.

    Two settings count as one only if their content is proved equal. The certificate holds for
    all values of free parameters at once, so their choice costs nothing.
    """
    free = set(getattr(base, "free_parameters", ()))
    kept = [{k: v for k, v in s.items() if k not in free} for s in settings]
    return len({_content(s, i) for i, s in enumerate(kept)})


def _content(setting: Settings, position: int) -> str:
    """A hash of the content; a setting that cannot be hashed equals no other."""
    try:
        return str(joblib.hash(sorted(setting.items())))
    except (TypeError, AttributeError, pickle.PicklingError):
        return f"setting {position}"


def _share(machine: Any, delta: float, n_groups: int) -> Certificate:
    """The certificate of the machine, which pays for the choice among groups of settings."""
    return shared_certificate(machine.certify, delta, n_groups, _GROUPS)
