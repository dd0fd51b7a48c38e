"""Fitted machines as one JSON document."""

from __future__ import annotations

import base64
import os
import platform
from collections.abc import Mapping
from typing import Any

import numpy as np

from handful._version import __version__
from handful.bounds import Certificate, NotCertifiableError
from handful.io._estimators import score_machines, unwrapped
from handful.io._rules import machine_to_dict
from handful.io._scores import score_to_dict
from handful.io._settings import plain_parameters
from handful.io.document import to_text
from handful.rules import RuleList, RuleSet
from handful.tables import Draw, blind_order, write_atomically

FORMAT, VERSION = "handful-model", 2


def plain_label(value: Any) -> Any:
    """A class label as a JSON value."""
    value = value.item() if isinstance(value, np.generic) else value
    if not isinstance(value, (str, int, float, bool)):
        raise TypeError(f"`classes_` must be text or numbers to be written, got {value!r}.")
    return value


def model_to_dict(
    machine: Any,
    *,
    data: tuple[Any, Any] | None = None,
    certificate: Certificate | None = None,
    source: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Plain data of a fitted machine; parameters as in `save_model`."""
    search, machine = machine, unwrapped(machine)
    names = getattr(machine, "feature_names_in_", None)
    head = {
        "format": FORMAT,
        "version": VERSION,
        "classes": [plain_label(label) for label in machine.classes_],
        "feature_names": None if names is None else [str(name) for name in names],
        "n_features": int(machine.n_features_in_),
    }
    is_made_of_rules = hasattr(machine, "_learned")
    body = _rule_part(machine) if is_made_of_rules else _score_part(machine)
    if certificate is None:
        certificate = _certificate_of(search)
    if certificate is not None:
        body["settings"] |= {"delta": certificate.delta, "n_groups": _n_groups_of(search)}
    draw = _draw_of(machine, data)
    seed = getattr(machine, "draw_", draw).seed if draw is not None else None
    return {
        **head,
        **body,
        "certificate": None if certificate is None else certificate.to_dict(),
        "provenance": {
            "handful": __version__,
            "python": platform.python_version(),
            "numpy": np.__version__,
            "estimator": type(machine).__name__,
            "random_state": seed,
            "data": _data_part(draw, source),
        },
    }


def _n_groups_of(search: Any) -> int:
    """Number of groups of settings that a search divided its confidence over."""
    if not hasattr(search, "best_estimator_"):
        return 1
    return int(search.n_groups_)


def _draw_of(machine: Any, data: tuple[Any, Any] | None) -> Draw | None:
    """What is known of the training data: by the machine, or from the data themselves."""
    known: Draw | None = getattr(machine, "draw_", None)
    return known if known is not None or data is None else blind_order(*data).draw


def _data_part(draw: Draw | None, source: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Where the training data are, and by what they are known again; no row is in it."""
    if draw is None and source is None:
        return None
    codes = None if draw is None or draw.row_codes is None else draw.row_codes
    return {
        "file": None,
        "target": None,
        **(source or {}),
        "sha256": None if draw is None else draw.digest,
        "columns": None if draw is None or draw.columns is None else list(draw.columns),
        "row_codes": None if codes is None else base64.b64encode(codes).decode(),
    }


def _certificate_of(machine: Any) -> Certificate | None:
    """What the machine says of itself, where it can."""
    try:
        found = machine.certificate_
    except (NotCertifiableError, ValueError):
        return None
    return found if isinstance(found, Certificate) else None


def _rule_part(machine: Any) -> dict[str, Any]:
    columns = machine._columns
    parts = [part for _, part in machine._machines()]
    return {
        "categories": None if columns is None else [c and list(c) for c in columns.categories],
        "machines": [machine_to_dict(part) for part in parts],
        "codes": [_code(part.chosen) for part in machine._learned],
        "settings": _settings(machine._settings),
        "compression_set": [int(i) for i in machine.compression_set_],
        "examples": _examples(machine, parts),
    }


def _score_part(machine: Any) -> dict[str, Any]:
    machines = [score_to_dict(part) for part in score_machines(machine)]
    kept = machine.held_back_ if machine.is_made_of_few else ()
    return {
        "categories": None,
        "machines": machines,
        "codes": None,
        "settings": {"parameters": plain_parameters(machine), "n_groups": 1, "delta": None},
        "compression_set": [int(i) for i in kept],
        "examples": [],
    }


def _code(chosen: Any) -> dict[str, Any]:
    """How a machine was coded: what is needed to check its price."""
    return {
        "scheme": chosen.scheme,
        "family": chosen.family,
        "kind": chosen.kind,
        "pool_size": int(chosen.pool_size),
        "kept": [int(i) for i in chosen.kept],
        "terms": [term.to_dict() for term in chosen.terms],
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
        "n_groups": 1,
        "delta": float(settings.delta),
        "costs": None if settings.costs is None else [float(c) for c in settings.costs],
    }


def _examples(machine: Any, parts: list[RuleSet | RuleList]) -> list[dict[str, Any]]:
    """The training examples that rules are made of: index, label, row (null where missing)."""
    named = sorted({i for part in parts for i in part.compression_set})
    kept = [(i, *machine._example(i)) for i in named]
    return [
        {
            "index": int(i),
            "label": plain_label(label),
            "row": [None if np.isnan(value) else float(value) for value in row],
        }
        for i, row, label in kept
    ]


def save_model(
    machine: Any,
    path: str | os.PathLike[str],
    *,
    data: tuple[Any, Any] | None = None,
    certificate: Certificate | None = None,
    source: Mapping[str, Any] | None = None,
) -> None:
    """Write a fitted machine as JSON.

    Parameters
    ----------
    machine : classifier
        A fitted machine of this library, or a `BoundSearch` over one; kernels must be named,
        not callables. Machines over other people's estimators cannot be written.
    path : path
        The file is written whole or not at all.
    data : (X, y), optional
        The training data, for their digest; machines that draw a pool know theirs.
    certificate : Certificate, optional
        What to store; by default that of ``machine.certify()``, or none where it has none.
    source : mapping, optional
        Where the data are, with "file" and "target", so that `handful verify` and
        `handful predict` need not be told again.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from handful import SetCoveringMachine, load_dataset, load_model
    >>> data = load_dataset("haberman-294")
    >>> machine = SetCoveringMachine(rules="stumps", random_state=0).fit(data.X, data.y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "model.json"
    ...     save_model(machine, path)
    ...     model = load_model(path)
    >>> bool((model.predict(data.X) == machine.predict(data.X)).all())
    True
    """
    document = model_to_dict(machine, data=data, certificate=certificate, source=source)
    write_atomically(path, to_text(document))
