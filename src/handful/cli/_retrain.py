"""Training again as a file says it was done, for the re-check."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any

Document = Mapping[str, Any]


def retrain_on(frame: Any) -> Callable[[Document], Document]:
    """A function that trains on a table with the settings of a file's provenance."""

    def retrain(provenance: Document) -> Document:
        from handful.certified import fit_study
        from handful.io import choices_of
        from handful.tables import read_study

        study = read_study(frame, choices_of(provenance["reading"]))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            machine = fit_study(
                study,
                candidates=provenance["candidates"],
                tolerance=provenance["tolerance"],
                delta=provenance["delta"],
                group_loss=provenance["group_loss"],
            )
        default = machine.chosen_
        machine = machine.choose(provenance["chosen"])
        names = [candidate.name for candidate in machine.candidates_]
        candidate = machine.candidates_[names.index(machine.chosen_)]
        return {
            "fitted": machine.fitted_.reduced().to_document(),
            "rank": int(candidate.rank),
            "n_candidates": int(candidate.n_ranked),
            "default": default,
            "pool": machine.held_back_.tolist(),
            "certificate": machine.certificate_.to_dict(),
        }

    return retrain
