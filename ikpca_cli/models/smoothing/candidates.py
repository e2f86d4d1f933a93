"""Smoothers learned from rows, as candidates of one linear expansion of estimators.

In cosine coefficients (`RowOrder`), a row less the mean of the training rows is z and that mean is
m. The candidates, each a displacement f of the row and its divergence, are

* ``-z`` in one band of frequencies: weights on these make any smooth filter;
* ``-m`` in one band: the mean itself is smoothed, whatever the row;
* ``-min(1, sigma^2 / v) z`` with v the variance of each coefficient over the rows: Wiener's filter,
  for what lies on some coefficients of a band, such as upright and level lines of pictures;
* linear PCA, of all coefficients or of those of lowest frequency alone, with components weighed as
  is best for other rows than those it was fitted on;
* smoothers that adapt to the row (`ikpca_cli.models.smoothing.adaptive`), of z or of ``z + m``;
* what windows of all rows have in common (`ikpca_cli.models.smoothing.row_windows`), of ``z + m``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.linalg.eigen import all_eigenpairs
from ikpca_cli.linalg.shrinkage import prediction_weights
from ikpca_cli.models.smoothing.adaptive import ADAPTIVE
from ikpca_cli.models.smoothing.order import RowOrder
from ikpca_cli.models.smoothing.row_windows import WindowModel

_SHARES = (1.0, 0.5, 0.25, 0.12, 0.06)  # of the coefficients that PCA sees
_FEWEST = 3  # coefficients that it needs
_TINY = 1e-300


@dataclass(frozen=True)
class SmoothingFit:
    """What smoothers learn from rows.

    Attributes
    ----------
    order : RowOrder
    noise_variance : float
    centre : ndarray, shape (p,)
        Coefficients of the mean of the rows, which are given less another mean.
    mean : ndarray, shape (p,)
        Coefficients of the mean as it is, but for a constant added to all numbers.
    filter : ndarray, shape (p,)
        What Wiener's filter takes off each coefficient.
    spans : tuple of int
        Number of coefficients that each PCA sees; the first sees all.
    components : ndarray, shape (s, p)
        Principal components that any of them uses, in coefficients.
    component_weights : ndarray, shape (k, s)
        Weights of each PCA.
    windows : WindowModel or None
    """

    order: RowOrder
    noise_variance: float
    centre: FloatArray
    mean: FloatArray
    filter: FloatArray
    spans: tuple[int, ...]
    components: FloatArray
    component_weights: FloatArray
    windows: WindowModel | None = None

    @classmethod
    def of(
        cls,
        order: RowOrder,
        rows: FloatArray,
        offset: FloatArray,
        noise_variance: float,
        windows: WindowModel | None = None,
    ) -> SmoothingFit:
        """Learn from rows (n, p), to which `offset` (p,) has to be added to have them as they are.

        Parameters
        ----------
        order : RowOrder
        rows : ndarray, shape (n, p)
        offset : ndarray, shape (p,)
        noise_variance : float
        windows : WindowModel, optional
            What was learned from windows, to be a candidate, too.
        """
        Z = order.forward(rows)
        centre = Z.mean(axis=0)
        Z -= centre
        mean = centre + order.forward((offset - offset.mean())[None])[0]
        mean[: order.sizes[0]] = 0.0
        freedom = max(len(rows) - 1, 1)
        variances = np.einsum("ij,ij->j", Z, Z) / freedom
        taken = np.minimum(noise_variance / np.maximum(variances, noise_variance), 1.0)
        shares = _SHARES if order.down or order.across else _SHARES[:1]
        spectral = _spectral(Z, freedom, noise_variance, shares)
        return cls(order, noise_variance, centre, mean, taken, *spectral, windows)

    @property
    def names(self) -> list[str]:
        """Names of the candidates."""
        bands = range(len(self.order.bands))
        return [
            *(f"band {band}" for band in bands),
            *(f"mean {band}" for band in bands),
            "filter",
            *(f"components of {span} coefficients" for span in self.spans),
            *(name for name, _, _ in ADAPTIVE),
            *([] if self.windows is None else ["windows"]),
        ]

    def dense(
        self, Z: FloatArray, dZ: Sequence[FloatArray], trace: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return displacements that are not of one band, (k, m, p), and divergences, (k, m).

        Parameters
        ----------
        Z : ndarray, shape (m, p)
            Coefficients of rows, less `centre`.
        dZ : sequence of ndarray, shape (m, p)
            Directions of unit variance.
        trace : ndarray, shape (p,)
            Share of each coefficient's noise that is there: less than 1 where columns have none.
        """
        steps: list[FloatArray] = [-self.filter * Z]
        turns: list[FloatArray] = [np.full(len(Z), -float(self.filter @ trace))]
        codes = Z @ self.components.T
        noise = self.components**2 @ trace
        for span, weights in zip(self.spans, self.component_weights, strict=True):
            step = (codes * weights) @ self.components
            step[:, :span] -= Z[:, :span]
            steps.append(step)
            turns.append(np.full(len(Z), float(weights @ noise - trace[:span].sum())))
        own = [] if self.windows is None else [(self.windows.displacements, False)]
        for smoother, centred in [*(found[1:] for found in ADAPTIVE), *own]:
            start = Z if centred else Z + self.mean
            step, changes = smoother(self.order, self.noise_variance, start, dZ)
            steps.append(step)
            pairs = zip(dZ, changes, strict=True)
            along = [np.einsum("ij,ij->i", d, change) for d, change in pairs]
            turns.append(np.mean(along, axis=0) if along else np.zeros(len(Z)))
        return np.array(steps), np.array(turns)


def place_of_components(order: RowOrder) -> int:
    """Return the place among the candidates of PCA of all coefficients: after bands and filter."""
    return 2 * len(order.bands) + 1


def _spectral(
    Z: FloatArray, freedom: int, noise_variance: float, shares: Sequence[float]
) -> tuple[tuple[int, ...], FloatArray, FloatArray]:
    """Return spans (k,), components (s, p) and weights (k, s) of PCA in cosine coefficients."""
    from scipy.linalg import block_diag

    n_features = Z.shape[1]
    spans = sorted({max(int(share * n_features), _FEWEST) for share in shares}, reverse=True)
    found: list[FloatArray] = []
    weights: list[FloatArray] = []
    for span in spans:
        squares, components = _principal(np.ascontiguousarray(Z[:, :span]))
        given = prediction_weights(squares, freedom, span, noise_variance)
        used = max(1, int(np.count_nonzero(given)))
        found.append(np.pad(components[:used], [(0, 0), (0, n_features - span)]))
        weights.append(given[:used])
    return tuple(spans), np.concatenate(found), block_diag(*weights)


def _principal(Z: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return sums of squares (s,) along principal components (s, q) of centred rows, and these."""
    wide = Z.shape[1] > len(Z)
    values, vectors = all_eigenpairs(Z @ Z.T if wide else Z.T @ Z)
    kept = values > len(values) * np.finfo(np.float64).eps * max(float(values[-1]), _TINY)
    squares, vectors = values[kept][::-1], vectors[:, kept][:, ::-1]
    components = (Z.T @ vectors) / np.sqrt(squares) if wide else vectors
    return squares, components.T
