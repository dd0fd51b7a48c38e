"""The record of a fit: the classifier, how it was chosen, what was counted, its certificates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from handful.arrays import Floats, Ints
from handful.bounds import GROUP_QUANTITIES, Certificate, assume, caution, drawn_by
from handful.candidates import Code, Counts, GroupLosses, Offered, Tally, certify
from handful.checks import check_choice
from handful.covering.codes import CoverCandidate, cover_code
from handful.covering.learn import Learned, Settings, count_groups, learn, renumbered
from handful.models import Condition, Fitted, Form, OneAgainstRest, SignedRules
from handful.rules import rows_of
from handful.tables import Columns, Draw, RowSource, SeenRows

if TYPE_CHECKING:
    import pandas as pd


BOUND_NAMES = ("compression", "compression-kl", "compression-closed-form", "cost")
GROUP_BOUNDS = ("compression", "compression-kl")
_OF_A_CODE = assume("preprocessing", "named-blindly")  # what any code takes for granted
_POOL_NOTE = (
    "The kept examples were drawn without looking at labels and are not counted; scales, linear "
    "models and the ranking of rules were computed from them alone."
)
_CLASSES_NOTE = (
    "The classes were known before the data; one too rare to be in the sample is always an error."
)


@dataclass(frozen=True, eq=False)
class CoverFit:
    """How a covering machine was learned: it counts, certifies and says what was weighed.

    Attributes
    ----------
    fitted : Fitted
        The classifier as data.
    parts : tuple of Learned
        One for two classes, else one for each class against the rest: its rules, all candidates
        with their certificates, which of them was chosen.
    classes : array
    n_samples : int
    settings : Settings
    draw : Draw
    counts : Counts
        Errors of the machine, or of those of all classes together.
    known : array of int
        Sorted examples that this machine, or one that may be taken in its place, names.
    known_digests : array of uint8 (n_known, 32)
        By what they are known again.
    seen : SeenRows
    """

    fitted: Fitted
    parts: tuple[Learned, ...]
    classes: NDArray[Any]
    n_samples: int
    settings: Settings
    draw: Draw
    counts: Counts
    known: Ints
    known_digests: NDArray[np.uint8]
    seen: SeenRows
    _made: dict[tuple[float, str], Certificate] = field(
        default_factory=dict, init=False, repr=False
    )

    @property
    def digests(self) -> NDArray[np.uint8]:
        """By what the examples of ``named`` are known again."""
        return self.known_digests[np.searchsorted(self.known, self.named)]

    @property
    def n_training_errors(self) -> int:
        """Errors on all examples."""
        return int(self.counts.n_errors_all or 0)

    @property
    def n_errors(self) -> int:
        """Errors on the examples that are counted."""
        return sum(n_wrong for _, n_wrong in self.counts.by_class)

    @property
    def groups(self) -> GroupLosses | None:
        """Errors by groups, if rows belong together."""
        return self.counts.groups

    @property
    def labelled(self) -> list[tuple[Any, Learned]]:
        """(positive label, part) pairs."""
        labels = self.classes[1:] if len(self.parts) == 1 else self.classes
        return list(zip(labels, self.parts, strict=True))

    @property
    def rules(self) -> tuple[tuple[Condition, ...], ...]:
        """The conditions of each part."""
        return tuple(part.machine.conditions for part in self.parts)

    @property
    def chosen(self) -> tuple[CoverCandidate, ...]:
        """The candidates behind the parts."""
        return tuple(part.chosen for part in self.parts)

    @cached_property
    def made_of(self) -> Ints:
        """Sorted examples that the rules are made of."""
        return _union(part.made_of for part in self.parts)

    @cached_property
    def named(self) -> Ints:
        """Sorted examples that the code or the rules name one by one."""
        return _union(part.named for part in self.parts)

    @cached_property
    def held_back(self) -> Ints:
        """Sorted examples that are not counted: those it is made of, and pools."""
        return _union(candidate.kept for candidate in self.chosen)

    def certificate(self, delta: float, bound: str) -> Certificate:
        """The certificate at a confidence, by a bound, from stored counts; computed once."""
        if (delta, bound) not in self._made:
            self._made[delta, bound] = certify_cover(self, delta, bound)
        return self._made[delta, bound]

    @property
    def n_rules(self) -> int:
        """Rules of all parts."""
        return sum(map(len, self.rules))

    @property
    def name(self) -> str:
        """How it is coded, where its rules come from, and how many there are."""
        if len(self.parts) > 1:
            return f"one rule set a class, {_counted(self.n_rules)}"
        (one,) = self.chosen
        if not one.n_rules:
            return one.scheme
        return f"{one.family} ({one.scheme}), {_counted(one.n_rules)}"

    def caution(self, certificate: Certificate) -> str:
        """A warning if the classifier is not shown to be better than a constant guess; else ""."""
        constant = None
        if not any(self.rules):
            (code,) = self.fitted.machine.labels(np.zeros((1, 0)))
            constant = self.classes[code]
        return caution(
            certificate,
            dict(zip(self.classes.tolist(), self.counts.class_sizes, strict=True)),
            n_errors=self.n_training_errors,
            constant=constant,
        )

    def provenance(self) -> str:
        """How many examples it is made of, and how many were held back."""
        text = examples_text(len(self.made_of), len(self.held_back), self.n_samples)
        if self.groups is None:
            return text
        kept, whole = self.counts.n_held, self.counts.n_units
        return f"{text} Groups are held back whole: {kept} of {whole}."

    def rules_frame(self) -> pd.DataFrame:
        """One row a rule and one for other cases: its examples, and how many rows meet it."""
        rules = [(*part.machine.rules, None) for part in self.parts]
        examples = [
            () if rule is None else tuple(i for c in rule.conditions for i in c.examples)
            for own in rules
            for rule in own
        ]
        n_covered = [n for part in self.parts for n in part.n_covered]
        return self.fitted.parts().assign(examples=examples, n_covered=n_covered)

    def path_frame(self) -> pd.DataFrame:
        """Every candidate with its counts and certificate."""
        import pandas as pd

        frames = []
        for label, part in self.labelled:
            frame = part.menu.path(part.chosen)
            frame.insert(0, "machine", label)
            frames.append(frame)
        return pd.concat(frames, ignore_index=True)

    def without_data(self) -> CoverFit:
        """The same classifier without candidates and digests of the training rows."""
        none = SeenRows(np.zeros(0, dtype=np.uint64))
        parts = tuple(part.alone() for part in self.parts)
        return replace(self, parts=parts, draw=replace(self.draw, row_codes=None), seen=none)


def certify_cover(fit: CoverFit, delta: float, bound: str) -> Certificate:
    """One code for the machine, or for those of all classes; their joint errors are counted.

    The code contains "which examples are kept" already, so naming them costs nothing more.
    """
    check_choice("bound", bound, ("auto", *BOUND_NAMES))
    # Penalties, sizes and searches are no terms: they choose among codes that are all paid for.
    code, counts, is_single = cover_code_of(fit), fit.counts, len(fit.parts) == 1
    if counts.groups is not None:
        made = _of_groups(fit, code, delta, bound)
    elif is_single:
        own = "compression" if fit.settings.costs is None else "cost"
        chosen = own if bound == "auto" else bound
        made = certify(code, counts, delta, bound=chosen, costs=fit.settings.costs)
    elif bound in ("auto", "compression"):
        made = certify(code, counts, delta)
    else:
        raise ValueError(
            f"`bound` must be 'auto' or 'compression' for more than two classes, got {bound!r}."
        )
    is_drawn = any(candidate.pool_size != counts.n_units for candidate in fit.chosen)
    if is_drawn:
        made = made.assuming("blind-pool")
    if is_drawn or counts.groups is not None:
        made = made.assuming(drawn_by(fit.draw.seed))
    # Which labels there are is in no message: for two classes it is taken for known as for more.
    has_pool = is_single and fit.chosen[0].scheme in ("pool", "plain")
    notes = (*((_POOL_NOTE,) if has_pool else ()), _CLASSES_NOTE)
    return replace(made, notes=(*made.notes, *notes))


def _of_groups(fit: CoverFit, code: Code, delta: float, bound: str) -> Certificate:
    """The certificate of groups; "compression-kl" is Chernoff's bound of their mean errors."""
    counts, groups = fit.counts, fit.counts.groups
    if bound not in ("auto", *GROUP_BOUNDS) or groups is None:
        raise ValueError(
            f"`bound` must be 'auto' or one of {GROUP_BOUNDS} for groups, got {bound!r}."
        )
    if bound == "compression-kl" and len(groups.losses):
        counts = replace(counts, groups=replace(groups, how="kl"))
    made = certify(code, counts, delta)
    more = tuple(one for one in made.assumptions[1:] if one not in _OF_A_CODE)
    assumptions = (*assume("iid-groups"), *_OF_A_CODE, *more, *assume("groups"))
    return replace(made, quantity=GROUP_QUANTITIES[groups.loss], assumptions=assumptions)


def cover_code_of(fit: CoverFit) -> Code:
    """The code of the machine, or of those of all classes together."""
    if len(fit.parts) == 1:
        return fit.chosen[0].code
    terms = (
        replace(term, text=f"{term.text} (class {label})")
        for label, candidate in zip(fit.classes, fit.chosen, strict=True)
        for term in candidate.terms
    )
    return cover_code(*terms)


def examples_text(n_made_of: int, n_held_back: int, n_samples: int) -> str:
    """How many examples a machine is made of, and how many were held back besides.

    Examples
    --------
    >>> examples_text(3, 205, 683)
    'It is made of 3 of 683 examples; 205 were held back: they proposed the rules and are not \
counted.'
    """
    text = f"It is made of {n_made_of} of {n_samples} examples"
    if n_held_back == n_made_of:
        return f"{text}, which are not counted."
    return f"{text}; {n_held_back} were held back: they proposed the rules and are not counted."


def _counted(n_rules: int) -> str:
    return "1 rule" if n_rules == 1 else f"{n_rules} rules"


def _union(parts: Iterable[Iterable[int]]) -> Ints:
    return np.array(sorted({int(example) for part in parts for example in part}), dtype=np.int64)


def _joined(machines: Sequence[SignedRules]) -> Form:
    return machines[0] if len(machines) == 1 else OneAgainstRest(tuple(machines))


@dataclass(frozen=True)
class Tallied:
    """A job: rows and errors of each class."""

    machine: Form
    n_classes: int

    def __call__(self, X: Floats, codes: Ints) -> Ints:
        labels = self.machine.labels(X) if len(X) else codes
        return np.array(Tally.of(labels.astype(np.int64), codes, self.n_classes).by_class)


@dataclass(frozen=True, eq=False, kw_only=True)
class OfferedCover(Offered):
    """A row of the menu of a covering machine; covers are not learned one by one."""

    cover: CoverFit

    @classmethod
    def of(cls, cover: CoverFit) -> OfferedCover:
        """The row of a cover."""
        return cls(
            name=cover.name,
            code=cover_code_of(cover),
            counts=cover.counts,
            fitted=cover.fitted,
            held_back=cover.held_back,
            cover=cover,
        )

    @property
    def tie_break(self) -> tuple[int, ...]:
        return self.cover.n_rules, len(self.held_back)

    def shown(self, risk: float) -> dict[str, Any]:
        return {
            "name": self.name,
            "form": self.fitted.form,
            "size": self.cover.n_rules,
            "uses": ", ".join(self.fitted.uses) or "–",
            "n_errors": self.counts.n_errors,
            "certificate": risk,
            "price": self.nats,
        }


N_OFFERED = 10  # rows of the menu of a covering machine


def cover(rows: RowSource, settings: Settings, steering: Ints | None = None) -> list[CoverFit]:
    """The cover with the smallest certificate first, and others that may be taken.

    For more than two classes one machine is learned for each class against the rest, and their
    errors are counted together: that is the only cover. The examples come in the blind order, the
    same for every class: their pools overlap, so that fewer examples are kept.
    """
    n_classes = len(rows.classes)
    positives = [1] if n_classes == 2 else list(range(n_classes))
    # One machine a class: the menus of all of them hold together with the whole delta.
    share = replace(settings, delta=settings.delta / len(positives))
    n_offered = N_OFFERED if n_classes == 2 else 1
    learned = [
        learn(rows_of(rows, positive, steering), share, rows.groups, n_offered=n_offered)
        for positive in positives
    ]
    parts = [renumbered(part, rows.order) for part in learned]
    machines: list[tuple[tuple[Learned, ...], Counts]]
    if n_classes == 2:
        machines = [((part,), part.chosen.counts) for part in parts[0]]
    else:
        first = tuple(part[0] for part in parts)
        own = [part[0] for part in learned]
        machines = [(first, _counts_together(rows, own, first, settings.group_loss))]
    known = _union(part.named for each, _ in machines for part in each)
    shared = {
        "classes": rows.classes,
        "n_samples": rows.n_samples,
        "settings": settings,
        "draw": rows.draw,
        "known": known,
        "known_digests": rows.digests_of(known),
        "seen": rows.seen(),
    }
    return [_as_fit(rows, each, counts, shared) for each, counts in machines]


def _as_fit(
    rows: RowSource, parts: tuple[Learned, ...], counts: Counts, shared: Mapping[str, Any]
) -> CoverFit:
    names = rows.names or [f"x{j}" for j in range(rows.n_features)]
    coded = rows.columns or Columns.of_numbers(names)
    columns, machines = as_asked(coded, [part.machine for part in parts])
    words = tuple(str(label) for label in rows.classes)
    form = "rule list" if shared["settings"].is_list else "rule set"
    return CoverFit(
        fitted=Fitted(form, columns, words, _joined(machines)),
        parts=tuple(replace(p, machine=m) for p, m in zip(parts, machines, strict=True)),
        counts=counts,
        **shared,
    )


def _named_words(columns: Columns, machines: Sequence[SignedRules]) -> dict[int, set[str]]:
    """Words that the conditions name, by column."""
    given = columns.columns
    named: dict[int, set[str]] = {j: set() for j in range(len(given))}
    for condition in (condition for machine in machines for condition in machine.conditions):
        for j in condition.features:
            if given[j].is_categorical:
                named[j].add(given[j].levels[int(condition.cut)])
    return named


def as_asked(
    columns: Columns, machines: Sequence[SignedRules]
) -> tuple[Columns, list[SignedRules]]:
    """Conditions on codes of words as conditions on flags, one for each word that they name.

    A search compares codes. A classifier reads tables, and says no word that it does not need.
    """
    if not columns.is_categorical.any():
        return columns, list(machines)
    given, named = columns.columns, _named_words(columns, machines)
    asked = [
        replace(column, words=tuple(sorted(named[j])), levels=())
        if column.is_categorical
        else column
        for j, column in enumerate(given)
    ]
    widths = [len(column.features) for column in asked]
    places = {j: sum(widths[:j]) for j in range(len(asked))}

    def change(condition: Condition) -> Condition:
        (j,) = condition.features  # words go with stumps alone
        if not given[j].is_categorical:
            return condition.moved(places)
        flag = (asked[j].words or ()).index(given[j].levels[int(condition.cut)])
        return Condition.on(places[j] + flag, condition.op, 1.0, condition.examples)

    return Columns(tuple(asked)), [machine.changed(change) for machine in machines]


def _counts_together(
    rows: RowSource, learned: list[Learned], parts: tuple[Learned, ...], loss: str
) -> Counts:
    """Counts of all machines together, outside what any of them kept.

    ``learned`` are the parts by places in the blind order.
    """
    machine = _joined([part.machine for part in parts])
    job = Tallied(machine, len(rows.classes))
    whole = rows.fold(job, "errors")
    # The joint code names what any machine keeps; given it, errors on all other rows are binomial.
    held = job(*rows.hold(_union(part.chosen.kept for part in parts)))
    n_held, n = int(held[:, 0].sum()), int(whole[:, 0].sum())
    counts = Counts(
        n_held=n_held,
        n_counted=n - n_held,
        n_errors=int((whole - held)[:, 1].sum()),
        by_class=tuple((int(size), int(n_wrong)) for size, n_wrong in whole - held),
        held_by_class=tuple(held[:, 0].tolist()),
        n_errors_all=int(whole[:, 1].sum()),
    )
    if rows.groups is None:
        return counts
    X, codes = rows.hold(rows.order)
    kept = {int(i) for part in learned for i in part.chosen.kept}
    return count_groups(counts, rows.groups, machine.labels(X) != codes, kept, loss)
