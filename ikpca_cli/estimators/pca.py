"""Linear PCA: project on the leading components and back."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ikpca_cli.data.covariance import FEW_FEATURES
from ikpca_cli.data.duplicates import are_among
from ikpca_cli.data.first_pass import FirstPass
from ikpca_cli.data.precision import rounded
from ikpca_cli.data.row_source import FloatArray, Progress, RowSource
from ikpca_cli.data.threads import cached_rows, parallel_for
from ikpca_cli.estimators.decisions.conflicts import check_shrink
from ikpca_cli.estimators.denoiser import Denoiser
from ikpca_cli.estimators.known_fit import WeighedFit
from ikpca_cli.linalg.eigen import spectrum, spectrum_of_sums
from ikpca_cli.linalg.shrinkage import optimal_weights, prediction_weights
from ikpca_cli.models.novelty import held_out_distances, mahalanobis
from ikpca_cli.selection.choice import Auto, Choice


class _Identity:
    """The feature map of linear PCA."""

    def features(self, X: FloatArray, features: slice = slice(None)) -> FloatArray:
        return X[:, features]


class PCA(WeighedFit, Denoiser):
    """Principal component analysis as a denoiser, the linear baseline.

    Parameters
    ----------
    n_components : int or "auto"
        Components to keep.
    shrink : {"auto", "cut", "optimal"}
        Keep components as they are, or weigh each by how much of it is signal
        (`ikpca_cli.linalg.shrinkage.prediction_weights`). "auto" takes what has the lower estimated
        risk; a number of components that is given means a cut.
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
        Seeds the sampling of rows in the choice of components.
    dtype : {"float64", "float32"}
        What the model is kept in and cleans rows in; the fit is in double precision.

    Attributes
    ----------
    components_ : ndarray, shape (n_components, n_features)
        Orthonormal directions, largest variance first.
    weights_ : ndarray, shape (n_components,)
        What the codes are multiplied by; 1 after a cut.

    References
    ----------
    Gavish and Donoho, "Optimal shrinkage of singular values", 2017.

    Dobriban, Leeb and Singer, "Optimal prediction in the linearly transformed spiked model", 2020.

    Examples
    --------
    >>> import numpy as np
    >>> from ikpca_cli import PCA
    >>> rng = np.random.default_rng(7)
    >>> clean = np.outer(rng.normal(size=200), np.sin(np.arange(20)))
    >>> noisy = clean + rng.normal(scale=0.3, size=clean.shape)
    >>> model = PCA().fit(noisy)
    >>> round(model.noise_std_, 1)
    0.3
    >>> bool(np.mean((model.denoise(noisy) - clean) ** 2) < 0.2 * 0.3**2)
    True
    """

    method = "pca"
    STATE: ClassVar[dict[str, tuple[str, ...]]] = Denoiser.STATE | {
        "components_": ("d", "p"),
        "weights_": ("d",),
    }

    components_: FloatArray
    weights_: FloatArray
    noise_std_: float | None = None  # of a fit whose choice is still to be made

    def __init__(
        self,
        n_components: int | Auto = "auto",
        *,
        shrink: str = "auto",
        noise_std: float | Auto = "auto",
        noise_model: str = "auto",
        replicates: bool = False,
        seed: int = 0,
        dtype: str = "float64",
    ) -> None:
        self.n_components = n_components
        self.shrink = shrink
        self.noise_std = noise_std
        self.noise_model = noise_model
        self.replicates = replicates
        self.seed = seed
        self.dtype = dtype

    @property
    def component_noise_(self) -> FloatArray | None:
        """Variance that the noise has along each component, as `Denoiser` says."""
        level = self.noise_std_
        return None if level is None else np.full(self.n_components_, level**2)

    def _check_params(self, n_samples: int, n_features: int) -> None:
        super()._check_params(n_samples, n_features)
        check_shrink(self.shrink, self.n_components)

    def _read(self, rows: FirstPass, progress: Progress) -> None:
        n_samples, n_features = rows.shape
        # The products that a fit needs cost little more than the means do.
        rows.read(progress, products=n_features <= min(n_samples, FEW_FEATURES))

    def _fit(self, X: RowSource, chosen: Choice, *, exact: bool, progress: Progress) -> None:
        n_components = chosen.n_components or min(X.shape)
        if isinstance(X, FirstPass) and X.sums is not None:
            found = spectrum_of_sums(X.sums, n_components, progress)
        else:
            width = X.shape[1]
            found = spectrum(X, self.mean_, _Identity(), width, n_components, progress=progress)
        self._set_spectrum(found.variances, found.total, n_components, exact)
        self.components_ = found.components
        self.weights_ = np.ones(len(found.variances))
        if chosen.noise_std is not None:
            self._shrink(chosen.noise_std)

    def _weights_of(self, X: FloatArray) -> FloatArray:
        """Return what the codes of rows (m, p) are multiplied by, (m, d) or (d,).

        Components lean towards the noise of the training rows, for which other weights are best;
        with rows so many that not all are marked, each is little of the components.
        """
        marks, params = self.marks_, self.fitted_params_
        is_chosen = params["n_components"] == params["shrink"] == "auto" and not self.replicates_
        if marks is None or len(marks) < self.n_samples_:
            return self.weights_
        if not is_chosen or self.noise_std_ is None:
            return self.weights_
        squares, n_samples, n_features = self._squares()
        if 2 * self.n_components_ > min(n_samples, n_features):
            return self.weights_  # these weights are for signal in few directions
        known = are_among(X - self.mean_, marks)
        if not known.any():
            return self.weights_
        fitted = optimal_weights(squares, n_samples, n_features, self.noise_std_**2)
        return np.where(known[:, None], rounded(fitted, self._float), self.weights_)

    def _squares(self) -> tuple[FloatArray, int, int]:
        """Return sums of squares along components, (d,), and degrees of freedom and columns."""
        squares = self.explained_variance_ * self.n_samples_
        return squares, max(self.n_samples_ - 1, 1), len(self.mean_)

    def _weights_for(self, noise_std: float) -> FloatArray:
        return prediction_weights(*self._squares(), noise_std**2)

    def _shrink(self, noise_std: float) -> None:
        self.weights_ = self._weights_for(noise_std)
        self._truncate(max(1, int(np.count_nonzero(self.weights_))), None)

    def _denoise_block(self, X: FloatArray) -> FloatArray:
        return self._clean_by_chunks(X)

    def _clean_and_compare(self, X: FloatArray) -> tuple[FloatArray, FloatArray]:
        distances = np.empty(len(X))
        return self._clean_by_chunks(X, distances), distances

    def _clean_by_chunks(self, X: FloatArray, distances: FloatArray | None = None) -> FloatArray:
        """Clean checked rows (m, p), and fill in their distances (m,) if there is room for them."""
        rows = np.empty(X.shape, dtype=self._float)

        def clean(part: slice) -> None:
            codes = self._encode_block(X[part])
            if distances is not None:
                distances[part] = self._distances(X[part], codes)
            np.matmul(codes * self._weights_of(X[part]), self.components_, out=rows[part])
            rows[part] += self.mean_

        parallel_for(clean, cached_rows(*X.shape))
        return rows

    def _distance_block(self, X: FloatArray, *, fitted: bool = False) -> FloatArray:
        if fitted and len(X) == self.n_samples_:
            return held_out_distances(self._centred(X), self.n_components_)
        distances = self._distances(X, self._encode_block(X))
        # What components leave of a row of leverage h is 1 / (1 - h) times as long without it.
        return (
            distances / (1.0 - self.n_components_ / self.n_samples_) ** 2 if fitted else distances
        )

    def _distances(self, X: FloatArray, codes: FloatArray) -> FloatArray:
        centred = X - self.mean_
        return mahalanobis(centred, codes, self.explained_variance_, self.total_variance_)

    def _encode_block(self, X: FloatArray) -> FloatArray:
        codes: FloatArray = self._centred(X) @ self.components_.T
        return codes

    def _truncate(self, n_components: int, ridge: float | None) -> None:
        self.components_ = self.components_[:n_components]
        self.weights_ = self.weights_[:n_components]
        self.explained_variance_ = self.explained_variance_[:n_components]

    def _block_width(self) -> int:
        return self.n_features_in_
