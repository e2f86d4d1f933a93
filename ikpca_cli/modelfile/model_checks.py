"""Is what a model holds what its method expects? Names, types, dimensions, finiteness."""

from __future__ import annotations

import inspect
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ikpca_cli.data.row_source import LARGEST_VALUE
from ikpca_cli.errors import UsageError
from ikpca_cli.estimators.base import Estimator
from ikpca_cli.estimators.parameters import PARAMETERS
from ikpca_cli.formats.read_options import OF_TABLES
from ikpca_cli.modelfile.plain_joblib import MAX_INT_BYTES, MAX_TEXT_BYTES

if TYPE_CHECKING:
    from ikpca_cli.estimators.denoiser import Denoiser

_PARAM_BITS = 8 * MAX_INT_BYTES  # a seed may be long
MOST_WINDOW_VALUES = 1 << 14
"""Values that say how windows are cut: one a channel, and a few more."""

_STATE_BITS = 64  # what numpy reckons with
_WHOLE = frozenset({"n_samples_", "noise_model_", "withheld_"})
_LEVELS = frozenset(
    {"column_stds_", "gain_and_floor_", "noise_covariance_", "noise_rms_", "noise_std_", "shares_"}
)
"""Of the noise, and of all rows: 0 would divide."""

_LARGEST, _SMALLEST = 1e160, 1e-200
"""Beyond which no fit of rows comes that are within `LARGEST_VALUE`."""

_OF_ROWS = frozenset({"mean_", "rows_"})
"""Which are themselves within `LARGEST_VALUE`."""

_POSITIVE = frozenset(
    {"gamma_", "gammas_", "latent_gamma_", "n_samples_", "noise_std_", "total_variance_"}
)
_NOT_NEGATIVE = _POSITIVE | {
    "distance_limit_",
    "estimated_mse_error_",
    "explained_variance_",
    "noise_variances_",
    "read_std_",
    "ridge_",
    "rough_mse_error_",
    "shares_",
    "signal_variances_",
    "spectral_noise_",
    "spectral_variances_",
    "spike_share_",
    "weights_",
}
_ROUNDING = 1e-6  # of the largest: what cannot be negative may be so by rounding
_BLOCK = 2**20  # elements is_read at together, so that the answer needs no second array


class FlawError(ValueError):
    """Something in a model is not as its method expects; the text says what."""


def check_params(cls: type[Denoiser], params: object) -> None:
    """Check a method's parameters: known names, each with a plain value.

    Parameters
    ----------
    cls : type
        The method.
    params : object
        What claims to be its parameters by name; those that are missing have their defaults.

    Raises
    ------
    FlawError
        If they are something else.
    """
    if type(params) is not dict:
        raise FlawError("its parameters are missing")
    known = inspect.signature(cls).parameters
    for name, value in params.items():
        if name not in known:
            raise FlawError(f"{cls.method} has no parameter {name!r} in this version of ikpca")
        if type(value) is not bool:
            _check_plain(f"parameter {name}", value, _PARAM_BITS)
        try:
            PARAMETERS[name].check(f"parameter {name}", value)
        except UsageError as error:
            raise FlawError(str(error)) from None


def check_state(cls: type[Denoiser], state: object) -> None:
    """Check a method's fitted values against its `STATE`.

    Parameters
    ----------
    cls : type
        The method.
    state : object
        What claims to be its fitted values by name.

    Raises
    ------
    FlawError
        If a name is missing or unknown, a type or a number of dimensions is another, a length
        differs from that of the same dimension elsewhere, or a number is not finite or one that
        cannot be.
    """
    if type(state) is not dict or state.keys() != cls.STATE.keys():
        raise FlawError(f"the fitted values are not those of {cls.method}")
    lengths: dict[str, int] = {}
    precisions: set[int] = set()
    for name, dims in cls.STATE.items():
        value = state[name]
        if value is None and name in cls.OPTIONAL:
            continue
        if dims:
            _check_array(name, value, dims, lengths)
            if name not in Estimator.STATE:
                precisions.add(value.dtype.itemsize)
        else:
            _check_number(name, value, _STATE_BITS)
            if name in _WHOLE and type(value) is not int:
                raise FlawError(f"{name} is {value!r}, and has to be a whole number")
        if name in _NOT_NEGATIVE:
            _check_sign(name, value)
        largest = max(abs(float(np.max(value))), abs(float(np.min(value))))
        most = LARGEST_VALUE if name in _OF_ROWS else _LARGEST
        if largest > most or (name in _LEVELS and largest < _SMALLEST):
            raise FlawError(f"{name} is {largest:.6g}, as no fit makes it")
    if len(precisions) > 1:
        raise FlawError("its arrays are in single and in double precision")


def _check_sign(name: str, value: Any) -> None:
    """Refuse numbers that no fit could have made, so that no row is cleaned with them."""
    least, largest = float(np.min(value)), float(np.max(value))
    if largest < 0 or least < -_ROUNDING * largest:
        raise FlawError(f"{name} is {least:.6g}, and cannot be negative")
    if name in _POSITIVE and least <= 0:
        raise FlawError(f"{name} is {least:.6g}, and has to be positive")


def check_windows(windows: object) -> None:
    """Check what says how rows are cut from a recording: a few plain values, or None.

    Raises
    ------
    FlawError
        If it is something else.
    """
    if windows is None:
        return
    if type(windows) is not dict or len(windows) > MOST_WINDOW_VALUES:
        raise FlawError("how its windows are cut is not said in a few values")
    for name, value in windows.items():
        check_text("a value of its windows", name)
        _check_plain(f"{name} of its windows", value)
        if type(value) is float and abs(value) > _LARGEST:
            raise FlawError(f"{name} of its windows is {value:.6g}, as no fit makes it")


def check_reading(reading: object) -> None:
    """Check what says how the training tables were read: some options, or None.

    Raises
    ------
    FlawError
        If it is something else.
    """
    if reading is None:
        return
    if type(reading) is not dict or not reading.keys() <= OF_TABLES.keys():
        raise FlawError("how its training tables were read is not said in options")
    for name, value in reading.items():
        if type(value) is not OF_TABLES[name]:
            raise FlawError(f"its option {name} is not of its type")
        _check_plain(f"its option {name}", value)
        if type(value) is int and not 0 <= value < 2**31:
            raise FlawError(f"its option {name} is out of range")
    if reading.get("header", "yes") not in ("yes", "no"):
        raise FlawError("its option header is neither yes nor no")


def check_text(name: str, value: object) -> None:
    """Check that a value is text which is safe to print on one line.

    Parameters
    ----------
    name : str
        What the value is, for the message.
    value : object
        What claims to be text.

    Raises
    ------
    FlawError
        If it is no text, too long, or holds control characters.
    """
    if type(value) is not str or not value.isprintable() or len(value.encode()) > MAX_TEXT_BYTES:
        raise FlawError(f"{name} is not a short plain text")


def _check_plain(name: str, value: object, bits: int = _STATE_BITS) -> None:
    """Check that a value is text or a number, each within bounds."""
    if type(value) is str:
        check_text(name, value)
    else:
        _check_number(name, value, bits)


def _check_number(name: str, value: object, bits: int) -> None:
    if type(value) is int:
        if value.bit_length() >= bits:
            raise FlawError(f"{name} is an integer of {bits} bits or more")
    elif type(value) is not float or not math.isfinite(value):
        raise FlawError(f"{name} is not a finite number")


def _check_array(name: str, value: object, dims: tuple[str, ...], lengths: dict[str, int]) -> None:
    """Check one array, and note the lengths of dimensions that are met first."""
    if not isinstance(value, np.ndarray) or value.ndim != len(dims):
        raise FlawError(f"{name} is not an array of {len(dims)} dimensions")
    for symbol, length in zip(dims, value.shape, strict=True):
        due = lengths.setdefault(symbol, length)
        if length != due:
            shape = " x ".join(map(str, value.shape))
            raise FlawError(f"{name} is {shape}, where {symbol} = {due} elsewhere")
        if length == 0:
            raise FlawError(f"{name} is empty")
    if not _all_finite(value):
        raise FlawError(f"{name} holds numbers that are not finite")


def _all_finite(array: np.ndarray[Any, Any]) -> bool:
    flat = array.reshape(-1)
    blocks = range(0, flat.size, _BLOCK)
    return all(np.isfinite(flat[start : start + _BLOCK]).all() for start in blocks)
