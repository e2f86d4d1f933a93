"""Kernel PCA with a supervised pre-image, the baseline that ikPCA does without.

Schölkopf, Smola and Müller, "Nonlinear component analysis as a kernel eigenvalue problem" (1998);
the pre-image is kernel ridge regression from latent code to input (Bakır, Weston and Schölkopf,
"Learning to find pre-images", 2004), with the same kernel for both maps.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from ikpca_cli.data.duplicates import different
from ikpca_cli.data.first_pass import FirstPass
from ikpca_cli.data.memory import check_matrix
from ikpca_cli.data.row_source import FloatArray, Progress, RowSource, read_all
from ikpca_cli.estimators.decisions.conflicts import check_shrink
from ikpca_cli.estimators.decisions.scale import check_scale
from ikpca_cli.estimators.kernel_denoiser import KernelDenoiser
from ikpca_cli.linalg.eigen import spectrum_of_sums
from ikpca_cli.models.kernels.kernel import load_kernel
from ikpca_cli.models.nystroem import (
    Landmarks,
    inverse_root,
    landmark_rows,
    landmark_sums,
)
from ikpca_cli.models.supervised_preimage import (
    centred_eigenpairs,
    typical_distance,
)
from ikpca_cli.selection.choice import Auto, Choice
from ikpca_cli.selection.stages import Grid, Stage

MOST_SHRUNK = 257
"""The most components that are weighed; the noise leaves fewer."""


class KernelPCA(KernelDenoiser):
    """Kernel PCA whose pre-image is learned by kernel ridge regression (kPCA+SL).

    Parameters
    ----------
    n_components : int or "auto"
        Components to keep.
    kernel : str
        A key of `ikpca_cli.models.kernels.names.KERNELS`.
    gamma : float or "auto"
        Inverse squared width of the kernel: ``exp(-gamma * squared distance)`` for the Gaussian.
    ridge : float or "auto"
        Added to the diagonal of the kernel matrix of the latent codes.
    shrink : {"auto", "cut", "optimal"}
        Keep components as they are, or weigh each by the share of its variance that is not noise
        (the Wiener filter). "auto" takes what has the lower estimated risk; a number of components
        that is given means a cut.
    latent_gamma : float or "auto"
        Inverse squared width of the kernel between latent codes, which have no units. "auto" is
        `gamma` where that is given, as in scikit-learn; where gamma is chosen it is gamma times the
        median distance, so that the choice does not depend on the units of the data.
    noise_std : float or "auto"
        Standard deviation of the noise, in the units of the data.
    noise_model : {"auto", "white", "columns", "counts", "correlated", "rows"}
        What the noise is like: of one level; of one for each column; growing with the signal;
        correlated along the row. "auto" tells it from the rows, where nothing is given in their
        units.
    replicates : bool
        All rows show one signal, so that all they differ in is noise, and what is "auto" is chosen
        to bring rows that were held out to their mean.
    seed : int
        Seeds the sampling of rows in the choice of parameters.
    landmarks : int or "all"
        Rows, drawn by `seed`, whose kernels with all rows stand for the n x n kernel matrix (the
        Nyström method); "all" is the full method.
    dtype : {"float64", "float32"}
        What the model is kept in and cleans rows in; the fit is in double precision.

    Attributes
    ----------
    rows_ : ndarray, shape (n_samples, n_features)
        The centred training rows; the landmarks among them, where there are some, here and below.
    gram_mean_ : ndarray, shape (n_samples,)
        Column means of their kernel matrix.
    coefficients_ : ndarray, shape (n_samples, n_components)
        Eigenvectors of the centred kernel matrix over the roots of its eigenvalues.
    weights_ : ndarray, shape (n_components,)
        What the codes are multiplied by before the pre-image; 1 after a cut.
    codes_ : ndarray, shape (n_samples, n_components)
        Latent codes of the training rows, times the weights.
    dual_ : ndarray, shape (n_samples, n_features)
        Coefficients of the regression from latent code to centred row.
    gamma_, latent_gamma_, ridge_ : float
        The values used.

    References
    ----------
    Schölkopf, Smola and Müller, "Nonlinear component analysis as a kernel eigenvalue problem",
    1998.
    Bakır, Weston and Schölkopf, "Learning to find pre-images", 2004.

    Examples
    --------
    >>> import numpy as np
    >>> from ikpca_cli import KernelPCA
    >>> rng = np.random.default_rng(7)
    >>> angle = rng.uniform(0.0, 2.0 * np.pi, 200)
    >>> clean = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    >>> noisy = clean + rng.normal(scale=0.3, size=clean.shape)
    >>> model = KernelPCA(4, gamma=1.0, ridge=0.1, noise_std=0.3).fit(noisy)
    >>> model.transform(noisy).shape
    (200, 4)
    >>> bool(np.mean((model.denoise(noisy) - clean) ** 2) < 0.7 * 0.3**2)
    True
    """

    method = "kpca"
    RIDGES = (0.1, 1e-3, 0.01, 1.0, 10.0)
    SELECTION_ROWS = 1000

    def __init__(
        self,
        n_components: int | Auto = "auto",
        *,
        kernel: str = "gaussian",
        gamma: float | Auto = "auto",
        ridge: float | Auto = "auto",
        shrink: str = "auto",
        latent_gamma: float | Auto = "auto",
        noise_std: float | Auto = "auto",
        noise_model: str = "auto",
        replicates: bool = False,
        seed: int = 0,
        landmarks: int | Literal["all"] = "all",
        dtype: str = "float64",
    ) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.ridge = ridge
        self.shrink = shrink
        self.latent_gamma = latent_gamma
        self.noise_std = noise_std
        self.noise_model = noise_model
        self.replicates = replicates
        self.seed = seed
        self.landmarks = landmarks
        self.dtype = dtype

    def _check_params(self, n_samples: int, n_features: int) -> None:
        super()._check_params(n_samples, n_features)
        check_shrink(self.shrink, self.n_components)
        count = self._landmark_count(n_samples)
        remedy = "use fewer landmarks" if count < n_samples else "use landmarks, 2000 say, or ikpca"
        check_matrix("kpca", count, remedy)

    def _read(self, rows: FirstPass, progress: Progress) -> None:
        n_samples = rows.shape[0]
        if self._landmark_count(n_samples) < n_samples:
            rows.read_sample(progress)
        else:
            rows.read(progress)

    def expected(self, grid: Grid) -> list[Stage]:
        """Return what is to come, as `KnownFit` says."""
        from ikpca_cli.estimators.kernel_durations import KernelDurations
        from ikpca_cli.selection.durations import grid_stages

        count = self._landmark_count(grid.shape[0])
        return grid_stages(grid, KernelDurations(count if count < grid.shape[0] else None))

    def _landmark_count(self, n_samples: int) -> int:
        return n_samples if self.landmarks == "all" else min(self.landmarks, n_samples)

    def _fit(self, X: RowSource, chosen: Choice, *, exact: bool, progress: Progress) -> None:
        assert chosen.gamma is not None
        assert chosen.ridge is not None
        self.gamma_, self.ridge_ = float(chosen.gamma), float(chosen.ridge)
        if self._landmark_count(X.shape[0]) < X.shape[0]:
            self._fit_landmarks(X, chosen, exact, progress)
            return
        self._source = None
        n_components = chosen.n_components or MOST_SHRUNK
        rows = read_all(X) - self.mean_
        if self.ridge == "auto":
            # Chosen where no row came twice; a row that does weighs twice against the ridge.
            self.ridge_ *= len(rows) / different(rows)
        gram = load_kernel(self.kernel).gram(rows, rows, self.gamma_)
        self.latent_gamma_ = self._width(gram)
        progress("eigenvectors", 0, 0)
        values, vectors, gram_mean, trace = centred_eigenpairs(gram, n_components)
        total = trace / len(rows)
        del gram
        self._set_spectrum(values / len(rows), total, n_components, exact)
        roots = np.sqrt(values)
        self.rows_ = rows
        self.gram_mean_ = gram_mean
        self.coefficients_ = vectors / roots
        self.weights_ = np.ones(len(roots))
        self.codes_ = vectors * roots
        if chosen.noise_std is not None:
            self._shrink(chosen.noise_std)
        progress("regression", 0, 0)
        self._regress()

    def _fit_landmarks(self, X: RowSource, chosen: Choice, exact: bool, progress: Progress) -> None:
        """Fit on all rows by their kernel with some of them; the landmarks stand for the rows."""
        self._source = X
        assert self.landmarks != "all"
        rows = landmark_rows(X, self.landmarks, self.seed)
        self.rows_ = rows - self.mean_
        gram = self._gram(self.rows_)
        self.latent_gamma_ = self._width(gram)
        root = inverse_root(gram)
        landmarks = Landmarks(self.kernel, self.gamma_, self.rows_, root)
        most = chosen.n_components or MOST_SHRUNK
        sums, self.mean_ = landmark_sums(X, self.mean_, landmarks, progress)
        if isinstance(X, FirstPass):
            check_scale(self, X)  # of all rows, now that they were read
        self.rows_ = rows - self.mean_
        found = spectrum_of_sums(sums, most, progress)
        self._set_spectrum(found.variances, found.total, most, exact)
        self.coefficients_ = np.ascontiguousarray(root @ found.components.T)
        # The features' mean is k_mean K^{-1/2}: of k_mean the code needs no more than that.
        self.gram_mean_ = found.mean @ np.linalg.pinv(root)
        self.weights_ = np.ones(len(found.variances))
        self.codes_ = self._codes(self.rows_)
        if chosen.noise_std is not None:
            self._shrink(chosen.noise_std)
        self._regress(progress)

    def _width(self, gram: FloatArray) -> float:
        """Return the latent gamma, from the kernel matrix where gamma was chosen."""
        if self.latent_gamma != "auto":
            return self.latent_gamma
        if self.gamma != "auto":
            return self.gamma_
        return typical_distance(gram)
