"""How many samples a second a file says that a recording has."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

_NAMES = re.compile(r"fs|s_?freq|sampl(?:e|ing)[ _]?(?:rate|freq(?:uency)?)(?:[ _]?hz)?", re.I)


def is_rate(name: str) -> bool:
    """Tell whether a name is one of samples a second."""
    return _NAMES.fullmatch(name) is not None


def rate_in(values: Mapping[str, Any]) -> float:
    """Return the first of some values that is one positive number and called a rate; else 0."""
    for name in filter(is_rate, values):
        told = np.asarray(values[name])
        if told.size == 1 and told.dtype.kind in "iuf" and 0.0 < told.item() < np.inf:
            return float(told.item())
    return 0.0
