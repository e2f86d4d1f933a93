"""Invertible kernel PCA (Gedon et al. 2023): with random Fourier features, or their limit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal, Self

import numpy as np

from ikpca_cli.data.covariance import FeatureSums
from ikpca_cli.data.row_source import Progress, RowSource, silent
from ikpca_cli.data.threads import at_work
from ikpca_cli.errors import UsageError
from ikpca_cli.estimators.preimages.drawn_features import feature_count
from ikpca_cli.estimators.preimages.kind import Asked, Kind
from ikpca_cli.estimators.preimages.preimage_denoiser import PreimageDenoiser
from ikpca_cli.estimators.preimages.which_kind import kind_of
from ikpca_cli.linalg.eigen import feature_sums, spectrum_of_sums
from ikpca_cli.models.arcsine import ArcsineModel
from ikpca_cli.models.random_features import FourierFeatures
from ikpca_cli.selection.choice import Auto, Choice, Task
from ikpca_cli.selection.stages import Grid, Stage


class IKPCA(PreimageDenoiser):
    """Invertible kernel PCA, a nonlinear PCA whose pre-image needs no learning.

    With random features it is the published method: PCA of ``sin(W x + b)``, inverted on each row's
    own branch by the arcsine and a ridge solve. With infinitely many features (`exact`)
    kernel values replace the features, Wiener weights replace the cut after some components, and a
    few Gauss-Newton steps replace the arcsine.

    Parameters
    ----------
    n_components : int or "auto"
        Components to keep in feature space. "auto" chooses the number with random features, and
        weighs all of them by their noise with infinitely many.
    n_rff : int, "exact" or "auto"
        Random Fourier features, at least as many as the rows are wide; "exact" for infinitely
        many. For the refined pre-image they are balanced (`FourierFeatures.draw_balanced`), for
        which twice as many as columns are needed. "landmarks" is exact in the span of up to 3,000
        of the rows. "auto" is exact, for more than 3,000 training rows by landmarks; where the
        paper's inverse is used it is four features a column and not fewer than 2,000.
    kernel : str
        A key of `ikpca_cli.models.kernels.names.KERNELS`.
    gamma : float or "auto"
        Inverse squared width of the kernel: ``exp(-gamma * squared distance)`` for the Gaussian.
    second_gamma : float, "none" or "auto"
        Another gamma whose iterations are added where that lowers the estimated risk (`exact`).
        "auto" looks for one where gamma is chosen, too.
    ridge : float or "auto"
        Added to the diagonal of ``W'W`` in the published pre-image, in its units (those of gamma
        times n_rff); 0 is the pseudo-inverse. Infinitely many features have none.
    inverse : {"auto", "paper", "refined"}
        The pre-image of random features: the published arcsine and ridge, or weighted Gauss-Newton
        steps from the noisy row. "auto" is the paper's where a ridge is given or the kernel is not
        smooth. With infinitely many it is always refined.
    activation : str
        What the angles of random features pass through, a key of
        `ikpca_cli.models.activations.activation_names.ACTIVATIONS`; others than the sine are for
        the published pre-image.
    noise_std : float or "auto"
        Standard deviation of the noise, in the units of the data.
    noise_model : {"auto", "white", "columns", "counts", "correlated", "rows"}
        What the noise is like: of one level; of one for each column; growing with the signal;
        correlated along the row. "auto" tells it from the rows, where nothing is given in their
        units.
    replicates : bool
        All rows show one signal, so that all they differ in is noise, and what is "auto" is chosen
        to bring rows that were held out to their mean.
    solver : {"auto", "primal", "dual"}
        Eigenvectors of the n_rff x n_rff covariance or of the n x n Gram matrix; "auto" takes the
        smaller.
    order : {"auto", "none"}
        Whether numbers that are neighbours in a row may be taken to be alike. "auto" finds out
        whether rows are signals, pictures or signals of a few channels, and adds smoothers along
        them (`ikpca_cli.models.smoothing`) by as much as lowers the estimated risk. "none" lets
        columns be in any order.
    seed : int
        Seeds the random features and the choice. One seed gives one answer.
    dtype : {"float64", "float32"}
        What the model is kept in and cleans rows in; random features are computed in it as well.
        Sums over rows are always in double precision.

    Attributes
    ----------
    model_ : PreimageModel
        The arrays of the fit. Each is an attribute here, too: ``W_`` is ``model_.W``.
    companions_ : Companions or None
        Smoothers, and a model of low frequencies, whose displacements are added.
    gamma_ : float
        The value used.
    sums_mean_ : ndarray, shape (n_rff,), or None
    scatter_ : ndarray, shape (n_rff, n_rff), or None
        `FeatureSums` of the rows, kept where they were asked for, so that more can be added.

    References
    ----------
    Gedon, Ribeiro, Wahlström and Schön, "Invertible kernel PCA with random Fourier features", 2023,
    https://arxiv.org/abs/2303.05043.

    Examples
    --------
    >>> import numpy as np
    >>> from ikpca_cli import IKPCA
    >>> rng = np.random.default_rng(7)
    >>> angle = rng.uniform(0.0, 2.0 * np.pi, 200)
    >>> clean = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    >>> noisy = clean + rng.normal(scale=0.3, size=clean.shape)
    >>> model = IKPCA(noise_std=0.3).fit(noisy)
    >>> model.n_rff_
    'exact'
    >>> bool(np.mean((model.denoise(noisy) - clean) ** 2) < 0.7 * 0.3**2)
    True

    As published, with random features, the arcsine and a ridge:

    >>> published = IKPCA(6, n_rff=200, gamma=1.0, ridge=1.0, noise_std=0.3).fit(noisy)
    >>> published.W_.shape
    (200, 2)
    """

    method = "ikpca"
    RIDGES = (0.01, 0.1, 0.5)
    SELECTION_ROWS = 600

    def __init__(
        self,
        n_components: int | Auto = "auto",
        *,
        n_rff: int | Literal["exact", "landmarks"] | Auto = "auto",
        kernel: str = "gaussian",
        gamma: float | Auto = "auto",
        second_gamma: float | Literal["none"] | Auto = "auto",
        ridge: float | Auto = "auto",
        inverse: str = "auto",
        activation: str = "sine",
        noise_std: float | Auto = "auto",
        noise_model: str = "auto",
        replicates: bool = False,
        solver: str = "auto",
        order: str = "auto",
        seed: int = 0,
        dtype: str = "float64",
    ) -> None:
        self.n_components = n_components
        self.n_rff = n_rff
        self.kernel = kernel
        self.gamma = gamma
        self.second_gamma = second_gamma
        self.ridge = ridge
        self.inverse = inverse
        self.activation = activation
        self.noise_std = noise_std
        self.noise_model = noise_model
        self.replicates = replicates
        self.solver = solver
        self.order = order
        self.seed = seed
        self.dtype = dtype
        self._features: FourierFeatures | None = None
        self._keep_sums = False

    def fit(
        self,
        X: Any,
        y: object = None,
        *,
        features: FourierFeatures | None = None,
        keep_sums: bool = False,
        progress: Progress = silent,
    ) -> Self:
        """Learn from noisy rows, as `Denoiser.fit` says.

        Parameters
        ----------
        X : array_like or row source, shape (n_samples, n_features)
        y : object
            Not used; it is there for scikit-learn's pipelines.
        features : FourierFeatures, optional
            Use these random features instead of drawing them; they make `n_rff` and `seed`
            irrelevant, and a `gamma` that is given only a label. "auto" would draw others, so
            gamma, ridge and n_components have to be given.
        keep_sums : bool
            Keep n_rff x n_rff sums in the model, so that `partial_fit` can add rows later.
        progress : callable

        Returns
        -------
        IKPCA

        Raises
        ------
        InputError, UsageError
            As for `Denoiser.fit`.
        """
        if features is not None and "auto" in (self.gamma, self.ridge, self.n_components):
            raise UsageError("with features given, give gamma, ridge and n_components too")
        self._features, self._keep_sums = features, keep_sums
        try:
            return super().fit(X, progress=progress)
        finally:
            self._features, self._keep_sums = None, False

    def partial_fit(self, X: Any, y: object = None, *, progress: Progress = silent) -> Self:
        """Learn from more rows, without the rows before, or from first ones.

        Random features, the means that rows are centred by, noise level and parameters remain those
        of the first rows; the components become those of all rows.

        Parameters
        ----------
        X : array_like or row source, shape (n_samples, n_features)
            At least two rows for the first time, then one or more.
        y : object, not used
        progress : callable

        Returns
        -------
        IKPCA

        Raises
        ------
        InputError
            If the rows are not finite numbers or not as wide as those before.
        UsageError
            If the fit before did not keep its sums, or cannot.
        """
        if not hasattr(self, "model_"):
            return self.fit(X, keep_sums=True, progress=progress)
        model = self.model_
        if self.sums_mean_ is None or self.scatter_ is None or not isinstance(model, ArcsineModel):
            raise UsageError(
                "this model cannot learn from more rows: fit it with keep_sums=True (--keep-sums)"
            )
        given_rows = self._check_rows(X)
        rows = self.white_rows(given_rows)
        with at_work(with_scipy=True):
            sums = FeatureSums(self.n_samples_, self.sums_mean_, np.array(self.scatter_))
            sums.merge(feature_sums(rows, self.mean_, model.features, model.n_rff, progress))
            given = self.fitted_params_["n_components"]
            asked = self.n_components_ if given == "auto" else int(given)
            found = spectrum_of_sums(sums, asked, progress)
        self.n_samples_ = sums.count
        self._set_spectrum(found.variances, found.total, asked, False)
        self.sums_mean_, self.scatter_ = sums.mean, sums.scatter
        self.model_ = replace(model, feature_mean=found.mean, components=found.components)
        self._round()
        self._follow(given_rows)
        return self

    def ridge_unit(self) -> float:
        """Return the mean eigenvalue of ``W'W``, in a fit with the published pre-image."""
        return float(np.einsum("ij,ij->", self.W_, self.W_)) / len(self.mean_)

    def expected(self, grid: Grid) -> list[Stage]:
        """Return what is to come with the published pre-image, as `KnownFit` says."""
        from ikpca_cli.estimators.kernel_durations import ArcsineDurations
        from ikpca_cli.selection.durations import grid_stages

        n_rff, compared = self._feature_counts(grid.shape[1])
        return grid_stages(grid, ArcsineDurations(n_rff, compared))

    def cheaper(self, n_features: int) -> tuple[Self, float]:
        """Compare candidates with at most 1,000 features, or twice the width."""
        other, _ = super().cheaper(n_features)
        n_rff, other.n_rff = self._feature_counts(n_features)
        return other, n_rff / other.n_rff

    def _feature_counts(self, n_features: int) -> tuple[int, int]:
        """Return the features of a fit, and those with which candidates are compared."""
        n_rff = feature_count(self._asked(), n_features)
        return n_rff, min(n_rff, max(1000, 2 * n_features))

    def _asked(self) -> Asked:
        """Return what the next fit is asked for."""
        return Asked(**self.get_params(), features=self._features, keep_sums=self._keep_sums)

    def _kind(self, n_samples: int) -> Kind:
        """Return the kind of pre-image that so many rows have."""
        return kind_of(self._asked(), n_samples)

    def _check_params(self, n_samples: int, n_features: int) -> None:
        super()._check_params(n_samples, n_features)
        self._kind(n_samples).check(n_samples, n_features)

    def _planned(self, n_samples: int, n_features: int) -> list[Stage]:
        return self._kind(n_samples).planned(n_samples, n_features)

    def _choose(self, task: Task) -> Choice:
        return self._kind(task.X.shape[0]).choose(task) or super()._choose(task)

    def _fit(self, X: RowSource, chosen: Choice, *, exact: bool, progress: Progress) -> None:
        fitted = self._kind(X.shape[0]).fit(X, self.mean_, chosen, exact=exact, progress=progress)
        assert chosen.gamma is not None
        self.gamma_ = float(chosen.gamma)
        self.model_, self.companions_ = fitted.model, fitted.companions
        self.explained_variance_, self.total_variance_ = fitted.variances, fitted.total
        sums = fitted.sums
        self.sums_mean_, self.scatter_ = (None, None) if sums is None else (sums.mean, sums.scatter)
