"""A model read from its file: the classifier, its certificate, how it was learned, and from what.

The records below are the file: `encode` writes their fields, `decode` reads them by their type
hints (`handful.codec`). ``docs/model-files.md`` says what each field means.
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful.arrays import Floats, Ints, Mask
from handful.bounds import Certificate, Term
from handful.certified import Band
from handful.codec import ModelFileError, Tagged, decode, encode, fail
from handful.files.beside import beside, read_estimators
from handful.files.document import FORMAT, HASH_FIELD, from_text, named_by_digest, read_text_of
from handful.files.protocol import FollowedProtocol
from handful.models import Fitted
from handful.tables import Choices, as_pandas, map_flags, word_of

VERSION = 3  # of the fields below; other files are refused
FIELDS = ("fitted", "labels", "certificate", "kept", "training", "data", "provenance")
_MAX_FEATURES = 100_000  # a damaged file must not make the reader allocate for millions of columns
_DIGEST = re.compile(r"[0-9a-f]{64}(:[1-9][0-9]{0,8})?")  # ":2" is the second of equal rows
_PLACE = re.compile(r"x(0|[1-9][0-9]{0,6})")  # a column without a name

Label = str | int | float | bool


class Training(Tagged, field="kind"):
    """How a classifier was learned: what an auditor needs to derive its certificate again."""

    @property
    def n_named(self) -> int:
        """Smallest number of kept examples that the file must name."""
        return 0

    @property
    def beside_sha256(self) -> str | None:
        """Digest of the file of other libraries' estimators, if there is one."""
        return None

    @property
    def silence(self) -> Band | None:
        """Scores for which the classifier gives no label, if there are such."""
        return None

    @property
    def said_first(self) -> str:
        """What must be said before any label; it stands at the head of the file."""
        return ""


@dataclass(frozen=True)
class MachineTraining(Training, tag="machine"):
    """Trained by an estimator with these parameters; ``n_groups`` settings share the delta."""

    parameters: Mapping[str, Any]
    n_groups: int
    delta: float | None


@dataclass(frozen=True)
class CoverCode:
    """How one part of a covering machine was coded, and what was counted of it.

    ``kept`` are places among the kept examples of the file; None stands for a pool, which follows
    from the digest of the data.
    """

    scheme: str
    family: str
    kind: str
    pool_size: int
    kept: tuple[int, ...] | None
    terms: tuple[Term, ...]
    n_false_positives: int
    n_false_negatives: int
    n_training_errors: int


@dataclass(frozen=True)
class CoverTraining(Training, tag="rules"):
    """Trained by a covering machine: what was fixed before the data, a code for each part."""

    candidates: str | int | None
    family_sets: tuple[tuple[str, ...], ...]
    pool_families: tuple[str, ...]
    kinds: tuple[str, ...]
    n_kernels: int
    n_groups: int
    delta: float
    costs: tuple[float, float] | None
    group_loss: str | None
    codes: tuple[CoverCode, ...]

    @property
    def n_named(self) -> int:
        return 1 + max((i for code in self.codes for i in code.kept or ()), default=-1)


@dataclass(frozen=True)
class MenuTraining(Training, tag="menu"):
    """Trained by a menu, of which one row was taken.

    Attributes
    ----------
    candidates : str or tuple of str
        Forms that were on the menu, and names of the user's estimators.
    favourite : str or None
        That of them which was named beforehand.
    max_items, max_points : int
        Limits of score cards.
    tolerance, delta, pool_share : float
    group_loss : str
    chosen : str
        Name of the row.
    is_default : bool
        Whether the tolerance chose it.
    goal : (str, float) or None
        What must be reached, for the case.
    after_looking : bool
        Whether the goal was set after a look at the menu.
    band : Band or None
        Scores for which no label is given.
    rank, n_candidates : int
        Place of the row in the pool's order.
    roles : tuple of (str, int)
        Who plays a role in that order: "favourite" and "pocket", or "named"; and the rank. Ranks
        and roles decide what the certificate pays.
    estimators_sha256 : str or None
        Digest of the file beside the model.
    protocol : FollowedProtocol or None
        What was fixed before the data, and where the study deviates from it.
    """

    candidates: str | tuple[str, ...]
    favourite: str | None
    max_items: int
    max_points: int
    tolerance: float
    delta: float
    pool_share: float
    group_loss: str
    chosen: str
    is_default: bool
    goal: tuple[str, float] | None
    after_looking: bool
    band: Band | None
    rank: int
    n_candidates: int
    roles: tuple[tuple[str, int], ...]
    estimators_sha256: str | None
    protocol: FollowedProtocol | None = None

    @property
    def beside_sha256(self) -> str | None:
        return self.estimators_sha256

    @property
    def silence(self) -> Band | None:
        return self.band

    def check_fields(self, where: str) -> None:
        """Refuse shares that are none, goals that are not known, ranks that no menu has."""
        shares = {name: getattr(self, name) for name in ("tolerance", "delta", "pool_share")}
        if self.goal is not None:
            shares["goal"] = self.goal[1]
            if self.goal[0] not in ("sensitivity", "specificity", "error"):
                raise fail(f"{where}.goal", "a sensitivity, a specificity or an error", self.goal)
        for name, value in shares.items():
            if not 0.0 <= value < 1.0:
                raise fail(f"{where}.{name}", "at least 0 and below 1", value)
        if not 1 <= self.rank <= self.n_candidates:
            raise fail(f"{where}.rank", f"from 1 to {self.n_candidates}", self.rank)
        if not self.roles or not all(1 <= rank <= self.n_candidates for _, rank in self.roles):
            raise fail(f"{where}.roles", f"ranks from 1 to {self.n_candidates}", self.roles)
        digest = self.estimators_sha256
        if digest is not None and not _DIGEST.fullmatch(digest):
            raise fail(f"{where}.estimators_sha256", "64 hexadecimal digits", digest)
        if self.band is not None:
            _check_band(self.band, f"{where}.band")


@dataclass(frozen=True)
class RefitTraining(Training, tag="refit"):
    """The row of a menu learned from all rows: without a certificate, or by disagreement.

    Attributes
    ----------
    sentence : str
        What it carries, in words.
    n_rows, n_same : int
        Rows that it was learned from, and those of them with the label of the certified rule.
    estimated_error : float
        Cross-validated; an estimate.
    n_errors, n_counted : int
        Errors of the certified rule, and the rows they were counted on.
    n_unlabelled, n_disagreements : int
        Unlabelled rows, and those on which the two disagree.
    is_picked : bool
        Whether the row may have been picked after a look at disagreements.
    menu : MenuTraining
        How the certified rule was learned.
    """

    sentence: str
    n_rows: int
    n_same: int
    estimated_error: float
    n_errors: int
    n_counted: int
    n_unlabelled: int
    n_disagreements: int
    is_picked: bool
    menu: MenuTraining

    @property
    def beside_sha256(self) -> str | None:
        return self.menu.estimators_sha256

    @property
    def said_first(self) -> str:
        return self.sentence


def _check_band(band: Band, where: str) -> None:
    if not band.width > 0.0:
        raise fail(f"{where}.width", "above 0", band.width)
    for name in ("answers_at_least", "errs_at_most"):
        if not 0.0 <= getattr(band, name) <= 1.0:
            raise fail(f"{where}.{name}", "a share", getattr(band, name))
    for name in ("n_answered", "n_errors"):
        if getattr(band, name) < 0:
            raise fail(f"{where}.{name}", "a count", getattr(band, name))


@dataclass(frozen=True)
class Data:
    """The training data: names, digests and numbers; it holds no row.

    Attributes
    ----------
    file, target, groups : str or None
        Names: of the table, of the columns of the labels and of the groups.
    reading : Choices or None
        What the user said about the columns; None if a clean table was given.
    n_set_aside : int
        Rows that were set aside to read the columns by.
    sha256 : str or None
        The same for every order of the rows.
    n_rows : int or None
    n_features : int
    columns, features : tuple of str or None
        Columns that the digest covers and columns that were offered, by digests of their names.
    words : tuple of int
        Positions of the features that hold words.
    row_codes : str or None
        Four bytes a row in base64.
    seed : int or None
        What drew the pools, if the digest did not.
    """

    file: str | None
    target: str | None
    groups: str | None
    reading: Choices | None
    n_set_aside: int
    sha256: str | None
    n_rows: int | None
    n_features: int
    columns: tuple[str, ...] | None
    features: tuple[str, ...] | None
    words: tuple[int, ...]
    row_codes: str | None
    seed: int | None

    def check_fields(self, where: str) -> None:
        """Refuse numbers of columns that no table has."""
        if not 0 < self.n_features <= _MAX_FEATURES:
            raise fail(f"{where}.n_features", f"from 1 to {_MAX_FEATURES}", self.n_features)
        if self.features is not None and len(self.features) != self.n_features:
            raise fail(f"{where}.features", f"{self.n_features} digests", self.features)
        if any(not 0 <= j < self.n_features for j in self.words):
            raise fail(f"{where}.words", "positions of features", self.words)

    def place_of(self, name: str) -> int | None:
        """Position of a column among the features; None if it was not offered."""
        if self.features is None:
            # Columns of an array have no names but their places.
            found = _PLACE.fullmatch(name)
            place = int(found[1]) if found else self.n_features
            return place if place < self.n_features else None
        # Columns that are not in use are named by digest, so that their names do not go out.
        (digest,) = named_by_digest([name]) or ("",)
        return self.features.index(digest) if digest in self.features else None


@dataclass(frozen=True)
class Noticed:
    """A note on the table, with the user's reason if it does not matter."""

    code: str
    title: str
    text: str
    reason: str


@dataclass(frozen=True)
class Provenance:
    """What wrote the file, and what was noticed then, for readers: nothing is decided by it."""

    estimator: str
    versions: Mapping[str, str]
    notes: tuple[Noticed, ...] = ()


@dataclass(frozen=True)
class Model:
    """A classifier with its certificate; predicts from arrays and from raw tables.

    Attributes
    ----------
    fitted : Fitted
        The classifier over the columns that it reads.
    labels : tuple of label, or None
        Labels as the user gave them, if they are not words.
    certificate : Certificate or None
    kept : tuple of (str or int)
        Training examples that it is made of or that the certificate does not count: digests of
        their rows, or row numbers if the file was written without the data.
    training : Training
    data : Data
    provenance : Provenance
    """

    fitted: Fitted
    labels: tuple[Label, ...] | None
    certificate: Certificate | None
    kept: tuple[str | int, ...]
    training: Training
    data: Data
    provenance: Provenance

    @property
    def classes(self) -> tuple[Any, ...]:
        """Labels in the order of class positions."""
        return self.fitted.classes if self.labels is None else self.labels

    @property
    def needs(self) -> tuple[str, ...]:
        """Names of the columns that a new table must have."""
        return tuple(column.name for column in self.fitted.columns.columns)

    @cached_property
    def places(self) -> list[int]:
        """Positions of these columns among the features that it was trained on."""
        found = [self.data.place_of(name) for name in self.needs]
        return [place for place in found if place is not None]

    def rows(self, X: Any) -> Any:
        """The columns that it reads, in its order: of a table by name, of an array by position."""
        if not hasattr(X, "columns"):
            X = np.asarray(X)
            if X.ndim != 2 or X.shape[1] != self.data.n_features:
                raise ValueError(
                    f"`X` must have {self.data.n_features} columns, got shape {X.shape}. "
                    "Pass the columns the model was trained on."
                )
            return X[:, self.places]
        frame = as_pandas(X)
        names = {str(name): name for name in frame.columns}
        absent = [name for name in self.needs if name not in names]
        if absent:
            raise ValueError(
                f"the data must have the columns {absent[:10]}, which the model uses. "
                f"They have: {list(names)[:10]}."
            )
        return frame[[names[name] for name in self.needs]]

    def _encoded(self, X: Any) -> Any:
        """The rows as the classifier reads them; a score needs all its values."""
        fitted = self.fitted
        rows = fitted.rows(self.rows(X))
        required = list(fitted.machine.required)
        gaps = np.argwhere(np.isnan(rows[:, required])) if required else np.zeros((0, 2), int)
        if len(gaps):
            row, place = gaps[0].tolist()
            name = fitted.columns.names[required[place]]
            raise ValueError(
                f"the column {name!r} must have no missing values, got one in row {row + 1}. "
                "The model was trained on complete rows."
            )
        return rows

    def codes(self, X: Any) -> Ints:
        """Predicted positions in ``classes``."""
        return self.fitted.machine.labels(self._encoded(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """Labels of the rows of a table or an array."""
        return np.asarray(np.array(self.classes, dtype=object)[self.codes(X)])

    def scores(self, X: Any) -> Floats:
        """Scores, positive for the second of two classes; the largest one for more classes."""
        scores = self.fitted.machine.scores(self._encoded(X))
        return scores if scores.ndim == 1 else np.asarray(scores.max(axis=1))

    @property
    def case(self) -> str:
        """The class that risks speak of: the case, or the last one."""
        said = None if self.data.reading is None else self.data.reading.positive
        return self.fitted.classes[-1] if said is None else said

    def risks(self, X: Any) -> Floats | None:
        """Estimated risks that rows are cases; None if the form has no risk."""
        curve = self.fitted.risk
        if curve is None:
            return None
        second = curve.of(self.fitted.machine.scores(self._encoded(X)))
        return second if self.case == self.fitted.classes[-1] else 1.0 - second

    def reasons(self, X: Any) -> list[str]:
        """The part that decided about each row, in words; empty if the form has no such part."""
        return self.fitted.reasons(self.rows(X))

    @property
    def band(self) -> Band | None:
        """Scores for which the model gives no label, if there are such."""
        return self.training.silence

    def is_in_doubt(self, X: Any) -> Mask:
        """Rows for which the model gives no label."""
        if self.band is None:
            return np.zeros(len(X), dtype=bool)
        # The borders are in doubt, as they were when answers were counted (`Form.around`).
        return np.asarray(np.abs(self.scores(X)) <= self.band.width)

    def decide(self, X: Any) -> NDArray[Any]:
        """Labels of the rows, and None if the model is in doubt."""
        labels = self.predict(X)
        labels[self.is_in_doubt(X)] = None
        return labels

    def missing(self, X: Any) -> list[tuple[str, ...]]:
        """For each row, the columns that the model reads and that are missing."""
        gaps, names = self.fitted.columns.is_missing(self.rows(X)), self.needs
        return map_flags(gaps, lambda row: tuple(names[j] for j in np.flatnonzero(row)))

    def to_document(self, estimators: list[Any] | None = None) -> dict[str, Any]:
        """Plain data (JSON-ready); estimators of other libraries go into ``estimators``."""
        head = {"format": FORMAT, "version": VERSION}
        rest = {name: encode(getattr(self, name)) for name in FIELDS[1:]}
        first = {"training": rest["training"]} if self.training.said_first else {}
        return {**head, **first, "fitted": self.fitted.to_document(estimators), **rest}


def load_model(path: str | os.PathLike[str], *, trusted: Sequence[str] = ()) -> Model:
    """Read a model file; executes nothing, refuses what it does not know.

    Parameters
    ----------
    path : path
    trusted : sequence of str
        For forms of other libraries, types that may be built from the file beside the model; see
        `untrusted_types`.

    Returns
    -------
    Model

    Raises
    ------
    ModelFileError
        A ValueError that says which field is wrong.
    """
    return model_from_dict(from_text(read_text_of(path)), path, trusted)


def model_from_dict(
    data: Any, path: str | os.PathLike[str] | None = None, trusted: Sequence[str] = ()
) -> Model:
    """The model that `Model.to_document` described; estimators are in the file beside ``path``."""
    import handful.conformal.composite  # noqa: F401  its form is known by its tag

    if not isinstance(data, Mapping) or data.get("format") != FORMAT:
        raise ModelFileError(f"`format` must be {FORMAT!r}. This is not a model file.")
    # True equals 1 in Python, but a truth value is no version.
    if type(data.get("version")) is not int or data["version"] != VERSION:
        raise ModelFileError(
            f"`version` must be {VERSION}, got {data.get('version')!r}. "
            "Use the release of handful that wrote the file."
        )
    # Neither more nor fewer fields: what is not understood must not be passed over.
    if odd := sorted(map(str, (set(data) - {HASH_FIELD}) ^ {"format", "version", *FIELDS})):
        raise ModelFileError(f"the fields {odd} are missing or unknown. The file is not usable.")
    training: Training = decode(Training, data["training"], "training")
    model = Model(
        fitted=_fitted(data["fitted"], training.beside_sha256, path, trusted),
        labels=decode(tuple[Label, ...] | None, data["labels"], "labels"),
        certificate=decode(Certificate | None, data["certificate"], "certificate"),
        kept=_kept(data["kept"]),
        training=training,
        data=decode(Data, data["data"], "data"),
        provenance=decode(Provenance, data["provenance"], "provenance"),
    )
    _check(model)
    return model


def _fitted(
    value: Any, digest: str | None, path: str | os.PathLike[str] | None, trusted: Sequence[str]
) -> Fitted:
    """The classifier; estimators of other libraries come from the file beside the model."""
    # First without estimators: the plain part is checked before the second file is opened.
    fitted: Fitted = decode(Fitted, value, "fitted")
    if not fitted.n_estimators:
        return fitted
    if digest is None or path is None:
        raise fail("fitted.machine", "made of plain data, without a file beside this one", digest)
    estimators = read_estimators(path, digest, trusted).fitted
    if len(estimators) < fitted.n_estimators:
        raise ModelFileError(f"{beside(path).name} lacks estimators that the model names.")
    return Fitted.from_document(value, estimators)


def _kept(value: Any) -> tuple[str | int, ...]:
    """Digests, or row numbers in order."""
    kept: tuple[str | int, ...] = decode(tuple[str | int, ...], value, "kept")
    numbers = [name for name in kept if isinstance(name, int)]
    digests = [name for name in kept if isinstance(name, str)]
    if (numbers and digests) or not all(_DIGEST.fullmatch(digest) for digest in digests):
        raise fail("kept", "digests of 64 hexadecimal digits, or row numbers", value)
    # Row numbers increase, so that no example is named twice.
    pairs = itertools.pairwise([-1, *numbers])
    if any(i >= j for i, j in pairs) or len(set(digests)) < len(digests):
        raise fail("kept", "sorted, without repetitions", value)
    return kept


def _check(model: Model) -> None:
    """Refuse parts that do not fit each other."""
    words = model.fitted.classes
    labels = words if model.labels is None else model.labels
    pairs = zip(labels, words, strict=True) if len(labels) == len(words) else [("", None)]
    if not all(word in (str(label), word_of(label)) for label, word in pairs):
        raise fail("labels", f"the words {words[:10]} as values", model.labels)
    if len(model.places) < len(model.needs):
        raise fail("fitted.columns", "columns that were offered", model.needs)
    if len(model.kept) < model.training.n_named:
        raise fail("kept", f"{model.training.n_named} examples", len(model.kept))
