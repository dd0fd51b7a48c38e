"""Fixtures shared by all tests."""

from __future__ import annotations

import os
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "handful", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("handful")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Of a test with `sample(k)`, leave k evenly spread cases in every run; others are thorough."""
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("sample") is not None:
            cases.setdefault(item.nodeid.split("[")[0], []).append(item)
    for same in cases.values():
        (n_kept,) = same[0].get_closest_marker("sample").args
        kept = {i * len(same) // n_kept for i in range(n_kept)}
        for i, item in enumerate(same):
            if i not in kept and item.get_closest_marker("slow") is None:
                item.add_marker(pytest.mark.thorough)


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> np.random.Generator:
    """A generator whose seed is the name of the test: independent and repeatable."""
    return np.random.default_rng(zlib.crc32(request.node.nodeid.encode()))


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder with the papers' data sets; skips where it is absent."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("HANDFUL_DATA", beside))
    if not folder.is_dir():
        pytest.skip("the papers' data sets are not here: set HANDFUL_DATA to their folder")
    return folder


@pytest.fixture(autouse=True)
def _close_figures():
    """No test leaves a figure open: matplotlib warns of many, whichever test opens the last."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
