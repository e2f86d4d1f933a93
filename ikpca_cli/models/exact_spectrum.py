r"""IkPCA with infinitely many random features, in closed form, for smooth kernels.

The limit. Features ``sqrt(2/r) sin(w_k'x + b_k)`` have inner products that tend to the kernel
k(x, y) as r grows, so all that ikPCA does in feature space can be done by kernel values. Let Phi be
the feature map, U and n lambda the eigenvectors and eigenvalues of the centred Gram matrix. Then

* component j is ``v_j = sum_i V_ij Phi(x_i)`` with ``V = U / sqrt(n lambda)``, centred;
* the code of a row y is ``z = V'(k(y) - kbar)``, kbar being the mean column of the Gram matrix;
* the target with weights w is ``sum_i a_i Phi(x_i)`` with ``a = 1/n + V (w z)``.

The pre-image minimises ``|Phi(x) - target|^2 = const - 2 sum_i a_i k(x, x_i)`` over x, from the
noisy row on. Its gradient is ``-4 gamma sum_i b_i (x_i - x)`` with ``b_i = a_i k(x, x_i)``. The
Gauss-Newton matrix of the features is ``E[2 cos^2(w'x + b) w w'] = E[w w'] = 2 gamma I``, as the
offset b is uniform. The step is therefore ``sum_i b_i (x_i - x)``; divided by ``s = sum_i b_i``
it is the fixed point of Mika et al. (1999). We divide by max(s, 1/2), which keeps far rows calm.

Noise. A perturbation e of a row moves its code by ``V' dk``, ``dk_i = 2 gamma k_i (x_i - y)'e``.
The variance this has along component j, on average over rows y and for unit noise, is

    nu_j = (4 gamma^2 / m) V_j' Q V_j,   Q = sum over m rows y of k_i k_l (x_i - y)'(x_l - y).

Other smooth kernels. With ``k = g(gamma |x - y|^2)`` the pull of a row is ``q = g' / g'(0)``
instead of k: ``b_i = a_i q(x, x_i)``, ``dk_i = -2 gamma g'(0) q_i (x_i - y)'e`` and, as the
features' frequencies have ``E[w w'] = -2 gamma g'(0) I``, the step is the same. So are the gains
below, with q for k and times ``g'(0)^2``. The Gaussian is its own q.

With D the squared distances, ``(x_i - y)'(x_l - y) = (D_iy + D_ly - D_il) / 2``. The columns of V
sum to zero, so with ``K = 1 + B`` between the rows y and all rows, and the column sums s of B,

    V_j' Q V_j = m |X'V_j|^2 + V_j' [(K.D)' B - D diag(s) - (B'B).D / 2] V_j,

the dot being elementwise: no large terms cancel where gamma is small. For the average, some of the
rows do. The weight of a component is the Wiener
filter's, ``w_j = max(0, 1 - f sigma^2 nu_j / lambda_j)`` with f about 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ikpca_cli.data.precision import rounded, rounded_fields
from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.linalg.eigen import most_of_spectrum
from ikpca_cli.models.kernels.kernel import GAUSSIAN, Smooth
from ikpca_cli.models.preimage import DAMPING, Preimage, dot
from ikpca_cli.models.spectrum_noise import negligible_variance, noise_gains

TOLERANCE = 1e-10
"""Components with less than this share of the largest variance are rounding errors."""

COMPONENTS = 768
"""The most components that are kept where their number is not given: what is beyond is noise."""

GAIN_ROWS = 256
"""The most rows over which the noise that arrives in the components is averaged."""


@dataclass(frozen=True)
class Kernels:
    """The kernel of some rows and the training rows, the rows' pulls, and how both change.

    Attributes
    ----------
    values, pulls : ndarray, shape (m, n)
        k and q.
    slopes, turns : list of ndarray, shape (m, n)
        Their derivatives along each direction.
    """

    values: FloatArray
    pulls: FloatArray
    slopes: list[FloatArray]
    turns: list[FloatArray]


@dataclass(frozen=True)
class ExactSpectrum(Preimage[Kernels]):
    """Kernel PCA of rows, in the span of some of them.

    Attributes
    ----------
    rows : ndarray, shape (n, p)
        The training rows, or landmarks among them, centred.
    gamma : float
        Kernel width.
    gram_mean : ndarray, shape (n,)
        Mean kernel of each with the training rows.
    mean_weights : ndarray, shape (n,)
        The mean of the training rows is ``sum_i c_i Phi(x_i)``: 1/n, where they are `rows`.
    vectors : ndarray, shape (n, d)
        V: component j is ``sum_i V_ij Phi(x_i)``, of length 1.
    variances : ndarray, shape (d,)
        Variance of the rows along each component, 1/n.
    noise_gains : ndarray, shape (d,)
        Variance that noise of variance 1 has along each component.
    total : float
        Total variance in feature space.
    copies : float
        Kernel of a row and the same with other noise, see `_make_fair`; 0 where the noise is not
        known.
    own : ndarray of int, shape (m,), or None
        For rows that are moved, which of `rows` each is, -1 for none; None if none is.
    form : Smooth
        The kernel.
    lengths : ndarray, shape (n,), or None
        Squared lengths of `rows`, where they are known.
    """

    rows: FloatArray
    gamma: float
    gram_mean: FloatArray
    mean_weights: FloatArray
    vectors: FloatArray
    variances: FloatArray
    noise_gains: FloatArray
    total: float
    copies: float = 0.0
    own: NDArray[np.intp] | None = None
    form: Smooth = GAUSSIAN
    lengths: FloatArray | None = None

    @classmethod
    def of(
        cls,
        rows: FloatArray,
        distances: FloatArray,
        gamma: float,
        most: int | None = None,
        noise_variance: float = 0.0,
        form: Smooth = GAUSSIAN,
        dtype: type[np.floating[Any]] = np.float64,
    ) -> ExactSpectrum:
        """Return the spectrum of rows (n, p) with squared `distances` (n, n) to each other.

        Parameters
        ----------
        rows : ndarray, shape (n, p)
        distances : ndarray, shape (n, n)
        gamma : float
        most : int, optional
            Components to keep; `COMPONENTS` by default.
        noise_variance : float
            Of the rows. Components that hold less than a share of its variance in feature space are
            left out together; 0 keeps all.
        form : Smooth
            The kernel.
        dtype : type
            Precision of the arrays; the eigenvectors have it where what its rounding adds is less
            than what may be left out.
        """
        n_samples = len(rows)
        # With a small gamma all is near 1, and what is left of it below 1 has more digits.
        below = form.below(gamma * distances)
        mean = below.mean(axis=0)
        centred = below - mean - (mean[:, None] - mean.mean())
        total = float(np.trace(centred)) / n_samples
        negligible = n_samples * negligible_variance(form, gamma, noise_variance, rows.shape[1])
        rounding = n_samples * float(np.finfo(dtype).eps)
        enough = dtype if rounding * n_samples * total <= negligible else np.float64
        centred = centred.astype(enough, copy=False)
        values, vectors = most_of_spectrum(centred, most or COMPONENTS, negligible)
        least = TOLERANCE if enough is np.float64 else rounding
        kept = values > least * max(float(values[0]), 0.0)
        values, vectors = values[kept], vectors[:, kept] / np.sqrt(values[kept])
        vectors -= vectors.mean(axis=0)
        some = np.linspace(0, n_samples - 1, min(n_samples, GAIN_ROWS)).astype(int)
        rows, distances = rounded(rows, enough), rounded(distances, enough)
        pulls = form.slope_below(gamma * distances[some])
        gains = noise_gains(rows, distances, pulls, distances[some], vectors)
        found = cls(
            rows=rows,
            gamma=gamma,
            gram_mean=mean + 1.0,
            mean_weights=np.full(n_samples, 1.0 / n_samples),
            vectors=vectors,
            variances=values / n_samples,
            noise_gains=gains * (2.0 * gamma * form.steepness) ** 2 / len(some),
            total=total,
            form=form,
        )
        return rounded_fields(found, dtype)

    def cut(self, most: int) -> ExactSpectrum:
        """Return the spectrum with its first `most` components."""
        return replace(
            self,
            vectors=self.vectors[:, :most],
            variances=self.variances[:most],
            noise_gains=self.noise_gains[:most],
        )

    def kernel(self, X: FloatArray) -> FloatArray:
        """Return the kernel (m, n) between centred rows `X` (m, p) and the spectrum's own."""
        return self.form.gram(X, self.rows, self.gamma)

    def codes(self, X: FloatArray) -> FloatArray:
        """Return the latent codes (m, d) of centred rows `X` (m, p)."""
        codes: FloatArray = (self.kernel(X) - self.gram_mean) @ self.vectors
        return codes

    @property
    def component_variances(self) -> tuple[FloatArray, FloatArray]:
        """Variances of the rows and of unit noise, as `Preimage.component_variances` says."""
        return self.variances, self.noise_gains

    def leading_components(self, count: int) -> FloatArray:
        """Return the first `count` components, (n, count)."""
        return self.vectors[:, :count]

    def evaluate(self, x: FloatArray, dx: Sequence[FloatArray]) -> Kernels:
        """Return the kernel at rows x (m, p), and its derivative along each dx."""
        u = self.form.distance(x, self.rows, self.lengths)
        u *= self.gamma
        if self.own is not None:
            self._make_fair(u, self.own)
        k, q, c = self.form.parts(u)
        slopes: list[FloatArray] = []
        turns: list[FloatArray] = []
        for d in dx:
            along: FloatArray = (2.0 * self.gamma * d) @ self.rows.T
            along -= 2.0 * self.gamma * dot(x, d)
            turns.append(c * along)
            slopes.append(turns[-1] if c is k else self.form.steepness * q * along)
        return Kernels(k, q, slopes, turns)

    def codes_on(self, view: Kernels, components: FloatArray) -> list[FloatArray]:
        """Return the codes of rows, as `Preimage.codes_on` says."""
        codes: FloatArray = (view.values - self.gram_mean) @ components
        return [codes, *(slope @ components for slope in view.slopes)]

    def step(
        self, x: FloatArray, dx: Sequence[FloatArray], view: Kernels, targets: Sequence[FloatArray]
    ) -> tuple[FloatArray, list[FloatArray]]:
        """Return rows and their derivatives after one step, as `Preimage.step` says."""
        a, *changes = targets
        a = a + self.mean_weights
        sums, s = self._sums(a * view.pulls)
        divisor = np.maximum(s, DAMPING)
        shift = (sums - s * x) / divisor
        moved: list[FloatArray] = []
        for d, turn, da in zip(dx, view.turns, changes, strict=True):
            db = da * view.pulls
            db += a * turn
            sums, ds = self._sums(db)
            change = sums - ds * x - s * d - np.where(s > DAMPING, ds, 0.0) * shift
            moved.append(d + change / divisor)
        arrived: FloatArray = x + shift
        return arrived, moved

    def _sums(self, b: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return ``sum_i b_i x_i`` (m, p) and ``sum_i b_i`` (m, 1) for weights b (m, n)."""
        return b @ self.rows, b @ np.ones((len(self.rows), 1), dtype=self.rows.dtype)

    def _make_fair(self, u: FloatArray, own: NDArray[np.intp]) -> None:
        """Change gamma times squared distances u (m, n) so that no training row explains itself.

        A row shares its noise with itself, so it would stay as it is. It counts as no nearer to
        itself than the same row with other noise would be, to which it is at a squared distance of
        ``2 p sigma^2``; where the noise is not known, than its nearest other row is.
        """
        at = np.flatnonzero(own >= 0)
        if self.copies > 0.0:
            least = np.full(len(at), -np.log(self.copies), dtype=u.dtype)
        else:
            others = u[at]
            others[np.arange(len(at)), own[at]] = np.inf
            least = others.min(axis=1) if len(self.rows) > 1 else np.zeros(len(at))
        u[at, own[at]] = np.maximum(u[at, own[at]], least)
