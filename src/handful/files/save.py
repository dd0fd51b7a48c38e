"""Fitted machines as one JSON document."""

from __future__ import annotations

import base64
import os
import platform
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from handful._codec import encode
from handful._version import __version__
from handful._writing import write_atomically
from handful.bounds import Certificate, NotCertifiableError
from handful.covering import CoverFit
from handful.files._reading import Reading
from handful.files._settings import plain_parameters
from handful.files.cover_document import cover_to_dict, features_of, named_by_digest, refuse_rows
from handful.files.document import to_text
from handful.models import Fitted, Form
from handful.tables import Draw, blind_order, row_digests, table_digest

FORMAT, VERSION = "handful-model", 2
#: Linear kernels of other machines are sums over examples, which round in another way than weights.
WITHOUT_ROWS = (
    "a machine that is written without: votes of stumps, or kernel='linear' of a "
    "SupportVectorMachine, KernelPerceptron or LinearProgrammingMachine, whose predictions are "
    "computed from weights"
)


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
    include_rows: bool = False,
    reading: Reading | None = None,
) -> dict[str, Any]:
    """Plain data of a fitted machine; parameters as in `save_model`."""
    search, machine = machine, unwrapped(machine)
    head = {
        "format": FORMAT,
        "version": VERSION,
        "classes": [plain_label(label) for label in machine.classes_],
        "n_features": int(machine.n_features_in_),
    }
    fit = getattr(machine, "fitted_", None)
    cover = fit if isinstance(fit, CoverFit) else None
    if cover is None:
        body = _score_part(machine, include_rows, _digests_of(machine, data))
    else:
        body = cover_to_dict(cover, include_rows, reading)
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
            "data": _data_part(draw, source, _features_of(machine, cover)),
        },
    }


def names_of(machine: Any) -> list[str] | None:
    """Names of the columns of a machine that was trained on a table with names."""
    names = getattr(machine, "feature_names_in_", None)
    return None if names is None else [str(name) for name in names]


def _features_of(machine: Any, cover: CoverFit | None) -> dict[str, Any]:
    """The columns that were offered, by digest; machines without rules take numbers only."""
    if cover is not None:
        return features_of(cover)
    return {"features": named_by_digest(names_of(machine)), "words": []}


def _n_groups_of(search: Any) -> int:
    """Number of groups of settings that a search divided its confidence over."""
    if not hasattr(search, "best_estimator_"):
        return 1
    return int(search.n_groups_)


def _draw_of(machine: Any, data: tuple[Any, Any] | None) -> Draw | None:
    """What is known of the training data: by the machine, or from the data themselves."""
    known: Draw | None = getattr(machine, "draw_", None)
    return known if known is not None or data is None else blind_order(*data).draw


def _data_part(
    draw: Draw | None, source: Mapping[str, Any] | None, features: Mapping[str, Any]
) -> dict[str, Any] | None:
    """Where the training data are, and by what they are known again; no row is in it."""
    if draw is None and source is None and features["features"] is None:
        return None
    codes = None if draw is None or draw.row_codes is None else draw.row_codes
    return {
        "file": None,
        "target": None,
        "groups": None,
        **(source or {}),
        "sha256": None if draw is None else draw.digest,
        "columns": None if draw is None else named_by_digest(draw.columns),
        **features,
        "row_codes": None if codes is None else base64.b64encode(codes).decode(),
    }


def _certificate_of(machine: Any) -> Certificate | None:
    """What the machine says of itself, where it can."""
    try:
        found = machine.certificate_
    except (NotCertifiableError, ValueError):
        return None
    return found if isinstance(found, Certificate) else None


def _score_part(machine: Any, include_rows: bool, digests: Any) -> dict[str, Any]:
    form = plain_form(machine)
    refuse_rows(form.n_training_rows, include_rows, WITHOUT_ROWS)
    names, used = names_of(machine), set(form.features)
    return {
        "feature_names": names and [name if j in used else None for j, name in enumerate(names)],
        "categories": None,
        "reading": None,
        "machines": [encode(form)],
        "codes": None,
        "settings": {"parameters": plain_parameters(machine), "n_groups": 1, "delta": None},
        "compression_set": _named(machine.kept_examples_, digests),
    }


def plain_form(machine: Any) -> Form:
    """What a fitted machine is, if that is made of plain data."""
    fitted = getattr(machine, "fitted_", None)
    if not isinstance(fitted, Fitted):
        raise TypeError(
            f"`machine` must be a fitted classifier of this library, got {type(machine).__name__}."
        )
    if not fitted.is_plain:
        why = fitted.machine.why_closed or "It is an estimator of another library."
        raise TypeError(f"{type(machine).__name__} has no document. {why}")
    return fitted.machine


def unwrapped(estimator: Any) -> Any:
    """The machine inside a search."""
    found = getattr(estimator, "best_estimator_", None)
    return estimator if found is None else found


def _named(kept: Sequence[int], digests: Any) -> list[int] | list[str]:
    """Examples by the digests of their rows, the second of equal rows with ":2" behind it.

    Where nobody knows the digests, by their numbers.
    """
    if digests is None:
        return [int(i) for i in kept]
    texts = [digest.tobytes().hex() for digest in digests]
    seen: Counter[str] = Counter()
    names = []
    for text in texts:
        seen[text] += 1
        names.append(text if seen[text] == 1 else f"{text}:{seen[text]}")
    return [names[i] for i in kept]


def _digests_of(machine: Any, data: tuple[Any, Any] | None) -> Any:
    """Digests of the training rows, if these are what the machine was trained on."""
    if data is None:
        return None
    digests = row_digests(*data)
    known: Draw | None = getattr(machine, "draw_", None)
    is_same = known is None or known.digest == table_digest(digests)
    return digests if is_same and len(digests) == machine.n_samples_ else None


def save_model(
    machine: Any,
    path: str | os.PathLike[str],
    *,
    data: tuple[Any, Any] | None = None,
    certificate: Certificate | None = None,
    source: Mapping[str, Any] | None = None,
    include_rows: bool = False,
) -> None:
    """Write a fitted machine as JSON.

    The file holds no training row unless ``include_rows`` allows it: rules and scores are written
    as thresholds and weights, the examples that they are made of by their digests alone.

    Parameters
    ----------
    machine : classifier
        A fitted machine of this library, or a `BoundSearch` over one; kernels must be named,
        not callables. Machines over other people's estimators cannot be written.
    path : path
        The file is written whole or not at all.
    data : (X, y), optional
        The training data, for their digest and those of the kept examples; machines that draw
        a pool know the former.
    certificate : Certificate, optional
        What to store; by default that of ``machine.certify()``, or none where it has none.
    source : mapping, optional
        Where the data are, with "file", "target" and "groups" (names of columns), so that
        `handful verify` and `handful predict` need not be told again.
    include_rows : bool
        Write machines that contain training rows, too: balls, and all kernels but linear ones.

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
    document = model_to_dict(
        machine, data=data, certificate=certificate, source=source, include_rows=include_rows
    )
    write_atomically(path, to_text(document))
