"""Training again as a file says it was done, for the re-check."""

from __future__ import annotations

import json
import math
import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from handful.certified import CertifiedClassifier
from handful.files._reading import goal_of_case, is_first_case
from handful.files.beside import Estimators, pack, read_estimators, unpack
from handful.tables import Choices, read_study

Document = Mapping[str, Any]
_TRAINING = ("reading", "candidates", "estimators_sha256", "tolerance", "delta", "group_loss")


@dataclass(frozen=True)
class Retraining:
    """What `handful.verify.verify_form` asks of the library: a file's training, done again.

    Attributes
    ----------
    model : path
    frame : data frame
        The whole table.
    trusted : sequence of str
        Types that may be built from the file beside the model.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from handful import load_dataset
    >>> from handful.files import save_form
    >>> from handful.verify import verify_form
    >>> X, y = load_dataset("haberman-294").named()
    >>> frame = X.assign(outcome=y)
    >>> study = read_study(frame)
    >>> machine = CertifiedClassifier(["constant", "one rule"]).fit(study)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "rule.json"
    ...     _ = save_form(machine, path, study)
    ...     verdict = verify_form(path, frame, Retraining(path, frame))
    >>> verdict.status
    'VALID'
    """

    model: str | os.PathLike[str]
    frame: Any
    trusted: Sequence[str] = ()

    @cached_property
    def _files(self) -> dict[str, Estimators]:
        return {}

    @cached_property
    def _results(self) -> dict[str, Document]:
        return {}

    @cached_property
    def _fits(self) -> dict[str, tuple[Any, Any]]:
        return {}

    def estimators(self, digest: str) -> Sequence[Any]:
        """Fitted estimators of the file beside the model."""
        if digest not in self._files:
            self._files[digest] = read_estimators(self.model, digest, self.trusted)
        return self._files[digest].fitted

    def __call__(self, provenance: Document) -> Document:
        """Train with the settings of a file's provenance; once for equal settings."""
        key = json.dumps([provenance[name] for name in (*_TRAINING, "chosen", "goal")])
        if key not in self._results:
            self._results[key] = self._train(provenance)
        return self._results[key]

    def _train(self, provenance: Document) -> Document:
        study, machine = self._fit(provenance)
        default = machine.chosen_
        machine = machine.choose(provenance["chosen"])
        is_first = is_first_case(study.positive, machine.fitted_.classes)
        if (goal := goal_of_case(provenance["goal"], is_first)) is not None:
            machine = machine.reach(**{goal[0]: goal[1]})
        candidate = machine.candidate_
        groups, thresholds = candidate.counts.groups, candidate.thresholds
        is_betting = groups is not None and groups.how == "betting"
        fitted: list[Any] = []
        form = machine.fitted_.reduced().to_document(fitted)
        if fitted:  # as they come out of a file, so that they can be compared with such
            fitted = list(unpack(pack(Estimators(tuple(fitted))), self.trusted).fitted)
        return {
            "fitted": form,
            "estimators": fitted,
            "labels": machine.predict(study.table).tolist(),
            "rank": int(candidate.rank),
            "n_candidates": int(candidate.n_ranked),
            "default": default,
            "case": study.positive,
            "pool_share": float(study.pool_share),
            "n_thresholds": next(
                (math.exp(term.nats) for term in candidate.code.terms if term.kind == "threshold"),
                None,
            ),
            "widths": None if thresholds is None else list(thresholds.grid.widths),
            "pool": machine.held_back_.tolist(),
            "certificate": machine.certificate_.to_dict(),
            "warm_up": groups.warm_up.tolist() if is_betting else None,
        }

    def _fit(self, provenance: Document) -> tuple[Any, Any]:
        """The menu of a file; trained once for all files that differ in nothing it depends on."""
        key = json.dumps([provenance[name] for name in _TRAINING], sort_keys=True)
        if key not in self._fits:
            study = read_study(self.frame, Choices.from_options(provenance["reading"]))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                machine = CertifiedClassifier(
                    candidates=self._candidates(provenance),
                    tolerance=provenance["tolerance"],
                    delta=provenance["delta"],
                    group_loss=provenance["group_loss"],
                ).fit(study)
            self._fits[key] = study, machine
        return self._fits[key]

    def _candidates(self, provenance: Document) -> Any:
        """Names of forms, and estimators of the user by name."""
        wanted, digest = provenance["candidates"], provenance["estimators_sha256"]
        if isinstance(wanted, str) or digest is None:
            return wanted
        self.estimators(digest)
        given = self._files[digest].candidates
        return [(name, given[name]) if name in given else name for name in wanted]
