"""How much closer to the clean one a recording comes, and what to expect where that is unknown."""

from __future__ import annotations

import math

import numpy as np

from ikpca_cli.data.row_source import RowSource
from ikpca_cli.errors import InputError, UsageError, tell
from ikpca_cli.estimators.decisions.reasons import Reason
from ikpca_cli.evaluation.metrics import mean_errors, snr_gain_db
from ikpca_cli.noise.estimate import is_impossible
from ikpca_cli.recordings.colour import ROUGH, UNKNOWN
from ikpca_cli.recordings.recording import Recording
from ikpca_cli.recordings.roughness import at_limits
from ikpca_cli.recordings.suitability import (
    RESAMPLED,
    STRUCK,
    fingerprint,
    is_struck,
    level_of,
    remarks,
)
from ikpca_cli.recordings.window_risk import SURE_ENOUGH, Risk
from ikpca_cli.recordings.windowed import Windowed


def evaluate_windows(
    model: Windowed, noisy: RowSource, clean: RowSource | None, sample_shape: tuple[int, ...]
) -> dict[str, float | int | str | None]:
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
    for line in remarks(model, recording):
        tell(line, stacklevel=2)
    model, fitted = model.suited(recording), model
    about: dict[str, float | int | str | None] = {"n_samples": int(noisy.shape[0])}
    if clean is None:
        return _estimated(model, fitted, recording) | about
    before = after = 0.0
    columns = recording.columns
    for part, cleaned in recording.cleaned(model.clean_canvas):
        reference = np.asarray(clean[part], dtype=np.float64)[:, columns]
        noisy_part = np.asarray(recording.rows[part], dtype=np.float64)[:, columns]
        before += float(np.sum((noisy_part - reference) ** 2))
        after += float(np.sum((cleaned[:, columns] - reference) ** 2))
    return mean_errors(before, after, int(noisy.shape[0]) * len(columns)) | about


def _estimated(
    model: Windowed, fitted: Windowed, recording: Recording
) -> dict[str, float | int | str | None]:
    """Return what is known of the error of a recording without the clean one.

    Parameters
    ----------
    model, fitted : Windowed
        For the noise of the recording, and as it was fitted.
    recording : Recording
    """
    if fitted.noise_std_ is None:
        raise UsageError(
            "the noise level of this recording is not known, so neither is the error: fit the "
            "model with noise_std (--noise-std), or give the clean recording"
        )
    kind = model.cutting.kind
    if kind == "beats":
        scales = np.array(model.cutting.scales)
        before = fitted.noise_std_**2 * float(np.mean(scales**2))
        return _record(fitted.noise_std_, Risk(before, 0.0, 0.0), RESAMPLED)
    own = level_of(fitted, recording)
    if own is None and kind == "signal":
        raise InputError(
            f"{recording.name}: no error can be estimated: {UNKNOWN}; give the clean recording"
        )
    known = fingerprint(recording) in fitted.seen.split()
    risk = model.estimate(recording.canvases, trained=known, noise_std=own)
    limit = at_limits(recording.canvases, kind)
    if limit is None and is_impossible(risk.mse, risk.error):
        or_known = "" if known else ", or the model was fitted on it"
        raise InputError(
            f"{recording.name}: no error can be estimated: it would be {risk.mse:.3g}. Its noise "
            f"is not as strong as it was taken to be{or_known}; give another recording, or the "
            "clean one"
        )
    if limit is None and model.colour and not fitted.level_given:
        limit = ROUGH
    elif limit is None and kind == "signal" and is_struck(model, recording.canvases, risk):
        limit = STRUCK
    elif limit is None and risk.mse < SURE_ENOUGH * risk.error:
        limit = Reason.UNSURE.words
    return _record(own or fitted.noise_std_, risk, limit)


def _record(level: float, risk: Risk, limit: str | None) -> dict[str, float | int | str | None]:
    """Return an estimate as it is printed, or why it is none."""
    mse = risk.mse if limit is None else None
    found: dict[str, float | int | str | None] = {
        "noise_std": level,
        "estimated_mse_noisy": risk.mse_noisy,
        "estimated_mse": mse,
        "estimated_mse_error": risk.error if limit is None else None,
        "estimated_rms_noisy": math.sqrt(risk.mse_noisy),
        "estimated_rms": None if mse is None else math.sqrt(mse),
        "estimated_snr_gain_db": None if mse is None else snr_gain_db(risk.mse_noisy, mse),
    }
    if limit is not None:
        found["no_estimate_because"] = limit
    if limit == Reason.UNSURE.words:
        # It is unbiased, hence below zero at times where hardly any is left.
        found |= {"rough_mse": max(risk.mse, 0.0), "rough_mse_error": risk.error}
    return found
