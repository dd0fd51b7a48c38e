"""Parameters of a fitted machine as plain data, so that an auditor can train it again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from handful.kernels import Kernel


def plain_parameters(machine: Any) -> dict[str, Any]:
    """What the machine was told before it saw the data; what JSON cannot hold is left out.

    Examples
    --------
    >>> from handful import LPBoost
    >>> plain_parameters(LPBoost(cap=0.1, thresholds=[0.5, 1.5]))["thresholds"]
    [0.5, 1.5]
    """
    found = {name: _plain(value) for name, value in machine.get_params(deep=False).items()}
    return {name: value for name, value in sorted(found.items()) if value is not _NOTHING}


_NOTHING = object()


def _plain(value: Any) -> Any:
    if isinstance(value, Kernel):
        return _NOTHING if value.name == "callable" else value.to_dict()
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if value is None or isinstance(value, (bool, str, int)):
        return value
    if isinstance(value, float):
        return value if np.isfinite(value) else _NOTHING
    if isinstance(value, (list, tuple)):
        parts = [_plain(part) for part in value]
        return _NOTHING if any(part is _NOTHING for part in parts) else parts
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        named = {key: _plain(part) for key, part in value.items()}
        return _NOTHING if any(part is _NOTHING for part in named.values()) else named
    return _NOTHING
