"""What the page says, gathered as plain data; ``None`` if a section does not apply."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from handful._version import __version__
from handful.bounds import Certificate, caution, confidence_text, percent_text
from handful.candidates import MenuMachine
from handful.certified import Band
from handful.report.page_pictures import read_path, read_pictures, read_plane
from handful.report.telling_features import cover_of
from handful.report.training_rows import COUNTING_BOUNDS, as_cell, read_confusion, read_examples

MAX_RULES = 100  # a longer table is read as a file

_GAP = re.compile(" {2,}")  # several spaces put points below each other
_COMPARISONS = ("<", ">", "≤", "≥", "=", "≠")
BREAKS = (
    (
        "Other cases",
        "New cases come from another place, another time or another selection than the examples.",
    ),
    (
        "Examples that hang together",
        "Repeated measurements of one person, copies of rows, neighbours in a time series: the "
        "statement counts independent examples.",
    ),
    (
        "Preparation that saw the data",
        "A scaler, a feature selection or an imputation was fitted on these examples before the "
        "machine saw them.",
    ),
    (
        "A second look",
        "The seed, the confidence, the bound or the data were chosen by looking at certificates. "
        "Every try that was thrown away has to be paid for.",
    ),
    (
        "Labels that mean something else",
        "The statement is about labels made the way these labels were made, mistakes included.",
    ),
)

_ROLES = {
    "favourite": "to the form that did best on the rows that taught",
    "pocket": "to the best of those that a person can carry",
    "named": "to the form that was named beforehand",
}
_ERROR_RATES = ("misclassified", "group-mean", "group-any")  # keys of quantities


@dataclass(frozen=True)
class SectionOptions:
    """Options of a page; see `render_report`."""

    certificate: Certificate | None = None
    include_rows: bool = False
    case: str | None = None
    band: Band | None = None


def read_sections(
    machine: Any, X: Any = None, y: Any = None, how: SectionOptions | None = None
) -> dict[str, Any]:
    """Everything that the template shows but for titles and notes."""
    check_is_fitted(machine)
    how = how or SectionOptions()
    certificate = machine.certificate_ if how.certificate is None else how.certificate
    machine = getattr(machine, "best_estimator_", machine)
    labels, predicted = _read_labels(machine, X, y)
    form = type(machine).__name__
    if is_menu(machine) and cover_of(machine) is None:
        form = machine.chosen_
    return {
        "claim": _claim(certificate, form),
        "headline": _headline(
            certificate,
            _caution(machine, certificate, labels, predicted),
            _rates(machine, certificate, how),
        ),
        "scale": _scale(certificate, labels),
        "facts": _facts(machine, certificate),
        "menu": _menu(machine),
        "masses": _masses(machine),
        "rule": _rule(machine, how.include_rows),
        "rules": _rules(machine),
        "pictures": read_pictures(machine),
        "evidence": _evidence(machine),
        "price": _price(certificate),
        "path": read_path(machine),
        "confusion": read_confusion(machine, certificate, labels, predicted),
        "plane": read_plane(machine, X, y) if how.include_rows else None,
        "examples": read_examples(machine, X, labels, predicted) if how.include_rows else None,
        "assumptions": [(str(one), one.key) for one in certificate.assumptions],
        "notes": certificate.notes,
        "reference": certificate.reference,
        "breaks": BREAKS,
        "recheck": {"has_file": is_menu(machine), "tail": _tail(certificate)},
        "version": __version__,
        "machine_name": form,
    }


def _evidence(machine: Any) -> dict[str, Any] | None:
    """What else the counted rows say of the chosen row; None if they say nothing."""
    if not hasattr(machine, "evidence_lines") or not (lines := machine.evidence_lines()):
        return None
    return {
        "sure": f"{100.0 * (1.0 - machine.delta):g} %",
        "lines": lines,
        "is_grouped": machine.certificate_.assumes("groups"),
    }


def is_menu(machine: Any) -> bool:
    """Whether a machine offers a menu, of forms or of covers."""
    return isinstance(machine, MenuMachine)


def _read_labels(machine: Any, X: Any, y: Any) -> tuple[NDArray[Any] | None, NDArray[Any] | None]:
    """Labels and predictions of the training data; None for machines that are not classifiers."""
    if not hasattr(machine, "classes_") or y is None:
        return None, None
    labels = np.asarray(y)
    n_samples = getattr(machine, "n_samples_", len(labels))
    if len(labels) != n_samples:
        raise ValueError(
            f"`X` and `y` must be the {n_samples} examples the machine was trained on, got "
            f"{len(labels)}. If weights were used, repeat the rows."
        )
    if X is None:
        return labels, None
    predicted = np.asarray(machine.predict(X))
    n_errors = int((predicted != labels).sum())
    expected = getattr(machine, "n_training_errors_", n_errors)
    if n_errors != expected:
        raise ValueError(
            "`X` and `y` must be the examples the machine was trained on: it made "
            f"{expected} errors on them, and makes {n_errors} on these."
        )
    return labels, predicted


def _menu(machine: Any) -> list[dict[str, Any]] | None:
    """One line a row of the menu; the chosen one is marked."""
    if not is_menu(machine):
        return None
    rows = zip(machine.candidates_, machine.menu_risks_.tolist(), strict=True)
    return [
        {
            "form": candidate.in_words(),
            "uses": candidate.uses_in_words(),
            "is_chosen": candidate.name == machine.chosen_,
            "value": repr(risk),
            "risk": percent_text(risk, is_padded=True),
        }
        for candidate, risk in rows
    ]


def _masses(machine: Any) -> str:
    """Who held which share of delta before anything was counted; empty if all forms are equal."""
    roles = getattr(getattr(machine, "candidate_", None), "roles", None)
    if roles is None or not is_menu(machine):
        return ""
    names = {candidate.rank: candidate.name for candidate in machine.candidates_}
    masses, held = roles.masses, dict(roles.ranks)
    shares = [
        f"{_ROLES[role]} ({names[rank]}) {100 * masses[rank - 1]:.3g} %"
        for role, rank in held.items()
        if rank in names
    ]
    rest = 1.0 - sum(float(masses[rank - 1]) for rank in held.values())
    if len(machine.candidates_) > len(held) and rest > 0.0:
        shares.append(f"all others together {100 * rest:.3g} %")
    return (
        f"Of the {100 * machine.delta:g} % that may fail, shares were given before anything was "
        f"counted: {', '.join(shares)}. A form with a smaller share has a wider limit for the same "
        "errors."
    )


def _rates(machine: Any, certificate: Certificate, how: SectionOptions) -> list[str]:
    """Sensitivity and specificity, and with which confidence all that is said holds at once."""
    if not is_menu(machine) or certificate != machine.certificate_:
        return []
    lines = [
        f"{rate['name'].capitalize()} ({rate['class']}): {rate['n_right']} of {rate['n']} counted, "
        # Rounded down: a limit from below must not be printed above itself.
        f"at least {np.floor(1000 * rate['at_least']) / 10:.1f} %."
        for rate in machine.class_rates(how.case)
    ]
    lines = lines if how.band is None else [how.band.sentence(), *lines]
    if _evidence(machine) is None:
        return [*lines, *filter(None, [machine.together(how.band)])]
    return [*lines, certificate.together([*machine.statements(how.band), "the evidence"])]


def _claim(certificate: Certificate, form: str) -> dict[str, Any]:
    """The claim of the page as data, which `handful verify` compares with the model."""
    names = ("risk", "delta", "bound", "quantity", "n_samples", "n_compressed", "n_errors")
    whole = certificate.to_dict()
    return {**{name: whole[name] for name in names}, "form": form}


def _headline(certificate: Certificate, first: str, more: Sequence[str]) -> dict[str, Any]:
    """The statement of the page; ``first`` is what must be said before it, ``more`` after it."""
    sentence = f"{first} {certificate.statement()}".strip()
    is_share = certificate.limit == 1.0
    value = percent_text(certificate.risk) if is_share else f"{certificate.risk:.6g}"
    meaning = [
        "Were the same procedure run again and again on fresh examples, the sentence it prints "
        f"would be wrong at most {_times(certificate.delta)}."
    ]
    if is_share and _is_error_rate(certificate) and not certificate.is_vacuous:
        # Rounded up: the sentence must not promise less than the certificate.
        n_errors = math.ceil(1000 * certificate.risk)
        meaning.append(f"Expect no more than {n_errors} wrong in 1000 new cases in the long run.")
    return {
        "sentence": sentence,
        "value": value,
        "confidence": confidence_text(certificate.delta),
        "is_vacuous": certificate.is_vacuous,
        "meaning": [*meaning, *more],
    }


def _caution(
    machine: Any,
    certificate: Certificate,
    labels: NDArray[Any] | None,
    predicted: NDArray[Any] | None,
) -> str:
    """The sentence that comes first if a classifier is hardly better than a guess; else ""."""
    if is_menu(machine) and certificate == machine.certificate_:
        return str(machine.caution())
    if labels is None or predicted is None:
        return ""
    values, counts = np.unique(labels, return_counts=True)
    named = np.unique(predicted)
    return caution(
        certificate,
        dict(zip(values.tolist(), counts.tolist(), strict=True)),
        n_errors=int((predicted != labels).sum()),
        constant=named.tolist()[0] if len(named) == 1 else None,
    )


def _is_error_rate(certificate: Certificate) -> bool:
    return certificate.limit == 1.0 and certificate.quantity.key in _ERROR_RATES


def _n_counted(certificate: Certificate) -> int | None:
    """Number of examples on which errors were counted; None if no errors are counted."""
    if certificate.bound == "held-out":
        return certificate.n_samples
    if certificate.bound not in COUNTING_BOUNDS or certificate.n_compressed is None:
        return None
    return certificate.n_samples - certificate.n_compressed


def _times(delta: float) -> str:
    n_runs = 1.0 / delta
    if n_runs >= 2 and abs(n_runs - round(n_runs)) < 1e-9:
        return f"once in {round(n_runs)} times"
    return f"in {100 * delta:.4g} % of the runs"


def _scale(certificate: Certificate, labels: NDArray[Any] | None) -> dict[str, Any] | None:
    """Marks on a line of risks: what was seen, what is certified, what a guess would do."""
    if not _is_error_rate(certificate):
        return None
    marks = []
    n_counted = _n_counted(certificate)
    if certificate.n_errors is not None and n_counted:
        text = f"{certificate.n_errors} of {n_counted} counted"
        marks.append(("errors seen", certificate.n_errors / n_counted, text, "seen"))
    marks.append(
        ("certificate", certificate.risk, f"at most {percent_text(certificate.risk)}", "risk")
    )
    if labels is not None:
        _, counts = np.unique(labels, return_counts=True)
        # A share of all examples, for orientation; it is no certificate.
        guess = float(1.0 - counts.max() / counts.sum())
        text = f"{percent_text(guess)} of these examples"
        marks.append(("errors of always naming the commonest class", guess, text, "guess"))
    end = min(1.0, 1.15 * max(value for _, value, _, _ in marks) or 1.0)
    return {
        "end": f"{100 * end:.3g} %",
        "marks": [
            {"name": name, "left": f"{100 * value / end:.3f}", "text": text, "kind": kind}
            for name, value, text, kind in marks
        ],
    }


def _facts(machine: Any, certificate: Certificate) -> list[tuple[str, str]]:
    is_grouped = certificate.assumes("groups")
    facts = [("groups counted" if is_grouped else "examples", f"{certificate.n_samples}")]
    columns = getattr(machine, "columns_", None)
    n_features = getattr(machine, "n_features_in_", None)
    if columns is not None:  # of a table: identifiers and the target are no features
        n_features = sum(column.role == "feature" for column in columns)
    if n_features is not None:
        facts.append(("features", str(n_features)))
    if hasattr(machine, "classes_"):
        facts.append(("classes", str(len(machine.classes_))))
    if is_menu(machine):
        facts.append(("rows of the menu", str(len(machine.candidates_))))
    cover = cover_of(machine)
    if cover is not None:
        facts.append(("rules", str(cover.n_rules)))
        facts.append(("made of examples", str(len(cover.made_of))))
    if certificate.n_compressed is not None:
        facts.append(("examples held back", str(certificate.n_compressed)))
    if certificate.n_errors is not None:
        facts.append(("errors counted", str(certificate.n_errors)))
    if certificate.unit == "nats" and certificate.terms:
        facts.append(("nats paid", f"{certificate.nats:.2f}"))
    return facts


def _rule(machine: Any, include_rows: bool) -> list[dict[str, Any]] | None:
    """Lines of the rule in words, each with its indentation, its words and its points."""
    if not is_menu(machine):
        return None
    lines = []
    for line in machine.chosen_lines(include_rows=include_rows):
        words, *points = _GAP.split(line.strip(), maxsplit=1)
        lines.append(
            {
                "indent": len(line) - len(line.lstrip(" ")),
                "words": _joined(words.split(" ")),
                "points": "".join(points),
            }
        )
    return lines


def _joined(words: list[str]) -> list[str]:
    """The words, with a comparison and its number as one, so that no line ends between them."""
    out: list[str] = []
    for word in words:
        if out and out[-1] in _COMPARISONS:
            out[-1] += f" {word}"
        else:
            out.append(word)
    return out


def _rules(machine: Any) -> dict[str, Any] | None:
    """One row a rule: when it fires, what it says and how often, or its weight in a vote."""
    cover = cover_of(machine)
    if not hasattr(machine, "get_rules") or (is_menu(machine) and cover is None):
        return None
    frame = machine.get_rules()
    if cover is not None:
        words = {"condition": "fires if", "label": "says", "n_covered": "examples"}
        frame = frame[list(words)].replace({"condition": {"": "otherwise"}}).rename(columns=words)
    else:
        frame = frame.drop(columns="form").dropna(subset="value")
        if frame.empty:
            return None
        # Heaviest first; equal weights stay in the order of the machine.
        order = frame["value"].abs().sort_values(ascending=False, kind="stable").index
        frame = frame.loc[order]
    kinds = ["number" if frame[name].dtype.kind in "if" else "text" for name in frame]
    return {
        "columns": list(zip(frame.columns, kinds, strict=True)),
        "rows": [[as_cell(value) for value in row] for row in frame.head(MAX_RULES).to_numpy()],
        "n_hidden": max(0, len(frame) - MAX_RULES),
    }


def _price(certificate: Certificate) -> dict[str, Any] | None:
    """Terms of the price, as bars; None if there are none."""
    if not certificate.terms:
        return None
    largest = max(abs(term.nats) for term in certificate.terms) or 1.0
    total = math.fsum(term.nats for term in certificate.terms)
    return {
        "unit": {"nats": "nats", "risk": "risk", "parts": "value"}[certificate.unit],
        "is_sum": certificate.unit != "parts",
        "total": f"{total:.4f}",
        "rows": [
            {
                "name": term.text,
                "value": term.nats,
                "text": f"{term.nats:.4f}",
                "width": f"{100 * abs(term.nats) / largest:.2f}",
                "share": f"{100 * term.nats / total:.0f} %" if total > 0 else "",
            }
            for term in certificate.terms
        ],
    }


def _tail(certificate: Certificate) -> dict[str, Any] | None:
    """The numbers of the binomial tail; None for bounds that are not one."""
    plain = certificate.bound in ("compression", "pool") and certificate.unit == "nats"
    if plain and certificate.n_errors is not None and certificate.n_compressed is not None:
        n_counted = certificate.n_samples - certificate.n_compressed
        if not certificate.is_vacuous and n_counted > 0:
            return {
                "n": n_counted,
                "k": certificate.n_errors,
                "nats": repr(certificate.nats),
                "risk": repr(certificate.risk),
            }
    return None
