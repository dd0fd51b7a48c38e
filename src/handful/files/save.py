"""Fitted machines as one JSON document.

A file holds no training row unless that is allowed. Only columns that the classifier reads are
named, of a column of words only the words that it asks for. Examples are known by the digests of
their rows, which can be found again in the data only. Balls, and kernels other than the linear one,
contain training rows.
"""

from __future__ import annotations

import base64
import os
import platform
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from handful._version import __version__
from handful.bounds import Certificate, NotCertifiableError
from handful.certified import Band, Refit, goal_of_case, is_first_case, named_candidates
from handful.codec import encode
from handful.covering import CoverFit
from handful.files.beside import Estimators, beside, digest_of, pack
from handful.files.document import named_by_digest, to_text
from handful.files.model import (
    CoverCode,
    CoverTraining,
    Data,
    MachineTraining,
    MenuTraining,
    Model,
    Noticed,
    Provenance,
    RefitTraining,
    Training,
)
from handful.files.protocol import Protocol
from handful.kernels import Kernel
from handful.models import Fitted
from handful.tables import (
    Choices,
    Columns,
    Draw,
    Study,
    blind_order,
    plain_notes,
    row_digests,
    table_digest,
)
from handful.writing import write_atomically

INSTEAD = (
    "one that is written without: rules='stumps' or half-spaces of the linear kernel, votes of "
    "stumps, another row of a menu, or kernel='linear' of a SupportVectorMachine, "
    "KernelPerceptron or LinearProgrammingMachine, whose predictions are computed from weights"
)


def refuse_rows(n_rows: int, include_rows: bool) -> None:
    """Raise if training rows would be written without permission."""
    if n_rows and not include_rows:
        rows = "1 training row" if n_rows == 1 else f"{n_rows} training rows"
        raise ValueError(
            f"this form contains {rows}. Say `include_rows=True` (--include-rows) to write it, or "
            f"use {INSTEAD}."
        )


def plain_label(value: Any) -> Any:
    """A class label as a JSON value."""
    value = value.item() if isinstance(value, np.generic) else value
    if not isinstance(value, (str, int, float, bool)):
        raise TypeError(f"`classes_` must be text or numbers to be written, got {value!r}.")
    return value


def _is_of_forms(machine: Any) -> bool:
    """Whether a machine offers forms that were learned from a pool, rather than covers."""
    return hasattr(machine, "menu_") and not hasattr(machine, "cover_")


def fitted_of(machine: Any) -> Fitted:
    """The classifier of a fitted machine as data; an error if no file can hold it."""
    fitted = getattr(machine, "fitted_", None)
    if not isinstance(fitted, Fitted):
        raise TypeError(
            f"`machine` must be a fitted classifier of this library, got {type(machine).__name__}."
        )
    if not fitted.is_plain and not _is_of_forms(machine):
        why = fitted.machine.why_closed or "It is an estimator of another library."
        raise TypeError(f"{type(machine).__name__} has no document. {why}")
    return fitted


def _refuse(fitted: Fitted, include_rows: bool) -> None:
    """Raise if a classifier contains training rows, or may, and they may not be written."""
    refuse_rows(fitted.n_training_rows, include_rows)
    if not fitted.is_plain and not include_rows:
        raise ValueError(
            "this form is an estimator of another library, which may contain training rows. Say "
            "`include_rows=True` (--include-rows) to write it, or use another row of the menu."
        )


@dataclass(frozen=True)
class Written:
    """Options of `save_model`."""

    data: tuple[Any, Any] | None = None
    certificate: Certificate | None = None
    source: Mapping[str, Any] = field(default_factory=dict)
    include_rows: bool = False
    study: Study | None = None
    choices: Choices | None = None
    is_default: bool = False
    band: Band | None = None
    protocol: Protocol | None = None
    deviate: str = ""


def model_of(machine: Any, **options: Any) -> tuple[Model, bytes | None]:
    """A fitted machine as a `Model`, and the content of the file beside it, if it needs one.

    Parameters
    ----------
    machine : classifier or Refit
    **options
        As in `save_model`.
    """
    how = Written(**options)
    if isinstance(machine, Refit):
        return _refit_of(machine, how)
    search, machine = machine, unwrapped(machine)
    _check_protocol(machine, how)
    fitted = fitted_of(machine)
    _refuse(fitted, how.include_rows)
    labels = tuple(plain_label(label) for label in machine.labels_)
    certificate = certificate_of(search) if how.certificate is None else how.certificate
    cover: CoverFit | None = getattr(machine, "cover_", None)
    kept: tuple[str | int, ...] = ()
    content = None
    training: Training
    if _is_of_forms(machine):
        training, content = _menu_training(machine, fitted, how)
        certificate = _of_case(certificate, _has_first_case(machine))
    elif cover is not None:
        training = _cover_training(cover, search, certificate)
        kept = tuple(digest.tobytes().hex() for digest in cover.digests)
        place = np.full(cover.n_samples, -1, dtype=np.int64)
        # In the file an example is its place among the named digests; row numbers would tell the
        # order of the table.
        place[cover.named] = np.arange(len(cover.named))
        fitted = replace(fitted, machine=fitted.machine.renumbered(place))
    else:
        delta = None if certificate is None else certificate.delta
        training = MachineTraining(plain_parameters(machine), _n_groups(search), delta)
        kept = _named(machine.kept_examples_, _digests_of(machine, how.data))
    reduced = fitted.reduced()
    if how.study is not None and cover is not None:
        reduced = replace(reduced, columns=_raw(reduced.columns, how.study))
    model = Model(
        fitted=reduced,
        labels=None if all(isinstance(label, str) for label in labels) else labels,
        certificate=certificate,
        kept=kept,
        training=training,
        data=_data_of(machine, fitted.columns, how),
        provenance=Provenance(type(machine).__name__, versions(), _notes(machine, reduced, how)),
    )
    return model, content


def _check_protocol(machine: Any, how: Written) -> None:
    if how.protocol is not None and not _is_of_forms(machine):
        raise TypeError(
            "`protocol` goes with a CertifiedClassifier, which has the settings that it names, got "
            f"{type(machine).__name__}. Leave it out."
        )


def _refit_of(refit: Refit, how: Written) -> tuple[Model, bytes | None]:
    """A rule learned from all rows, which never stands under the certificate of its sibling."""
    _refuse(refit.fitted, how.include_rows)
    counts, sibling = refit.machine.candidate_.counts, replace(how, certificate=None, band=None)
    model, _ = model_of(refit.machine, **vars(sibling))
    menu, content = _menu_training(refit.machine, refit.fitted, sibling)
    training = RefitTraining(
        sentence=refit.sentence,
        n_rows=refit.n_rows,
        n_same=refit.n_same,
        estimated_error=refit.error,
        n_errors=int(counts.n_errors),
        n_counted=int(counts.n_counted),
        n_unlabelled=refit.n_unlabelled,
        n_disagreements=refit.n_disagreements,
        is_picked=refit.is_picked,
        menu=menu,
    )
    fitted = refit.fitted.reduced()
    notes = _notes(refit.machine, fitted, how)
    provenance = replace(model.provenance, notes=notes)
    certificate = refit.certificate
    return (
        replace(
            *(model,), fitted=fitted, certificate=certificate, training=training,
            provenance=provenance,
        ),
        content,
    )  # fmt: skip


def _notes(machine: Any, fitted: Fitted, how: Written) -> tuple[Noticed, ...]:
    """What was noticed in the table and in the columns that the classifier reads."""
    told = getattr(how.study or machine, "notes_on", None)
    names = [column.name for column in fitted.columns.columns]
    found = () if told is None else plain_notes(told(names), for_others=True)
    return tuple(Noticed(**note) for note in found)


def model_to_dict(machine: Any, **options: Any) -> dict[str, Any]:
    """Plain data of a fitted machine; options as in `save_model`."""
    return model_of(machine, **options)[0].to_document([])


def unwrapped(estimator: Any) -> Any:
    """The machine inside a search."""
    found = getattr(estimator, "best_estimator_", None)
    return estimator if found is None else found


def versions() -> dict[str, str]:
    """Versions of the libraries that write the file."""
    import sklearn

    return {
        "handful": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scikit-learn": sklearn.__version__,
    }


def certificate_of(machine: Any) -> Certificate | None:
    """The certificate of a fitted machine; None if it certifies nothing by itself."""
    try:
        found = machine.certificate_
    except (NotCertifiableError, ValueError):
        return None
    return found if isinstance(found, Certificate) else None


# -- how it was learned ------------------------------------------------------------------------


def _n_groups(search: Any) -> int:
    """Number of groups of settings that a search divided its confidence over."""
    return int(getattr(search, "n_groups_", 1))


def _has_first_case(machine: Any) -> bool:
    said = machine.reading_
    return is_first_case(None if said is None else said.positive, machine.fitted_.classes)


def _of_case(certificate: Certificate | None, is_first: bool) -> Certificate | None:
    """The certificate with rates of the case, which may be the first of the two classes."""
    if certificate is None or not is_first or not certificate.rates:
        return certificate
    # The false positives of one class are the false negatives of the other: values change places.
    (one, negative), (other, positive) = certificate.rates
    return replace(certificate, rates=((one, positive), (other, negative)))


def _menu_training(machine: Any, fitted: Fitted, how: Written) -> tuple[MenuTraining, bytes | None]:
    """The row of a menu, and the estimators of other libraries, in the row or on the menu."""
    if how.band is not None and how.band not in machine.bands():
        raise ValueError(
            f"`band` must be one of this row of the menu, got {how.band!r}. Take it from `abstain` "
            "of the machine that is written."
        )
    own: list[Any] = []
    fitted.to_document(own)
    wanted, given = named_candidates(machine.candidates)
    estimators = Estimators(tuple(own), given)
    content = pack(estimators) if estimators else None
    candidate = machine.candidate_
    training = MenuTraining(
        candidates=wanted if isinstance(wanted, str) else tuple(wanted),
        favourite=machine.favourite,
        max_items=int(machine.max_items),
        max_points=int(machine.max_points),
        tolerance=float(machine.tolerance),
        delta=float(machine.delta),
        pool_share=float(machine.pool_share),
        group_loss=machine.group_loss,
        chosen=machine.chosen_,
        is_default=bool(how.is_default),
        goal=goal_of_case(machine.goal_, _has_first_case(machine)),
        after_looking=machine.goal_ is not None and machine.named_goal_ is None,
        band=how.band,
        rank=int(candidate.rank),
        n_candidates=int(candidate.roles.n_ranked),
        roles=candidate.roles.ranks,
        estimators_sha256=None if content is None else digest_of(content),
        protocol=None if how.protocol is None else how.protocol.followed(machine, how.deviate),
    )
    return training, content


def _cover_training(cover: CoverFit, search: Any, certificate: Certificate | None) -> CoverTraining:
    settings = cover.settings
    return CoverTraining(
        candidates=settings.candidates,
        family_sets=settings.family_sets,
        pool_families=settings.pool_families,
        kinds=settings.kinds,
        n_kernels=len(settings.geometries),
        n_groups=_n_groups(search),
        delta=float(settings.delta if certificate is None else certificate.delta),
        costs=settings.costs,
        group_loss=None if cover.groups is None else cover.groups.loss,
        codes=tuple(_code(chosen, cover) for chosen in cover.chosen),
    )


def _code(chosen: Any, cover: CoverFit) -> CoverCode:
    own = chosen.kept if chosen.named is None else chosen.named
    places = np.searchsorted(cover.named, np.array(own, dtype=np.int64))
    return CoverCode(
        scheme=chosen.scheme,
        family=chosen.family,
        kind=chosen.kind,
        pool_size=int(chosen.pool_size),
        kept=tuple(places.tolist()) if chosen.scheme == "compression" else None,
        terms=chosen.terms,
        n_false_positives=int(chosen.n_false_positives),
        n_false_negatives=int(chosen.n_false_negatives),
        n_training_errors=int(chosen.counts.n_errors_all),
    )


_NOTHING = object()


def plain_parameters(machine: Any) -> dict[str, Any]:
    """Parameters of the machine, without values that JSON cannot hold.

    Examples
    --------
    >>> from handful import LPBoost
    >>> plain_parameters(LPBoost(cap=0.1, thresholds=[0.5, 1.5]))["thresholds"]
    [0.5, 1.5]
    """
    given = {**machine.get_params(deep=False), **getattr(machine, "chosen_parameters_", {})}
    found = {name: _plain(value) for name, value in given.items()}
    return {name: value for name, value in sorted(found.items()) if value is not _NOTHING}


def _plain(value: Any) -> Any:
    """A parameter as JSON has it, or ``_NOTHING`` if JSON cannot hold it."""
    if isinstance(value, Kernel) and value.name != "callable":
        return encode(value)
    if isinstance(value, (np.generic, np.ndarray)):
        value = value.tolist()
    if value is None or isinstance(value, (bool, str, int, float)):
        return value if not isinstance(value, float) or np.isfinite(value) else _NOTHING
    if isinstance(value, (list, tuple)):
        parts = list(map(_plain, value))
        return _NOTHING if _NOTHING in parts else parts
    return _plain_mapping(value) if isinstance(value, Mapping) else _NOTHING


def _plain_mapping(value: Mapping[Any, Any]) -> Any:
    if not all(isinstance(key, str) for key in value):
        return _NOTHING
    parts = _plain(list(value.values()))
    return _NOTHING if parts is _NOTHING else dict(zip(value, parts, strict=True))


# -- the training data -------------------------------------------------------------------------


def _raw(columns: Columns, study: Study) -> Columns:
    """The columns of a clean table as those of the raw one, with the words that are asked for."""
    raw = {column.name: replace(column, notes=(), n_missing=0) for column in study.features}
    return Columns(
        tuple(
            raw[c.name] if c.words is None else replace(raw[c.name], words=c.words, levels=())
            for c in columns.columns
        )
    )


def _data_of(machine: Any, columns: Columns, how: Written) -> Data:
    known, draw = getattr(machine, "reading_", None), _draw_of(machine, how)
    reading = _reading_of(how) if known is None else known
    is_drawn_again = known is not None  # by the whole table, so that rows need no codes
    told = None if is_drawn_again else draw
    names = _offered(machine)
    return Data(
        file=how.source.get("file"),
        target=how.source.get("target", None if reading is None else reading.target),
        groups=how.source.get("groups"),
        reading=reading,
        n_set_aside=0 if how.study is None or is_drawn_again else len(how.study.pool),
        sha256=None if draw is None else draw.digest,
        n_rows=int(machine.n_samples_),
        n_features=int(machine.n_features_in_) if names is None else len(names),
        columns=None if told is None else named_by_digest(told.columns),
        features=named_by_digest(names),
        words=tuple(j for j, column in enumerate(columns.columns) if column.words is not None),
        row_codes=_as_text(None if told is None else told.row_codes),
        seed=None if draw is None else draw.seed,
    )


def _as_text(codes: bytes | None) -> str | None:
    return None if codes is None else base64.b64encode(codes).decode()


def _offered(machine: Any) -> list[str] | None:
    """Names of the columns that the machine could use; None if they have none."""
    if not hasattr(machine, "feature_names_in_"):
        return None
    read = getattr(machine, "columns_", None)
    if read is None:
        return [str(name) for name in machine.feature_names_in_]
    return [column.name for column in read if column.role == "feature"]


def _reading_of(how: Written) -> Choices | None:
    """What the user said about the columns of a raw table, if the machine did not read it."""
    return None if how.study is None else replace(how.choices or Choices(), target=how.study.target)


def _draw_of(machine: Any, how: Written) -> Draw | None:
    """The record of what drew the pools, from the machine or from the data."""
    known: Draw | None = getattr(machine, "draw_", None)
    return known if known is not None or how.data is None else blind_order(*how.data).draw


def _named(kept: Sequence[int], digests: Any) -> tuple[str | int, ...]:
    """Examples by the digests of their rows, the second of equal rows with ":2" behind it.

    If the digests are not known, by their numbers.
    """
    if digests is None:
        return tuple(int(i) for i in kept)
    texts = [digest.tobytes().hex() for digest in digests]
    seen: Counter[str] = Counter()
    names = []
    for text in texts:
        # Equal rows are exchangeable: it does not matter which of them is called the second.
        seen[text] += 1
        names.append(text if seen[text] == 1 else f"{text}:{seen[text]}")
    return tuple(names[i] for i in kept)


def _digests_of(machine: Any, data: tuple[Any, Any] | None) -> Any:
    """Digests of the training rows, if these are what the machine was trained on."""
    if data is None:
        return None
    digests = row_digests(*data)
    known: Draw | None = getattr(machine, "draw_", None)
    # Digests of other rows would name examples that the machine never saw.
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
    band: Band | None = None,
    protocol: Protocol | None = None,
    deviate: str = "",
    overwrite: bool = True,
) -> list[Path]:
    """Write a fitted machine as JSON.

    The file holds no training row unless ``include_rows`` allows it: rules and scores are written
    as thresholds and weights, the examples that they are made of by their digests alone.

    Parameters
    ----------
    machine : classifier or Refit
        A fitted machine of this library, or a `BoundSearch` over one. Kernels must be named.
        Estimators of other libraries are written if they are on the menu of a
        `CertifiedClassifier`: into a file of the same name with the ending .skops, which the model
        names by its digest.
    path : path
        The file is written whole or not at all.
    data : (X, y), optional
        The training data, for digests that the machine does not know: those of kept examples.
    certificate : Certificate, optional
        What to store; by default that of ``machine.certify()``, or none if it has none.
    source : mapping, optional
        Where the data are, with "file", "target" and "groups" (names of columns), so that
        `handful verify` and `handful predict` need not be told again.
    include_rows : bool
        Write machines that contain training rows, too: balls, prototypes, all kernels but linear
        ones, and estimators of other libraries, which may.
    band : Band, optional
        What ``machine.abstain`` gave: the model then says nothing if its score is in doubt.
    protocol, deviate : Protocol and str, optional
        What was fixed before the data, stored in the file; and why settings deviate from it.
    overwrite : bool
        Whether existing files may be replaced.

    Returns
    -------
    list of path
        The files that were written.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from handful import SetCoveringMachine, load_dataset, load_model
    >>> data = load_dataset("haberman-294")
    >>> machine = SetCoveringMachine(rules="stumps", random_state=0).fit(data.X, data.y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "model.json"
    ...     _ = save_model(machine, path)
    ...     model = load_model(path)
    >>> bool((model.predict(data.X) == machine.predict(data.X)).all())
    True
    """
    how = Written(data, certificate, source or {}, include_rows)
    how = replace(how, band=band, protocol=protocol, deviate=deviate)
    model, content = model_of(machine, **vars(how))
    return write_model(model, content, path, overwrite=overwrite)


def write_model(
    model: Model, content: bytes | None, path: str | os.PathLike[str], *, overwrite: bool = True
) -> list[Path]:
    """Write what `model_of` gave; the files that were written."""
    files = [Path(path)]
    if content is not None:
        # First the file that the model names by its digest: a model file never names one that is
        # missing.
        write_atomically(beside(path), content, overwrite=overwrite)
        files.append(beside(path))
    write_atomically(path, to_text(model.to_document([])), overwrite=overwrite)
    return files
