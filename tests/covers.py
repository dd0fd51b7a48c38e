"""Models of rules that no machine learned, and how an auditor takes them apart."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from handful.arrays import Floats
from handful.files import CoverCode, CoverTraining, Data, Model, Provenance
from handful.files.document import named_by_digest
from handful.models import Fitted, SignedRules
from handful.tables import Columns
from handful.verify import Audit
from handful.verify.covers import CoverReader, asked_of

NAMES = ("a", "b", "c")


def cover_model(machine: SignedRules, kind: str, columns: Columns | None = None) -> Model:
    """Rules over three columns, as a covering machine would write them."""
    code = CoverCode("compression", "stumps", kind, 3, (), (), 0, 0, 0)
    kinds = ("list",) if kind == "list" else ("conjunction", "disjunction")
    training = CoverTraining(None, (("stumps",),), (), kinds, 1, 1, 0.05, None, None, (code,))
    columns = columns or Columns.of_numbers(NAMES)
    data = Data(
        file=None,
        target=None,
        groups=None,
        reading=None,
        n_set_aside=0,
        sha256=None,
        n_rows=None,
        n_features=3,
        columns=None,
        features=named_by_digest(NAMES),
        words=tuple(j for j, column in enumerate(columns.columns) if column.words is not None),
        row_codes=None,
        seed=None,
    )
    fitted = Fitted(machine.tag, columns, ("no", "yes"), machine)
    return Model(fitted, None, None, (), training, data, Provenance("", {}))


def taken_apart(model: Model, X: Floats, known: Sequence[list[str] | None]) -> list[Any]:
    """The rules of a file as the auditor's covers of rows."""
    document = json.loads(json.dumps(model.to_document()))
    (code,) = document["training"]["codes"]
    reader = CoverReader(Audit(), asked_of(document), known, list(range(len(X))), X)
    is_list = document["training"]["kinds"] == ["list"]
    return reader.part(document["fitted"]["machine"], code, is_list).covers
