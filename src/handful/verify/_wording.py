"""What a certificate is about and what it assumes, derived from its bound and the settings.

Quantities and assumptions are keys, with the values that their sentences name; notes and the
reference are words. They are derived again here, and a file that says others is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from handful.verify._audit import Audit, is_close, is_number

Document = Mapping[str, Any]

Key = str | tuple[str, Mapping[str, Any]]  # of a sentence, with the values that it names

GROUP_QUANTITIES = {"mean": "group-mean", "any": "group-any"}
BETTING_REFERENCE = (
    "Waudby-Smith & Ramdas (2024), Estimating means of bounded random variables by betting"
)
LANGFORD = (
    "Langford (2005), Tutorial on practical prediction theory for classification, JMLR 6; "
    "Laviolette, Marchand & Shah (2005), Margin-sparsity trade-off for the set covering machine"
)
POOL_NOTE = (
    "The kept examples were drawn without looking at labels and are not counted; scales, linear "
    "models and the ranking of rules were computed from them alone."
)
FEW_DISTINCT = (
    "The table has only {} distinct {}: a pool that its digest draws cannot be called random, and "
    "the certificate may not hold. Fix a seed before you see the data (random_state; on the "
    "command line --seed, with --rules)."
)
CLASSES_NOTE = (
    "The classes were known before the data; one too rare to be in the sample is always an error."
)


@dataclass(frozen=True)
class Wording:
    """What a certificate must say beside its numbers."""

    assumptions: tuple[Key, ...]
    reference: str
    quantity: Key = "misclassified"
    notes: tuple[str, ...] = ()
    unit: str = "nats"
    parameters: Mapping[str, float] = field(default_factory=dict)


def named_beforehand(training: Document) -> tuple[Key, ...]:
    """What a menu assumes of settings that are not the defaults."""
    is_own = {
        "the forms": training["candidates"] != "readable",
        "the share of the pool": training["pool_share"] != 0.4,
        "delta": training["delta"] != 0.05,
        "the goal": training["goal"] is not None,
    }
    names = [name for name, own in is_own.items() if own]
    if not names:
        return ()
    verb = "was" if len(names) == 1 and names != ["the forms"] else "were"
    listed = " and ".join(part for part in (", ".join(names[:-1]), names[-1]) if part)
    return (("named", {"names": listed, "verb": verb}),)


def groups_note(n_groups: int) -> tuple[str, ...]:
    """What a search over several groups of settings adds."""
    if n_groups == 1:
        return ()
    return (f"The confidence was divided over {n_groups} groups of settings.",)


def drawn_by(seed: int | None) -> Key:
    """What a certificate assumes of the draw of its pool."""
    return "digest" if seed is None else ("seed", {"seed": seed})


def as_data(key: Key) -> dict[str, Any]:
    """A key as a file holds it."""
    name, values = (key, {}) if isinstance(key, str) else key
    return {"key": name, "values": dict(values)}


def assumes(certificate: Document, key: Key) -> bool:
    """Whether a certificate has an assumption."""
    return as_data(key) in certificate["assumptions"]


def rule_wording(
    codes: Sequence[Document], settings: Document, n_samples: int, seed: int | None
) -> Wording:
    """Words of the certificate of a machine made of rules."""
    assumptions: tuple[Key, ...] = ("iid", "preprocessing", "named-blindly")
    if any(code["pool_size"] != n_samples for code in codes):
        assumptions += ("blind-pool", drawn_by(seed))
    is_pool = len(codes) == 1 and codes[0]["scheme"] in ("pool", "plain")
    notes = (*((POOL_NOTE,) if is_pool else ()), CLASSES_NOTE)
    return Wording(
        assumptions=assumptions,
        reference=LANGFORD,
        quantity="cost" if settings["costs"] else "misclassified",
        notes=notes + groups_note(settings["n_groups"]),
    )


def group_wording(
    codes: Sequence[Document], settings: Document, n_groups: int, seed: int | None, is_betting: bool
) -> Wording:
    """Words of the certificate of a machine made of rules, over groups."""
    plain = rule_wording(codes, settings, n_groups, seed)
    drawn = ("blind-pool",) if any(code["pool_size"] != n_groups for code in codes) else ()
    ordered = ("ordered",) if is_betting else ()
    return Wording(
        assumptions=(
            *("iid-groups", "preprocessing", "named-blindly"),
            *(*ordered, "groups", *drawn, drawn_by(seed)),
        ),
        reference=BETTING_REFERENCE if is_betting else LANGFORD,
        quantity=GROUP_QUANTITIES[settings["group_loss"]],
        notes=(("Method: betting.",) if is_betting else ()) + plain.notes,
    )


def check_wording(audit: Audit, certificate: Document, wanted: Wording) -> None:
    """Everything that a certificate says beside its numbers."""
    audit.equal("certificate: quantity", certificate["quantity"], as_data(wanted.quantity))
    audit.equal("certificate: unit", certificate["unit"], wanted.unit)
    audit.equal(
        "certificate: assumptions",
        certificate["assumptions"],
        list(map(as_data, wanted.assumptions)),
    )
    audit.equal("certificate: notes", certificate["notes"], list(wanted.notes))
    said, want = certificate["parameters"], wanted.parameters
    holds = isinstance(said, Mapping) and set(said) == set(want)
    holds = holds and all(is_number(said[k]) and is_close(said[k], want[k]) for k in want)
    audit.check("certificate: parameters", holds, f"the file says {said!r}, they are {want!r}")
    audit.equal("certificate: reference", certificate["reference"], wanted.reference)


STABLE = ("iid", "stable", "no-order")
STABLE_REFERENCE = "Campi & Garatti (2023), Compression, generalization and learning, JMLR 24"
HELD_OUT = ("iid", "held-out")
HELD_OUT_REFERENCE = "Clopper & Pearson (1934); Langford (2005), Theorem 3.3"
