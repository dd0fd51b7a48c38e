"""AdaBoost on chunks: one pass a round, histograms of whole numbers between."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful._types import Floats, Ints
from handful.boosting import AdaBoost
from handful.boosting.binned import Weighing, binned_rounds, pool_encoder, weigh_rows
from handful.boosting.margin_certificates import GRID, N_SCALES, MarginCounts, slack_quanta
from handful.boosting.votes import WeightedVote
from handful.distributed._chunks import Chunks, in_chunk
from handful.distributed._covering import remember_inputs
from handful.distributed._reading import read_chunks
from handful.distributed.cluster import (
    cache_bytes,
    compute,
    measured,
    persist,
    reduced,
    require_dask,
)
from handful.estimator import columns_of
from handful.models import from_scores
from handful.rules.table import Encoder

Codes = NDArray[np.uint16]

_LOW_BITS = 30  # sums of slacks are added up in two parts, so that none overflows 64 bits


def fit_boosting(machine: AdaBoost, X: Any, y: Any, classes: Any) -> AdaBoost:
    """Fit AdaBoost with stumps to chunks."""
    if machine.weak_learner != "stumps" or machine.candidates is None:
        raise ValueError(
            "`candidates` must be a pool size and `weak_learner` must be 'stumps' for Dask "
            f"inputs, got candidates={machine.candidates!r} and "
            f"weak_learner={machine.weak_learner!r}. Use for example candidates=256."
        )
    machine._begin()
    given = machine.random_state
    chunks = read_chunks(X, y, classes=classes, may_name=False, random_state=given)
    remember_inputs(machine, chunks)
    chunks.first(int(machine.candidates))
    machine._follow(chunks)
    machine._refuse_one_class(int((chunks.class_counts > 0).sum()))
    machine.is_weighted_ = False
    machine._has_constant = False
    machine.machines_, history = _machines(machine, chunks)
    rows, codes = chunks.hold(chunks.shown)  # a sample tells a table that was trained on
    machine._remember(rows, chunks.classes[codes], chunks.n_samples)
    machine._margins, machine.n_training_errors_ = _margins(machine.machines_, chunks)
    machine._keep_path(history)
    machine.__dict__.pop("margins_", None)
    return machine


def _machines(
    machine: AdaBoost, chunks: Chunks
) -> tuple[list[WeightedVote], list[dict[str, float]]]:
    """One vote for two classes, otherwise one for each class."""
    encoder = pool_encoder(chunks.hold(machine._pool)[0])
    weigher = ChunkWeigher(chunks, encoder)
    votes: list[WeightedVote] = []
    history: list[dict[str, float]] = []
    for k, positive in enumerate(_positives(chunks)):
        boosted = binned_rounds(
            encoder,
            lambda ask, positive=positive: weigher.weigh(ask, positive),  # type: ignore[misc]
            chunks.n_samples,
            math.log(chunks.n_samples),
            int(machine.n_rounds),
        )
        balance = 2.0 * float(chunks.class_counts[positive]) - chunks.n_samples
        votes.append(machine._vote(boosted, balance))
        history += [{"machine": k, **row} for row in machine._history(boosted)]
    return votes, history


def _positives(chunks: Chunks) -> list[int]:
    return [1] if len(chunks.classes) == 2 else list(range(len(chunks.classes)))


class ChunkWeigher:
    """Adds up the weights of all rows by bin, in one pass a round."""

    def __init__(self, chunks: Chunks, encoder: Encoder) -> None:
        self.chunks, self.encoder = chunks, encoder
        delayed = require_dask().delayed
        shared = delayed(encoder, pure=False, traverse=False)
        encode = delayed(_encoded, pure=False)
        parts = [encode(k, part, shared) for k, part in enumerate(chunks.parts)]
        n_bytes = (2 * len(encoder.first) + 8) * chunks.n_samples
        self.parts = persist(parts) if n_bytes <= cache_bytes() // 2 else parts

    def weigh(self, ask: Weighing, positive: int) -> Ints:
        """Sums of quanta by class, feature and bin."""
        delayed = require_dask().delayed
        shared = delayed(ask, pure=False, traverse=False)
        weigh, n_codes = delayed(_weighed, pure=False), self.encoder.n_codes
        tasks = [weigh(part, positive, n_codes, shared) for part in self.parts]
        sums = 16 * len(self.encoder.first) * n_codes
        with measured("weights", len(tasks), 1, ask.levels.nbytes, sums):
            (found,) = compute([reduced(tasks, _added)])
        return np.asarray(found)


def _encoded(k: int, part: tuple[Floats, Ints], encoder: Encoder) -> tuple[Codes, Ints]:
    return in_chunk(k, lambda: encoder(part[0])), part[1]


def _weighed(part: tuple[Codes, Ints], positive: int, n_codes: int, ask: Weighing) -> Ints:
    codes, labels = part
    return weigh_rows(codes, labels == positive, np.ones(len(labels)), n_codes, ask)


def _added(parts: Sequence[Ints]) -> Ints:
    return np.sum(parts, axis=0, dtype=np.int64)


# -- margins ------------------------------------------------------------------------------------


def _margins(votes: Sequence[WeightedVote], chunks: Chunks) -> tuple[list[MarginCounts], int]:
    """What the certificates need of the margins, and the number of errors, in one pass."""
    found = chunks.total(_MarginTally(votes, tuple(_positives(chunks))), "margins")
    out = []
    for row in found[:, :-1]:
        high, low, below = np.split(row, [N_SCALES, 2 * N_SCALES])
        slacks = [int(a) * 2**_LOW_BITS + int(b) for a, b in zip(high, low, strict=True)]
        out.append(MarginCounts(chunks.n_samples, tuple(slacks), tuple(below.tolist())))
    return out, int(found[0, -1])


@dataclass(frozen=True)
class _MarginTally:
    """Slacks (in two parts, so that no sum overflows), counts and errors of one chunk."""

    votes: Sequence[WeightedVote]
    positives: tuple[int, ...]

    def __call__(self, X: Floats, codes: Ints) -> Ints:
        rows, scores = [], []
        for vote, positive in zip(self.votes, self.positives, strict=True):
            signed = np.where(codes == positive, 1.0, -1.0)
            scores.append(vote(X))
            margins = signed * scores[-1] / (vote.total or 1.0)
            slacks = [slack_quanta(margins, 2.0**j) for j in range(N_SCALES)]
            below = [int((margins < theta + 1e-12).sum()) for theta in GRID]
            low = [s % 2**_LOW_BITS for s in slacks]
            rows.append([*(s >> _LOW_BITS for s in slacks), *low, *below])
        n_wrong = int(np.sum(from_scores(columns_of(scores)) != codes))
        return np.array([[*row, n_wrong] for row in rows], dtype=np.int64)
