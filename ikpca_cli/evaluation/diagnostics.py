"""How far a result can be trusted without clean rows: estimated error, and what was removed."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from functools import partial

import numpy as np

from ikpca_cli.data.duplicates import different
from ikpca_cli.data.first_pass import selection_rows
from ikpca_cli.data.random import Stream, model_rng
from ikpca_cli.data.row_source import FloatArray, RowSource, check_width
from ikpca_cli.errors import IkpcaWarning, InputError, UsageError
from ikpca_cli.estimators.denoiser import Denoiser
from ikpca_cli.evaluation.metrics import snr_gain_db
from ikpca_cli.noise.estimate import NoiseLevel
from ikpca_cli.noise.level import estimate_noise
from ikpca_cli.noise.risk import stein_risks

MOST_ROWS = 2000
"""Rows that an estimate looks at."""

NOISE_LIKE, SIGNAL_LIKE = 0.2, 0.4
"""Correlation of what was removed, with itself and the signal, up to which it may be noise."""

SOME_ROWS = 500
"""Rows that the look at the noise of training rows takes."""

FEW_ROWS, FEW_COLUMNS = 30, 10
"""Below these, correlation and unevenness tell little."""

CORRELATED, UNEVEN = 0.3, 2.0
"""Correlation of neighbours, and ratio of columns, from which noise is called other than white."""


@dataclass(frozen=True)
class Residual:
    """What a denoiser removed.

    Attributes
    ----------
    std : float
        Root mean square, in the units of the data.
    autocorrelation : float
        Correlation of neighbouring numbers within a row; 0 for white noise.
    signal_correlation : float
        Correlation with the cleaned rows, less their means; 0 where no signal was removed.
    unevenness : float
        Ratio of the loud columns' standard deviation (90th percentile) to that of the quiet ones
        (10th percentile); about 1 for noise that is the same in every column.
    signal_std : float
        Root mean square of the cleaned rows, less their means.
    """

    std: float
    autocorrelation: float
    signal_correlation: float
    unevenness: float
    signal_std: float

    @classmethod
    def of(cls, noisy: FloatArray, cleaned: FloatArray) -> Residual:
        """Return that of rows (n, p) before and after cleaning."""
        removed = noisy - cleaned
        signal = cleaned - cleaned.mean(axis=0)
        return cls(
            float(np.sqrt(np.mean(removed**2))),
            _correlation(removed[:, :-1], removed[:, 1:]),
            _correlation(removed, signal),
            _unevenness(removed.std(axis=0)),
            float(np.sqrt(np.mean(signal**2))),
        )

    def flaw(self, noise_std: float | None = None) -> str | None:
        """Return why this does not look like noise, None if it does.

        Parameters
        ----------
        noise_std : float, optional
            The noise level. White noise of which a share k is kept, at low frequencies, leaves the
            rest correlated by ``-sin(pi k) / (pi (1 - k))``. What is kept of noise is correlated
            with what is removed as well: of a posterior mean, their mean product is its error,
            the noise variance less that of the residual.
        """
        low, with_signal = -NOISE_LIKE, SIGNAL_LIKE
        if noise_std is not None and 0.0 < self.std < noise_std:
            gone = (self.std / noise_std) ** 2
            kept = 1.0 - gone
            low -= math.sin(math.pi * gone) / (math.pi * gone)
            if self.signal_std > 0.0:
                with_signal += kept * noise_std**2 / (self.std * self.signal_std)
        if not low <= self.autocorrelation <= NOISE_LIKE:
            return f"it is correlated along the row ({self.autocorrelation:+.2f})"
        if self.signal_correlation > with_signal:
            return f"it is correlated with the signal ({self.signal_correlation:+.2f})"
        return None


def noise_flaw(model: Denoiser, X: RowSource) -> str | None:
    """Return why the noise on rows that a model was fitted on is not white, None if it may be.

    The noise level and every choice made by it rest on noise of one strength without correlation.

    Parameters
    ----------
    model : Denoiser
        Fitted on `X`.
    X : RowSource, shape (n_samples, n_features)
    """
    if X.shape[1] < FEW_COLUMNS or X.shape[0] < FEW_ROWS or model.replicates_:
        return None
    rows = selection_rows(X, SOME_ROWS, model.seed_)
    treatment = model.treatment(rows)
    cleaned = model.clean(rows, treatment)
    residual = Residual.of(treatment.forward(rows), treatment.forward(cleaned))
    if residual.std == 0.0:
        return None
    if abs(residual.autocorrelation) > CORRELATED:
        return (
            f"the noise seems to be correlated along the row ({residual.autocorrelation:+.2f}), "
            "but is taken to be white: less of it is removed than could be"
        )
    if residual.unevenness > UNEVEN:
        return (
            f"the noise seems to be {residual.unevenness:.1f} times stronger in some columns than "
            "in others: divide each column by its noise level first"
        )
    return None


def estimate_error(model: Denoiser, noisy: RowSource) -> dict[str, float | int | None]:
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
        two, estimated_rms_noisy and estimated_rms, estimated_snr_gain_db,
        the residual's std, autocorrelation and signal correlation, and n_samples.

    Raises
    ------
    UsageError
        If the noise level is not known.
    """
    check_width(noisy, model.n_features_in_)
    rows = selection_rows(noisy, MOST_ROWS, model.seed_)
    treatment = model.treatment(rows)
    noise_std = treatment.caution.std
    if noise_std is None and model.strength_ is None:
        # Every parameter was given: what is known of the noise is not in the model.
        noise_std = model.noise_std_ if model.fitted_params_["noise_std"] != "auto" else None
        noise_std = noise_std or estimate_noise(rows - rows.mean(axis=0)).std or model.noise_std_
    if noise_std is None:
        raise UsageError(
            "the noise level of these rows is not known, so neither is the error: fit the model "
            "with --noise-std, or give clean rows"
        )
    rng = model_rng(model.seed_, Stream.EVALUATION_PROBE)
    clean = partial(model.clean, treatment=treatment)
    risks, before = stein_risks(clean, rows, noise_std, treatment.transform, rng)
    noisy_mse, risk, error = (
        float(before.mean()),
        float(risks.mean()),
        float(risks.std() / np.sqrt(len(risks))),
    )
    cleaned = clean(rows)
    Z = treatment.forward(rows)
    residual = Residual.of(Z, treatment.forward(cleaned))
    if risk < -3.0 * error:
        raise InputError(
            f"{getattr(noisy, 'name', 'the array')}: no error can be estimated: it would be "
            f"{risk:.3g}. These rows are among those that the model was fitted on, or their noise "
            "is not as strong as the model was told; give other rows, or clean ones"
        )
    if model.fitted_params_["noise_std"] == "auto":
        doubt = estimate_noise(Z - Z.mean(axis=0)).error
        level = NoiseLevel(math.sqrt(noisy_mse), certain=True, error=doubt)
        error = level.risk_error(risk, error, rows.size)
    _warn_of_known_rows(model, Z, getattr(noisy, "name", "the array"))
    return {
        "noise_std": math.sqrt(noisy_mse),
        "estimated_mse_noisy": noisy_mse,
        "estimated_mse": max(risk, 0.0),
        "estimated_mse_error": error,
        "estimated_rms_noisy": math.sqrt(noisy_mse),
        "estimated_rms": math.sqrt(max(risk, 0.0)),
        "estimated_snr_gain_db": snr_gain_db(noisy_mse, risk) if risk > 0.0 else None,
        "residual_std": float(np.sqrt(np.mean((rows - cleaned) ** 2))),
        "residual_autocorrelation": residual.autocorrelation,
        "residual_signal_correlation": residual.signal_correlation,
        "n_samples": noisy.shape[0],
    }


def _warn_of_known_rows(model: Denoiser, Z: FloatArray, name: str) -> None:
    """Warn if most of some rows, as transformed, are among those that a model was fitted on."""
    known = getattr(model, "rows_", None)
    if known is None or known.shape[1:] != Z.shape[1:]:
        return
    both = np.concatenate([known, Z - model.mean_])
    if len(both) - different(both) > len(Z) / 2:
        warnings.warn(
            f"{name}: the model was fitted on these rows, so the error is higher than estimated: "
            "give other rows, or clean ones",
            IkpcaWarning,
            stacklevel=3,
        )


def _unevenness(stds: FloatArray) -> float:
    noisy = stds[stds > 0.0]
    if len(noisy) == 0:
        return 1.0
    quiet, loud = np.quantile(noisy, [0.1, 0.9])
    return float(loud / quiet)


def _correlation(A: FloatArray, B: FloatArray) -> float:
    scale = float(np.sqrt(np.sum(A**2) * np.sum(B**2)))
    return float(np.sum(A * B)) / scale if scale > 0.0 else 0.0
