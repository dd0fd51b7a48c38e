"""The checks themselves: both sides of every threshold, and the words of the errors."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from handful.checks import (
    check_choice,
    check_count,
    check_delta,
    check_flag,
    check_nats,
    check_positive,
    check_real,
    check_reals,
)


@pytest.mark.parametrize("value", [3, 3.0, np.int64(3), np.float32(3), np.uint8(3), Fraction(3)])
def test_count_accepts_whole_numbers(value):
    count = check_count("n", value, low=3, high=3)
    assert count == 3
    assert type(count) is int


def test_count_is_exact_where_floats_are_not():
    assert check_count("n", 2**53) == 2**53
    with pytest.raises(ValueError, match="`n` must be at most 9007199254740992"):
        check_count("n", 2**53 + 1)


@pytest.mark.parametrize(
    ("value", "kind", "message"),
    [
        (2, ValueError, "`n` must be at least 3, got 2. Pass a count."),
        (6, ValueError, "`n` must be at most 5, got 6. Check it against"),
        (3.5, ValueError, "`n` must be a whole number, got 3.5"),
        (math.nan, ValueError, "`n` must be a whole number, got nan"),
        (math.inf, ValueError, "`n` must be a whole number, got inf"),
        (10**400, ValueError, "`n` must be at most"),
        (-(10**400), ValueError, "`n` must be at least 3"),
        (True, TypeError, "`n` must be an integer, got True"),
        ("3", TypeError, "`n` must be an integer, got '3'"),
        (None, TypeError, "`n` must be an integer, got None"),
    ],
)
def test_count_refuses(value, kind, message):
    with pytest.raises(kind, match=message):
        check_count("n", value, low=3, high=5)


def test_real_knows_open_and_closed_ends():
    assert check_real("x", 0, low=0.0, high=1.0) == 0.0
    assert check_real("x", 1, low=0.0, high=1.0) == 1.0
    assert check_real("x", Fraction(1, 4)) == 0.25
    for value, options in ((0.0, {"low_open": True}), (1.0, {"high_open": True})):
        with pytest.raises(ValueError, match="`x` must be in"):
            check_real("x", value, low=0.0, high=1.0, **options)
    with pytest.raises(ValueError, match=r"`x` must be in \(0, 1\], got 2. Use a share."):
        check_real("x", 2, low=0.0, high=1.0, low_open=True, hint="Use a share.")


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 10**400])
def test_real_refuses_what_is_not_finite(value):
    with pytest.raises(ValueError, match="`x` must be in"):
        check_real("x", value)


def test_delta_and_nats():
    assert check_delta(math.nextafter(1.0, 0.0)) < 1.0
    assert check_delta(5e-324) > 0.0
    assert check_nats("message", 0) == 0.0
    with pytest.raises(ValueError, match="never negative"):
        check_nats("message", -1e-300)


def test_choice_and_flag():
    assert check_choice("kind", "a", ("a", "b")) == "a"
    with pytest.raises(ValueError, match="`kind` must be one of 'a', 'b', got 'c'"):
        check_choice("kind", "c", ("a", "b"))
    assert check_flag("x", np.bool_(True)) is True
    assert check_flag("x", False) is False
    with pytest.raises(TypeError, match="`x` must be True or False, got 1"):
        check_flag("x", 1)


def test_sequences_of_reals():
    assert check_reals("t", np.array([1, 2]), "") == (1.0, 2.0)
    for wrong in ((), (1.0, np.inf), 3.0, ((1.0,), (2.0,))):
        with pytest.raises(ValueError, match=r"`t` must be a non-empty sequence of finite"):
            check_reals("t", wrong, "")
    with pytest.raises(TypeError, match=r"`t` must hold numbers"):
        check_reals("t", ["a"], "")


def test_positive_numbers():
    assert check_positive("C", np.float32(0.5)) == 0.5
    for wrong in (0, -1.0, math.inf, math.nan):
        with pytest.raises(ValueError, match=r"`C` must be a positive number, got .*Raise it"):
            check_positive("C", wrong, "Raise it.")
    for wrong in ("1", True, None):
        with pytest.raises(TypeError, match=r"`C` must be a positive number, got"):
            check_positive("C", wrong)
