"""How far rows are from the clean ones, before and after a model."""

from __future__ import annotations

import math

import numpy as np

from ikpca_cli.data.row_source import FloatArray, Progress, RowSource, column_means, silent
from ikpca_cli.estimators.denoiser import Denoiser

_ROUNDING = 1e-12  # relative difference of errors that are one


def mean_squared_error(X: FloatArray, reference: FloatArray) -> float:
    """Return the mean squared difference of `X` (n, p) from `reference`, (n, p) or (p,)."""
    return float(np.mean((X - reference) ** 2))


def snr_gain_db(mse_noisy: float, mse: float) -> float:
    """Return by how many decibels the signal-to-noise ratio rose; infinite for a perfect result."""
    if math.isclose(mse_noisy, mse, rel_tol=_ROUNDING):
        return 0.0
    with np.errstate(divide="ignore"):
        return float(10.0 * np.log10(np.float64(mse_noisy) / np.float64(mse)))


def mean_errors(before: float, after: float, count: int) -> dict[str, float]:
    """Return the errors of `count` numbers by name, from sums of squares before and after."""
    mse_noisy, mse = before / count, after / count
    return {
        "mse_noisy": mse_noisy,
        "mse": mse,
        "rms_noisy": math.sqrt(mse_noisy),
        "rms": math.sqrt(mse),
        "snr_gain_db": snr_gain_db(mse_noisy, mse),
    }


def evaluate_model(
    model: Denoiser, noisy: RowSource, clean: RowSource | None, progress: Progress = silent
) -> dict[str, float | int | None]:
    """Return the errors of `model` on `noisy`, block by block.

    Parameters
    ----------
    model : Denoiser
        Fitted.
    noisy, clean : RowSource, shape (n_samples, n_features)
        The same rows with and without noise; None for `clean` stands for the mean noisy row.
    progress : callable

    Returns
    -------
    dict
        mse_noisy, mse, their roots rms_noisy and rms (in the unit of the data), snr_gain_db and
        n_samples.

    Raises
    ------
    InputError
        If rows are not finite or have another width than the training rows.
    """
    mean = column_means(noisy) if clean is None else np.empty(0)
    before = after = 0.0
    for part, cleaned in model.denoise_blocks(noisy):
        reference = mean if clean is None else np.asarray(clean[part], dtype=np.float64)
        before += float(np.sum((noisy[part] - reference) ** 2))
        after += float(np.sum((cleaned - reference) ** 2))
        progress("evaluate", part.stop, noisy.shape[0])
    errors = mean_errors(before, after, noisy.shape[0] * noisy.shape[1])
    return {**errors, "n_samples": noisy.shape[0]}
