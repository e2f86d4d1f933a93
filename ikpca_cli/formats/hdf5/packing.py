"""Numbers that a dataset's attributes say how to unpack, as netCDF's conventions have it.

A packed number q stands for ``scale_factor * q + add_offset``; one that equals ``_FillValue`` or
``missing_value``, or is outside ``valid_range`` (``valid_min``, ``valid_max``), stands for none; a
range of fractions beside packed whole numbers is one of unpacked ones. ``_Unsigned`` says that
signed integers are meant without sign.
(NetCDF users' guide, appendix A, attribute conventions.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ikpca_cli.errors import InputError

SCALE, OFFSET = "scale_factor", "add_offset"
FILLS = ("_FillValue", "missing_value")
UNSIGNED = "_Unsigned"
RANGE, LEAST, MOST = "valid_range", "valid_min", "valid_max"
_RANGES = (RANGE, LEAST, MOST, "actual_range")

_UNLIMITED = (-np.inf, np.inf)
_LARGEST_EXACT = 4  # bytes of whole numbers that double precision has, each by itself

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Packing:
    """How numbers are packed into whole ones, as those of an input were.

    Attributes
    ----------
    dtype
        Of the packed numbers.
    meant
        The same without a sign where ``_Unsigned`` says so.
    scale, offset
        What a packed number is multiplied by, and what is added then.
    limits
        The least and the greatest packed number that stand for a value.
    fills
        Packed numbers that stand for a missing one.
    attributes
        What says so in the file, by name: value and type.
    """

    dtype: np.dtype[Any]
    meant: np.dtype[Any]
    scale: float
    offset: float
    limits: tuple[float, float]
    fills: Array
    attributes: dict[str, tuple[Any, Any]]

    def pack(self, values: Array) -> Array:
        """Return numbers packed: the nearest that stand for a value, NaN as a missing one."""
        with np.errstate(invalid="ignore"):
            whole = np.rint((values - self.offset) / self.scale)
        missing = np.isnan(whole)
        whole = np.clip(np.where(missing, self.limits[0], whole), *self.limits)
        packed: Array = whole.astype(self.meant).view(self.dtype)
        for fill in self.fills:
            packed[packed == fill] = fill - 1 if fill > 0 else fill + 1
        if missing.any():
            packed[missing] = self.fills[0]
        return packed


class Unpacked:
    """A dataset as its attributes say that it is to be understood.

    Parameters
    ----------
    dataset
        An h5py dataset.
    scale, offset
        What its numbers are multiplied by, and what is added then.
    fills
        Numbers that stand for a missing value, in the dataset's own type.
    limits
        The least and the greatest number that stand for a value, and whether they are unpacked.
    """

    def __init__(
        self,
        dataset: Any,
        scale: float,
        offset: float,
        fills: Array,
        limits: tuple[float, float, bool],
    ) -> None:
        self.shape: tuple[int, ...] = dataset.shape
        self.chunks: tuple[int, ...] | None = dataset.chunks
        single = dataset.dtype.kind == "f" and dataset.dtype.itemsize == 4
        self.dtype = np.dtype(np.float32 if single and (scale, offset) == (1.0, 0.0) else "f8")
        self._unsigned = _is_unsigned(dataset)
        self._dataset = dataset
        self._scale, self._offset, self._fills = scale, offset, fills
        self._least, self._most, self._of_unpacked = limits

    def packing(self) -> Packing | None:
        """Return how its numbers are packed again, None where they are no whole ones."""
        data = self._dataset
        if data.dtype.kind not in "iu" or data.dtype.itemsize > _LARGEST_EXACT:
            return None
        native = data.dtype.newbyteorder("=")
        meant = np.dtype(f"u{native.itemsize}") if self._unsigned else native
        known = sorted(stale(data).intersection(data.attrs))
        attributes = {key: (data.attrs[key], data.attrs.get_id(key).dtype) for key in known}
        limits = np.array([self._least, self._most])
        if self._of_unpacked:
            limits = np.sort((limits - self._offset) / self._scale)
        bounds = np.iinfo(meant)
        least = max(float(np.ceil(limits[0])), float(bounds.min))
        most = min(float(np.floor(limits[1])), float(bounds.max))
        fills = self._fills.astype(native)
        return Packing(native, meant, self._scale, self._offset, (least, most), fills, attributes)

    def __getitem__(self, part: Any) -> Array:
        """Return numbers of a part, NaN where they are missing."""
        stored: Array = self._dataset[part]
        meant = stored
        if self._unsigned:
            meant = stored.view(f"{stored.dtype.byteorder}u{stored.dtype.itemsize}")
        values: Array = meant.astype(self.dtype)
        if (self._scale, self._offset) != (1.0, 0.0):
            values = self._scale * values + self._offset
        limited = values if self._of_unpacked else meant
        outside = (limited < self._least) | (limited > self._most)
        if self._fills.size:
            outside |= np.isin(stored, self._fills)
        if outside.any():
            values[outside] = np.nan
        return values


def unpacked(dataset: Any, name: str) -> Any:
    """Return a dataset, or what unpacks it where its attributes say so.

    Parameters
    ----------
    dataset
        An h5py dataset of real numbers.
    name
        What messages call it.

    Raises
    ------
    InputError
        If such an attribute is no number of its dataset's kind.
    """
    scale = _number(dataset, SCALE, 1.0, name)
    offset = _number(dataset, OFFSET, 0.0, name)
    fills = [_fill(dataset, key, name) for key in FILLS if key in dataset.attrs]
    marks = np.unique(np.concatenate(fills)) if fills else np.empty(0, dataset.dtype)
    marks = marks[marks == marks]  # NaN says by itself that it is missing
    limits = _limits(dataset, name)
    plain = (scale, offset) == (1.0, 0.0) and limits[:2] == _UNLIMITED
    if plain and not marks.size and not _is_unsigned(dataset):
        return dataset
    return Unpacked(dataset, scale, offset, marks, limits)


def stale(dataset: Any) -> set[str]:
    """Return the attributes of a dataset that do not hold for its numbers once cleaned."""
    return {SCALE, OFFSET, UNSIGNED, *FILLS, *_RANGES}


def _is_unsigned(dataset: Any) -> bool:
    said = dataset.attrs.get(UNSIGNED, b"") if dataset.dtype.kind == "i" else b""
    return str(said.decode() if isinstance(said, bytes) else said).lower() == "true"


def _number(dataset: Any, key: str, default: float, name: str) -> float:
    if key not in dataset.attrs:
        return default
    value = np.asarray(dataset.attrs[key])
    fine = value.size == 1 and value.dtype.kind in "iuf" and np.isfinite(value).all()
    if not fine or (key == SCALE and value.item() == 0):
        raise InputError(
            f"{name}: its attribute {key} is not one finite number, so what its numbers stand for "
            "is not known; mend the attribute, or save the unpacked numbers"
        )
    return float(value.item())


def _limits(dataset: Any, name: str) -> tuple[float, float, bool]:
    """Return the least and the greatest valid number, and whether these are unpacked ones.

    (NetCDF users' guide, appendix A: they are if their type is that of `scale_factor` and
    `add_offset`, and wider than the packed one.)
    """
    least, most = _UNLIMITED
    unpacked_ones = False
    for key in (RANGE, LEAST, MOST):
        if key not in dataset.attrs:
            continue
        value = np.asarray(dataset.attrs[key]).ravel()
        if value.size != 1 + (key == RANGE) or value.dtype.kind not in "biuf":
            count = "two numbers" if key == RANGE else "one number"
            raise InputError(
                f"{name}: its attribute {key} is not {count}, so which of its values are valid is "
                "not known; mend or remove the attribute"
            )
        if _is_unsigned(dataset) and value.dtype == dataset.dtype:
            value = value.view(f"{value.dtype.byteorder}u{value.dtype.itemsize}")
        unpacked_ones |= value.dtype.kind == "f" and dataset.dtype.kind != "f"
        if key != MOST:
            least = max(least, float(value[0]))
        if key != LEAST:
            most = min(most, float(value[-1]))
    return least, most, unpacked_ones


def _fill(dataset: Any, key: str, name: str) -> Array:
    """Return the numbers that mean a missing value, in the dataset's type."""
    value = np.asarray(dataset.attrs[key]).ravel()
    if value.dtype.kind not in "biuf":
        raise InputError(
            f"{name}: its attribute {key} is not a number, so which of its values are missing is "
            "not known; mend the attribute, or save the numbers with NaN for the missing ones"
        )
    with np.errstate(invalid="ignore", over="ignore"):
        marks: Array = value.astype(dataset.dtype)
    if value.dtype == dataset.dtype or dataset.dtype.kind == "f":
        return marks
    possible: Array = marks[marks.astype(np.float64) == value.astype(np.float64)]
    return possible
