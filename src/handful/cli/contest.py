"""Rivals on the same folds: errors, sizes, own certificates and hold-out certificates."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from handful.bounds import NotCertifiableError, held_out_bound
from handful.cli.rivals import RIVALS, Rival

if TYPE_CHECKING:
    import pandas as pd

    from handful.tables import Choices

HELD_OUT_SHARE = 0.3  # large enough for a limit, small enough to train on the rest
COLUMNS = (
    *("machine", "group", "error", "error_se", "size", "unit", "made_of", "held_back"),
    *("certificate", "bound", "held_out", "seconds", "is_scaled", "problem"),
)


@dataclass(frozen=True)
class Contest:
    """Data, folds and settings that all rivals share.

    ``columns`` says what the columns of X hold, to machines that would read them off its rows.
    """

    X: Any
    y: NDArray[Any]
    n_folds: int
    delta: float
    quick: bool
    seed: int
    columns: Choices | None = None

    @property
    def is_plain(self) -> bool:
        """Whether all columns are numbers and nothing is missing."""
        kinds = [getattr(dtype, "kind", "O") for dtype in self.X.dtypes]
        return all(kind in "biuf" for kind in kinds) and not self.X.isna().any(axis=None)

    def folds(self) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Stratified folds; the same for everybody."""
        from sklearn.model_selection import StratifiedKFold

        splitter = StratifiedKFold(self.n_folds, shuffle=True, random_state=self.seed)
        yield from splitter.split(self.X, self.y)


def check_folds(y: NDArray[Any], n_folds: int) -> None:
    """Every class must occur in every fold."""
    smallest = int(np.unique(y, return_counts=True)[1].min())
    if n_folds < 2 or n_folds > smallest:
        raise ValueError(
            f"`--folds` must be between 2 and {smallest}, the size of the smallest class, "
            f"got {n_folds}."
        )


def make_rival(rival: Rival, contest: Contest) -> Any:
    """An unfitted rival that can take the data: scaled, encoded and imputed if it must be.

    Machines of the library get plain numbers as they are, because their certificates ask for
    preprocessing that was fixed before the data; those that raw columns would spoil are scaled
    and have no certificate.
    """
    from sklearn.pipeline import make_pipeline

    machine = rival.make(contest.quick, contest.seed)
    if hasattr(machine, "columns"):
        machine.set_params(columns=contest.columns)
    if rival.takes_all or (rival.is_ours and contest.is_plain and not rival.is_scaled):
        return machine
    return make_pipeline(_encoder(contest.X), machine)


def _encoder(X: pd.DataFrame) -> Any:
    from sklearn.compose import make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    numeric = [n for n in X.columns if getattr(X[n].dtype, "kind", "O") in "biuf"]
    words = [n for n in X.columns if n not in numeric]
    numbers = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    one_hot = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    return make_column_transformer((numbers, numeric), (one_hot, words), sparse_threshold=0.0)


def _inner(model: Any) -> Any:
    return model[-1] if hasattr(model, "steps") else model


def run_task(name: str, contest: Contest, task: str | int) -> dict[str, Any]:
    """One fold (a number), the fit on all data ("all") or the hold-out certificate ("held")."""
    rival = RIVALS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            if task == "all":
                found = _fit_all(rival, contest)
            elif task == "held":
                found = _hold_out(rival, contest)
            else:
                found = _run_fold(rival, contest, int(task))
        except (ValueError, TypeError, RuntimeError, ArithmeticError, MemoryError) as error:
            text = str(error) or type(error).__name__
            found = {"problem": text.splitlines()[0][:200]}
    return {"machine": name, "task": task, **found}


def _run_fold(rival: Rival, contest: Contest, k: int) -> dict[str, Any]:
    train, test = list(contest.folds())[k]
    model = make_rival(rival, contest)
    start = time.perf_counter()
    model.fit(contest.X.iloc[train], contest.y[train])
    seconds = time.perf_counter() - start
    wrong = model.predict(contest.X.iloc[test]) != contest.y[test]
    return {"n_wrong": int(wrong.sum()), "n_test": len(test), "seconds": seconds}


def _fit_all(rival: Rival, contest: Contest) -> dict[str, Any]:
    model = make_rival(rival, contest).fit(contest.X, contest.y)
    machine = _inner(model)
    found: dict[str, Any] = {"size": int(rival.size(machine)), "is_scaled": machine is not model}
    if rival.made_of is not None:
        found["made_of"] = int(rival.made_of(machine))
    if not rival.is_ours or machine is not model:  # a fitted scaler breaks every certificate
        return found
    try:
        certificate = machine.certify(contest.delta)
    except NotCertifiableError:
        return found
    found |= {"certificate": certificate.risk, "bound": certificate.bound}
    if rival.held_back is not None:
        found["held_back"] = int(rival.held_back(machine))
    return found


def _hold_out(rival: Rival, contest: Contest) -> dict[str, Any]:
    """Train on 70 %, certify on the other 30 %, which had no part in anything."""
    from sklearn.model_selection import train_test_split

    train, test = train_test_split(
        np.arange(len(contest.y)),
        test_size=HELD_OUT_SHARE,
        random_state=contest.seed,
        shuffle=True,
    )
    model = make_rival(rival, contest).fit(contest.X.iloc[train], contest.y[train])
    wrong = model.predict(contest.X.iloc[test]) != contest.y[test]
    return {"held_out": held_out_bound(len(test), int(wrong.sum()), delta=contest.delta).risk}


def run_contest(
    rivals: list[Rival], contest: Contest, *, n_jobs: int, report: Callable[[str], None]
) -> pd.DataFrame:
    """One row a rival; tasks run in parallel through joblib, so that any backend works."""
    from joblib import Parallel, delayed

    tasks: list[tuple[str, str | int]] = [
        (rival.name, task) for rival in rivals for task in (*range(contest.n_folds), "all", "held")
    ]
    run = Parallel(n_jobs=n_jobs, return_as="generator_unordered")
    found = []
    for i, result in enumerate(run(delayed(run_task)(n, contest, t) for n, t in tasks), start=1):
        found.append(result)
        report(f"{i} of {len(tasks)} fits, {result['machine']}")
    return _tabulate(rivals, found)


def _tabulate(rivals: list[Rival], found: list[dict[str, Any]]) -> pd.DataFrame:
    import pandas as pd

    rows = []
    for rival in rivals:
        mine = [result for result in found if result["machine"] == rival.name]
        error, error_se = _error_rate([result for result in mine if "n_wrong" in result])
        row: dict[str, Any] = {
            "machine": rival.name,
            "group": "handful" if rival.is_ours else "baseline",
            "error": error,
            "error_se": error_se,
            "unit": rival.unit,
            "seconds": _mean([r["seconds"] for r in mine if "seconds" in r]),
            "problem": next((r["problem"] for r in mine if "problem" in r), None),
        }
        for result in mine:
            row |= {k: result[k] for k in COLUMNS if k in result and k not in row}
        rows.append(row)
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _error_rate(folds: list[dict[str, Any]]) -> tuple[float | None, float | None]:
    """Share of wrong answers over all folds, and its standard error as a binomial share.

    Every example is asked once. That training sets of folds overlap is left out of account, as
    usual; the spread over so few folds would be a worse guess.
    """
    n = sum(fold["n_test"] for fold in folds)
    if not n:
        return None, None
    rate = sum(fold["n_wrong"] for fold in folds) / n
    return rate, float(np.sqrt(rate * (1.0 - rate) / n))


def _mean(values: list[float]) -> float | None:
    return float(np.mean(values)) if values else None
