"""Model files of the menu's forms: the chosen classifier, its certificate, where it comes from."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful._codec import ModelFileError, decode, fail
from handful._version import __version__
from handful._writing import write_atomically
from handful.bounds import Certificate
from handful.certified import Band, named_candidates
from handful.files._certificates import read_certificate
from handful.files._reading import goal_of_case, is_first_case
from handful.files.beside import Estimators, beside, digest_of, pack, read_estimators
from handful.files.cover_document import OTHER_ROW, refuse_rows
from handful.files.document import to_text
from handful.files.form_fields import check_provenance
from handful.models import Fitted
from handful.tables import Choices, Study, as_pandas, table_digest

FORM_FORMAT, FORM_VERSION = "handful-form", 2
FIELDS = {"format", "version", "fitted", "certificate", "provenance"}


@dataclass(frozen=True)
class StoredForm:
    """A form of a menu read from a file: predicts from raw tables, and shows its certificate.

    Attributes
    ----------
    fitted : Fitted
    certificate : Certificate
    provenance : dict
        Data, reading options, candidates and versions.
    """

    fitted: Fitted
    certificate: Certificate
    provenance: Mapping[str, Any]

    @property
    def classes(self) -> tuple[str, ...]:
        """Labels in the order of class positions."""
        return self.fitted.classes

    @property
    def needs(self) -> tuple[str, ...]:
        """Names of the columns that a new table must have."""
        return tuple(column.name for column in self.fitted.columns.columns)

    def rows(self, frame: Any) -> Any:
        """The columns of a raw table that the form reads, in its order."""
        frame = as_pandas(frame)
        names = {str(name): name for name in frame.columns}
        absent = [name for name in self.needs if name not in names]
        if absent:
            raise ValueError(
                f"the data must have the columns {absent[:10]}, which the model uses. "
                f"They have: {list(names)[:10]}."
            )
        return frame[[names[name] for name in self.needs]]

    def predict(self, frame: Any) -> NDArray[Any]:
        """Labels of the rows of a raw table."""
        classes = np.array(self.classes, dtype=object)
        return np.asarray(classes[self.fitted.labels(self.rows(frame))])

    @property
    def band(self) -> Band | None:
        """Where the model says nothing, if it was written with such a band."""
        found = self.provenance["band"]
        return None if found is None else Band(**found)

    def is_in_doubt(self, frame: Any) -> NDArray[np.bool_]:
        """Rows about which the model says nothing; none where it has no band."""
        band = self.band
        if band is None:
            return np.zeros(len(frame), dtype=bool)
        return np.asarray(np.abs(self.fitted.scores(self.rows(frame))) <= band.width)

    def decide(self, frame: Any) -> NDArray[Any]:
        """Labels of the rows of a raw table, and None where the model is in doubt."""
        labels = self.predict(frame)
        labels[self.is_in_doubt(frame)] = None
        return labels

    def scores(self, frame: Any) -> NDArray[np.float64]:
        """Scores, positive for the second of two classes; the largest one for more classes."""
        scores = self.fitted.scores(self.rows(frame))
        return scores if scores.ndim == 1 else np.asarray(scores.max(axis=1))

    def reasons(self, frame: Any) -> list[str]:
        """What decided about each row; empty where the form has no such part."""
        return self.fitted.reasons(self.rows(frame))

    def missing(self, frame: Any) -> list[tuple[str, ...]]:
        """For each row, the columns that the form reads and that are missing."""
        gaps = self.fitted.columns.is_missing(self.rows(frame))
        return [tuple(self.needs[j] for j in np.flatnonzero(row)) for row in gaps]


def save_form(
    machine: Any,
    path: str | os.PathLike[str],
    study: Study,
    choices: Choices | None = None,
    *,
    data: str = "table",
    is_default: bool = False,
    band: Band | None = None,
    overwrite: bool = False,
    include_rows: bool = False,
) -> list[Path]:
    """Write the chosen row of a menu, so that others can use and re-check it.

    Parameters
    ----------
    machine : CertifiedClassifier
        Fitted to this study.
    path : path
        The model file (.json). Estimators of other libraries go into a file of the same name
        with the ending .skops, which it names by its digest.
    study, choices : Study, Choices
        What it was fitted to, and what was said about the columns when that was read.
    data : str
        Name of the data file.
    is_default : bool
        Whether the row is the one that the tolerance chooses, and nobody's choice.
    band : Band, optional
        What ``machine.abstain`` gave: the model then says nothing where its score is in doubt.
    overwrite : bool
        Whether existing files may be replaced.
    include_rows : bool
        Write forms that contain training rows, such as prototypes, and estimators of other
        libraries, which may.

    Returns
    -------
    list of path
        The files that were written.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from handful import load_dataset, load_model
    >>> from handful import CertifiedClassifier
    >>> from handful.tables import read_study
    >>> X, y = load_dataset("haberman-294").named()
    >>> study = read_study(X.assign(outcome=y))
    >>> machine = CertifiedClassifier(["constant", "one rule"]).fit(study).choose("one rule")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "rule.json"
    ...     _ = save_form(machine, path, study)
    ...     again = load_model(path)
    >>> bool((again.predict(X) == machine.predict(X)).all())
    True
    """
    document, content = form_to_dict(
        machine,
        study,
        choices or Choices(),
        data=data,
        is_default=is_default,
        band=band,
        include_rows=include_rows,
    )
    files = [Path(path)]
    if content is not None:
        write_atomically(beside(path), content, overwrite=overwrite)
        files.append(beside(path))
    write_atomically(path, to_text(document), overwrite=overwrite)
    return files


def form_to_dict(
    machine: Any,
    study: Study,
    choices: Choices,
    *,
    data: str,
    is_default: bool,
    band: Band | None = None,
    include_rows: bool = False,
) -> tuple[dict[str, Any], bytes | None]:
    """Plain data of the chosen row of a menu that was fitted to a study.

    The second value is the content of the file beside it: what other libraries' estimators there
    are, in the form or on its menu; None where there are none.

    Parameters
    ----------
    machine : CertifiedClassifier
    study, choices : Study, Choices
        What it was fitted to, and what the user said about the columns.
    data : str
        Name of the data file.
    is_default : bool
        Whether the row is the one that the tolerance chooses.
    band : Band, optional
        Where the model says nothing.
    include_rows : bool
        Whether training rows may be in it.
    """
    _refuse_form(machine.fitted_, include_rows)
    candidate = machine.candidate_
    if band is not None and band not in machine.bands():
        raise ValueError(
            f"`band` must be one of this row of the menu, got {band!r}. Take it from `abstain` of "
            "the machine that is written."
        )
    fitted: list[Any] = []
    form = machine.fitted_.reduced().to_document(fitted)
    wanted, given = named_candidates(machine.candidates)
    estimators = Estimators(tuple(fitted), given)
    content = pack(estimators) if estimators else None
    is_first = is_first_case(study.positive, machine.fitted_.classes)
    document = {
        "format": FORM_FORMAT,
        "version": FORM_VERSION,
        "fitted": form,
        "certificate": _of_case(machine.certificate_.to_dict(), is_first),
        "provenance": {
            **_versions(),
            "data": data,
            "reading": choices.to_options(study.target, study.positive),
            "table_sha256": table_digest(study.digests.digests),
            "n_rows": len(study.y),
            "pool_share": float(study.pool_share),
            "candidates": wanted,
            "estimators_sha256": None if content is None else digest_of(content),
            "tolerance": float(machine.tolerance),
            "delta": float(machine.delta),
            "group_loss": machine.group_loss,
            "chosen": machine.chosen_,
            "is_default": bool(is_default),
            "goal": goal_of_case(machine.goal_, is_first),
            "band": None if band is None else asdict(band),
            "rank": int(candidate.rank),
            "n_candidates": int(candidate.n_ranked),
        },
    }
    return document, content


def _of_case(certificate: dict[str, Any], is_first: bool) -> dict[str, Any]:
    """A certificate whose rates speak of the case, whichever of two classes that is."""
    if not is_first or not certificate["rates"]:
        return certificate
    (one, negative), (other, positive) = certificate["rates"]
    return {**certificate, "rates": [[one, positive], [other, negative]]}


def _refuse_form(fitted: Fitted, include_rows: bool) -> None:
    """Stop where training rows are, or may be, in a form."""
    refuse_rows(fitted.n_training_rows, include_rows, OTHER_ROW)
    if not fitted.is_plain and not include_rows:
        raise ValueError(
            "this form is an estimator of another library, which may contain training rows. Say "
            f"`include_rows=True` (--include-rows) to write it, or use {OTHER_ROW}."
        )


def _versions() -> dict[str, str]:
    import sklearn

    return {
        "handful": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scikit-learn": sklearn.__version__,
    }


def form_from_dict(
    data: Mapping[str, Any], path: str | os.PathLike[str], trusted: Sequence[str] = ()
) -> StoredForm:
    """The form that `form_to_dict` described; refuses what it does not know.

    Estimators are read from the file beside ``path``, if the form has some.
    """
    if type(data.get("version")) is not int or data["version"] != FORM_VERSION:
        raise ModelFileError(
            f"`version` must be {FORM_VERSION}, got {data.get('version')!r}. "
            "Use the release of handful that wrote the file."
        )
    odd = sorted(map(str, (set(data) - {"content_sha256"}) ^ FIELDS))
    if odd:
        raise ModelFileError(f"the fields {odd} are missing or unknown. The file is not usable.")
    check_provenance(data["provenance"])
    certificate = read_certificate(data["certificate"])
    fitted: Fitted = decode(Fitted, data["fitted"], "fitted")
    if fitted.n_estimators:
        digest = data["provenance"]["estimators_sha256"]
        if digest is None:
            raise fail("estimators_sha256", "the digest of the file beside this one", digest)
        estimators = read_estimators(path, digest, trusted).fitted
        if len(estimators) < fitted.n_estimators:
            raise ModelFileError(f"{beside(path).name} lacks estimators that the model names.")
        fitted = Fitted.from_document(data["fitted"], estimators)
    return StoredForm(fitted, certificate, dict(data["provenance"]))
