"""One JSON document for a fitted rule machine: written whole or not at all, read strictly."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful._version import __version__
from handful.bounds import Certificate
from handful.io._document import (
    HASH_FIELD,
    fingerprint,
    from_text,
    read_text_of,
    to_text,
    write_atomically,
)
from handful.io._rules import (
    ModelFileError,
    machine_from_dict,
    machine_to_dict,
    read_int,
    read_text,
)
from handful.rules import RuleList, RuleSet

FORMAT, VERSION = "handful-model", 1
_FIELDS = {
    "format",
    "version",
    "classes",
    "feature_names",
    "categories",
    "n_features",
    "machines",
    "codes",
    "settings",
    "compression_set",
    "examples",
    "certificate",
    "provenance",
}


@dataclass(frozen=True)
class StoredModel:
    """A machine read from a file; predicts, and shows its certificate.

    Attributes
    ----------
    machines : tuple of RuleSet or RuleList
        One for two classes, else one a class.
    classes : tuple of label
        JSON values: text, whole numbers, floats or booleans.
    feature_names : tuple of str or None
    categories : tuple
        Known categories of each column, None for numbers.
    n_features : int
    compression_set : tuple of int
    certificate : Certificate
    provenance : dict
    """

    machines: tuple[RuleSet | RuleList, ...]
    classes: tuple[Any, ...]
    feature_names: tuple[str, ...] | None
    categories: tuple[tuple[str, ...] | None, ...] | None
    n_features: int
    compression_set: tuple[int, ...]
    certificate: Certificate
    provenance: Mapping[str, Any]

    def predict(self, X: Any) -> NDArray[Any]:
        """Labels of the rows of a numeric matrix (categories as codes)."""
        X = np.asarray(X, dtype=np.float64)
        if X.ndim != 2 or X.shape[1] != self.n_features:
            raise ValueError(
                f"`X` must have {self.n_features} columns, got shape {X.shape}. "
                "Pass the columns the model was trained on."
            )
        classes = np.array(self.classes, dtype=object)
        if len(self.machines) == 1:
            return classes[(self.machines[0].predict(X) > 0).astype(int)]
        scores = [machine.decision_function(X) for machine in self.machines]
        return classes[np.argmax(np.column_stack(scores), axis=1)]


def _label(value: Any) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    if not isinstance(value, (str, int, float, bool)):
        raise TypeError(f"`classes_` must be text or numbers to be written, got {value!r}.")
    return value


def model_to_dict(machine: Any) -> dict[str, Any]:
    """Plain data of a fitted `SetCoveringMachine` or `DecisionListMachine`."""
    names = getattr(machine, "feature_names_in_", None)
    columns = machine._columns
    parts = [part for _, part in machine._machines()]
    seed = machine.random_state
    return {
        "format": FORMAT,
        "version": VERSION,
        "classes": [_label(label) for label in machine.classes_],
        "feature_names": None if names is None else [str(name) for name in names],
        "categories": None if columns is None else [c and list(c) for c in columns.categories],
        "n_features": int(machine.n_features_in_),
        "machines": [machine_to_dict(part) for part in parts],
        "codes": [_code(part.chosen) for part in machine._learned],
        "settings": _settings(machine._settings),
        "compression_set": [int(i) for i in machine.compression_set_],
        "examples": _examples(machine, parts),
        "certificate": machine.certificate_.to_dict(),
        "provenance": {
            "handful": __version__,
            "python": platform.python_version(),
            "numpy": np.__version__,
            "estimator": type(machine).__name__,
            "random_state": int(seed) if isinstance(seed, (int, np.integer)) else None,
            "training_rows_sha256": fingerprint(machine._X, machine._labels()),
        },
    }


def _code(chosen: Any) -> dict[str, Any]:
    """How a machine was coded: what is needed to check its price."""
    return {
        "scheme": chosen.scheme,
        "family": chosen.family,
        "kind": chosen.kind,
        "pool_size": int(chosen.pool_size),
        "kept": [int(i) for i in chosen.kept],
        "terms": [[name, float(nats)] for name, nats in chosen.terms],
        "n_false_positives": int(chosen.n_false_positives),
        "n_false_negatives": int(chosen.n_false_negatives),
        "n_training_errors": int(chosen.n_training_errors),
    }


def _settings(settings: Any) -> dict[str, Any]:
    """What was fixed before the data and decides the prior masses."""
    return {
        "candidates": settings.candidates,
        "family_sets": [list(families) for families in settings.family_sets],
        "pool_families": list(settings.pool_families),
        "kinds": list(settings.kinds),
        "n_kernels": len(settings.geometries),
        "delta": float(settings.delta),
        "costs": None if settings.costs is None else [float(c) for c in settings.costs],
    }


def _examples(machine: Any, parts: list[RuleSet | RuleList]) -> list[dict[str, Any]]:
    """The training examples that rules are made of: index, label, row (null where missing)."""
    labels = machine._labels()
    named = sorted({i for part in parts for i in part.compression_set})
    return [
        {
            "index": int(i),
            "label": _label(labels[i]),
            "row": [None if np.isnan(value) else float(value) for value in machine._X[i]],
        }
        for i in named
    ]


def save_model(machine: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted machine as JSON.

    Parameters
    ----------
    machine : SetCoveringMachine or DecisionListMachine
        Fitted; kernels must be named, not callables.
    path : path
        The file is written whole or not at all.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from handful import SetCoveringMachine, load_dataset
    >>> data = load_dataset("haberman-294")
    >>> machine = SetCoveringMachine(rules="stumps", random_state=0).fit(data.X, data.y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "model.json"
    ...     save_model(machine, path)
    ...     model = load_model(path)
    >>> bool((model.predict(data.X) == machine.predict(data.X)).all())
    True
    """
    write_atomically(path, to_text(model_to_dict(machine)))


def load_model(path: str | os.PathLike[str]) -> StoredModel:
    """Read a model file; executes nothing, refuses what it does not know.

    Raises
    ------
    ModelFileError
        A ValueError that says which field is wrong.
    """
    return model_from_dict(from_text(read_text_of(path)))


def model_from_dict(data: Any) -> StoredModel:
    """The model that ``model_to_dict`` described."""
    if not isinstance(data, Mapping) or data.get("format") != FORMAT:
        raise ModelFileError(f"`format` must be {FORMAT!r}. This is not a model file.")
    if data.get("version") != VERSION:
        raise ModelFileError(
            f"`version` must be {VERSION}, got {data.get('version')!r}. "
            "Use the release of handful that wrote the file."
        )
    if set(data) - {HASH_FIELD} != _FIELDS:
        odd = sorted(map(str, (set(data) - {HASH_FIELD}) ^ _FIELDS))
        raise ModelFileError(f"the fields {odd} are missing or unknown. The file is not usable.")
    n_features = read_int(data["n_features"], "n_features")
    machines = _read_list(data["machines"], "machines")
    made = tuple(machine_from_dict(m, f"machines[{i}]") for i, m in enumerate(machines))
    _check_widths(made, n_features)
    classes = _read_list(data["classes"], "classes")
    if len(made) != (1 if len(classes) == 2 else len(classes)) or len(classes) < 2:
        raise ModelFileError("`machines` must be one for two classes, else one a class.")
    names = data["feature_names"]
    try:
        certificate = Certificate.from_dict(data["certificate"])
    except (TypeError, ValueError) as error:
        raise ModelFileError(f"`certificate` is not usable: {error}") from error
    if not isinstance(data["provenance"], Mapping):
        raise ModelFileError("`provenance` must be an object.")
    return StoredModel(
        machines=made,
        classes=tuple(_read_label(c) for c in classes),
        feature_names=None if names is None else _read_names(names, n_features),
        categories=_read_categories(data["categories"], n_features),
        n_features=n_features,
        compression_set=tuple(
            read_int(i, "compression_set")
            for i in _read_list(data["compression_set"], "compression_set")
        ),
        certificate=certificate,
        provenance=dict(data["provenance"]),
    )


def _read_list(value: Any, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise ModelFileError(f"`{where}` must be a list, got {type(value).__name__}.")
    return value


def _read_label(value: Any) -> Any:
    if not isinstance(value, (str, int, float, bool)):
        raise ModelFileError(f"`classes` must hold text or numbers, got {value!r}.")
    return value


def _read_names(value: Any, n_features: int) -> tuple[str, ...]:
    names = tuple(read_text(v, "feature_names") for v in _read_list(value, "feature_names"))
    if len(names) != n_features:
        raise ModelFileError(f"`feature_names` must have {n_features} names, got {len(names)}.")
    return names


def _read_categories(value: Any, n_features: int) -> tuple[tuple[str, ...] | None, ...] | None:
    if value is None:
        return None
    columns = _read_list(value, "categories")
    if len(columns) != n_features:
        raise ModelFileError(f"`categories` must have {n_features} entries, got {len(columns)}.")
    return tuple(
        None
        if column is None
        else tuple(read_text(v, "categories") for v in _read_list(column, "categories"))
        for column in columns
    )


def _check_widths(machines: tuple[RuleSet | RuleList, ...], n_features: int) -> None:
    """Every vector in a rule has one entry a feature; every feature index exists."""
    if not 0 < n_features <= 10_000_000:
        raise ModelFileError(f"`n_features` must be positive, got {n_features}.")
    for machine in machines:
        for rule in machine.rules:
            for name in ("a", "b", "center", "weights", "scale"):
                vector = getattr(rule, name, None)
                if vector is not None and len(vector) != n_features:
                    raise ModelFileError(f"`{name}` must have {n_features} entries.")
            feature = getattr(rule, "feature", 0)
            if not 0 <= feature < n_features:
                raise ModelFileError(f"`feature` must be below {n_features}, got {feature}.")
