"""The planted errors still fit the sources; whether they are caught: ``tools/mutants.py``."""

from __future__ import annotations

import pytest
from tools.mutants import MUTANTS, ROOT


def test_there_are_enough_of_them():
    assert len(MUTANTS) >= 16
    assert len({(m.topic, m.name) for m in MUTANTS}) == len(MUTANTS)


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda m: f"{m.topic}: {m.name}")
def test_text_occurs_once(mutant):
    text = (ROOT / "src" / mutant.file).read_text(encoding="utf-8")
    assert text.count(mutant.old) == 1
    assert mutant.old != mutant.new
    compile(text.replace(mutant.old, mutant.new), mutant.file.name, "exec")
    assert (ROOT / mutant.test).is_file()
