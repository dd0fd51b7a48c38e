"""What a careful forger does: alter a form's file, count again, and make all numbers fit."""

from __future__ import annotations

import copy
import hashlib
import json
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from handful import load_model
from handful.bounds import binomial_tail_inverse
from handful.files.document import to_text


def restated(document: Any, is_wrong: Any, labels: Any, held_back: Any) -> Any:
    """The file's certificate for the errors ``is_wrong`` among all rows, with limits that fit."""
    counted = np.setdiff1d(np.arange(len(labels)), held_back)
    certificate = document["certificate"]
    nats = math.fsum(term["nats"] for term in certificate["terms"])
    wrong, own = np.asarray(is_wrong)[counted], np.asarray(labels, dtype=object)[counted]
    certificate["n_errors"] = int(wrong.sum())
    certificate["risk"] = binomial_tail_inverse(int(wrong.sum()), len(counted), -nats)
    case = document["data"]["reading"]["positive"]
    classes = sorted(document["fitted"]["classes"], key=lambda label: label == case)
    for pair, label in zip(certificate["rates"], classes, strict=False):
        k, n = int(wrong[own == label].sum()), int((own == label).sum())
        pair[1] = float(binomial_tail_inverse(k, n, -nats - math.log(2.0)))
    return document


def numbers_of(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], float]]:
    """All floats of a document, with their places."""
    if isinstance(value, float):
        yield path, value
    elif isinstance(value, (dict, list)):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from numbers_of(inner, (*path, key))


def put(document: Any, path: tuple[Any, ...], value: Any) -> Any:
    """A copy with another value at a place."""
    out = copy.deepcopy(document)
    at = out
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    return out


def best_nudges(
    document: Any, path: Any, frame: Any, labels: Any, held_back: Any, step: Callable[[float], Any]
) -> Any:
    """Every number of the classifier in turn moved to where fewest counted rows are wrong."""
    counted = np.setdiff1d(np.arange(len(labels)), held_back)

    def errors(trial: Any) -> Any:
        path.write_text(to_text(trial))
        return load_model(path).predict(frame) != np.asarray(labels, dtype=object)

    best, is_wrong = document, errors(document)
    for place, value in list(numbers_of(document["fitted"]["machine"])):
        for other in step(value):
            trial = put(best, ("fitted", "machine", *place), other)
            wrong = errors(trial)
            if wrong[counted].sum() < is_wrong[counted].sum():
                best, is_wrong = trial, wrong
    return restated(json.loads(json.dumps(best)), is_wrong, labels, held_back)


def resealed_beside(path: Any, content: bytes) -> None:
    """Another file of estimators beside a model file, which then names its digest."""
    path.with_suffix(".skops").write_bytes(content)
    document = json.loads(path.read_text())
    document["training"]["estimators_sha256"] = hashlib.sha256(content).hexdigest()
    path.write_text(to_text(document))
