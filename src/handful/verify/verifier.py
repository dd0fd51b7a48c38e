"""The door of the re-check: one call for every model file."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any

import numpy as np

from handful.verify.audit import Audit, Document, Floats, Mask, Verdict
from handful.verify.cover_check import check_cover
from handful.verify.covers import places_of
from handful.verify.evaluate import has_classes, labels_of
from handful.verify.machine_check import NO_CLAIM, check_machine, is_derived
from handful.verify.menu_check import (
    CLOSED,
    Library,
    check_menu,
    check_open_menu,
    check_stated,
)
from handful.verify.protocol_check import check_protocol
from handful.verify.refit_check import check_refit, menu_of
from handful.verify.sealed import check_file, check_head, hash_of
from handful.verify.sheets import (
    Given,
    Sheet,
    are_offered,
    check_reading,
    clean_sheet,
    encode,
    raw_sheet,
)


def verify_model(
    path: str | os.PathLike[str],
    X: Any,
    y: Any = None,
    groups: Any = None,
    *,
    library: Library | None = None,
) -> Verdict:
    """Re-check a model file against its training data, sharing no code with what wrote it.

    Parameters
    ----------
    path : path
        The model file.
    X : data frame or array (n_samples, n_features)
        The training data; columns are found by the names in the file. With ``library``, the whole
        raw table, with its labels.
    y : sequence (n_samples,), optional
        The labels, if they are not a column of the raw table.
    groups : sequence (n_samples,), optional
        The groups, if the machine was trained with some.
    library : Library, optional
        What reads a raw table and trains a menu again, as `handful.files.Retraining` does. What it
        gives is compared with the file. Without it, the training of a menu is left open.

    Returns
    -------
    Verdict
        ``is_valid``, every finding, and what had to be taken on trust.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from handful import SetCoveringMachine, load_dataset, save_model
    >>> data = load_dataset("haberman-294")
    >>> machine = SetCoveringMachine(rules="stumps", random_state=0).fit(data.X, data.y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "model.json"
    ...     _ = save_model(machine, path)
    ...     good = verify_model(path, data.X, data.y)
    ...     text = path.read_text().replace('"risk": 0.3', '"risk": 0.2')
    ...     _ = path.write_text(text)
    ...     bad = verify_model(path, data.X, data.y)
    >>> good.is_valid, bad.is_valid
    (True, False)
    """
    return check_file(path, Verifier(X, y, groups, library=library).check)


class Verifier:
    """Re-checks documents of one table, which is prepared once; parameters as in `verify_model`.

    Examples
    --------
    >>> from handful import SetCoveringMachine, load_dataset
    >>> from handful.files import model_to_dict
    >>> data = load_dataset("haberman-294")
    >>> machine = SetCoveringMachine(rules="stumps", random_state=0).fit(data.X, data.y)
    >>> document = model_to_dict(machine)
    >>> document["content_sha256"] = hash_of(document)
    >>> verifier = Verifier(data.X, data.y)
    >>> verifier.check(document).status
    'VALID'
    """

    def __init__(
        self, X: Any, y: Any = None, groups: Any = None, *, library: Library | None = None
    ) -> None:
        self.X, self.y, self.groups, self.library = X, y, groups, library
        self._made: dict[Any, Any] = {}

    def check(
        self,
        document: Document,
        digest: str | None = None,
        beside: str = "",
        evidence: Document | None = None,
    ) -> Verdict:
        """The verdict on a document.

        Parameters
        ----------
        document : mapping
            A model file as plain data.
        digest : str, optional
            `content_hash` of its text, if that is known; by default that of its own.
        beside : str
            SHA-256 of the file of other libraries' estimators.
        evidence : mapping, optional
            evidence.json that lies beside the file, as plain data.
        """
        audit = Audit()
        with audit.guard("the model file"), np.errstate(all="ignore"):
            if check_head(audit, document, hash_of(document) if digest is None else digest):
                self._check_content(audit, document, beside, evidence)
        return audit.verdict(document)

    def _check_content(
        self, audit: Audit, document: Document, beside: str, evidence: Document | None
    ) -> None:
        fitted = document["fitted"]
        # Nothing is evaluated for a number of classes that the file only claims.
        is_same = has_classes(fitted["machine"], len(fitted["classes"]))
        if not audit.check("number of classes", is_same, "is not that of the list of classes"):
            return
        kind = document["training"]["kind"]
        if kind == "menu":
            check_protocol(audit, document)
        if kind == "refit":
            sheet = None if self.library is None else self._raw_sheet(menu_of(document))
            check_refit(audit, document, sheet, beside)
        elif kind == "menu" and self.library is not None:
            sheet = self._raw_sheet(document)
            check_menu(audit, document, sheet, self.library, beside, evidence)
        else:
            self._check_clean(audit, document)

    def once(self, key: Any, make: Callable[[], Any]) -> Any:
        """What was made for a key before, or is made now."""
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]

    def _raw_sheet(self, document: Document) -> Sheet:
        reading, share = document["data"]["reading"], document["training"]["pool_share"]
        key = "raw", json.dumps([reading, share], sort_keys=True)
        sheet: Sheet = self.once(key, lambda: raw_sheet(self.X, reading, share))
        return sheet

    def _given(self, document: Document) -> Given:
        """The data, or what the library makes of a raw table."""
        if self.library is None:
            return Given(self.X, self.y, self.groups, None, None, self.once)
        key, library = json.dumps(document["data"]["reading"], sort_keys=True), self.library
        clean = self.once(("clean", key), lambda: library.clean(document))

        def once(own: Any, make: Callable[[], Any]) -> Any:
            return self.once((key, own), make)

        return Given(clean.X, clean.y, clean.groups, clean.raw, clean.reading, once)

    def _check_clean(self, audit: Audit, document: Document) -> None:
        """A file whose rows were given clean, or by the library."""
        given, fitted = self._given(document), document["fitted"]
        kind = document["training"]["kind"]
        is_open = kind == "menu" or (kind == "machine" and not is_derived(document))
        places_of(document)  # an error if columns are not among the features that were offered
        if not check_reading(audit, document, given, is_open=is_open):
            return
        if not is_open and not are_offered(audit, document, given.X):
            return
        sheet = clean_sheet(audit, document, given)
        if sheet is None:
            return
        if kind == "menu":
            _check_open(audit, document, sheet)
            return
        classes = list(fitted["classes"])
        known = sorted(set(sheet.labels))
        is_same = len(set(classes)) == len(classes) and sorted(classes) == known
        said = f"the file has {classes[:10]}, the data have {known[:10]}"
        if audit.check("classes", is_same, said):
            E = encode(fitted["columns"]["columns"], sheet.columns)
            check = check_cover if kind == "rules" else check_machine
            check(audit, document, sheet, given, E)


def _check_open(audit: Audit, document: Document, sheet: Sheet) -> None:
    """A row of a menu without the library: labels of all rows, and the errors that count."""
    fitted = document["fitted"]
    audit.equal("kept examples", document["kept"], [])
    if _has_foreign(fitted["machine"]):
        audit.leave(CLOSED)
        check_stated(audit, document)
        return
    E: Floats = encode(fitted["columns"]["columns"], sheet.columns)
    said = np.array(fitted["classes"], dtype=object)[labels_of(fitted["machine"], E)]
    is_wrong: Mask = said != np.array(sheet.labels, dtype=object)
    if document["certificate"] is None:
        audit.leave(NO_CLAIM)
    else:
        check_open_menu(audit, document, sheet, is_wrong)


def _has_foreign(machine: Document) -> bool:
    """Whether estimators of other libraries are needed, which stand in a file of their own."""
    inner = machine.get("members", [machine["base"]] if "base" in machine else [])
    return machine["machine"] == "foreign" or any(map(_has_foreign, inner))
