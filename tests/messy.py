"""Tables as people bring them, made here: each has one or more of the troubles of real ones.

`TABLES` maps a name to a function of no arguments that gives a `Messy`. Values are drawn from a
generator whose seed is the name, so a table is the same in every run.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class Messy:
    """A table of text cells as a file holds them, its target, and the options it needs.

    Attributes
    ----------
    frame : DataFrame
        All cells are text; an empty cell is "".
    options : tuple of str
        Options of the command line beside ``--target``.
    choices : dict
        The same options as arguments of `handful.tables.Choices`.
    """

    frame: pd.DataFrame
    target: str = "outcome"
    options: tuple[str, ...] = ()
    choices: dict[str, object] = field(default_factory=dict)


TABLES: dict[str, Callable[[], Messy]] = {}


def _table(make: Callable[[np.random.Generator], Messy]) -> Callable[[np.random.Generator], Messy]:
    name = make.__name__.removeprefix("_").replace("_", "-")
    TABLES[name] = lambda: make(np.random.default_rng(zlib.crc32(name.encode())))
    return make


def _cells(values: object) -> list[str]:
    return ["" if v is None or v != v else str(v) for v in values]  # type: ignore[attr-defined]


def _base(rng: np.random.Generator, n: int = 120) -> tuple[dict[str, list[str]], np.ndarray]:
    """Two informative numbers, one of noise, and the outcome they tell."""
    age, marker, noise = rng.integers(20, 80, n), rng.normal(5.0, 2.0, n), rng.normal(0.0, 1.0, n)
    is_case = 0.06 * (age - 50) + 0.8 * (marker - 5.0) + rng.logistic(0.0, 0.7, n) > 0.0
    columns = {
        "age": _cells(age),
        "marker": [f"{v:.2f}" for v in marker],
        "noise": [f"{v:.3f}" for v in noise],
    }
    return columns, is_case


def _made(columns: dict[str, list[str]], outcome: object, **more: object) -> Messy:
    return Messy(pd.DataFrame({**columns, "outcome": list(outcome)}), **more)  # type: ignore


def _words(is_case: np.ndarray) -> list[str]:
    return ["sick" if case else "well" for case in is_case]


@_table
def _plain_numbers(rng):
    columns, is_case = _base(rng)
    return _made(columns, _words(is_case))


@_table
def _row_numbers(rng):
    columns, is_case = _base(rng)
    return _made({"row": _cells(range(1, len(is_case) + 1)), **columns}, _words(is_case))


@_table
def _patient_ids(rng):
    columns, is_case = _base(rng)
    ids = [f"P{v:05d}" for v in rng.permutation(90_000)[: len(is_case)]]
    return _made({"patient_id": ids, **columns}, _words(is_case))


@_table
def _repeated_patients(rng):
    columns, is_case = _base(rng, 150)
    patients = [f"P{i // 3:03d}" for i in range(150)]
    return _made(
        {"patient": patients, **columns},
        _words(is_case),
        options=("--groups", "patient"),
        choices={"groups": "patient"},
    )


@_table
def _decimal_commas(rng):
    columns, is_case = _base(rng)
    columns["marker"] = [cell.replace(".", ",") for cell in columns["marker"]]
    return _made(columns, _words(is_case))


@_table
def _thousands(rng):
    columns, is_case = _base(rng)
    counts = 4000 + 3000 * is_case + rng.integers(0, 5000, len(is_case))
    return _made({**columns, "leucocytes": [f"{v:,}" for v in counts]}, _words(is_case))


@_table
def _word_columns(rng):
    columns, is_case = _base(rng)
    site = rng.choice(["north", "south", "east"], len(is_case))
    pain = np.where(is_case & (rng.random(len(is_case)) < 0.7), "severe", "mild")
    return _made({**columns, "site": list(site), "pain": list(pain)}, _words(is_case))


@_table
def _words_only(rng):
    is_case = rng.random(120) < 0.45
    columns = {
        name: list(np.where(rng.random(120) < share, is_case, ~is_case).astype(str))
        for name, share in (("fever", 0.8), ("cough", 0.7), ("rash", 0.5))
    }
    return _made(columns, _words(is_case))


@_table
def _missing_marks(rng):
    columns, is_case = _base(rng)
    marks = rng.choice(["", "NA", "?", "NaN"], len(is_case))
    is_gone = rng.random(len(is_case)) < 0.2
    columns["marker"] = list(np.where(is_gone, marks, columns["marker"]))
    return _made(columns, _words(is_case))


@_table
def _informative_missing(rng):
    columns, is_case = _base(rng)
    is_gone = rng.random(len(is_case)) < np.where(is_case, 0.1, 0.5)
    columns["marker"] = list(np.where(is_gone, "", columns["marker"]))
    return _made(columns, _words(is_case))


@_table
def _sentinels(rng):
    columns, is_case = _base(rng)
    is_gone = rng.random(len(is_case)) < 0.15
    columns["marker"] = list(np.where(is_gone, "-999", columns["marker"]))
    return _made(
        columns,
        _words(is_case),
        options=("--missing", "marker=-999"),
        choices={"missing": {"marker": ("-999",)}},
    )


@_table
def _sentinels_unsaid(rng):
    columns, is_case = _base(rng)
    is_gone = rng.random(len(is_case)) < 0.15
    columns["marker"] = list(np.where(is_gone, "9999", columns["marker"]))
    return _made(columns, _words(is_case))


@_table
def _detection_limit(rng):
    columns, is_case = _base(rng)
    values = np.array([float(cell) for cell in columns["marker"]])
    columns["marker"] = ["<3.0" if v < 3.0 else f"{v:.2f}" for v in values]
    return _made(columns, _words(is_case))


@_table
def _dates(rng):
    columns, is_case = _base(rng)
    days = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, len(is_case)), "D")
    return _made({"visit": [str(day.date()) for day in days], **columns}, _words(is_case))


@_table
def _free_text(rng):
    columns, is_case = _base(rng)
    words = np.array(["stable", "seen", "by", "nurse", "tired", "again", "no", "change"])
    notes = [" ".join(rng.choice(words, 6)) + f" {i}" for i in range(len(is_case))]
    return _made({**columns, "remarks": notes}, _words(is_case))


@_table
def _constant_and_empty(rng):
    columns, is_case = _base(rng)
    n = len(is_case)
    return _made({"country": ["NL"] * n, "unused": [""] * n, **columns}, _words(is_case))


@_table
def _spellings(rng):
    columns, is_case = _base(rng)
    smoker = np.where(is_case, "YES", "no")
    odd = rng.random(len(is_case)) < 0.3
    smoker = np.where(odd, np.char.capitalize(smoker), smoker)
    outcome = np.where(rng.random(len(is_case)) < 0.2, "Sick ", "sick")
    return _made({**columns, "smoker": list(smoker)}, np.where(is_case, outcome, "well"))


@_table
def _codes_zero_one(rng):
    columns, is_case = _base(rng)
    columns["sex"] = _cells(rng.integers(0, 2, len(is_case)))
    return _made(columns, _cells(is_case.astype(int)))


@_table
def _codes_one_two(rng):
    columns, is_case = _base(rng)
    return _made(columns, _cells(1 + is_case.astype(int)))


@_table
def _site_codes(rng):
    columns, is_case = _base(rng)
    return _made({"site": _cells(rng.integers(1, 6, len(is_case))), **columns}, _words(is_case))


@_table
def _zip_codes(rng):
    columns, is_case = _base(rng)
    codes = [f"{v:05d}" for v in rng.choice([123, 4711, 10115, 80331], len(is_case))]
    return _made({"zip": codes, **columns}, _words(is_case))


@_table
def _stages(rng):
    columns, is_case = _base(rng)
    stage = np.clip(1 + is_case + rng.integers(0, 3, len(is_case)), 1, 4)
    numerals = np.array(["", "I", "II", "III", "IV"])
    return _made({**columns, "stage": list(numerals[stage])}, _words(is_case))


@_table
def _three_classes(rng):
    columns, is_case = _base(rng, 180)
    marker = np.array([float(cell) for cell in columns["marker"]])
    outcome = np.where(marker < 4.0, "none", np.where(is_case, "severe", "mild"))
    return _made(columns, outcome)


@_table
def _rare_class(rng):
    columns, is_case = _base(rng, 200)
    outcome = np.array(_words(is_case), dtype=object)
    outcome[:3] = "died"
    return _made(columns, rng.permuted(outcome))


@_table
def _wide(rng):
    columns, is_case = _base(rng, 60)
    genes = {f"gene{j:03d}": [f"{v:.4f}" for v in rng.normal(0, 1, 60)] for j in range(150)}
    return _made({**columns, **genes}, _words(is_case))


@_table
def _tiny(rng):
    columns, is_case = _base(rng, 24)
    return _made(columns, _words(is_case))


@_table
def _equal_rows(rng):
    columns, is_case = _base(rng, 40)
    frame = pd.DataFrame({**columns, "outcome": _words(is_case)})
    return Messy(pd.concat([frame, frame, frame], ignore_index=True))


@_table
def _weights(rng):
    columns, is_case = _base(rng)
    weight = [f"{v:.2f}" for v in rng.uniform(0.5, 2.0, len(is_case))]
    return _made(
        {**columns, "survey_weight": weight},
        _words(is_case),
        options=("--weights", "survey_weight"),
        choices={"weights": "survey_weight"},
    )


@_table
def _odd_names(rng):
    columns, is_case = _base(rng)
    names = {"age": "Âge (années)", "marker": 'CRP "high", mg/L', "noise": "x = 1"}
    return _made({names[name]: cells for name, cells in columns.items()}, _words(is_case))


@_table
def _near_leak(rng):
    columns, is_case = _base(rng)
    is_told = is_case ^ (rng.random(len(is_case)) < 0.005)
    return _made({**columns, "treated": _cells(is_told.astype(int))}, _words(is_case))


@_table
def _units(rng):
    columns, is_case = _base(rng)
    columns["age"] = [f"{cell}{rng.choice(['y', ' y', ''])}" for cell in columns["age"]]
    columns["marker"] = [f"{cell} mg/dL" for cell in columns["marker"]]
    cost = 900 + 300 * is_case + rng.integers(0, 900, len(is_case))
    return _made({**columns, "cost": [f"€ {v}" for v in cost]}, _words(is_case))


@_table
def _counted_units(rng):
    """Counted rows may write other units, words and styles: the pool alone decides."""
    columns, is_case = _base(rng)
    odd = rng.random(len(is_case)) < 0.05
    columns["marker"] = [
        f"{float(c) * 10:.1f} mg/l" if o else f"{c} mg/dl"
        for c, o in zip(columns["marker"], odd, strict=True)
    ]
    return _made(columns, _words(is_case))


@_table
def _thousands_marks(rng):
    columns, is_case = _base(rng)
    counts = 4000 + 3000 * is_case + rng.integers(0, 5000, len(is_case))
    swiss = [f"{v:,}".replace(",", "'") for v in counts]
    spaced = [f"{v:,}".replace(",", "\u00a0") + ",5" for v in 7 * counts[::-1]]
    return _made({**columns, "leucocytes": swiss, "platelets": spaced}, _words(is_case))


@_table
def _times(rng):
    columns, is_case = _base(rng)
    minutes = 30 + 40 * is_case + rng.integers(0, 90, len(is_case))
    columns["surgery"] = [f"{m // 60}:{m % 60:02d}:00" for m in minutes]
    columns["arrival"] = [f"{rng.integers(0, 24):02d}:{rng.integers(0, 60):02d}" for _ in minutes]
    return _made(columns, _words(is_case))


@_table
def _blood_pressure(rng):
    columns, is_case = _base(rng)
    high = 120 + 30 * is_case + rng.integers(-20, 20, len(is_case))
    low = rng.integers(60, 100, len(is_case))
    cells = [f"{h}/{v}" for h, v in zip(high, low, strict=True)]
    cells[::11] = [""] * len(cells[::11])
    return _made({**columns, "bp": cells}, _words(is_case))


@_table
def _not_detected(rng):
    columns, is_case = _base(rng)
    values = np.array([float(cell) for cell in columns["marker"]])
    low = rng.choice(["not detected", "<3.0", "Not Detected "], len(values))
    columns["marker"] = list(np.where(values < 3.0, low, columns["marker"]))
    columns["noise"] = [f"{abs(float(c)):.1f} %" for c in columns["noise"]]
    return _made(columns, _words(is_case))


@_table
def _disease_codes(rng):
    columns, is_case = _base(rng, 180)
    few = np.where(is_case & (rng.random(180) < 0.6), "I21.4", rng.choice(["E11.9", "J45.0"], 180))
    letters = np.where(is_case, rng.choice(list("IIJ"), 180), rng.choice(list("EMZ"), 180))
    many = [f"{letter}{rng.integers(0, 60):02d}.{rng.integers(0, 9)}" for letter in letters]
    return _made({**columns, "diagnosis_code": list(few), "icd10": many}, _words(is_case))
