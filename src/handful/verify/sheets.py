"""Tables as the auditor reads them: which rows, in which order, and what their cells say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful.verify.audit import Audit, Document, Floats, Ints
from handful.verify.redraw import (
    Blocks,
    contents,
    digest_of_table,
    drawn_order,
    is_missing,
    make_blocks,
    name_digest,
    places,
    row_difference,
    row_digests_of,
    word_form,
)
from handful.verify.written_cells import chapter, two_numbers, written_number

LARGEST_POOL = 10_000  # as the library's, whose pool is drawn again
_NOTHING = frozenset(
    [
        *("", "?", ".", "--", "na", "n/a", "n.a.", "nan", "#n/a", "<na>", "null", "#null!"),
        *("missing", "not available", "not done", "n.d.", "k.a.", "#value!", "#div/0!"),
    ]
)
_EMPTY = frozenset(
    [
        *("?", "", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND"),
        *("1.#QNAN", "<NA>", "N/A", "NA", "NULL", "NaN", "n/a", "nan", "null"),
    ]
)
_TRUST = (
    "the library's own rules read the raw table: what its columns hold and what they are for, by "
    "the rows that were set aside"
)
# Notes that the rows do not show: how a file was read, and, without a menu, which of its rows.
OF_MENUS, _OF_COVERS = ("H060",), ("H060", "H061")
_OPEN = "how the columns of the table were read"


@dataclass(frozen=True, eq=False)
class Sheet:
    """The rows that a file is about, by the numbers that it gives them.

    Attributes
    ----------
    columns : mapping of str to array
        Cells by column.
    labels : list of str
    digests : list of bytes
        One a row.
    digest : str
        Of the whole table.
    blocks : Blocks
        What is drawn and counted as one: rows, or groups of rows, in the order of the draw.
    rows : ndarray
        Where each row is in the data as they were given.
    """

    columns: Mapping[str, Any]
    labels: list[str]
    digests: list[bytes]
    digest: str
    blocks: Blocks
    rows: Ints

    @property
    def n_distinct(self) -> int:
        """Rows, or groups, of different content."""
        if not self.blocks.is_grouped:
            return len(set(self.digests))
        names = {i: str(k) for k, rows in enumerate(self.blocks.rows_of) for i in rows}
        groups = [names[i] for i in range(len(self.digests))]
        return len(set(contents(groups, self.digests)))


@dataclass(frozen=True, eq=False)
class Given:
    """Data as somebody gave them to the re-check.

    ``raw`` are all labelled rows of the raw table that they come from, if they come from one, and
    ``reading`` says how its columns are read. ``once`` keeps what is made for a key.
    """

    X: Any
    y: Any
    groups: Any
    raw: Any
    reading: Document | None
    once: Callable[[Any, Callable[[], Any]], Any]


def pool_size_of(share: Any, n_units: int) -> int:
    """How many rows, or groups, a menu learns from; something is always left to count."""
    return min(max(1, round(share * n_units)), LARGEST_POOL, max(1, n_units - 1))


def names_of(X: Any) -> list[str]:
    """Names of the columns; those of an array are x0, x1, and so on."""
    if hasattr(X, "columns"):
        return [str(name) for name in X.columns]
    return [f"x{j}" for j in range(np.asarray(X).shape[1])]


def column_at(X: Any, j: int) -> Any:
    """A column by its place."""
    if not hasattr(X, "columns"):
        return np.asarray(X)[:, j]
    return X.iloc[:, j] if hasattr(X, "iloc") else X[X.columns[j]]


def names_in(X: Any, digests: Sequence[Any] | None) -> list[str] | None:
    """Names of the columns that a file knows by digest; those that are not there once are lacking.

    None for a file about an array.
    """
    if digests is None:
        return None
    names = names_of(X) if hasattr(X, "columns") else []
    known = {name_digest(name): name for name in names if names.count(name) == 1}
    return [known[digest] for digest in digests if isinstance(digest, str) and digest in known]


# -- a raw table -------------------------------------------------------------------------------


def raw_sheet(frame: Any, reading: Document, share: float) -> Sheet:
    """The labelled rows of a raw table, as a file says that it was read."""
    names = names_of(frame)
    cells = [_raw_cells(column_at(frame, j)) for j in range(len(names))]
    place = names.index(reading["target"])
    marks = _said_marks(reading)
    is_labelled = [not is_nothing(cell, marks) for cell in cells[place]]
    if not all(is_labelled) and not reading["drop_missing_target"]:
        raise ValueError("rows without a label, which the file does not leave out")
    rows = np.flatnonzero(is_labelled)
    cells = [column[rows] for column in cells]
    order = sorted(range(len(names)), key=lambda j: (names[j], j))
    digests = row_digests_of([cells[j] for j in order if j != place], cells[place].tolist())
    digest = digest_of_table(digests)
    groups = None
    if reading["groups"] is not None:
        groups = [word_form(cell) for cell in cells[names.index(reading["groups"])]]
    blocks = make_blocks(drawn_order(digests, digest, None), groups, digests, None)
    pool = blocks.rows(pool_size_of(share, blocks.n))
    labels = _labels(cells[place], pool)
    return Sheet(dict(zip(names, cells, strict=True)), labels, digests, digest, blocks, rows)


def _said_marks(reading: Document) -> list[str]:
    """What the user calls missing, or an answer, among the labels."""
    keys, said = ("", reading["target"]), {"": reading["missing"], "≠": reading["not_missing"]}
    words = [(sign, word) for sign, by in said.items() for key in keys for word in by.get(key, [])]
    return [sign + word_form(word).casefold() for sign, word in words]


def _raw_cells(series: Any) -> NDArray[Any]:
    """Cells of a column; dates as they are written, without an hour of midnight."""
    kind = getattr(series.dtype, "kind", "O")
    if kind not in "OmM":
        return np.asarray(series)
    if kind == "O":  # empty words and their like are no words
        cells = [None if isinstance(c, str) and c in _EMPTY else c for c in series]
    else:
        cells = [None if is_missing(c) else str(c).removesuffix(" 00:00:00") for c in series]
    out = np.empty(len(cells), dtype=object)
    out[:] = cells
    return out


def _labels(cells: Any, pool: Ints) -> list[str]:
    """Labels, of several spellings the pool's most frequent one (the first among equals)."""
    words = [word_form(cell) for cell in cells]
    counts: dict[str, Counter[str]] = {}
    for word in (words[i] for i in sorted(pool)):
        counts.setdefault(word.casefold(), Counter())[word] += 1
    spelled = {key: sorted(c, key=lambda w, c=c: (-c[w], w))[0] for key, c in counts.items()}  # type: ignore[misc]
    return [spelled.get(word.casefold(), word.casefold()) for word in words]


# -- a table that was given clean, or that the library cleaned -----------------------------------


def clean_sheet(audit: Audit, document: Document, given: Given) -> Sheet | None:
    """The training rows by their numbers, if these are the training data."""
    data = document["data"]
    X, labels = given.X, np.asarray(given.y, dtype=object)
    audit.equal("number of rows", data["n_rows"], len(labels))
    digested = _digested_rows(audit, document, given)
    if digested is None:
        return None
    rows, digest = digested
    at: Ints | None = np.arange(len(rows))
    if data["sha256"] is None:
        audit.trust("these are the training data: the file has no digest of them")
    else:
        is_same = data["sha256"] == digest
        detail = "" if is_same else row_difference(rows, data)
        if not audit.check("the training data", is_same, detail):
            return None
        at = places(rows, data)
    if not audit.check("codes of the training rows", at is not None, "are not those of the data"):
        return None
    assert at is not None
    digests = [rows[i] for i in at]
    groups = _groups_of(audit, document, given)
    if groups is None:
        return None
    members = np.asarray(given.groups, dtype=object)[at].tolist() if groups else None
    order = drawn_order(digests, digest, data["seed"])
    blocks = make_blocks(order, members, digests, data["seed"])
    names = names_of(X if data["features"] is not None else np.asarray(X))
    cells = [np.asarray(column_at(X, j), dtype=object)[at] for j in range(len(names))]
    columns = dict(zip(names, cells, strict=True))
    # Labels that are no words are written beside their classes: 1.0 may be the word 1.
    classes = document["fitted"]["classes"]
    words = dict(zip(map(str, document["labels"] or classes), classes, strict=True))
    spelled = [words.get(str(label), str(label)) for label in labels[at]]
    return Sheet(columns, spelled, digests, digest, blocks, at)


def _groups_of(audit: Audit, document: Document, given: Given) -> bool | None:
    """Whether the file is about groups; None if the data say otherwise."""
    training = document["training"]
    is_grouped = training["kind"] == "rules" and training["group_loss"] is not None
    is_open = training["kind"] == "menu"  # groups are left open together with the training
    said = "the file is about groups, which must be given" if is_grouped else "the file knows none"
    holds = audit.check("groups", is_open or is_grouped == (given.groups is not None), said)
    return is_grouped if holds else None


def _digested_rows(
    audit: Audit, document: Document, given: Given
) -> tuple[list[bytes], str] | None:
    """Digests of the rows over the columns that the file names, and that of the table."""
    data, X, y = document["data"], given.X, given.y
    if given.raw is not None:
        X, y = _left_rows(audit, data, given)
    seed = data["seed"]
    is_seed = seed is None or type(seed) is int
    if not audit.check("seed", is_seed, f"must be a whole number or null, got {seed!r}"):
        return None
    said = data["columns"]
    covered = names_in(X, said)
    absent = len(said or []) - len(covered or [])
    if not audit.check("columns", not absent, f"{absent} of {len(said or [])} are not in the data"):
        return None
    if given.raw is None and data["reading"] is not None and hasattr(X, "columns"):
        covered = names_of(X)  # the reading is of the whole table
    key = None if covered is None else tuple(covered), len(X), repr(data["reading"])

    def make() -> tuple[list[bytes], str]:
        names = names_of(X)
        found = range(len(names)) if covered is None else map(names.index, sorted(covered))
        rows = row_digests_of([column_at(X, j) for j in found], y)
        return rows, digest_of_table(rows)

    found: tuple[list[bytes], str] = given.once(("digests", key), make)
    return found


def n_set_aside(n: int) -> int:
    """How many rows, or groups, are set aside; it depends on their number alone."""
    return max(1, min(max(20, round(n / 10)), n // 4, 1000))


def _left_rows(audit: Audit, data: Document, given: Given) -> tuple[Any, Any]:
    """The rows of a raw table that were not set aside, drawn again, and their raw labels."""
    raw, target = given.raw, data["reading"]["target"]
    names = names_of(raw)
    labels, others = column_at(raw, names.index(target)), sorted(n for n in names if n != target)
    columns = [column_at(raw, names.index(name)) for name in others]
    rows = given.once(("raw digests", target), lambda: row_digests_of(columns, labels))
    groups = None
    if data["reading"]["groups"] is not None:
        groups = list(column_at(raw, names.index(data["reading"]["groups"])))
    blocks = make_blocks(drawn_order(rows, digest_of_table(rows), None), groups, rows, None)
    aside = blocks.rows(n_set_aside(blocks.n))
    audit.equal("rows set aside", data["n_set_aside"], len(aside))
    left = np.setdiff1d(np.arange(len(rows)), aside)
    return raw.iloc[left], labels.iloc[left]


def check_reading(audit: Audit, document: Document, given: Given, *, is_open: bool) -> bool:
    """Whether cells are read as the table itself says; the words of rules are checked later.

    ``is_open`` if the reading is left open together with the training.
    """
    data, reading = document["data"], given.reading
    columns = document["fitted"]["columns"]["columns"]
    if is_open and reading is None:
        audit.leave(_OPEN)
        return True
    if data["reading"] is None:
        holds = audit.check("reading", reading is None, "the file is about a table that was clean")
        holds &= audit.equal("rows set aside", data["n_set_aside"], 0)
        return holds & all(_is_clean(audit, column, given.X) for column in columns)
    audit.trust(_TRUST)
    if not audit.check("reading", reading is not None, "the raw table is needed, got a clean one"):
        return False
    assert reading is not None
    holds = audit.equal("reading: options", data["reading"], reading["reading"])
    holds &= audit.equal("reading: rows", data["n_set_aside"], reading["n_set_aside"])
    ours = {column["name"]: column for column in reading["columns"]}
    read = {"", *(column["name"] for column in columns)}
    again = [versions for name, versions in reading["notes"] if name in read]
    audit.notes(document, again, _OF_COVERS)
    holds &= audit.equal("reading: columns", data["n_features"], len(reading["columns"]))
    for column in columns:
        plain = {**column, "words": None if column["words"] is None else []}
        holds &= audit.equal(f"reading of {column['name']!r}", plain, ours.get(column["name"]))
    return holds


def _is_clean(audit: Audit, column: Document, X: Any) -> bool:
    """Whether a column is taken as it is: numbers, words, or ordered categories of the data."""
    name, levels = column["name"], _levels(X, column["name"])
    kind = "" if column["words"] is None else "words"
    if kind == "" and column["kind"] == "number":  # which numbers are, too
        kind = "number"
    plain = {"kind": "ordered" if levels else kind, "levels": levels, "style": "plain", "marks": []}
    return audit.equal(f"reading of {name!r}", {key: column[key] for key in plain}, plain)


def _levels(X: Any, name: str) -> list[str]:
    """Ordered categories of a column of the data; none for other columns."""
    names = names_of(X)
    if names.count(name) != 1 or not hasattr(X, "iloc"):
        return []
    dtype = X.iloc[:, names.index(name)].dtype
    return [word_form(w) for w in dtype.categories] if getattr(dtype, "ordered", False) else []


def are_offered(audit: Audit, document: Document, X: Any) -> bool:
    """Whether the data have all features that were offered, used or not, each once."""
    n, said, names = document["data"]["n_features"], document["data"]["features"], names_of(X)
    detail = f"the file says {n!r}, the data have {len(names)}"
    is_possible = type(n) is int and (n == len(names) if said is None else 0 < n <= len(names))
    if not audit.check("number of features", is_possible, detail):
        return False
    is_whole = said is None or len(names_in(X, said) or []) == len(said) == n
    return audit.check("features", is_whole, "are not all in the data")


def offered_places(document: Document, X: Any) -> list[int]:
    """Places in the data of all features that were offered."""
    names, found = names_of(X), names_in(X, document["data"]["features"])
    return list(range(len(names))) if found is None else [names.index(name) for name in found]


def wide_rows(X: Any, at: Sequence[int], words: Sequence[list[str] | None]) -> Floats:
    """All features that were offered as numbers; words by their places among those known."""
    out = []
    for j, own in zip(at, words, strict=True):
        column = column_at(X, j)
        if getattr(getattr(column, "dtype", None), "ordered", False):
            out.append(np.array([np.nan if code < 0 else float(code) for code in column.cat.codes]))
        else:
            spec = {"kind": "" if own is None else "words", "words": own, "marks": []}
            out.append(_values(spec, np.asarray(column, dtype=object)))
    return np.array(out, dtype=float).T


def words_of(column: Any) -> list[str]:
    """All words of a column, in order."""
    cells = np.asarray(column, dtype=object)
    return sorted({word_form(cell) for cell in cells if not is_missing(cell)})


# -- cells as numbers ----------------------------------------------------------------------------


def is_nothing(cell: Any, marks: Sequence[str] = ()) -> bool:
    """Whether a cell says that nothing is known."""
    if is_missing(cell):
        return True
    word = str(cell).strip().casefold()
    if word in marks or word_form(cell).casefold() in marks:
        return True
    # A usual mark may be an answer in a column: the file then has it with ≠ before it.
    return isinstance(cell, str) and word in _NOTHING and f"≠{word}" not in marks


def encode(columns: Sequence[Document], cells: Mapping[str, Any]) -> Floats:
    """Numbers of all rows as the columns of a file ask for them, NaN if nothing is known."""
    out = []
    for column in columns:
        values, words = _values(column, cells[column["name"]]), column["words"]
        gone = np.isnan(values)
        if column["kind"] == "two numbers":
            out += [values, _second_numbers(column, cells[column["name"]])]
        elif words is None:
            out.append(values)
        else:
            out += [np.where(gone, np.nan, values == k) for k in range(len(words))]
        if column["has_missing"]:
            out.append(gone.astype(float))
    n_rows = len(next(iter(cells.values())))
    return np.array(out, dtype=float).T if out else np.empty((n_rows, 0))


def table_of(columns: Sequence[Document], cells: Mapping[str, Any]) -> Any:
    """All rows as a table: numbers as numbers, other cells as they are."""
    import pandas as pd

    out = {column["name"]: cells[column["name"]] for column in columns}
    for column in columns:
        if column["kind"] == "number" and out[column["name"]].dtype.kind == "O":
            out[column["name"]] = _values(column, out[column["name"]])
    return pd.DataFrame(out)


def _values(column: Document, cells: NDArray[Any]) -> Floats:
    kind, marks = column["kind"], column["marks"]
    if kind == "date":
        return _each(cells, lambda cell: _days(cell, marks))
    if kind == "two numbers":
        return _each(cells, lambda cell: two_numbers(cell, is_nothing(cell, marks))[0])
    if kind == "number":
        return _each(cells, lambda cell: _number(cell, column["style"], marks))
    if kind == "":
        return _each(cells, lambda cell: np.nan if is_missing(cell) else float(cell))
    if kind == "words":
        exact = _numbered(column["words"])
        return _each(cells, lambda c: np.nan if is_missing(c) else exact.get(word_form(c), -1.0))
    return _word_places(column, cells)


def _word_places(column: Document, cells: NDArray[Any]) -> Floats:
    kind, marks = column["kind"], column["marks"]
    if kind not in ("yes/no", "category", "text", "ordered"):
        raise ValueError(f"a column of the kind {kind!r}")
    place = _numbered(
        word.casefold() for word in column["levels" if kind == "ordered" else "words"]
    )
    other = np.nan if kind == "ordered" else -1.0  # on no place of a scale
    form = chapter if column["style"] == "icd-10 chapters" else word_form
    return _each(
        cells,
        lambda c: np.nan if is_nothing(c, marks) else place.get(form(c).casefold(), other),
    )


def _second_numbers(column: Document, cells: NDArray[Any]) -> Floats:
    marks = column["marks"]
    return _each(cells, lambda cell: two_numbers(cell, is_nothing(cell, marks))[1])


def _each(cells: Iterable[Any], read: Callable[[Any], float]) -> Floats:
    return np.array([read(cell) for cell in cells], dtype=float)


def _numbered(words: Iterable[str]) -> dict[str, float]:
    return {word: float(k) for k, word in enumerate(words)}


def _number(cell: Any, style: str, marks: Sequence[str]) -> float:
    if isinstance(cell, (int, float, np.number, np.bool_)):
        value = float(cell)
        is_gone = np.isinf(value) or any(_same(value, mark) for mark in marks)
        return np.nan if is_gone else value
    if is_nothing(cell, marks):
        return np.nan
    return written_number(str(cell), style)


def _same(value: float, mark: str) -> bool:
    try:
        return value == float(mark)
    except ValueError:
        return False


def _days(cell: Any, marks: Sequence[str]) -> float:
    import pandas as pd

    if is_nothing(cell, marks):
        return np.nan
    time = pd.to_datetime(str(cell), errors="coerce", dayfirst="." in str(cell))
    if time is pd.NaT:
        return np.nan
    return float((time.tz_localize(None) - pd.Timestamp(0)) / pd.Timedelta("1D"))
