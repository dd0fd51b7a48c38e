"""The planted errors still fit the sources, and some of them are caught here.

``python tools/mutants.py`` tries them all. A usual run tries one of each package and one more,
drawn by the text of the sources: every change of them draws others.
"""

from __future__ import annotations

import hashlib
import random
from collections import Counter

import pytest
from tools.mutants import MUTANTS, ROOT, Planter, run_tests

PACKAGES = ("bounds", "covering", "selection", "verify", "certified")


def _drawn():
    """One mutant of each package, and one of all."""
    text = "".join(mutant.file.read_text(encoding="utf-8") for mutant in MUTANTS)
    draw = random.Random(hashlib.sha256(text.encode()).hexdigest())
    first = [draw.choice([m for m in MUTANTS if m.package == name]) for name in PACKAGES]
    return [*first, draw.choice([m for m in MUTANTS if m not in first])]


def test_there_are_enough_of_them():
    counts = Counter(mutant.package for mutant in MUTANTS)
    assert set(counts) == set(PACKAGES)
    assert min(counts.values()) >= 10
    assert len({mutant.label for mutant in MUTANTS}) == len(MUTANTS)


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda m: m.label)
def test_the_text_is_there_once(mutant):
    assert mutant.old != mutant.new
    compile(mutant.text, mutant.file.name, "exec")
    for test in mutant.tests:
        path, *names = test.split("::")
        text = (ROOT / path).read_text(encoding="utf-8")
        assert all(f"def {name.split('[')[0]}(" in text for name in names)


def test_only_the_module_of_the_error_is_replaced():
    planter = Planter(MUTANTS[0])
    assert planter.find_spec("handful.kernels", None) is None
    spec = planter.find_spec(MUTANTS[0].module, [str(MUTANTS[0].file.parent)])
    assert spec.loader.get_code(MUTANTS[0].module).co_filename == str(MUTANTS[0].file)


@pytest.mark.thorough
@pytest.mark.parametrize("mutant", _drawn(), ids=lambda m: m.label)
def test_an_error_is_noticed(mutant):
    passed, failure = run_tests(mutant, list(mutant.tests))
    assert not passed
    assert failure
