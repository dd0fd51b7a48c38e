"""What a certificate says in words, derived from its bound and the settings.

A reader sees the words, not the formulas. So the quantity, the assumptions, the notes and the
reference are written again here, and a file that words them differently is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from handful.verify._audit import Audit

Document = Mapping[str, Any]

MISCLASSIFIED = "the probability that a new case is misclassified"
COST = "the expected cost of a new case"
_DRAWN = (
    "the {} are drawn independently from the distribution of the new cases, and neither rows "
    "nor columns were chosen by looking at certificates"
)
IID, IID_GROUPS = _DRAWN.format("examples"), _DRAWN.format("groups")
PREPROCESSING = "preprocessing was fixed before the data were seen, or is part of the message"
PREPARED = (
    "nothing before the menu learned from these rows: no scaling, imputation, target encoding or "
    "choice of columns"
)
NAMED_BLINDLY = (
    "the examples that are not counted were drawn without looking at the data, or the message "
    "names them under a prior fixed before the data"
)
BLIND_POOL = "the pool was drawn without looking at the data, and its size by their number alone"
GROUPS = "groups are independent; rows within one need not be"
GROUP_QUANTITIES = {
    "mean": "the probability that a random case of a random new group is misclassified",
    "any": "the probability that some case of a random new group is misclassified",
}
BETTING_REFERENCE = (
    "Waudby-Smith & Ramdas (2024), Estimating means of bounded random variables by betting"
)
ORDERED = "the order of the losses was fixed without looking at them"
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
    """The words that a certificate must have."""

    assumptions: tuple[str, ...]
    reference: str
    quantity: str = MISCLASSIFIED
    notes: tuple[str, ...] = ()
    unit: str = "nats"


def named_beforehand(provenance: Document) -> tuple[str, ...]:
    """What a menu assumes of settings that are not the defaults."""
    share, delta = provenance["pool_share"], provenance["delta"]
    is_own = {
        "the forms": provenance["candidates"] != "readable",
        "the share of the pool": share != 0.4,
        "delta": delta != 0.05,
        "the goal": provenance["goal"] is not None,
    }
    names = [name for name, own in is_own.items() if own]
    if not names:
        return ()
    verb = "was" if len(names) == 1 and names != ["the forms"] else "were"
    listed = " and ".join(part for part in (", ".join(names[:-1]), names[-1]) if part)
    return (f"{listed} {verb} named before any certificate was seen",)


def groups_note(n_groups: int) -> tuple[str, ...]:
    """What a search over several groups of settings adds."""
    if n_groups == 1:
        return ()
    return (f"The confidence was divided over {n_groups} groups of settings.",)


def drawn_by(seed: int | None) -> str:
    """What a certificate assumes of the draw of its pool."""
    if seed is None:
        return "the digest of the data (SHA-256) draws as chance would"
    return f"the seed {seed} was fixed before the data were seen"


def rule_wording(
    codes: Sequence[Document], settings: Document, n_samples: int, seed: int | None
) -> Wording:
    """Words of the certificate of a machine made of rules."""
    assumptions: tuple[str, ...] = (IID, PREPROCESSING, NAMED_BLINDLY)
    if any(code["pool_size"] != n_samples for code in codes):
        assumptions += (BLIND_POOL, drawn_by(seed))
    is_pool = len(codes) == 1 and codes[0]["scheme"] in ("pool", "plain")
    notes = (*((POOL_NOTE,) if is_pool else ()), CLASSES_NOTE)
    return Wording(
        assumptions=assumptions,
        reference=LANGFORD,
        quantity=COST if settings["costs"] else MISCLASSIFIED,
        notes=notes + groups_note(settings["n_groups"]),
    )


def group_wording(
    codes: Sequence[Document], settings: Document, n_groups: int, seed: int | None, is_betting: bool
) -> Wording:
    """Words of the certificate of a machine made of rules, over groups."""
    plain = rule_wording(codes, settings, n_groups, seed)
    drawn = (BLIND_POOL,) if any(code["pool_size"] != n_groups for code in codes) else ()
    ordered = (ORDERED,) if is_betting else ()
    return Wording(
        assumptions=(
            *(IID_GROUPS, PREPROCESSING, NAMED_BLINDLY),
            *(*ordered, GROUPS, *drawn, drawn_by(seed)),
        ),
        reference=BETTING_REFERENCE if is_betting else LANGFORD,
        quantity=GROUP_QUANTITIES[settings["group_loss"]],
        notes=(("Method: betting.",) if is_betting else ()) + plain.notes,
    )


def check_wording(audit: Audit, certificate: Document, wanted: Wording) -> None:
    """Every word of a certificate that is not a number."""
    audit.equal("certificate: quantity", certificate["quantity"], wanted.quantity)
    audit.equal("certificate: unit", certificate["unit"], wanted.unit)
    audit.equal("certificate: assumptions", certificate["assumptions"], list(wanted.assumptions))
    audit.equal("certificate: notes", certificate["notes"], list(wanted.notes))
    audit.equal("certificate: reference", certificate["reference"], wanted.reference)


STABLE = (
    IID,
    "removing any example outside the compression set leaves the set unchanged, and a "
    "misclassified new case would enter it (stable scheme)",
    "the order of the examples does not matter to the method",
)
STABLE_REFERENCE = "Campi & Garatti (2023), Compression, generalization and learning, JMLR 24"
HELD_OUT = (IID, "the held-out examples had no part in training or preprocessing")
HELD_OUT_REFERENCE = "Clopper & Pearson (1934); Langford (2005), Theorem 3.3"
