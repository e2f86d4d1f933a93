"""Axes of signals: wavenumbers, wavelengths, times. Compared, and signals brought from one to one.

Instruments of one make write axes that agree to the last digit, differ by what a calibration moves
them, or are others altogether. What differs by less than a step's quarter is taken for the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

SHORTEST = 8
"""Names that are an axis if they are numbers that rise, or fall; fewer may be so by chance."""

NEAR = 0.25
"""Steps of the axis by which another may differ and still be taken for it."""

_EXPONENTS = str.maketrans("Dd", "ee")
"""Of Fortran, behind a decimal mark: without one 1D4 is a name."""

_BEYOND = 1.0  # steps by which an axis may reach beyond that of a signal brought to it


def axis_of(names: Sequence[str] | None) -> FloatArray | None:
    """Return the numbers of names, (n,), if these are an axis: numbers that rise, or fall."""
    if names is None or len(names) < SHORTEST:
        return None
    if any("_" in name for name in names):  # which float reads over: 1_1 is not 11
        return None
    try:
        values = np.array([_number(name.replace(",", ".")) for name in names])
    except ValueError:
        return None
    steps = np.diff(values)
    straight = bool(np.isfinite(values).all() and ((steps > 0).all() or (steps < 0).all()))
    return values if straight else None


def _number(name: str) -> float:
    return float(name.translate(_EXPONENTS) if "." in name else name)


def counts(axis: FloatArray) -> bool:
    """Tell whether an axis counts from 0 or 1, and so says nothing."""
    return bool(axis[0] in (0.0, 1.0) and (np.diff(axis) == 1.0).all())


def described(axis: FloatArray) -> str:
    """Name an axis by its ends."""
    return f"{len(axis)} numbers from {axis[0]:.6g} to {axis[-1]:.6g}"


def distance(own: FloatArray, known: FloatArray) -> float:
    """Return how far two axes of one length are apart at the most, in steps of the second."""
    if np.sign(own[-1] - own[0]) != np.sign(known[-1] - known[0]):
        own = own[::-1]
    return steps_apart(own, known)


def steps_apart(own: FloatArray, known: FloatArray) -> float:
    """Return how far numbers (..., p) are from those of an axis (p,) at the most, in its steps."""
    return float(np.max(np.abs(own - known) / np.abs(np.gradient(known))))


@dataclass(frozen=True)
class Resampling:
    """Signals brought from their own axis to another, and back, by cubic splines.

    Attributes
    ----------
    own, known : ndarray, shape (p,) and (q,)
        Axes that rise, or fall.
    """

    own: FloatArray
    known: FloatArray

    @property
    def covers(self) -> bool:
        """Whether signals have what is needed of them, but for a step at the ends."""
        low, high = np.sort(self.own[[0, -1]])
        reach = _BEYOND * np.abs(np.diff(self.own)).max()
        return bool(self.known.min() >= low - reach and self.known.max() <= high + reach)

    @property
    def outside(self) -> NDArray[np.bool_]:
        """Which numbers of the own axis the other one does not reach, (p,)."""
        reach = NEAR * np.abs(np.diff(self.known)).max()
        low, high = self.known.min() - reach, self.known.max() + reach
        found: NDArray[np.bool_] = (self.own < low) | (self.own > high)
        return found

    def forward(self, signals: FloatArray) -> FloatArray:
        """Return signals (k, p) at the other axis, (k, q)."""
        return _interpolated(self.own, signals, self.known)

    def back(self, signals: FloatArray) -> FloatArray:
        """Return signals (k, q) at their own axis, (k, p), as far as the other one reaches."""
        return _interpolated(self.known, signals, self.own)


def _interpolated(axis: FloatArray, signals: FloatArray, at: FloatArray) -> FloatArray:
    from scipy.interpolate import CubicSpline

    if axis[0] > axis[-1]:
        axis, signals = axis[::-1], signals[:, ::-1]
    curve = CubicSpline(axis, signals, axis=1)
    values: FloatArray = curve(np.clip(at, axis[0], axis[-1]))
    return values
