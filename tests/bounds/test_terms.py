"""Terms: what they accept, and that every kind used anywhere is explained to readers of files."""

from __future__ import annotations

import ast
import re
from dataclasses import FrozenInstanceError
from pathlib import Path

import numpy as np
import pytest

from handful.bounds import Message, Term, compression_bound
from handful.codec import encode

ROOT = Path(__file__).parents[2]


def test_a_term_is_frozen_plain_data():
    term = Term("kept", "which examples are kept", np.float32(0.5))
    assert type(term.nats) is float
    assert encode(term) == {"kind": "kept", "text": "which examples are kept", "nats": 0.5}
    with pytest.raises(FrozenInstanceError):
        term.nats = 0.0


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (("two words", "a", 1.0), "`kind` must be one word in lower case, got 'two words'"),
        (("Kept", "a", 1.0), "`kind` must be one word in lower case"),
        (("", "a", 1.0), "`kind` must be one word in lower case"),
    ],
)
def test_what_a_term_refuses(values, message):
    with pytest.raises(ValueError, match=message):
        Term(*values)


def test_a_message_adds_its_terms():
    assert Message([]) == 0.0
    assert Message([Term("kept", "a", 0.5), Term("size", "b", 0.25)]) == 0.75


def test_a_plain_number_is_one_term():
    kinds = [term.kind for term in compression_bound(100, 2, 1, message_nats=1.5).terms]
    assert kinds == ["kept", "size", "message", "confidence"]


def _kinds_in(source: str) -> set[str]:
    calls = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))
    return {
        call.args[0].value
        for call in calls
        if isinstance(call.func, ast.Name)
        and call.func.id in ("Term", "Price")
        and call.args
        and isinstance(call.args[0], ast.Constant)
    }


def test_every_kind_is_explained_with_the_model_files():
    page = (ROOT / "docs" / "model-files.md").read_text(encoding="utf-8")
    table = page[page.index("## Terms") : page.index("## What verify derives")]
    rows = re.findall(r"^\| (.*?) \|", table, re.MULTILINE)
    explained = {kind for row in rows for kind in re.findall(r"`(\w+)`", row)}
    used = set()
    for path in (ROOT / "src").rglob("*.py"):
        used |= _kinds_in(path.read_text(encoding="utf-8"))
    assert used == explained
