"""Arrays in the precision that a model is kept in."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any, TypeVar

import numpy as np

Model = TypeVar("Model")


def rounded(value: Any, dtype: type[np.floating[Any]]) -> Any:
    """Return an array of numbers as `dtype`, anything else as it is."""
    return value.astype(dtype, copy=False) if isinstance(value, np.ndarray) else value


def rounded_fields(model: Model, dtype: type[np.floating[Any]]) -> Model:
    """Return a dataclass with its arrays as `dtype`."""
    anything: Any = model
    names = (field.name for field in fields(anything))
    arrays = {name: rounded(getattr(model, name), dtype) for name in names}
    same_kind: Model = replace(anything, **arrays)
    return same_kind
