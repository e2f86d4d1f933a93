"""The error of cleaned rows without clean ones, or why it cannot be told, and what is known then.

It is Stein's unbiased estimate on rows that the model has not seen. It rests on the noise being
what it is taken for: where the fit doubted that, or what was removed does not look like noise, the
estimate is not given as one but as a rough one.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from ikpca_cli.data.first_pass import SAMPLE_ROWS, selection_rows
from ikpca_cli.data.random import Stream, model_rng
from ikpca_cli.data.row_source import FloatArray, RowSource, check_width, row_name
from ikpca_cli.errors import InputError, Note, UsageError, about, tell
from ikpca_cli.estimators.decisions.promise import MOST_ERROR
from ikpca_cli.estimators.decisions.reasons import OF_NOISE, Reason
from ikpca_cli.estimators.denoiser import Denoiser
from ikpca_cli.evaluation.diagnostics import FEW_COLUMNS, Residual
from ikpca_cli.evaluation.diagnostics import FEW_ROWS as FEW_TO_JUDGE
from ikpca_cli.evaluation.metrics import snr_gain_db
from ikpca_cli.noise.caution import FEW_ROWS
from ikpca_cli.noise.estimate import NoiseLevel, is_impossible
from ikpca_cli.noise.evidence.one_level import is_of_one_level
from ikpca_cli.noise.level import estimate_noise
from ikpca_cli.noise.risk import stein_risks
from ikpca_cli.noise.treatment import Treatment
from ikpca_cli.selection.held_out import MANY_PROBES, directions_of
from ikpca_cli.transforms.column_scale import ColumnScale

_MOSTLY = 0.5
"""Share of rows that were fitted on, from which an error by them says nothing."""

MOST_ROWS = 2000
"""Rows that an estimate looks at."""

FITTED = "the model was fitted on these rows"
"""Why no error of rows of the fit is estimated, not even roughly."""

_SAME_LEVEL = 0.1  # relative difference of levels that are taken to be one
_LEVEL_OF_FIT = 0.02  # relative error of a level that is that of the fit


def estimate_error(model: Denoiser, noisy: RowSource) -> dict[str, float | int | str | None]:
    """Estimate the error before and after cleaning from noisy rows that the model has not seen.

    By Stein's unbiased risk estimate, for the noise of these rows where they tell it, or else that
    of the rows that the model was fitted on.

    Parameters
    ----------
    model : Denoiser
        Fitted.
    noisy : RowSource, shape (n_samples, n_features)

    Returns
    -------
    dict
        noise_std, estimated_mse_noisy, estimated_mse, estimated_mse_error, the roots of the first
        two, estimated_rms_noisy and estimated_rms, estimated_snr_gain_db; where these are None,
        no_estimate_because, rough_mse and rough_mse_error instead;
        the residual's std, autocorrelation and signal correlation, and n_samples.

    Raises
    ------
    InputError
        If the estimate is below zero by more than chance.
    UsageError
        If the noise level is not known.
    """
    check_width(noisy, model.n_features_in_)
    name = row_name(noisy)
    rows = selection_rows(noisy, MOST_ROWS, model.seed_)
    treatment = model.treatment(rows)
    spikes = treatment.spikes
    repaired = rows if spikes is None else spikes.repair(rows)[0]
    Z = treatment.forward(rows)
    level = _level(model, Z, treatment.caution.std)
    if level.std is None:
        raise UsageError(
            "the noise level of these rows is not known, so neither is the error: fit the model "
            "with noise_std (--noise-std), or give clean rows"
        )
    is_usual = treatment.caution.level_ratio == 1.0
    if noisy.shape[0] < FEW_ROWS and is_usual and model.fitted_params_["noise_std"] == "auto":
        few = f"rows fewer than {FEW_ROWS} do not tell their noise; that of the fit is taken for it"
        tell(about(name, Note(few)), stacklevel=2)
    rng = model_rng(model.seed_, Stream.EVALUATION_PROBE)
    clean = partial(model.clean, treatment=treatment)
    # Values that are left out are none of the noise that the estimate is of.
    n_probes = max(1, directions_of(len(rows), rows.shape[1], MANY_PROBES))
    risks, before = stein_risks(clean, repaired, level.std, treatment.transform, rng, n_probes)
    noise_mse = float(before.mean())
    if noise_mse <= 0.0:
        raise InputError(
            f"{name}: one row, or rows that are all alike, do not tell an error; give more of "
            "them, or clean ones"
        )
    are_kept = spikes is not None and spikes.are_kept
    noisy_mse = noise_mse + (0.0 if are_kept else float(np.mean((rows - repaired) ** 2)))
    risk = float(risks.mean())
    error = _standard_error(model, treatment, level, risks, noise_mse, rows.size)
    cleaned = clean(rows)
    residual = Residual.of(*treatment.both(rows, cleaned))
    reason = _reason(model, Z, residual, level)
    if not reason and is_impossible(risk, error):
        raise InputError(
            f"{name}: no error can be estimated: it would be "
            f"{risk:.3g}. These rows are among those that the model was fitted on, or their noise "
            "is not as strong as the model was told; give other rows, or clean ones"
        )
    told = model.fitted_params_["noise_std"] != "auto" or error <= MOST_ERROR * risk
    if not reason and not told:
        reason = Reason.UNSURE.words
    return {
        "noise_std": math.sqrt(noise_mse),
        **_before_and_after(noisy_mse, max(risk, 0.0), error, reason),
        "residual_std": float(np.sqrt(np.mean((rows - cleaned) ** 2))),
        "residual_autocorrelation": residual.autocorrelation,
        "residual_signal_correlation": residual.signal_correlation,
        "n_samples": noisy.shape[0],
    }


def _standard_error(
    model: Denoiser,
    treatment: Treatment,
    level: NoiseLevel,
    risks: FloatArray,
    noise_mse: float,
    n_numbers: int,
) -> float:
    """Return the standard error of the mean risk of rows (n,), with that of the noise level."""
    risk, error = float(risks.mean()), float(risks.std() / np.sqrt(len(risks)))
    if model.fitted_params_["noise_std"] != "auto":
        return error
    units = NoiseLevel(math.sqrt(noise_mse), certain=True, error=level.error)
    error = units.risk_error(risk, error, n_numbers if level.certain else math.inf)
    share = min(max(risk / noise_mse, 0.0), 1.0)
    return math.hypot(error, (1.0 - 2.0 * share) * _doubt_of_columns(model, treatment))


def _before_and_after(
    noisy_mse: float, risk: float, error: float, reason: str
) -> dict[str, float | str | None]:
    """Return the errors by their names: the one that is estimated, or the rough one and why."""
    mse, is_rough = None if reason else risk, reason and not reason.startswith(FITTED)
    return {
        "estimated_mse_noisy": noisy_mse,
        "estimated_mse": mse,
        "estimated_mse_error": None if reason else error,
        "estimated_rms_noisy": math.sqrt(noisy_mse),
        "estimated_rms": None if mse is None else math.sqrt(mse),
        "estimated_snr_gain_db": snr_gain_db(noisy_mse, mse) if mse else None,
        # Of rows that are known the estimate is zero or so whatever the truth.
        "rough_mse": risk if is_rough else None,
        "rough_mse_error": error if is_rough else None,
        "no_estimate_because": reason or None,
    }


def _level(model: Denoiser, Z: FloatArray, usual: float | None) -> NoiseLevel:
    """Return the noise level of transformed rows (n, p), with its error, if it has one."""
    if usual is not None and model.fitted_params_["noise_std"] != "auto":
        return NoiseLevel(usual, certain=True)
    own = estimate_noise(Z - Z.mean(axis=0))
    if usual is None and model.strength_ is None:
        # Every parameter was given: what is known of the noise is not in the model.
        given = model.noise_std_ if model.fitted_params_["noise_std"] != "auto" else None
        std = given or own.std or model.noise_std_
        return NoiseLevel(std, certain=own.std == std, error=own.error)
    if usual is None:
        return NoiseLevel(model.noise_std_, certain=False, error=_LEVEL_OF_FIT)
    few = len(Z) < FEW_ROWS
    if few or own.std is None or not own.certain:
        return NoiseLevel(usual, certain=False, error=_LEVEL_OF_FIT)
    apart = abs(math.log(own.std / usual))
    if apart > _SAME_LEVEL:  # but not clearly another
        return NoiseLevel(usual, certain=False, error=apart)
    return _with_that_of_fit(own, usual, Z.size, len(Z) / min(model.n_samples_, SAMPLE_ROWS))


def _with_that_of_fit(own: NoiseLevel, usual: float, n_numbers: int, times: float) -> NoiseLevel:
    """Return the level of some rows by what they tell of it and what the rows of the fit did.

    What is removed from these rows is their own noise, of which there is more or less by chance.
    Their own reading is as far off that as its error goes beyond this chance; that of the fit is
    off by its own error and the chance. The mean of both is weighed by these variances, and is less
    sure where the two are farther apart than they should be (Birge, 1932).

    Parameters
    ----------
    own : NoiseLevel
        By the rows themselves.
    usual : float
        By those of the fit.
    n_numbers : int
        Numbers in the rows.
    times : float
        Their number over that of the rows of the fit, which were read as precisely.
    """
    assert own.std is not None
    chance, apart = 0.5 / n_numbers, math.log(own.std / usual)
    of_fit = own.error**2 * times
    here, there = max(own.error**2 - chance, 0.0), of_fit + chance
    share = there / (here + there)
    unlike = max(1.0, apart**2 / (own.error**2 + of_fit))
    error = math.sqrt(here * share * unlike + chance)
    return NoiseLevel(usual * math.exp(share * apart), certain=True, error=error)


def _doubt_of_columns(model: Denoiser, treatment: Treatment) -> float:
    """Return the standard error of the mean noise variance that levels of columns have, else 0.

    Each of them was read off as many numbers as the fit had rows.
    """
    if not isinstance(treatment.transform, ColumnScale):
        return 0.0
    variances = treatment.transform.stds**2 * (treatment.caution.std or 1.0) ** 2
    return float(np.sqrt(2.0 / model.n_samples_ * np.sum(variances**2))) / len(variances)


def _reason(model: Denoiser, Z: FloatArray, residual: Residual, level: NoiseLevel) -> str:
    """Return why no error can be estimated, empty if it can."""
    if model.share_known(Z) > _MOSTLY:
        told = model.estimated_mse_
        return FITTED + ("" if told is None else f", of which fit expected RMS {told**0.5:.3g}")
    if model.withheld_ in OF_NOISE:
        return Reason(model.withheld_).words
    is_given = model.fitted_params_["noise_std"] != "auto"
    if not is_given and len(Z) >= FEW_TO_JUDGE and not is_of_one_level(Z - Z.mean(axis=0), Z):
        return Reason.OTHER_NOISE.words
    if len(Z) >= FEW_TO_JUDGE and Z.shape[1] >= FEW_COLUMNS:
        flaw = residual.flaw(level.std)
        if flaw is not None:
            return f"what was removed does not look like noise: {flaw}"
    return ""
