"""A model read from its file: checked field by field, then ready to predict."""

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

from handful._codec import ModelFileError, decode
from handful._types import Floats
from handful.bounds import Certificate
from handful.files._certificates import read_certificate
from handful.files._reading import Reading
from handful.files._rules import machine_from_dict
from handful.files.document import HASH_FIELD, from_text, read_text_of
from handful.files.form_document import FORM_FORMAT, StoredForm, form_from_dict
from handful.files.save import FORMAT, VERSION
from handful.models import Fitted, Form
from handful.rules import (
    AbstractRule,
    RuleList,
    RuleSet,
    Stump,
)
from handful.rules.fields import (
    MAX_NUMBER,
    optional,
    read_index,
    read_int,
    read_text,
)
from handful.tables import Columns, as_pandas, exact_numbers, is_missing, word_of

Machine = RuleSet | RuleList
UNKNOWN = -1.0  # the code of a word that was never seen
_MAX_FEATURES = 100_000  # a damaged file must not make the reader allocate for millions of columns
_DIGEST = re.compile(r"[0-9a-f]{64}(:[1-9][0-9]{0,8})?")  # ":2" is the second of equal rows
_FIELDS = {
    *("format", "version", "classes", "feature_names", "categories", "n_features", "machines"),
    *("reading",),
    *("codes", "settings", "compression_set", "certificate", "provenance"),
}


@dataclass(frozen=True)
class StoredModel:
    """A machine read from a file; predicts, and shows its certificate.

    Attributes
    ----------
    machines : tuple of machine
        Of machines made of rules: one for two classes, else one a class.
    classes : tuple of label
        JSON values: text, whole numbers, floats or booleans.
    feature_names : tuple of (str or None), or None
        Names of the columns that decide anything; None for others.
    categories : tuple
        Known categories of each column, None for numbers.
    n_features : int
    compression_set : tuple of (int or str)
        The examples that it is made of: digests of their rows; row numbers where the file does
        not know the data.
    certificate : Certificate or None
    provenance : dict
    reading : Reading or None
        How raw cells are read; None where they are numbers and words already.
    form : Form or None
        The classifier, if it is not made of rules.
    """

    machines: tuple[Machine, ...]
    classes: tuple[Any, ...]
    feature_names: tuple[str | None, ...] | None
    categories: tuple[tuple[str, ...] | None, ...] | None
    n_features: int
    compression_set: tuple[int, ...] | tuple[str, ...]
    certificate: Certificate | None
    provenance: Mapping[str, Any]
    reading: Reading | None = None
    form: Form | None = None

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the features; x0, x1, ... where there are none."""
        given = self.feature_names or (None,) * self.n_features
        return tuple(f"x{j}" if name is None else name for j, name in enumerate(given))

    @property
    def used_features(self) -> tuple[int, ...]:
        """Positions of the features that decide anything."""
        if self.form is not None:
            return self.form.features
        rules = [rule for machine in self.machines for rule in machine.rules]
        return tuple(sorted(set[int]().union(*(r.used_features(self.n_features) for r in rules))))

    @cached_property
    def fitted(self) -> Fitted:
        """The classifier and its columns, if it is not made of rules."""
        assert self.form is not None
        columns = Columns.of_numbers(self.names)
        return Fitted(self.form.tag, columns, tuple(map(str, self.classes)), self.form)

    @property
    def n_training_rows(self) -> int:
        """How many training rows it contains, cell by cell."""
        if self.form is not None:
            return self.form.n_training_rows
        return sum(rule.n_training_rows for machine in self.machines for rule in machine.rules)

    def encode(self, frame: Any) -> Floats:
        """Numbers of a data frame; needs only the columns that decide anything."""
        out = np.zeros((len(frame), self.n_features))
        columns = {str(name): name for name in frame.columns}
        names = self.names
        absent = [names[j] for j in self.used_features if names[j] not in columns]
        if absent:
            raise ValueError(
                f"the data must have the columns {absent[:10]}, which the model uses. "
                f"They have: {list(columns)[:10]}."
            )
        for j in self.used_features:
            raw = None if self.reading is None else self.reading.columns[j]
            if raw is not None:
                cells = as_pandas(frame[[columns[names[j]]]])
                out[:, j] = raw.read(np.asarray(cells.iloc[:, 0]))
                continue
            known = None if self.categories is None else self.categories[j]
            out[:, j] = encode_column(frame[columns[names[j]]], known, names[j])
        return out

    def predict(self, X: Any) -> NDArray[Any]:
        """Labels of the rows of a numeric matrix (categories as codes)."""
        X = self._checked(X)
        classes = np.array(self.classes, dtype=object)
        if self.form is not None:
            self._refuse_missing(X, self.form.required)
            return classes[self.form.labels(X)]
        if len(self.machines) == 1:
            return classes[(self.machines[0].predict(X) > 0).astype(int)]
        values = [machine.decision_function(X) for machine in self.machines]
        return classes[np.argmax(np.column_stack(values), axis=1)]

    def fired(self, X: Any) -> NDArray[Any]:
        """What decided about each row, of the machine that decided, in the printed words.

        The condition of the first rule that covers the row; where none does, all conditions that
        a conjunction asks for, or "otherwise".
        """
        X = self._checked(X)
        if self.form is not None:
            return np.full(len(X), "", dtype=object)
        which = np.zeros(len(X), dtype=int)
        if len(self.machines) > 1:
            codes = {label: k for k, label in enumerate(self.classes)}
            which = np.array([codes[label] for label in self.predict(X)], dtype=int)
        out = np.full(len(X), "", dtype=object)
        for k, machine in enumerate(self.machines):
            last = self._without_rule(machine)
            texts = np.array([*(self.condition(r) for r in machine.rules), last], dtype=object)
            rows = np.flatnonzero(which == k)
            first = machine.first_rule(X[rows])
            out[rows] = texts[first]
            for i, rule in enumerate(machine.rules):
                mine = rows[first == i]
                out[mine[rule.is_missing(X[mine])]] = self._missing_text(rule)
        return out

    def _without_rule(self, machine: Machine) -> str:
        """What is said of a row that no rule covers."""
        if not machine.rules:
            return "always"
        if isinstance(machine, RuleList) or machine.kind != "conjunction":
            return "otherwise"
        return " and ".join(self._opposite(rule) for rule in machine.rules)

    def _opposite(self, rule: AbstractRule) -> str:
        """What a conjunction asks for: that a rule does not cover the row."""
        marks = {
            "below": ("<", "≥"),
            "above": (">", "≤"),
            "equal": ("=", "≠"),
            "unequal": ("≠", "="),
        }
        mark, other = marks[rule.side]
        head, _, tail = self.condition(rule).rpartition(f" {mark} ")
        return f"{head} {other} {tail}"

    def _missing_text(self, rule: AbstractRule) -> str:
        """Why a rule of a conjunction takes a row that lacks a value."""
        if isinstance(rule, Stump):
            return f"{self.names[rule.feature]} is missing"
        return f"a value is missing in {self.condition(rule)}"

    def condition(self, rule: AbstractRule) -> str:
        """When a rule covers a case, in names and categories."""
        return rule.describe(self.names, words=self.words)

    @cached_property
    def words(self) -> tuple[tuple[str, ...] | None, ...] | None:
        """The words of each feature, of categories and of ordered ones."""
        if self.reading is None:
            return self.categories
        known = self.categories or (None,) * self.n_features
        return tuple(c or self.reading.scale(j) for j, c in enumerate(known))

    def _refuse_missing(self, X: Floats, required: Sequence[int]) -> None:
        """A score needs all its values; rules and votes say what a missing one means."""
        row, place = np.nonzero(np.isnan(X[:, list(required)]))
        if len(row):
            raise ValueError(
                f"the column {self.names[required[place[0]]]!r} must have no missing values, got "
                f"one in row {row[0] + 1}. The model was trained on complete rows."
            )

    def _checked(self, X: Any) -> Floats:
        X = np.asarray(X, dtype=np.float64)
        if X.ndim != 2 or X.shape[1] != self.n_features:
            raise ValueError(
                f"`X` must have {self.n_features} columns, got shape {X.shape}. "
                "Pass the columns the model was trained on."
            )
        return X


def encode_column(column: Any, known: tuple[str, ...] | None, name: str) -> Floats:
    """A column of a data frame as numbers, or as codes of the words a model knows."""
    import pandas as pd

    column = pd.Series(column)
    if known is not None:
        codes = {word: float(k) for k, word in enumerate(known)}
        words = [None if is_missing(v) else word_of(v) for v in column]
        return np.array([np.nan if w is None else codes.get(w, UNKNOWN) for w in words])
    numbers = exact_numbers(column).astype("Float64")
    bad = numbers.isna() & column.notna()
    if bad.any():  # True and False are numbers, as where the model was trained
        texts = column[bad].astype(str).str.strip().str.lower()
        numbers[bad] = texts.map({"true": 1.0, "false": 0.0}).astype("Float64")
        bad = numbers.isna() & column.notna()
    if bad.any():
        example = str(column[bad].iloc[0])[:40]
        raise ValueError(
            f"the column {name!r} must hold numbers, got {example!r} in row "
            f"{int(np.flatnonzero(bad)[0]) + 1}. The model was trained on numbers there."
        )
    return numbers.to_numpy(dtype=np.float64, na_value=np.nan)


def load_model(
    path: str | os.PathLike[str], *, trusted: Sequence[str] = ()
) -> StoredModel | StoredForm:
    """Read a model file; executes nothing, refuses what it does not know.

    Parameters
    ----------
    path : path
    trusted : sequence of str
        For forms of other libraries, types that may be built from the file beside the model; see
        `untrusted_types`.

    Returns
    -------
    StoredModel or StoredForm
        A machine as `save_model` wrote it, or a form of a menu as ``handful certify`` did.

    Raises
    ------
    ModelFileError
        A ValueError that says which field is wrong.
    """
    data = from_text(read_text_of(path))
    if isinstance(data, Mapping) and data.get("format") == FORM_FORMAT:
        return form_from_dict(data, path, trusted)
    return model_from_dict(data)


def model_from_dict(data: Any) -> StoredModel:
    """The model that ``model_to_dict`` described."""
    if not isinstance(data, Mapping) or data.get("format") != FORMAT:
        raise ModelFileError(f"`format` must be {FORMAT!r}. This is not a model file.")
    if type(data.get("version")) is not int or data["version"] != VERSION:
        raise ModelFileError(
            f"`version` must be {VERSION}, got {data.get('version')!r}. "
            "Use the release of handful that wrote the file."
        )
    if odd := sorted(map(str, (set(data) - {HASH_FIELD}) ^ _FIELDS)):
        raise ModelFileError(f"the fields {odd} are missing or unknown. The file is not usable.")
    n_features = read_int(data["n_features"], "n_features")
    if not 0 < n_features <= _MAX_FEATURES:
        raise ModelFileError(
            f"`n_features` must be from 1 to {_MAX_FEATURES}, got {n_features}. "
            "Keep the columns that decide something."
        )
    classes = _read_classes(data["classes"])
    form = _read_form(data, len(classes), n_features)
    machines = () if form is not None else _read_machines(data, len(classes), n_features)
    if not isinstance(data["provenance"], Mapping):
        raise ModelFileError("`provenance` must be an object.")
    names = data["feature_names"]
    model = StoredModel(
        machines=machines,
        classes=classes,
        feature_names=None if names is None else _read_names(names, n_features),
        categories=_read_categories(data["categories"], n_features),
        n_features=n_features,
        compression_set=_read_examples(data["compression_set"]),
        certificate=None if data["certificate"] is None else read_certificate(data["certificate"]),
        provenance=dict(data["provenance"]),
        reading=_read_reading(data["reading"], n_features),
        form=form,
    )
    _check_reading(model)
    _check_used_names(model)
    _check_categories(model)
    _check_codes(data, model)
    return model


def _read_reading(value: Any, n_features: int) -> Reading | None:
    return None if value is None else Reading.from_document(value, n_features)


def _check_reading(model: StoredModel) -> None:
    """Columns that are read from raw cells have the names and words of the model."""
    columns = () if model.reading is None else model.reading.columns
    for j, column in enumerate(columns):
        if column is None:
            continue
        known = None if model.categories is None else model.categories[j]
        if column.name != model.names[j] or column.words != known:
            raise ModelFileError(
                f"`reading.columns[{j}]` must have the name and words of feature {j}."
            )


def _check_used_names(model: StoredModel) -> None:
    """Columns that decide anything have names, where columns have names at all."""
    names = model.feature_names
    absent = [] if names is None else [j for j in model.used_features if names[j] is None]
    if absent:
        raise ModelFileError(f"`feature_names` must name the columns in use, not so {absent[:10]}.")


def _read_form(data: Mapping[str, Any], n_classes: int, n_features: int) -> Form | None:
    """The classifier, if it is not made of rules: codes are then null."""
    if data["codes"] is not None:
        return None
    import handful.conformal.composite  # noqa: F401  its form is known by its tag

    listed = _read_list(data["machines"], "machines")
    if len(listed) != 1:
        raise ModelFileError("`machines` must be one, if it is not made of rules.")
    form: Form = decode(Form, listed[0], "machines[0]")
    form.check("machines[0]", n_features, n_classes)
    if not form.is_plain:
        raise ModelFileError("`machines[0]` must be made of plain data.")
    return form


def _read_machines(data: Mapping[str, Any], n_classes: int, n_features: int) -> tuple[Machine, ...]:
    listed = _read_list(data["machines"], "machines")
    if len(listed) != (1 if n_classes == 2 else n_classes) or n_classes < 2:
        raise ModelFileError("`machines` must be one for two classes, else one a class.")
    machines: list[Machine] = []
    for i, machine in enumerate(listed):
        made = machine_from_dict(machine, f"machines[{i}]")
        _check_widths(made, n_features)
        machines.append(made)
    return tuple(machines)


def _read_list(value: Any, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise ModelFileError(f"`{where}` must be a list, got {type(value).__name__}.")
    return value


def _read_classes(value: Any) -> tuple[Any, ...]:
    classes = tuple(_read_label(label) for label in _read_list(value, "classes"))
    if len({str(label) for label in classes}) != len(classes) or len(set(classes)) != len(classes):
        raise ModelFileError(f"`classes` must differ from each other, got {classes[:10]}.")
    return classes


def _read_label(value: Any) -> Any:
    if isinstance(value, str):
        return read_text(value, "classes")
    if not isinstance(value, (int, float)) or not -MAX_NUMBER <= value <= MAX_NUMBER:
        raise ModelFileError(f"`classes` must hold text or finite numbers, got {value!r}.")
    return value


def _read_examples(value: Any) -> tuple[int, ...] | tuple[str, ...]:
    """Row numbers in order, or digests."""
    listed = _read_list(value, "compression_set")
    if any(isinstance(part, str) for part in listed):
        digests = tuple(read_text(part, "compression_set") for part in listed)
        if not all(_DIGEST.fullmatch(digest) for digest in digests):
            raise ModelFileError("`compression_set` must hold digests of 64 hexadecimal digits.")
        return digests
    found = tuple(read_index(i, "compression_set") for i in _read_list(value, "compression_set"))
    if any(i >= j for i, j in itertools.pairwise(found)):
        raise ModelFileError("`compression_set` must be sorted, without repetitions.")
    return found


def _check_codes(data: Mapping[str, Any], model: StoredModel) -> None:
    """Machines made of rules have codes and settings."""
    codes = data["codes"]
    is_coded = isinstance(codes, list) and len(codes) == len(model.machines)
    if codes is not None and not (is_coded and isinstance(data["settings"], Mapping)):
        raise ModelFileError("`codes` must be one a machine made of rules, with `settings`.")


def _read_names(value: Any, n_features: int) -> tuple[str | None, ...]:
    read = optional(read_text)
    names = tuple(read(v, "feature_names") for v in _read_list(value, "feature_names"))
    if len(names) != n_features:
        raise ModelFileError(f"`feature_names` must have {n_features} names, got {len(names)}.")
    given = [name for name in names if name is not None]
    if len(set(given)) != len(given):
        raise ModelFileError("`feature_names` must differ from each other.")
    return names


def _read_categories(value: Any, n_features: int) -> tuple[tuple[str, ...] | None, ...] | None:
    if value is None:
        return None
    columns = _read_list(value, "categories")
    if len(columns) != n_features:
        raise ModelFileError(f"`categories` must have {n_features} entries, got {len(columns)}.")
    found = tuple(
        None
        if column is None
        else tuple(read_text(v, "categories") for v in _read_list(column, "categories"))
        for column in columns
    )
    if any(len(set(words)) != len(words) for words in found if words is not None):
        raise ModelFileError("`categories` of a column must differ from each other.")
    return found


def _check_widths(machine: RuleSet | RuleList, n_features: int) -> None:
    """Every vector in a rule has one entry a feature; every feature index exists."""
    for rule in machine.rules:
        for name in ("a", "b", "center", "weights", "scale"):
            vector = getattr(rule, name, None)
            if vector is not None and len(vector) != n_features:
                raise ModelFileError(f"`{name}` must have {n_features} entries.")
        feature = getattr(rule, "feature", 0)
        if not 0 <= feature < n_features:
            raise ModelFileError(f"`feature` must be below {n_features}, got {feature}.")


def _check_categories(model: StoredModel) -> None:
    """A stump on words names one of them."""
    for machine in model.machines:
        for rule in machine.rules:
            if not isinstance(rule, Stump):
                continue
            known = None if model.categories is None else model.categories[rule.feature]
            if (rule.side in ("equal", "unequal")) != (known is not None):
                raise ModelFileError(
                    f"`side` must fit the values of feature {rule.feature}, got {rule.side!r}."
                )
            if known is not None and rule.threshold not in range(len(known)):
                raise ModelFileError(
                    f"`threshold` must be a category of feature {rule.feature}, "
                    f"got {rule.threshold}."
                )
