"""What the numbers of a row are measured along and in: from a table, or from HDF5 attributes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.formats.layout import Layout

_UNITS, _NAMES = ("units", "unit"), ("long_name", "standard_name")
"""Attributes as the CF conventions and NeXus have them."""

_LONGEST = 60
"""Letters of a label that came from a file."""


@dataclass(frozen=True)
class Scale:
    """Where the numbers of a row lie, and what the axes of a picture are called.

    Attributes
    ----------
    x : ndarray, shape (p,), or None
        Their places, such as wavelengths or times, rising or falling; None counts from 1.
    x_label, y_label : str or None
        What these and the numbers themselves are, with units.
    """

    x: FloatArray | None = None
    x_label: str | None = None
    y_label: str | None = None

    @classmethod
    def of(cls, layout: Layout, names: Sequence[str] | None = None) -> Self:
        """Return what a file says: names or an axis that are numbers, or attributes of HDF5.

        Parameters
        ----------
        layout : Layout
        names : sequence of str, optional
            What the file calls the numbers of a row.
        """
        if names:
            x = _ordered([name.replace(",", ".") for name in names])
            x_label, y_label = _headings(layout)
            return cls(x, None if x is None else x_label, y_label)
        # Of an HDF5 file alone there is more; it was read for the output to have the like.
        attached = getattr(layout.beside, "objects", {}).get(layout.dataset)
        if attached is None:
            return cls()
        scale = cls(y_label=_label(attached.values, None))
        axis = 0 if layout.transposed else len(attached.labels) - 1
        if len(layout.sample_shape) != 1 or not 0 <= axis < len(attached.scales):
            return scale
        name = _text(attached.labels[axis]) or None
        for place, own, values, attributes in attached.scales[axis][:1]:
            label = _label(attributes.values, name or _text(own) or place.rpartition("/")[2])
            return replace(scale, x=_ordered(np.ravel(values)), x_label=label)
        rate = layout.beside.rate(layout.dataset) if name is None else 0.0  # type: ignore[attr-defined]
        if rate:
            return replace(scale, x=np.arange(layout.sample_shape[0]) / rate, x_label="time [s]")
        return replace(scale, x_label=name)

    def named(self, x_label: str | None, y_label: str | None) -> Self:
        """Return the same with labels that were asked for."""
        return replace(self, x_label=x_label or self.x_label, y_label=y_label or self.y_label)

    def places(self, width: int) -> FloatArray:
        """Return the places of `width` numbers."""
        if self.x is not None and len(self.x) == width:
            return self.x
        return np.arange(1.0, width + 1.0)


def _headings(layout: Layout) -> tuple[str | None, str | None]:
    """Return what a table calls the axis in its columns, and the one signal along it."""
    table = layout.table
    if table is None or not (layout.transposed or layout.stacked):
        return None, None
    first = table.labels[0] if table.labels else ()
    named = [name for name, cell in zip(table.label_names, first, strict=False) if cell.strip()]
    axis = _text(named[-1]) if named else ""
    signal = _text(table.names[0]) if table.names and len(table.names) == 1 else ""
    return axis or None, signal or None


def _ordered(values: object) -> FloatArray | None:
    """Return numbers that rise or fall all along, None for anything else."""
    try:
        found = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        return None
    steps = np.diff(found)
    if len(found) < 2 or not np.isfinite(found).all():
        return None
    return found if (steps > 0.0).all() or (steps < 0.0).all() else None


def _label(attributes: dict[str, tuple[object, object]], name: str | None) -> str | None:
    """Return a name with its unit, as ``wavelength [nm]``."""
    known = {key: _text(value) for key, (value, _) in attributes.items()}
    name = next((known[key] for key in _NAMES if known.get(key)), name)
    unit = next((known[key] for key in _UNITS if known.get(key)), None)
    if unit is None:
        return name
    return f"{name or 'value'} [{unit}]"


def _text(value: object) -> str:
    """Return a text from a file as one short line without control characters."""
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    if not isinstance(value, str):
        return ""
    return re.sub(r"[^\w\s.,;:/()\[\]*^%°µ²³⁻¹+-]", "", " ".join(value.split()))[:_LONGEST].strip()
