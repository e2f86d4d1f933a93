"""Every transform that a model may hold, by the arrays that it needs."""

from __future__ import annotations

from collections.abc import Mapping

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.transforms.column_scale import ColumnScale
from ikpca_cli.transforms.frequency_band import FrequencyBand
from ikpca_cli.transforms.logarithm import Logarithm
from ikpca_cli.transforms.protocol import Transform
from ikpca_cli.transforms.row_scale import RowScale
from ikpca_cli.transforms.square_root import SquareRoot
from ikpca_cli.transforms.whiten import Whitening

TRANSFORMS: tuple[type[Transform], ...] = (
    ColumnScale,
    RowScale,
    Whitening,
    SquareRoot,
    Logarithm,
    FrequencyBand,
)


def transform_of(arrays: Mapping[str, FloatArray | None]) -> Transform | None:
    """Return the transform whose arrays are there, None where none is.

    Raises
    ------
    ValueError
        If there are arrays of more than one, or no transform has such.
    """
    found = [
        cls.from_state({name: value})
        for cls in TRANSFORMS
        for name in cls.FIELDS
        if (value := arrays.get(name)) is not None
    ]
    if len(found) > 1:
        raise ValueError("it has two ways to make its noise white")
    return found[0] if found else None


def names() -> tuple[str, ...]:
    """Return the names of the arrays of all transforms."""
    return tuple(name for cls in TRANSFORMS for name in cls.FIELDS)
