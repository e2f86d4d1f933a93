"""What a fit promises: the error to expect, why none is promised, and how far rows may go."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ikpca_cli.data.random import Stream, model_rng
from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.errors import Note, tell
from ikpca_cli.estimators.base import Estimator
from ikpca_cli.estimators.decisions.reasons import Reason
from ikpca_cli.noise.estimate import NoiseLevel
from ikpca_cli.noise.treatment import Treatment
from ikpca_cli.selection.choice import Choice

MOST_ERROR = 0.12
"""Standard error of a promise, over it, from which it is not made: of normal errors this size nine
of ten are within a fifth of what is promised."""

_ROUGH, _AGREE = 0.3, 0.33  # standard error, and difference of logarithms, that a simulation mends
_LOW, _SCATTER = 1.08, 0.16  # what a simulated error is raised by, and its own standard error
_LEVELS_LOW = 1.15  # the former where noise is not white: its levels are not told again


@dataclass(frozen=True)
class Promise:
    """What is promised of rows like the training rows.

    Attributes
    ----------
    mse, error : float or None
        Mean squared error after cleaning, and its standard error; None where nothing is known.
    withheld : Reason
        Why none is.
    strength : float or None
        What displacements are multiplied by; None where every parameter was given.
    """

    mse: float | None
    error: float | None
    withheld: Reason
    strength: float | None

    def checked(self) -> Promise:
        """Return this, withheld if its error is too large beside it."""
        if self.withheld or self.mse is None or self.error is None:
            return self
        if self.error <= MOST_ERROR * self.mse:
            return self
        return replace(self, withheld=Reason.UNSURE)


def promise_of(
    estimator: Estimator,
    choice: Choice,
    level: NoiseLevel,
    noise_std: float | None,
    withheld: Reason,
    *,
    is_known: bool,
    n_numbers: int,
) -> Promise:
    """Return what a choice promises, and tell where that is nothing good.

    Parameters
    ----------
    estimator : Estimator
        Whose parameters say what was left to the choice.
    choice : Choice
    level : NoiseLevel
        Of the training rows.
    noise_std : float or None
        What of it the choice was made with.
    withheld : Reason
        Why nothing is promised, if that is settled before.
    is_known : bool
        Whether errors are known, rather than estimated.
    n_numbers : int
        Numbers in the rows that told the level.
    """
    mse = mse_error = strength = None
    risk, error = choice.risk, choice.error or 0.0
    useless = False
    blind = estimator.n_components == "auto" and not estimator.replicates and not is_known
    if noise_std is not None and risk is not None:
        if not is_known:
            error = level.risk_error(risk, error, n_numbers)
        # What was asked for is done unless it does harm for sure.
        useless = risk - (0.0 if blind else error) >= (1.0 - 1e-9) * noise_std**2
    if risk is not None and blind:
        nothing = level.is_bound or level.std is None or useless
        strength = 0.0 if nothing else level.strength
    if noise_std is not None and risk is not None:
        if strength == 0.0:  # rows stay as they are
            risk, error = noise_std**2, 2.0 * level.error * noise_std**2
        mse, mse_error = risk, error
    if useless:
        line = (
            f"{estimator.method} is not expected to bring these rows closer to clean ones: they "
            "may be free of noise, or have nothing in common that it can learn"
        )
        left = Note(f"{line}; they will be left as they are")
        tell(left if strength == 0.0 else line, stacklevel=6)
    return Promise(mse, mse_error, withheld, strength)


def simulated(
    promise: Promise,
    clean: Callable[[FloatArray], FloatArray],
    usual: Treatment,
    rows: FloatArray,
    cleaned: FloatArray,
    noise_std: float,
    seed: int,
) -> tuple[Promise, float]:
    """Return a promise in the units of the data, and the root mean square of their noise.

    Fresh noise is put on cleaned rows, from which the same is learned, and which are cleaned again:
    a parametric bootstrap (Efron, 1979). It knows the truth, but one that is simpler than that of
    the data, so that the error in it is a lower bound in the main: a promise is raised to it, but
    by no more than its own standard error. Where both agree the promise is their mean, weighed by
    their precision, which is made where one of them alone would be too rough. Where noise is not
    white, the promise is that of rows after the transform; it is multiplied by the ratio of
    the errors in the units of the data and after it.

    Parameters
    ----------
    promise : Promise
        In units of the transform.
    clean : callable
        Maps rows (k, n_features) to cleaned rows, both in the units of the data; by what was
        learned from them, where they are as many as the training rows.
    usual : Treatment
        How it does that to rows like the training rows.
    rows, cleaned : ndarray, shape (k, n_features)
        Some training rows, and what they become.
    noise_std : float
        Standard deviation of the noise after the transform.
    seed : int
        Draws the noise.
    """
    transform = usual.prepared(rows).transform
    rng = model_rng(seed, Stream.MODEL_PROBE)
    truth = cleaned.astype(np.float64)
    white = truth if transform is None else transform.forward(truth)
    noise: FloatArray = noise_std * rng.standard_normal(white.shape)
    if transform is not None:
        noise = transform.noise(white, noise)
    still = np.ptp(rows, axis=0) == 0.0
    noise[:, still] = 0.0
    again = clean(truth + noise).astype(np.float64)
    after = np.mean((again - truth) ** 2, axis=1)
    levels = np.ones(white.shape) if transform is None else transform.levels(white).copy()
    levels[:, still] = 0.0
    noise_rms = noise_std * float(np.mean(levels**2)) ** 0.5
    if promise.mse is None or promise.error is None:
        return promise, noise_rms
    if promise.strength == 0.0:
        times = (noise_rms / noise_std) ** 2
        return replace(promise, mse=times * promise.mse, error=times * promise.error), noise_rms
    mse, error, unsure = promise.mse, promise.error, 0.0
    low, most = _LOW, MOST_ERROR
    if transform is not None:
        moved = np.mean((transform.forward(again) - white) ** 2, axis=1)
        ratio = float(after.mean() / max(float(moved.mean()), np.finfo(float).tiny))
        spread = float((after - ratio * moved).std() / len(rows) ** 0.5)
        unsure = spread / max(float(after.mean()), np.finfo(float).tiny)
        # What is lost of signal is lost elsewhere than noise is left: anything between the ratio
        # of this simulation and that of noise itself may be.
        ratio = max(ratio, np.finfo(float).tiny)
        unsure = float(np.hypot(unsure, 0.5 * np.log(ratio * noise_std**2 / noise_rms**2)))
        mse, error = ratio * mse, ratio * error
        low, most = _LEVELS_LOW, _SCATTER
    error = float(np.hypot(error, unsure * mse))
    found = float(after.mean())
    if min(found, mse) <= 0.0 or abs(apart := float(np.log(low * found / mse))) > _AGREE:
        mse = max(mse, min(found, mse + error))
    elif error < _ROUGH * mse:
        share = error**2 / (error**2 + (_SCATTER * mse) ** 2)
        mse *= float(np.exp(share * apart))
        error = mse * min(share**0.5 * _SCATTER, most)
    return replace(promise, mse=mse, error=error), noise_rms
