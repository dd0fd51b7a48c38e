"""The column to predict: its classes, which of them is the case, and their weights."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful.tables.cells import is_mark, map_distinct, word_of

MAX_CLASSES = 10  # more distinct values are a measurement more often than a class
_COUNT = 4  # classes that are whole numbers may be a count from here on
# words that mean the case, and words that mean its absence, in the order in which they are tried
CASES = (
    *("case", "abnormal", "malignant", "diseased", "sick", "ill", "dead", "died", "deceased"),
    *("cancer", "tumor", "tumour", "infected", "krank", "tot", "verstorben", "bösartig", "maligne"),
    *("malade", "décédé", "enfermo", "muerto", "malato", "maligno", "fall", "cas", "caso"),
    *("event", "relapse", "recurrence", "failure", "fail", "faulty", "defective", "fraud", "bad"),
    *("positive", "pos", "present", "yes", "true", "ja", "oui", "sí", "si", "sì"),
    *("positiv", "positif", "positivo"),
)
CONTROLS = (
    *("control", "normal", "benign", "healthy", "well", "alive", "survived", "no event"),
    *("gesund", "lebend", "gutartig", "sain", "vivant", "sano", "vivo", "kontrolle", "contrôle"),
    *("no relapse", "no recurrence", "success", "pass", "ok", "intact", "good", "negative"),
    *("neg", "absent", "no", "false", "nein", "non", "negativ", "négatif"),
    *("negativo",),
)
# short marks mean something beside their counterpart only: 1 and 2 are codes
PAIRS = (("1", "0"), ("1", "-1"), ("+", "-"), ("y", "n"), ("t", "f"), ("j", "n"), ("o", "n"))


@dataclass(frozen=True)
class Labels:
    """Classes of the examples.

    Attributes
    ----------
    y : ndarray of str
        One label a row that has one.
    rows : ndarray of int
        Positions of these rows in the table.
    positive : str or None
        The case, of two classes.
    is_positive_said : bool
        Whether the user or a word says so; else it is the rarer one.
    classes : tuple of str
        In alphabetical order, but that the case comes second if a word says which it is.
    notes : tuple of str
    """

    y: NDArray[Any]
    rows: NDArray[np.int64]
    positive: str | None
    is_positive_said: bool
    classes: tuple[str, ...]
    notes: tuple[str, ...]


def read_labels(
    name: str,
    cells: Sequence[Any],
    *,
    positive: str | None = None,
    drop_missing: bool = False,
    is_class: bool = False,
    pool: NDArray[np.int64] | None = None,
    is_open: bool = False,
) -> Labels:
    """Labels in one normal form: capitals and blanks do not make a class of their own.

    Parameters
    ----------
    name : str
        Of the target column, for messages.
    cells : sequence
    positive : str, optional
        The class that is the case.
    drop_missing : bool
        Leave out rows without a label instead of refusing them.
    is_class : bool
        The user says that it is a class, however many there are.
    pool : ndarray of int, optional
        Which of the rows that have a label say what classes there are, how they are spelled and
        which is the case; all of them by default. Another label is spelled without capitals.
    is_open : bool
        Labels that the pool does not know are classes too.

    Examples
    --------
    >>> labels = read_labels("outcome", ["malignant", "benign", "Malignant", "malignant "])
    >>> labels.y.tolist(), labels.positive
    (['malignant', 'benign', 'malignant', 'malignant'], 'malignant')
    """
    rows, left_out = labelled_rows(name, cells, drop_missing=drop_missing)
    words = map_distinct([cells[i] for i in rows.tolist()], word_of)
    deciding = words if pool is None else [words[i] for i in pool.tolist()]
    merged, notes = _merge(name, words, deciding)
    notes += left_out
    _check_classes(name, merged, is_class)
    if (n_levels := _n_whole_numbers(merged)) >= _COUNT and not is_class:
        notes.append(
            f"{name} has {n_levels} whole numbers: is it a count or a scale? Then cut it into two "
            "classes."
        )
    known = merged if pool is None or is_open else [merged[i] for i in pool.tolist()]
    case, how = _positive(known, positive)
    if case is not None:
        notes.append(f"The case is {case!r}{how}.")
    classes = sorted(set(known))
    if (meant := _by_meaning(classes)[0]) is not None:
        classes.sort(key=lambda word: word == meant)
    counts = Counter(word for word in merged if word not in classes)
    return Labels(
        y=np.array(merged, dtype=object),
        rows=rows,
        positive=case,
        is_positive_said=positive is not None or meant is not None,
        classes=tuple(classes),
        notes=(*notes, *unknown_labels(counts)),
    )


def labelled_rows(
    name: str, cells: Sequence[Any], *, drop_missing: bool = False
) -> tuple[NDArray[np.int64], list[str]]:
    """Positions of the rows that have a label, and a note if others were left out."""
    is_missing = np.array(map_distinct(cells, is_mark), dtype=bool)
    if is_missing.any() and not drop_missing:
        numbers = (np.flatnonzero(is_missing) + 1).tolist()
        shown = ", ".join(map(str, numbers[:5])) + (", …" if len(numbers) > 5 else "")
        raise ValueError(
            f"the target column {name[:80]!r} has no label in {len(numbers)} rows ({shown}). "
            "Fill them in, or leave these rows out with --drop-missing-target."
        )
    n_gone = int(is_missing.sum())
    notes = [f"{n_gone} rows without a label were left out."] if n_gone else []
    return np.flatnonzero(~is_missing), notes


def unknown_labels(counts: Mapping[str, int]) -> tuple[str, ...]:
    """Notes on labels that are no class, because the pool does not have them.

    Parameters
    ----------
    counts : mapping of str to int
        Rows of each such label.

    Examples
    --------
    >>> unknown_labels({"x": 2})
    ("2 rows have the label 'x', which the pool does not know: each counts as an error of every form.",)
    """  # noqa: E501
    words = sorted(counts)
    said = [(counts[word], f"the label {word[:40]!r}") for word in words[:MAX_CLASSES]]
    if more := words[MAX_CLASSES:]:
        said.append((sum(counts[word] for word in more), f"one of {len(more)} other labels"))
    return tuple(
        f"1 row has {what}, which the pool does not know: it counts as an error of every form."
        if n == 1
        else f"{n} rows have {what}, which the pool does not know: each counts as an error of "
        "every form."
        for n, what in said
    )


def _n_whole_numbers(words: Sequence[str]) -> int:
    """Number of classes, if all are whole numbers."""
    classes = set(words)
    is_whole = all(word.removeprefix("-").isdecimal() for word in classes)
    return len(classes) if is_whole else 0


def _merge(name: str, words: Sequence[str], deciding: Sequence[str]) -> tuple[list[str], list[str]]:
    """The words in one spelling: the one that is most frequent among those that decide."""
    forms: dict[str, Counter[str]] = {}
    for word, n_rows in Counter(deciding).items():
        forms.setdefault(word.casefold(), Counter())[word] = n_rows
    # the most frequent spelling stands for all, the first in the alphabet among equals
    chosen = {key: min(c, key=lambda form: (-c[form], form)) for key, c in forms.items()}
    notes = [
        f"{', '.join(repr(form[:40]) for form in sorted(counts)[:10])} in {name} are one class."
        for counts in forms.values()
        if len(counts) > 1
    ]
    return map_distinct(words, lambda word: chosen.get(word.casefold(), word.casefold())), notes


def _check_classes(name: str, words: Sequence[str], is_class: bool) -> None:
    classes = set(words)
    if len(classes) < 2:
        raise ValueError(
            f"the target column {name[:80]!r} has one value only "
            f"({next(iter(classes), '')[:80]!r}). "
            "Two classes are needed; is it the right column?"
        )
    if len(classes) > MAX_CLASSES and not is_class:
        raise ValueError(
            f"the target column {name[:80]!r} has {len(classes)} different values, more than "
            f"{MAX_CLASSES}. If it is a class all the same, say so with --categories {name[:80]}; "
            "if it is a number, cut it into classes first."
        )


def _positive(words: Sequence[str], positive: str | None) -> tuple[str | None, str]:
    """The case among two classes, and how it is known."""
    classes = sorted(set(words))
    if positive is not None:
        wanted = {word.casefold(): word for word in classes}
        if len(classes) != 2:
            raise ValueError(f"`--positive` needs two classes, got {len(classes)}. Leave it out.")
        if positive.strip().casefold() not in wanted:
            raise ValueError(
                f"`--positive` must be one of {[c[:40] for c in classes]}, got {positive!r}."
            )
        return wanted[positive.strip().casefold()], ""
    if len(classes) != 2:
        return None, ""
    meant, how = _by_meaning(classes)
    if meant is not None:
        return meant, how
    counts = Counter(words)
    rarer = min(classes, key=lambda word: (counts[word], word))
    return rarer, ", the rarer one; choose with --positive"


def _by_meaning(classes: Sequence[str]) -> tuple[str | None, str]:
    """The case among two words, if they say so, and how."""
    if len(classes) != 2:
        return None, ""
    lower = [word.casefold() for word in classes]
    for case, control in PAIRS:
        if set(lower) == {case, control}:
            return classes[lower.index(case)], ", by its meaning"
    for case in CASES:
        if case in lower:
            return classes[lower.index(case)], ", by its meaning"
    for control in CONTROLS:
        if control in lower:
            return classes[1 - lower.index(control)], ", by the meaning of the other"
    return None, ""


def class_weights(
    class_weight: Mapping[Any, float] | str | None, classes: NDArray[Any], codes: NDArray[np.intp]
) -> NDArray[np.float64] | None:
    """Weight of each row from the weights of the classes; None if all are one.

    Parameters
    ----------
    class_weight : dict, "balanced" or None
        By label; labels left out weigh 1. "balanced" is n_rows / (n_classes * n_rows_of_class).
    classes : ndarray
        The labels, sorted.
    codes : ndarray of int
        Position in ``classes`` of each row's label.

    Examples
    --------
    >>> import numpy as np
    >>> class_weights({"ill": 5.0}, np.array(["ill", "well"]), np.array([0, 1, 1]))
    array([5., 1., 1.])
    """
    if class_weight is None:
        return None
    if isinstance(class_weight, str):
        if class_weight != "balanced":
            raise ValueError(
                f"`class_weight` must be a dict, 'balanced' or None, got {class_weight!r}."
            )
        counts = np.bincount(codes, minlength=classes.size)
        return np.asarray((codes.size / (classes.size * np.maximum(counts, 1.0)))[codes])
    if not isinstance(class_weight, Mapping):
        raise TypeError(
            f"`class_weight` must be a dict, 'balanced' or None, got {class_weight!r}. "
            "Give one weight a label."
        )
    return _from_mapping(class_weight, classes)[codes]


def _from_mapping(class_weight: Mapping[Any, float], classes: NDArray[Any]) -> NDArray[np.float64]:
    known = classes.tolist()
    unknown = [label for label in class_weight if label not in known]
    if unknown:
        raise ValueError(
            f"`class_weight` must name classes of `y`, got {unknown[0]!r}. They are {known}."
        )
    weights = np.array([float(class_weight.get(label, 1.0)) for label in known])
    if not (np.isfinite(weights).all() and (weights > 0.0).all()):
        raise ValueError(
            f"`class_weight` must hold positive numbers, got {dict(class_weight)!r}. "
            "Leave the rows of a class out instead of giving them no weight."
        )
    return weights
