"""What a fit takes its noise to be: as given, as asked for, or found in the rows."""

from __future__ import annotations

import numpy as np

from ikpca_cli.data.first_pass import SAMPLE_ROWS, FirstPass, selection_rows
from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.errors import InputError, tell
from ikpca_cli.estimators.base import Estimator
from ikpca_cli.estimators.decisions.reasons import Reason
from ikpca_cli.noise.caution import LIKE, SOME_ROWS
from ikpca_cli.noise.eigenvalues import Eigenvalues
from ikpca_cli.noise.estimate import NoiseLevel
from ikpca_cli.noise.evidence.neighbours import are_alike
from ikpca_cli.noise.evidence.nothing_else import are_noise_alone
from ikpca_cli.noise.evidence.one_level import is_of_one_level
from ikpca_cli.noise.evidence.rounding import is_rounded
from ikpca_cli.noise.level import estimate_noise
from ikpca_cli.noise.models.choose import Noise, noise_of
from ikpca_cli.noise.models.hum import shared_period
from ikpca_cli.transforms.column_scale import ColumnScale
from ikpca_cli.transforms.protocol import Transform
from ikpca_cli.transforms.whiten import Whitening

GIVEN = "as given"
"""The evidence of noise that is known."""

MODEL_ROWS = 1000
"""Training rows that tell what noise is like."""


def noise_of_fit(estimator: Estimator, rows: FirstPass, given: Transform | None) -> Noise:
    """Return what the noise on rows is like: given, asked for, or found.

    Parameters
    ----------
    estimator : Estimator
        Whose parameters say what is asked for.
    rows : FirstPass, shape (n_samples, n_features)
        The training rows, once they were read.
    given : Transform or None
        What is known to make their noise white.

    Raises
    ------
    InputError
        If the transform is for rows of another width.
    """
    if given is not None:
        name = "columns" if isinstance(given, ColumnScale) else "correlated"
        if given.width is not None and given.width != rows.shape[1]:
            raise InputError(
                f"{rows.name} has {rows.shape[1]} columns, but its noise was given for "
                f"{given.width}; give it for these columns"
            )
        return Noise(name, given, evidence=GIVEN)
    gamma_given = getattr(estimator, "gamma", "auto") != "auto"
    is_given = gamma_given or estimator.noise_std != "auto" or estimator.n_components != "auto"
    if estimator.noise_model == "auto" and (is_given or estimator.replicates):
        return Noise()
    some = selection_rows(rows, MODEL_ROWS, estimator.seed)
    noise = noise_of(some, estimator.noise_model, rows.name)
    if isinstance(noise.transform, Whitening) and estimator.noise_model == "auto":
        tell(
            f"noise that is correlated along the row is removed from {rows.name}; signal that is "
            "as rough in all rows looks the same and goes with it: if there may be any, give "
            "noise_std (--noise-std)",
            stacklevel=5,
        )
    return noise


def doubt_of(
    estimator: Estimator, noise: Noise, noise_std: float, given: FirstPass, rows: FirstPass
) -> Reason:
    """Return why no error can be promised with such noise, `Reason.NONE` if one can.

    Parameters
    ----------
    estimator : Estimator
        Whose parameters say what is given.
    noise : Noise
    noise_std : float
        The level of noise that was made white.
    given, rows : FirstPass, shape (n_samples, n_features)
        The training rows as they came, and with white noise.
    """
    white = selection_rows(rows, MODEL_ROWS, estimator.seed)
    white = white - white.mean(axis=0)
    is_given = estimator.noise_std != "auto" or estimator.replicates or noise.evidence == GIVEN
    spectrum = None if estimator.replicates else Eigenvalues.of(white)
    if not is_given and tell_if_alone(white, noise_std, given.name, spectrum):
        return Reason.ALONE
    if noise.is_doubtful:
        return Reason.OTHER_NOISE
    if noise.name == "rows":
        return Reason.BY_ROW
    if noise.transform is not None and noise.name == "correlated" and noise.evidence != GIVEN:
        return Reason.ROUGH_SIGNAL
    if noise.spikes is not None and not noise.spikes.are_sure:
        return Reason.LEFT_OUT
    if estimator.replicates:
        return Reason.NONE
    if are_alike(white, spectrum=spectrum):
        return Reason.ALIKE
    if is_given:
        return Reason.NONE
    some = selection_rows(given, MODEL_ROWS, estimator.seed)
    if noise.transform is None and is_rounded(some, noise_std):
        return Reason.ROUNDED
    if noise.spikes is not None:
        some = noise.spikes.repair(some)[0]
    if shared_period(some - some.mean(axis=0)) is not None:
        return Reason.HUM
    return Reason.NONE if is_of_one_level(white, some, spectrum) else Reason.OTHER_NOISE


def tell_if_alone(
    white: FloatArray, noise_std: float, name: str, spectrum: Eigenvalues | None = None
) -> bool:
    """Warn where noise of a level is all that centred rows (n, p) differ by; tell whether it is."""
    alone = are_noise_alone(white, noise_std, spectrum)
    if alone:
        tell(
            f"nothing that the rows of {name} differ by stands out of noise: they are brought to "
            "what they share. If they differ by more, give noise_std (--noise-std)",
            stacklevel=5,
        )
    return alone


def level_of_fit(
    estimator: Estimator, rows: FirstPass, mean: FloatArray, noise: Noise
) -> NoiseLevel:
    """Return the noise level that was given, or else estimated.

    Parameters
    ----------
    estimator : Estimator
        As for `noise_of_fit`.
    rows : FirstPass, shape (n_samples, n_features)
        The training rows, with white noise.
    mean : ndarray, shape (n_features,)
        Their means.
    noise : Noise
        What `noise_of_fit` returned.
    """
    if estimator.noise_std != "auto":
        return NoiseLevel(float(estimator.noise_std), certain=True)
    if noise.evidence == GIVEN:
        return NoiseLevel(1.0, certain=True)
    some = selection_rows(rows, SAMPLE_ROWS, estimator.seed)
    if estimator.replicates:
        # All that replicates differ in is noise.
        return NoiseLevel(float(np.sqrt(np.mean(np.var(some, axis=0, ddof=1)))), certain=True)
    found = estimate_noise(some - mean)
    if noise.name == "rows":
        # Each row was brought to level 1, so that their lengths no longer tell noise from signal.
        error = max(found.error, some.size**-0.5)
        return NoiseLevel(min(found.std or 1.0, 1.0), certain=True, error=error)
    return found


def level_read(
    estimator: Estimator, rows: FirstPass, mean: FloatArray, level: NoiseLevel
) -> float | None:
    """Return what the level of the training rows looks like, by which that of others is judged.

    Signal that is as rough as noise makes rows look louder than the level that was given, and rows
    of other files as well. Parameters as for `level_of_fit`; `level` is what it returned. It is
    read off as many rows as are looked at of a file, and off more where these look otherwise.
    """
    if estimator.noise_std == "auto" or estimator.replicates or not level.std:
        return None if level.is_bound else level.std
    found = None
    for most in (SOME_ROWS, SAMPLE_ROWS):
        some = selection_rows(rows, most, estimator.seed)
        found = estimate_noise(some - mean).std
        if not found or 1.0 / LIKE < found / level.std < LIKE:
            return level.std
    return found
