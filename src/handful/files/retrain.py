"""Training again as a file says it was done, for the re-check."""

from __future__ import annotations

import json
import math
import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from handful.certified import CertifiedClassifier, Goal, goal_of_case, is_first_case
from handful.codec import decode, encode
from handful.files.beside import Estimators, pack, read_estimators, unpack
from handful.tables import Choices, Study, as_pandas, plain_notes, read_study

Document = Mapping[str, Any]
_TRAINING = (
    *("candidates", "favourite", "estimators_sha256", "tolerance", "delta", "pool_share"),
    *("group_loss", "max_items", "max_points"),
)


@dataclass(frozen=True, eq=False)
class CleanTable:
    """A raw table read again: its clean rows, all its rows, and how its columns are read."""

    X: Any
    y: Any
    groups: Any
    raw: Any
    reading: dict[str, Any]


def clean_table(frame: Any, reading: Any) -> CleanTable:
    """Read a raw table as a model file says that it was read, for the re-check of its rules.

    Parameters
    ----------
    frame : data frame
        The whole table.
    reading : mapping
        As it stands in the file.
    """
    choices: Choices = decode(Choices, reading, "data.reading")
    study = read_study(frame, choices, set_aside=True)
    # The rows set aside decided how the columns are read, so they are not counted.
    clean = study.rest()
    columns = [
        replace(column, notes=(), n_missing=0, words=(), levels=())
        if column.is_categorical
        else replace(column, notes=(), n_missing=0)
        for column in study.features
    ]
    said = {
        "reading": encode(replace(choices, target=study.target)),
        "n_set_aside": len(study.pool),
        "columns": encode(tuple(columns)),
        "notes": _notes(study),
    }
    raw = as_pandas(frame).iloc[study.rows].reset_index(drop=True)
    return CleanTable(clean.X, clean.y, clean.groups, raw, said)


def _notes(study: Study) -> list[tuple[str, list[dict[str, str]]]]:
    """What each note of a file may say, after the name of its column; of the table, after none.

    A file does not tell whether its case was named or guessed.
    """
    n, guessed = len(study.notes_on(())), study.labels.guessed
    found = [("", note) for note in study.notes_on(())]
    found += [(c.name, note) for c in study.columns for note in study.notes_on((c.name,))[n:]]
    out = []
    for name, note in found:
        versions = [note]
        if guessed is not None and note.code == guessed.code:
            versions.append(guessed.answered(study.choices.acknowledged))
        out.append((name, plain_notes(versions, for_others=True)))
    return [(name, versions) for name, versions in out if versions]


@dataclass(frozen=True)
class Retraining:
    """What `handful.verify` asks of the library: a raw table read again, a menu trained again.

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
    >>> from handful.files import save_model
    >>> from handful.verify import verify_model
    >>> X, y = load_dataset("haberman-294").named()
    >>> frame = X.assign(outcome=y)
    >>> study = read_study(frame)
    >>> machine = CertifiedClassifier(["constant", "one rule"]).fit(study)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "rule.json"
    ...     _ = save_model(machine, path)
    ...     verdict = verify_model(path, frame, library=Retraining(path, frame))
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

    def clean(self, document: Document) -> CleanTable:
        """The rows of the table that are not set aside, read as a document says."""
        return clean_table(self.frame, document["data"]["reading"])

    def train(self, document: Document) -> Document:
        """Train as a document says; once for equal settings."""
        training = document["training"]
        wanted = [training[name] for name in (*_TRAINING, "chosen", "goal", "after_looking")]
        key = json.dumps([document["data"]["reading"], *wanted], sort_keys=True)
        if key not in self._results:
            self._results[key] = self._train(document)
        return self._results[key]

    def _train(self, document: Document) -> Document:
        training = document["training"]
        study, machine = self._fit(document)
        default = machine.chosen_
        machine = machine.choose(training["chosen"])
        is_first = is_first_case(study.positive, machine.fitted_.classes)
        goal = goal_of_case(training["goal"], is_first)
        if goal is not None and training["after_looking"]:
            machine = machine.reach(**{goal[0]: goal[1]})
        candidate = machine.candidate_
        groups, thresholds = candidate.counts.groups, candidate.thresholds or candidate.singles
        is_betting = groups is not None and groups.how == "betting"
        fitted: list[Any] = []
        reduced = machine.fitted_.reduced()
        read = {"", *(column.name for column in reduced.columns.columns)}
        form = reduced.to_document(fitted)
        if fitted:  # as they come out of a file, so that they can be compared with such
            fitted = list(unpack(pack(Estimators(tuple(fitted))), self.trusted).fitted)
        return {
            "fitted": form,
            "features": [column.name for column in study.features],
            "words": [
                j for j, c in enumerate(machine.fitted_.columns.columns) if c.words is not None
            ],
            "estimators": fitted,
            "labels": machine.predict(study.table).tolist(),
            "rank": int(candidate.rank),
            "order": list(machine.order_),
            "named": dict(candidate.roles.ranks).get("named"),
            "default": default,
            "case": study.positive,
            "pool_share": float(study.pool_share),
            "n_thresholds": next(
                (math.exp(term.nats) for term in candidate.code.terms if term.kind == "threshold"),
                None,
            ),
            "chain": _chain_of(candidate),
            "widths": None if thresholds is None else list(thresholds.grid.widths),
            "pool": machine.held_back_.tolist(),
            "certificate": machine.certificate_.to_dict(),
            "notes": [versions for name, versions in _notes(study) if name in read],
            "warm_up": groups.warm_up.tolist() if is_betting else None,
        }

    def _fit(self, document: Document) -> tuple[Study, Any]:
        """The menu of a file; trained once for all files that differ in nothing it depends on."""
        training, reading = document["training"], document["data"]["reading"]
        goal = None if training["after_looking"] else training["goal"]
        key = json.dumps([reading, goal, *(training[name] for name in _TRAINING)], sort_keys=True)
        if key not in self._fits:
            choices, share = decode(Choices, reading, "data.reading"), training["pool_share"]
            study = read_study(self.frame, choices, pool_share=share)
            # What was noticed in the table was said when the menu was learned first.
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                machine = CertifiedClassifier(
                    self._candidates(training),
                    favourite=training["favourite"],
                    goal=None if goal is None else Goal(*goal).text,
                    tolerance=training["tolerance"],
                    max_items=training["max_items"],
                    max_points=training["max_points"],
                    pool_share=share,
                    delta=training["delta"],
                    group_loss=training["group_loss"],
                ).fit(study)
            self._fits[key] = study, machine
        return self._fits[key]

    def _candidates(self, training: Document) -> Any:
        """Names of forms, and estimators of the user by name."""
        wanted, digest = training["candidates"], training["estimators_sha256"]
        if isinstance(wanted, str) or digest is None:
            return wanted
        self.estimators(digest)
        given = self._files[digest].candidates
        return [(name, given[name]) if name in given else name for name in wanted]


def _chain_of(candidate: Any) -> dict[str, Any] | None:
    """Thresholds that were tested for a goal, and the machine before its own was moved."""
    chain = candidate.chain
    if chain is None:
        return None
    unmoved = replace(candidate.fitted, machine=chain.unmoved).reduced().to_document([])
    return {
        "machine": unmoved["machine"],
        "thresholds": list(chain.thresholds),
        "place": chain.place,
    }
