"""What a fit promises: the error to expect, why none is promised, and how far rows may go."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ikpca_cli.data.random import Stream, model_rng
from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.errors import IkpcaWarning
from ikpca_cli.estimators.base import Estimator
from ikpca_cli.noise.caution import IN_DOUBT
from ikpca_cli.noise.estimate import NoiseLevel
from ikpca_cli.noise.risk import stein_risks
from ikpca_cli.noise.treatment import Treatment
from ikpca_cli.selection.choice import Choice

MOST_ERROR = 0.12
"""Standard error of a promise, over the promise, from which it is not made."""

PROBES = 4
"""Random directions that a divergence is measured along where noise is not white."""

_TOO_UNSURE = 3  # of `WITHHELD`


@dataclass(frozen=True)
class Promise:
    """What is promised of rows like the training rows.

    Attributes
    ----------
    mse, error : float or None
        Mean squared error after cleaning, and its standard error; None where none is promised.
    withheld : int
        Why none is, an index of `WITHHELD`; 0 where one is.
    strength : float or None
        What displacements are multiplied by; None where every parameter was given.
    """

    mse: float | None
    error: float | None
    withheld: int
    strength: float | None


def promise_of(
    estimator: Estimator,
    choice: Choice,
    level: NoiseLevel,
    noise_std: float | None,
    withheld: int,
    *,
    is_known: bool,
) -> Promise:
    """Return what a choice promises, and warn where it promises nothing good.

    Parameters
    ----------
    estimator : Estimator
        Whose parameters say what was left to the choice.
    choice : Choice
    level : NoiseLevel
        Of the training rows.
    noise_std : float or None
        What of it the choice was made with.
    withheld : int
        Why nothing is promised, if that is settled before; an index of `WITHHELD`.
    is_known : bool
        Whether errors are known, rather than estimated.
    """
    mse = mse_error = strength = None
    risk, error = choice.risk, choice.error or 0.0
    useless = False
    if noise_std is not None and risk is not None:
        if not is_known:
            error = float(np.hypot(error, level.risk_error(risk)))
        useless = risk - error >= (1.0 - 1e-9) * noise_std**2
    blind = estimator.n_components == "auto" and not estimator.replicates and not is_known
    if risk is not None and blind:
        nothing = level.is_bound or useless
        strength = 0.0 if nothing else 1.0 if level.certain else IN_DOUBT
    if noise_std is not None and risk is not None:
        if strength == 0.0:  # rows stay as they are
            risk, error = noise_std**2, 2.0 * level.error * noise_std**2
        if not withheld and not is_known and error > MOST_ERROR * risk:
            withheld = _TOO_UNSURE
        if not withheld:
            mse, mse_error = risk, error
    if useless:
        warnings.warn(
            f"{estimator.method} is not expected to bring these rows closer to clean ones: they "
            "may be free of noise, or have nothing in common that it can learn"
            + ("; they will be left as they are" if strength == 0.0 else ""),
            IkpcaWarning,
            stacklevel=5,
        )
    return Promise(mse, mse_error, withheld, strength)


def in_units(
    promise: Promise,
    clean: Callable[[FloatArray, Treatment], FloatArray],
    usual: Treatment,
    rows: FloatArray,
    noise_std: float,
    seed: int,
) -> tuple[Promise, float]:
    """Return a promise in the units of the data, and the root mean square of their noise.

    Where noise is not white the promise is that of rows after the transform. It is multiplied
    by the estimated error of training rows in the units of the data over that after it.

    Parameters
    ----------
    promise : Promise
        In units of the transform.
    clean : callable
        Cleans rows (k, n_features) as a treatment says.
    usual : Treatment
        That of the training rows, with a transform.
    rows : ndarray, shape (k, n_features)
        Some training rows.
    noise_std : float
        Standard deviation of the noise after the transform.
    seed : int
        Draws random directions.
    """
    transform = usual.transform
    Z = usual.forward(rows)

    def as_usual(X: FloatArray) -> FloatArray:
        return clean(X, usual)

    def as_white(X: FloatArray) -> FloatArray:
        return clean(X, Treatment(usual.caution))

    after: FloatArray = np.zeros(len(rows))
    white: FloatArray = np.zeros(len(rows))
    before: FloatArray = np.zeros(len(rows))
    for probe in range(PROBES):
        rng = model_rng(seed + probe, Stream.MODEL_PROBE)
        risks, before = stein_risks(as_usual, rows, noise_std, transform, rng)
        after += risks / PROBES
        white += stein_risks(as_white, Z, noise_std, None, rng)[0] / PROBES
    noise_rms = float(before.mean()) ** 0.5
    if promise.mse is None or promise.error is None:
        return promise, noise_rms
    ratio = float(after.mean() / white.mean())
    doubt = float((after - ratio * white).std() / len(rows) ** 0.5 / abs(after.mean()))
    error = float(np.hypot(promise.error / promise.mse, doubt))
    if 0.0 < ratio < np.inf and error <= MOST_ERROR:
        mse = promise.mse * ratio
        return replace(promise, mse=mse, error=error * mse), noise_rms
    return Promise(None, None, _TOO_UNSURE, promise.strength), noise_rms
