"""Cases after deployment: they enter in the order of their predictions and wait for labels."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from handful.arrays import Floats, Ints, Mask
from handful.checks import check_count, check_delta, check_real
from handful.evidence import Watch, WatchPath, WatchState, running_limits, watch_batch

CLAIMS = {"error": "errors", "missed": "missed cases", "false": "false alarms"}
HORIZON = 1000  # later predictions that a case waits for its label
LATE, CORRECTED = 16, 32  # bits of a cell; see `CaseWatch`
_FLAGGED, _GIVEN_UP = 1, 8  # bits; the label plus one stands in the two bits between
UNKNOWN = -1  # the label of a case that has none yet

Bytes = NDArray[np.uint8]


@dataclass(frozen=True, kw_only=True)
class WatchPlan:
    """What is watched, named before the first case.

    Attributes
    ----------
    claims : tuple of (str, float)
        Risks that are claimed: of an "error", of a "missed" case, of a "false" alarm. They share
        alpha equally.
    alpha : float
        Probability of an alarm at most, ever, if all claims are true.
    horizon : int
        A case that has no label after so many later predictions is given up.
    run_length : float
        Cases between two false notices of the detector, on average at least.
    model_sha256, case, target, id_column : str
        Digest of the model, its word for a case, and two columns.
    claim_delta : float
        Allowed probability that the claims themselves fail; 0 if they are assumed.
    """

    claims: tuple[tuple[str, float], ...]
    alpha: float = 0.05
    horizon: int = HORIZON
    run_length: float = 10_000.0
    model_sha256: str = ""
    case: str = ""
    target: str = ""
    id_column: str = ""
    claim_delta: float = 0.0

    def __post_init__(self) -> None:
        check_delta(self.alpha)
        check_count("horizon", self.horizon, low=1)
        check_real("run_length", self.run_length, low=1.0)
        names = [name for name, _ in self.claims]
        if not names or len(set(names)) < len(names) or set(names) - set(CLAIMS):
            raise ValueError(
                f"`claims` must name some of {', '.join(CLAIMS)}, each once, got {names}. For "
                "example error=0.1."
            )
        for name, _ in self.claims:
            self.watch(name)

    def watch(self, name: str) -> Watch:
        """The evidence of one claim, which has its share of alpha."""
        return Watch(
            claim=dict(self.claims)[name],
            alpha=self.alpha / len(self.claims),
            run_length=self.run_length,
        )


@dataclass(frozen=True, kw_only=True)
class ClaimWatch:
    """How one claim stands: what entered, the evidence, and the first alarm and notice.

    ``n_unresolved`` of the cases that entered have no label. ``alarm_case`` and ``notice_case``
    count predictions from 1.
    """

    name: str
    state: WatchState = field(default_factory=WatchState)
    n_unresolved: int = 0
    log_evidence: float = -np.inf
    log_detector: float = -np.inf
    alarm_case: int | None = None
    notice_case: int | None = None

    def limits(self, alpha: float) -> tuple[float, float]:
        """Limits of the risk if it did not change since the first case.

        Cases without a label count as no error below and as errors above.
        """
        k, t, open_ = self.state.n_errors, self.state.n_cases, self.n_unresolved
        lower = running_limits([k], [t], alpha=alpha)[0][0]
        upper = running_limits([k + open_], [t], alpha=alpha)[1][0]
        return float(lower), float(upper)


@dataclass(frozen=True, kw_only=True)
class BatchCounts:
    """What a batch brought."""

    n_new: int
    n_labelled: int
    n_repeated: int
    n_corrected: int
    n_late: int
    n_entered: int


@dataclass(eq=False)
class CaseWatch:
    """The watch over one model: everything that is kept between batches. It holds no rows.

    Attributes
    ----------
    plan : WatchPlan
    salt : bytes
        Names of cases are kept as digests with this salt.
    digests : ndarray of uint64
        One for each case, in the order of predictions.
    cells : ndarray of uint8
        For each case: 1 if it was flagged, plus 2 for the label "no case" or 4 for "case", plus 8
        if it was given up, 16 if its label came after that, 32 if another label came later. The
        first label counts.
    n_entered : int
        Cases that the evidence has seen: all up to here.
    claims : dict of ClaimWatch

    Examples
    --------
    >>> watch = CaseWatch(WatchPlan(claims=(("error", 0.1),), horizon=50))
    >>> counts = watch.add(range(100), [True] * 100, [0, 1] * 50)
    >>> watch.claims["error"].alarm_case, watch.n_waiting
    (9, 0)
    """

    plan: WatchPlan
    salt: bytes = field(default_factory=lambda: secrets.token_bytes(16))
    digests: NDArray[np.uint64] = field(default_factory=lambda: np.zeros(0, dtype=np.uint64))
    cells: Bytes = field(default_factory=lambda: np.zeros(0, dtype=np.uint8))
    n_entered: int = 0
    claims: dict[str, ClaimWatch] = field(default_factory=dict)
    reference: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.claims = self.claims or {name: ClaimWatch(name=name) for name, _ in self.plan.claims}
        self._place = {key: i for i, key in enumerate(self.digests.tolist())}

    @property
    def n_cases(self) -> int:
        """Cases that were predicted."""
        return len(self.cells)

    @property
    def n_waiting(self) -> int:
        """Cases that have not entered yet."""
        return self.n_cases - self.n_entered

    @property
    def n_unlabelled(self) -> int:
        """Cases among those that have not entered whose own label is not known."""
        return int(np.count_nonzero(labels_of(self.cells[self.n_entered :]) == UNKNOWN))

    @property
    def has_alarm(self) -> bool:
        """Whether a claim is refuted."""
        return any(one.alarm_case is not None for one in self.claims.values())

    def count(self, bit: int) -> int:
        """Cases with a bit, as `LATE` or `CORRECTED`."""
        return int(np.count_nonzero(self.cells & bit))

    def keys(self, names: Sequence[object]) -> list[int]:
        """Salted digests of the names of cases."""
        whole = bytearray()
        salted = hashlib.blake2b(key=self.salt, digest_size=8)
        for name in names:
            one = salted.copy()
            one.update(str(name).encode("utf-8"))
            whole += one.digest()
        return list(np.frombuffer(bytes(whole), dtype="<u8").tolist())

    def is_new(self, names: Sequence[object]) -> Mask:
        """Which cases were never predicted; of equal names the first."""
        seen: set[int] = set()
        out = []
        for key in self.keys(names):
            out.append(key not in self._place and key not in seen)
            seen.add(key)
        return np.array(out, dtype=bool)

    def add(
        self,
        names: Sequence[object],
        is_flagged: Sequence[bool] | Mask,
        labels: Sequence[int] | Ints,
    ) -> BatchCounts:
        """Take a batch, in the order of its predictions; constant cost a case.

        Parameters
        ----------
        names : sequence
            What tells a case from all others.
        is_flagged : sequence of bool
            What was predicted; it counts where the case is new.
        labels : sequence of int
            1 for a case, 0 for none, -1 where it is not known yet. The first label counts.
        """
        flags, known = np.asarray(is_flagged, dtype=bool), np.asarray(labels, dtype=np.int64)
        if not len(names) == flags.size == known.size:
            raise ValueError(
                f"`names`, `is_flagged` and `labels` must be equally long, got {len(names)}, "
                f"{flags.size} and {known.size}."
            )
        if not np.isin(known, (UNKNOWN, 0, 1)).all():
            raise ValueError("`labels` must be 1, 0 or -1 (not known yet).")
        fresh_cells, fresh_keys, counts = self._take(self.keys(names), flags, known)
        self.cells = np.concatenate([self.cells, np.array(fresh_cells, dtype=np.uint8)])
        self.digests = np.concatenate([self.digests, np.array(fresh_keys, dtype=np.uint64)])
        before = self.n_entered
        self._enter()
        return BatchCounts(n_new=len(fresh_cells), n_entered=self.n_entered - before, **counts)

    def _take(
        self, keys: list[int], flags: Mask, labels: Ints
    ) -> tuple[list[int], list[int], dict[str, int]]:
        """New cases as cells, and labels of known ones."""
        cells, place = self.cells, self._place
        start, found = len(cells), {"labelled": 0, "repeated": 0, "corrected": 0, "late": 0}
        if place.keys().isdisjoint(keys) and len(set(keys)) == len(keys):  # all are new
            place.update(zip(keys, range(start, start + len(keys)), strict=True))
            found["labelled"] = int(np.count_nonzero(labels != UNKNOWN))
            cells_new = (flags * _FLAGGED + 2 * (labels + 1)).tolist()
            return cells_new, keys, {f"n_{name}": n for name, n in found.items()}
        fresh: list[int] = []
        fresh_keys: list[int] = []
        for key, flag, label in zip(keys, flags.tolist(), labels.tolist(), strict=True):
            at = place.get(key)
            if at is None:
                place[key] = start + len(fresh)
                fresh.append(flag * _FLAGGED + 2 * (label + 1))
                fresh_keys.append(key)
                found["labelled"] += label != UNKNOWN
                continue
            held, i = (cells, at) if at < start else (fresh, at - start)
            cell, what = _with_label(int(held[i]), label)
            held[i] = cell
            found[what] += 1
        return fresh, fresh_keys, {f"n_{name}": n for name, n in found.items()}

    def _enter(self) -> None:
        """Let all cases enter whose wait is over, in the order of predictions."""
        i, n = self.n_entered, self.n_cases
        labels = labels_of(self.cells[i:])
        is_over = (labels != UNKNOWN) | (np.arange(i, n) < n - self.plan.horizon)
        end = i + (int(np.argmin(is_over)) if not is_over.all() else len(is_over))
        if end == i:
            return
        self.cells[i:end] |= np.where(labels[: end - i] == UNKNOWN, _GIVEN_UP, 0).astype(np.uint8)
        for name, one in self.claims.items():
            self.claims[name] = self._advance(one, i, end)[0]
        self.n_entered = end

    def _advance(
        self, one: ClaimWatch, start: int, end: int
    ) -> tuple[ClaimWatch, WatchPath | None]:
        """The claim after the cases from ``start`` to ``end``, and the path of its evidence."""
        losses, is_open, places = claim_losses(one.name, self.cells[start:end])
        if not losses.size:
            return one, None
        state, path = watch_batch(self.plan.watch(one.name), one.state, losses)
        before = one.state.n_cases

        def case(at: int | None, known: int | None) -> int | None:
            return known if at is None or known else start + int(places[at - before - 1]) + 1

        return replace(
            one,
            state=state,
            n_unresolved=one.n_unresolved + int(is_open.sum()),
            log_evidence=float(path.log_evidence[-1]),
            log_detector=float(path.log_detector[-1]),
            alarm_case=case(state.alarm_at, one.alarm_case),
            notice_case=case(state.notice_at, one.notice_case),
        ), path

    def history(self, name: str) -> tuple[Ints, Floats, Floats]:
        """Case numbers and logarithms of evidence and detector, from the first case on."""
        _, path = self._advance(ClaimWatch(name=name), 0, self.n_entered)
        places = claim_losses(name, self.cells[: self.n_entered])[2]
        if path is None:
            return places, np.zeros(0), np.zeros(0)
        return places + 1, path.log_evidence, path.log_detector


def labels_of(cells: Bytes) -> Ints:
    """The label of each case: 1, 0, or -1 if it has none."""
    return ((cells >> 1) & 3).astype(np.int64) - 1


def _with_label(cell: int, label: int) -> tuple[int, str]:
    """The cell of a known case after a row with a label, and what that row was."""
    known = ((cell >> 1) & 3) - 1
    if label == UNKNOWN or known == label:
        return cell, "repeated"
    if known != UNKNOWN:
        return cell | CORRECTED, "corrected"
    if cell & _GIVEN_UP:
        return cell | LATE, "late"
    return cell + 2 * (label + 1), "labelled"


def claim_losses(name: str, cells: Bytes) -> tuple[Floats, Mask, Ints]:
    """Errors in one claim among the cases that it speaks of, which are open, and their places.

    A case that was given up may be one of any claim. It counts as no error, which makes every
    evidence smaller than the label would have.
    """
    labels, flags = labels_of(cells), (cells & _FLAGGED) > 0
    is_open = labels == UNKNOWN
    members = {"error": np.ones(cells.size, dtype=bool), "missed": labels == 1,
               "false": labels == 0}[name] | is_open  # fmt: skip
    wrong = ~is_open & (flags != (labels == 1))
    return wrong[members].astype(np.float64), is_open[members], np.flatnonzero(members)
