"""Every number, list and word of a model file altered, the hash made again.

A forgery is refused by `load_model` or by `verify_model`, or it changes nothing that the file
claims: predictions on the data, risk, confidence, counts, wording. The usual run tries a seeded
sample of them; ``-m slow`` tries them all.
"""

from __future__ import annotations

import copy
import json
import random
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest

from handful.files import load_model, model_from_dict
from handful.files.document import from_text, to_text
from handful.verify import verify_model
from tests.verify.cases import MACHINES, case
from tests.verify.cases_scores import OPEN, SCORES

NAMES = sorted(set(MACHINES) - {"no-seed"}) + sorted(SCORES)
N_SAMPLED, LONGEST = 15, 12
# what is not a claim: versions, and the memory that training was allowed
SILENT = {
    ("provenance", "versions"),
    ("provenance", "notes"),
    ("data", "file"),
    ("data", "target"),
    ("data", "groups"),
}


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Paths of all parts; of long lists the first and last few, which stand for the others."""
    if path:
        yield path
    if isinstance(value, dict):
        for key, inner in value.items():
            if path or key != "content_sha256":
                yield from _places(inner, (*path, key))
    elif isinstance(value, list):
        n = len(value)
        for i in range(n) if n <= LONGEST else [*range(LONGEST // 2), *range(n - LONGEST // 2, n)]:
            yield from _places(value[i], (*path, i))


def _others(value: Any) -> list[Any]:
    """What a forger might write instead."""
    if isinstance(value, bool):
        return [not value, None]
    if isinstance(value, int):
        return [value + 1, value - 1, -value - 2, value + 0.5, 10**15, 0, True, None]
    if isinstance(value, float):
        steps = [value * (1 + 1e-4) + 1e-9, value * (1 - 1e-4) - 1e-9, value + 1.0, value - 1.0]
        return [*steps, -value - 1e-3, 1e300, 0.0, None]
    if isinstance(value, str):
        return [f"{value} indeed", value[:-1], "", "the probability of rain", None]
    if value is None:
        return [0, 0.5, "nothing", [], True]
    if isinstance(value, list):
        return [[], value[:-1], value[1:], [*value, *value[:1]], value[::-1], None]
    return [
        {},
        None,
        {**value, "remark": "excellent"},
        *({k: v for k, v in value.items() if k != name} for name in value),
    ]


def _twins(document: Any, path: tuple[Any, ...]) -> list[Any]:
    """The value of a neighbour in place of one's own."""
    parent = document
    for key in path[:-1]:
        parent = parent[key]
    values = list(parent.values()) if isinstance(parent, dict) else parent[:4]
    return [other for other in values if isinstance(other, (int, float, str))][:4]


def forgeries(document: Any) -> list[tuple[tuple[Any, ...], Any]]:
    """All (place, value) pairs that differ from the document."""
    out = []
    for path in _places(document):
        own = document
        for key in path:
            own = own[key]
        for value in (*_others(own), *_twins(document, path)):
            if json.dumps(value) != json.dumps(own):
                out.append((path, value))
    return out


def _forged(document: Any, path: tuple[Any, ...], value: Any) -> str:
    altered = copy.deepcopy(document)
    place = altered
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return to_text(altered)


@cache
def _document(name: str) -> Any:
    return json.loads(case(name).text)


def _claims(text: str, name: str) -> Any:
    """Everything that a user of the model is told, and what it does on the data."""
    model, X = model_from_dict(from_text(text)), case(name).X
    sentences = model.fitted.sentences() if name in MACHINES else []  # a bound may hold for others
    if "list" not in name:  # a set has no order
        sentences = [sorted(re.split(r"\s+and |: |Else if |If ", "".join(sentences)))]
    names = (model.fitted.classes, model.needs, model.kept, model.fitted.form, model.data.n_rows)
    certificate = model.certificate and model.certificate.to_dict()
    return (list(map(str, model.predict(X))), sentences, names, certificate)


@cache
def _honest(name: str) -> Any:
    return _claims(case(name).text, name)


def is_proven_norm(path: tuple[Any, ...], document: Any) -> bool:
    """Whether an edit names another norm up to which a support vector machine's certificate holds.

    The norm is proven again: VALID means that the file names no larger one.
    """
    if path[:2] != ("certificate", "assumptions") or path[3:] != ("values", "limit"):
        return False
    return bool(document["certificate"]["assumptions"][path[2]]["key"] == "norm")


def _outcome(name: str, path: tuple[Any, ...], value: Any, folder: Any) -> str:
    """One of "load", "verify" (who refuses it), "same" (nothing that is claimed), "open", "false".

    An "open" forgery is called CONSISTENT, NOT VERIFIED: nobody vouches for it.
    """
    text = _forged(_document(name), path, value)
    file = folder / "model.json"
    file.write_text(text, encoding="utf-8")
    try:
        load_model(file)
    except ValueError:
        return "load"
    verdict = verify_model(file, case(name).X, case(name).y)
    if not verdict.is_consistent:
        return "verify"
    if json.loads(text)["certificate"] is None:
        return "verify"  # nothing is claimed any more, and the verdict says so
    with np.errstate(all="ignore"):
        claims = _claims(text, name)
    if claims == _honest(name) or is_proven_norm(path, _document(name)):
        return "same"
    return "false" if verdict.is_valid else "open"


def _run(name: str, chosen: list[Any], folder: Any) -> dict[str, int]:
    tally = dict.fromkeys(("load", "verify", "same", "open", "false"), 0)
    missed = []
    for path, value in chosen:
        outcome = _outcome(name, path, value, folder)
        tally[outcome] += 1
        if outcome == "false":
            missed.append((path, value))
    assert not missed, missed[:20]
    return tally


@pytest.mark.sample(12)
@pytest.mark.parametrize("name", NAMES)
def test_honest_files_pass(name, tmp_path):
    (tmp_path / "model.json").write_text(case(name).text, encoding="utf-8")
    verdict = verify_model(tmp_path / "model.json", case(name).X, case(name).y)
    wanted = "CONSISTENT, NOT VERIFIED" if name in OPEN else "VALID"
    assert verdict.status == wanted, (verdict.differences, verdict.unverified)
    assert OPEN.get(name, "") in " ".join(verdict.unverified)


@pytest.mark.sample(10)
@pytest.mark.parametrize("name", NAMES)
def test_forgeries(name, tmp_path):
    every = forgeries(_document(name))
    chosen = random.Random(name).sample(every, N_SAMPLED)
    tally = _run(name, chosen, tmp_path)
    assert tally["load"] + tally["verify"] > 0.5 * N_SAMPLED


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_forgery(name, tmp_path):
    every = [pair for pair in forgeries(_document(name)) if pair[0][:2] not in SILENT]
    print(name, len(every), _run(name, every, tmp_path))
