"""Whether what was removed from rows looks like noise."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ikpca_cli.data.first_pass import selection_rows
from ikpca_cli.data.row_source import FloatArray, RowSource
from ikpca_cli.errors import Note
from ikpca_cli.estimators.decisions.reasons import LEVEL_OF_SIGNAL
from ikpca_cli.estimators.denoiser import Denoiser
from ikpca_cli.noise.evidence.neighbours import neighbour_correlation
from ikpca_cli.noise.evidence.uneven_columns import unevenness_of_columns

NOISE_LIKE, SIGNAL_LIKE = 0.2, 0.4
"""Correlation of what was removed, with itself and the signal, up to which it may be noise."""

SOME_ROWS = 500
"""Rows that the look at the noise of training rows takes."""

HARMFUL = 0.05
"""Share of the noise by which the squared error may rise without a word."""

FEW_ROWS, FEW_COLUMNS = 30, 10
"""Below these, correlation and unevenness tell little."""

CORRELATED, ALIKE = 0.3, 0.1
"""Correlation of neighbours in what was removed, and in what has no signal, from which noise is
called correlated."""

UNEVEN, UNEVEN_WITHOUT_SIGNAL = 2.0, 1.5
"""Ratio of columns in both from which noise is called stronger in some of them."""


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
        noisy, cleaned = noisy.astype(np.float64), cleaned.astype(np.float64)  # squares reach far
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
        low, with_signal = self._of_white_noise(noise_std)
        if not low - NOISE_LIKE <= self.autocorrelation <= NOISE_LIKE:
            return f"it is correlated along the row ({self.autocorrelation:+.2f})"
        if self.signal_correlation > with_signal + SIGNAL_LIKE:
            return f"it is correlated with the signal ({self.signal_correlation:+.2f})"
        return None

    def is_harmful(self, noise_std: float | None, *, is_usual: bool) -> bool:
        """Tell whether more signal than noise may have gone, by what is correlated in this.

        A share q of it is signal at least, if neighbours are correlated by q beyond those of white
        noise, or it is correlated with the signal by the root of q. The squared error then rises by
        ``(2 q - 1) std^2``: by the signal that is missing, less the noise that is. Where the noise
        is that of the fit, which leaves no signal in a residual, any flaw of one that is large
        enough may be of signal that is unlike all rows of the fit.

        Parameters
        ----------
        noise_std : float or None
            The noise level; where it is None nothing limits what is removed, and any flaw may be
            harmful.
        is_usual : bool
            Whether the noise is that of the rows of the fit.
        """
        if noise_std is None:
            return self.flaw() is not None
        if is_usual:
            is_large = self.std**2 > HARMFUL * noise_std**2
            return is_large and self.flaw(noise_std) is not None
        low, with_signal = self._of_white_noise(noise_std)
        along = max(self.autocorrelation, low - self.autocorrelation)
        share = max(along, max(self.signal_correlation - with_signal, 0.0) ** 2)
        return (2.0 * share - 1.0) * self.std**2 > HARMFUL * noise_std**2

    def _of_white_noise(self, noise_std: float | None) -> tuple[float, float]:
        """Return the least autocorrelation, and the correlation with the signal, of white noise."""
        if noise_std is None or not 0.0 < self.std < noise_std:
            return 0.0, 0.0
        gone = (self.std / noise_std) ** 2
        low = -math.sin(math.pi * gone) / (math.pi * gone)
        if self.signal_std == 0.0:
            return low, 0.0
        return low, (1.0 - gone) * noise_std**2 / (self.std * self.signal_std)


def noise_flaw(model: Denoiser, X: RowSource) -> str | None:
    """Return why the noise on rows that a model was fitted on is not white, None if it may be.

    The noise level and every choice made by it rest on noise of one strength without correlation.
    Where no less is removed for it, the line is a warning, or else a note.

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
    residual = Residual.of(*treatment.both(rows, cleaned))
    if residual.std == 0.0:
        return None
    # White noise that stays with a smooth signal is missing in what was removed: its neighbours are
    # unlike then, and its columns are of other strength, so that there is more to ask.
    Z = treatment.forward(rows)
    Z = Z - Z.mean(axis=0)
    alike = max(residual.autocorrelation, 0.0)
    if alike <= CORRELATED:
        alike = neighbour_correlation(Z)
    if alike > ALIKE and model.withheld_ in LEVEL_OF_SIGNAL and model.strength_ in (None, 1.0):
        return (
            f"what is taken for noise is correlated along the row ({alike:+.2f}) and may be "
            "signal, which is removed with it: give rows of noise alone (--noise-rows), or the "
            "level (--noise-std)"
        )
    if alike > ALIKE:
        return Note(
            f"the noise seems to be correlated along the row ({alike:+.2f}), "
            "but is taken to be white: less of it is removed than could be"
        )
    if residual.unevenness > UNEVEN and unevenness_of_columns(Z) > UNEVEN_WITHOUT_SIGNAL:
        return Note(
            f"what is taken for noise is {residual.unevenness:.3g} times stronger in some columns "
            "than in others, as weak signal is, too: if it is noise for sure, more of it goes with "
            "--noise-model columns, or with the levels in a file (--noise-std FILE)"
        )
    return None


def _unevenness(stds: FloatArray) -> float:
    noisy = stds[stds > 0.0]
    if len(noisy) == 0:
        return 1.0
    quiet, loud = np.quantile(noisy, [0.1, 0.9])
    return float(loud / quiet)


def _correlation(A: FloatArray, B: FloatArray) -> float:
    scale = float(np.sqrt(np.sum(A**2) * np.sum(B**2)))
    return float(np.sum(A * B)) / scale if scale > 0.0 else 0.0
