"""How much closer to the clean one a recording comes, and what to expect where that is unknown."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ikpca_cli.data.row_source import RowSource, row_name
from ikpca_cli.errors import InputError, UsageError
from ikpca_cli.evaluation.metrics import snr_gain_db
from ikpca_cli.recordings.colour import UNKNOWN, correlations
from ikpca_cli.recordings.recording import Canvas
from ikpca_cli.recordings.roughness import channel_noise
from ikpca_cli.recordings.windowed import Windowed


def evaluate_windows(
    model: Windowed, noisy: RowSource, clean: RowSource | None, sample_shape: tuple[int, ...]
) -> dict[str, float | int | None]:
    """Measure or estimate the error of a recording before and after cleaning, times left out.

    Parameters
    ----------
    model : Windowed
        Fitted.
    noisy, clean : RowSource, shape (n, p)
        The file with and without noise; None for an estimate (`Windowed.estimate`).
    sample_shape : tuple of int
        The shape that a row has in the file.

    Returns
    -------
    dict
        mse_noisy, mse, their roots and snr_gain_db, or estimates of them, and n_samples.

    Raises
    ------
    InputError
        If windows of the model cannot be cut from the file.
    UsageError
        If nothing is known to estimate the error by.
    """
    recording = model.recording(noisy, sample_shape)
    about: dict[str, float | int | None] = {"n_samples": int(noisy.shape[0])}
    if clean is None:
        if model.noise_std_ is None:
            raise UsageError(
                "the noise level of this recording is not known, so neither is the error: fit the "
                "model with --noise-std, or give the clean recording"
            )
        own = None
        if model.cutting.kind == "signal" and not model.level_given:
            own = noise_of(recording.canvases, row_name(noisy), model.cutting.scales)
        risk = model.estimate(recording.canvases, noise_std=own)
        if risk.mse < -3.0 * risk.error:
            raise InputError(
                f"{row_name(noisy)}: no error can be estimated: it would be {risk.mse:.3g}. The "
                "model was fitted on this recording, or its noise is not as strong as the model "
                "was told; give another recording, or the clean one"
            )
        # It is unbiased, hence below zero at times where hardly any error is left.
        mse = risk.mse if risk.mse > 0.0 else None
        gain = None if mse is None else snr_gain_db(risk.mse_noisy, mse)
        return {
            "noise_std": own or model.noise_std_,
            "estimated_mse_noisy": risk.mse_noisy,
            "estimated_mse": mse,
            "estimated_mse_error": risk.error,
            "estimated_rms_noisy": math.sqrt(risk.mse_noisy),
            "estimated_rms": None if mse is None else math.sqrt(mse),
            "estimated_snr_gain_db": gain,
        } | about
    before = after = 0.0
    columns = recording.columns
    for part, cleaned in recording.cleaned(model.clean_canvas):
        reference = np.asarray(clean[part], dtype=np.float64)[:, columns]
        noisy_part = np.asarray(noisy[part], dtype=np.float64)[:, columns]
        before += float(np.sum((noisy_part - reference) ** 2))
        after += float(np.sum((cleaned[:, columns] - reference) ** 2))
    count = int(noisy.shape[0]) * len(columns)
    before, after = before / count, after / count
    return {
        "mse_noisy": before,
        "mse": after,
        "rms_noisy": math.sqrt(before),
        "rms": math.sqrt(after),
        "snr_gain_db": snr_gain_db(before, after),
    } | about


def noise_of(canvases: Sequence[Canvas], name: str, scales: tuple[float, ...]) -> float:
    """Return the noise level of a recording, over `scales` by channel: root mean square.

    Raises
    ------
    InputError
        If it cannot be told.
    """
    told = correlations(canvases)
    if told is None:
        raise InputError(f"{name}: no error can be estimated: {UNKNOWN}; give the clean recording")
    levels = channel_noise(canvases, "signal") / np.array(scales or 1.0)
    return float(np.sqrt(np.mean(levels**2))) * told[1]
