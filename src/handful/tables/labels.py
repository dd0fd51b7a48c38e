"""The column to predict: its classes, which of them is the case, and their weights."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful.tables.cells import is_mark, map_distinct, word_of, written_numbers
from handful.tables.notes import Note

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
# words that are no class, unless the user says so
UNKNOWN = frozenset(
    {"unknown", "unk", "unclear", "not known", "undetermined", "indeterminate", "pending", "n/k"}
    | {"unsure", "uncertain", "lost to follow-up", "lost", "withdrawn", "unbekannt", "unklar"}
    | {"inconnu", "desconocido", "sconosciuto"}
)
# short marks mean something beside their counterpart only: 1 and 2 are codes
PAIRS = (("1", "0"), ("1", "-1"), ("+", "-"), ("y", "n"), ("t", "f"), ("j", "n"), ("o", "n"))


@dataclass(frozen=True)
class Classes:
    """The classes of a table, as the rows of its pool show them.

    Attributes
    ----------
    words : tuple of str
        In the order of their numbers or in alphabetical order; the case comes second of two if a
        word says which it is.
    positive : str or None
        The case, of two classes.
    is_positive_said : bool
        Whether the user or a word says so; else it is the rarer one.
    spelled : mapping of str to str
        Each word without capitals, in the spelling that the pool has most often.
    asked, unknown : tuple of Note
        Notes on spellings that are one class and on words that may be none, and on labels that are
        no class.
    notes : tuple of Note
        All notes, these among them.
    guessed : Note or None
        Of a case that the user named: the note, had nobody named it; none if it were another case.
    """

    words: tuple[str, ...]
    positive: str | None
    is_positive_said: bool
    spelled: Mapping[str, str]
    asked: tuple[Note, ...]
    unknown: tuple[Note, ...]
    notes: tuple[Note, ...]
    guessed: Note | None

    @property
    def places(self) -> dict[str, int]:
        """Position of each class."""
        return {word: k for k, word in enumerate(self.words)}

    def spell(self, cell: Any) -> str:
        """A label in the one spelling of its class; another label without capitals."""
        word = word_of(cell).casefold()
        return self.spelled.get(word, word)


@dataclass(frozen=True)
class LabelOptions:
    """What is known of labels beforehand.

    Attributes
    ----------
    positive : str, optional
        The class that is the case.
    classes : tuple of str, optional
        The classes in their order, if they were named before the data were seen.
    is_class : bool
        Whether the user says that the target is a class, however many values it has.
    is_open : bool
        Labels that the pool does not have are classes too.
    """

    positive: str | None = None
    classes: tuple[str, ...] | None = None
    is_class: bool = False
    is_open: bool = False


def read_classes(
    name: str,
    counts: Mapping[str, int],
    pool: Sequence[str],
    options: LabelOptions | None = None,
) -> Classes:
    """The classes of a target: capitals and blanks do not make a class of their own.

    Parameters
    ----------
    name : str
        Of the target, for messages.
    counts : mapping of str to int
        Rows of every word that is a label of the table.
    pool : sequence of str
        The words of the pool, which say what classes there are, how they are spelled and which is
        the case.
    options : LabelOptions, optional

    Examples
    --------
    >>> counts = {"malignant": 3, "benign": 1, "Malignant": 1}
    >>> found = read_classes("outcome", counts, ["malignant", "benign", "malignant"])
    >>> found.words, found.positive, found.spell("MALIGNANT ")
    (('benign', 'malignant'), 'malignant', 'malignant')
    """
    options = options or LabelOptions()
    spelled, merged = _spellings(name, pool)
    rows: Counter[str] = Counter()
    for word, n in counts.items():
        rows[spelled.get(word.casefold(), word.casefold())] += n
    _check_two(name, rows)
    asked = [*merged, *_doubtful(name, rows)]
    notes = list(asked)
    if (n_levels := _n_whole_numbers(rows)) >= _COUNT and not options.is_class:
        text = f"{name} has {n_levels} whole numbers: is it a count or a scale? Then cut it into "
        notes.append(Note("H026", f"{text}two classes."))
    known = rows if options.is_open else Counter(spelled[word.casefold()] for word in pool)
    case, how = _positive(known, options.positive)
    notes += _notes_on_case(case, how)
    guess, how = _positive(known, None)
    words, meant = _in_order(known), _by_meaning(sorted(known))[0]
    if meant is not None:
        words.sort(key=lambda word: word == meant)
    if options.classes is not None:
        words = _named(options.classes, words)
    unknown = unknown_labels({word: n for word, n in rows.items() if word not in words})
    return Classes(
        words=tuple(words),
        positive=case,
        is_positive_said=options.positive is not None or meant is not None,
        spelled={**spelled, **{word.casefold(): word for word in words}},
        asked=tuple(asked),
        unknown=unknown,
        notes=(*notes, *unknown),
        guessed=next(iter(_notes_on_case(guess, how) if guess == case else ()), None),
    )


def _in_order(words: Iterable[str]) -> list[str]:
    """Numbers by value, if all words are numbers; else in alphabetical order."""
    found = sorted(words)
    numbers = written_numbers(found)
    return found if numbers is None else [found[i] for i in np.argsort(numbers, kind="stable")]


def _named(given: tuple[str, ...], found: Sequence[str]) -> list[str]:
    """The classes that were named beforehand; they must be those of the pool, and may be more."""
    lower = [word.casefold() for word in given]
    unknown = [word for word in found if word.casefold() not in lower]
    if unknown or len(set(lower)) < len(lower):
        raise ValueError(
            f"`classes` must name the labels of the pool, {list(found)[:10]}, each once, got "
            f"{list(given)[:10]}. Name all classes before the data are seen, or leave `classes` "
            "out: then they are those of the pool."
        )
    return list(given)


def _doubtful(name: str, rows: Mapping[str, int]) -> list[Note]:
    """Notes on classes whose word says that nothing is known, if two others are left."""
    found = [word for word in sorted(rows) if word.casefold() in UNKNOWN]
    return [
        Note(
            "H023",
            f"{rows[word]} rows have the {name} {word!r}: is it a class? If it means that nothing "
            f"is known, leave them out with --missing {name}={word} --drop-missing-target.",
        )
        for word in (found if len(rows) > 2 else ())
    ]


def labelled_rows(
    name: str,
    cells: Sequence[Any],
    *,
    drop_missing: bool = False,
    marks: Collection[str] = (),
) -> tuple[NDArray[np.int64], list[Note]]:
    """Positions of the rows that have a label, and a note if others were left out."""
    gone = map_distinct(cells, lambda cell: is_mark(cell, marks))
    is_missing = np.array(gone, dtype=bool)
    if is_missing.any() and not drop_missing:
        numbers = (np.flatnonzero(is_missing) + 1).tolist()
        shown = ", ".join(map(str, numbers[:5])) + (", …" if len(numbers) > 5 else "")
        raise ValueError(
            f"the target column {name[:80]!r} has no label in {len(numbers)} rows ({shown}). "
            "Fill them in, or leave these rows out with --drop-missing-target."
        )
    n_gone = int(is_missing.sum())
    notes = [Note("H061", f"{n_gone} rows without a label were left out.")] if n_gone else []
    return np.flatnonzero(~is_missing), notes


def unknown_labels(counts: Mapping[str, int]) -> tuple[Note, ...]:
    """Notes on labels that are no class, because the pool does not have them.

    Examples
    --------
    >>> unknown_labels({"x": 2})
    ("2 rows have the label 'x', which the pool does not know: each counts as an error of every form.",)
    """  # noqa: E501
    words = sorted(counts)
    said = [(counts[word], f"the label {word[:40]!r}") for word in words[:MAX_CLASSES]]
    if more := words[MAX_CLASSES:]:
        said.append((sum(counts[word] for word in more), f"one of {len(more)} other labels"))
    sentences = (
        f"1 row has {what}, which the pool does not know: it counts as an error of every form."
        if n == 1
        else f"{n} rows have {what}, which the pool does not know: each counts as an error of "
        "every form."
        for n, what in said
    )
    return tuple(Note("H028", sentence) for sentence in sentences)


def _n_whole_numbers(words: Collection[str]) -> int:
    """Number of classes, if all are whole numbers."""
    is_whole = all(word.removeprefix("-").isdecimal() for word in words)
    return len(words) if is_whole else 0


def _spellings(name: str, words: Sequence[str]) -> tuple[dict[str, str], list[Note]]:
    """For words without capitals the spelling that is most frequent, and notes on merged ones."""
    forms: dict[str, Counter[str]] = {}
    for word, n_rows in Counter(words).items():
        forms.setdefault(word.casefold(), Counter())[word] = n_rows
    # the most frequent spelling stands for all, the first in the alphabet among equals
    chosen = {key: min(c, key=lambda form: (-c[form], form)) for key, c in forms.items()}
    notes = [
        Note(
            "H029",
            ", ".join(repr(form[:40]) for form in sorted(counts)[:10])
            + f" in {name} are one class.",
        )
        for counts in forms.values()
        if len(counts) > 1
    ]
    return chosen, notes


def _check_two(name: str, words: Collection[str]) -> None:
    if len(words) < 2:
        raise ValueError(
            f"the target column {name[:80]!r} has one value only "
            f"({next(iter(words), '')[:80]!r}). "
            "Two classes are needed; is it the right column?"
        )


def check_few_classes(name: str, cells: Sequence[Any]) -> None:
    """Refuse a target column of so many values that it is a measurement more often than a class."""
    n_values = len(set(map_distinct(cells, lambda cell: word_of(cell).casefold())))
    if n_values > MAX_CLASSES:
        raise ValueError(
            f"the target column {name[:80]!r} has {n_values} different values, more than "
            f"{MAX_CLASSES}. If it is a class all the same, say so with --categories {name[:80]}; "
            "if it is a number, cut it into classes first."
        )


def _positive(counts: Mapping[str, int], positive: str | None) -> tuple[str | None, str]:
    """The case among two classes, and how it is known."""
    classes = sorted(counts)
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
    rarer = min(classes, key=lambda word: (counts[word], word))
    return rarer, ", the rarer one; choose with --positive"


def _notes_on_case(case: str | None, how: str) -> list[Note]:
    return [] if case is None else [Note("H031", f"The case is {case!r}{how}.")]


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
