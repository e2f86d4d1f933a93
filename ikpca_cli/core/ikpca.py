"""Invertible kernel PCA (Gedon et al. 2023): with random Fourier features, or their limit."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np

from ikpca_cli.core.base import Auto, Denoiser, Value
from ikpca_cli.core.blind import CrossValidation, moves, search
from ikpca_cli.core.exact import ExactSpectrum, Move
from ikpca_cli.core.fourier import FourierFeatures
from ikpca_cli.core.kernels import Gaussian
from ikpca_cli.core.limit import LimitModel
from ikpca_cli.core.memory import check_matrix
from ikpca_cli.core.methods import load_kernel
from ikpca_cli.core.published import PublishedModel
from ikpca_cli.core.rows import FloatArray, Progress, RowSource, model_rng, read_all, silent
from ikpca_cli.core.spectrum import spectrum
from ikpca_cli.errors import IkpcaWarning, UsageError

if TYPE_CHECKING:
    from ikpca_cli.core.selection import Choice

EXACT_ROWS = 3000
"""The most training rows for which the limit of infinitely many features is the default."""

CHOICE_ROWS = 2000
"""The most rows that the choice for the limit looks at."""

_SHRINKS_OF_A_CUT = (0.0, 0.5, 1.0, 2.0)
_PUBLISHED = {f"{name}_": dims for name, dims in PublishedModel.FIELDS.items()}
_LIMIT = {f"{name}_": dims for name, dims in LimitModel.FIELDS.items()}
_DIRECTIONS = 4  # stream of `model_rng`


class IKPCA(Denoiser):
    """Invertible kernel PCA, a nonlinear PCA whose way back to the input needs no learning.

    With random features it is the published method: PCA of ``sin(W x + b)``, inverted on each row's
    own branch by the arcsine and a ridge solve. In the limit of infinitely many features (`exact`)
    kernel values replace the features, Wiener weights replace the cut after some components, and a
    few Gauss-Newton steps replace the arcsine.

    Parameters
    ----------
    n_components : int or "auto"
        Components to keep in feature space. "auto" chooses the number with random features, and in
        the limit weighs all of them by their noise.
    n_rff : int, "exact" or "auto"
        Random Fourier features, at least as many as the rows are wide; "exact" for infinitely
        many. "auto" is exact for up to 3,000 training rows with a Gaussian kernel and no ridge
        given, else four features a column and not fewer than 2,000.
    kernel : str
        A key of `ikpca_cli.core.methods.KERNELS`.
    gamma : float or "auto"
        Kernel width: ``exp(-gamma * distance)``.
    ridge : float or "auto"
        Added to the diagonal of ``W'W`` in the published way back, in its units (those of gamma
        times n_rff); 0 is the pseudo-inverse. The limit has none.
    noise_std : float or "auto"
        Standard deviation of the noise, in the units of the data.
    solver : {"auto", "primal", "dual"}
        Eigenvectors of the n_rff x n_rff covariance or of the n x n Gram matrix; "auto" takes the
        smaller.
    seed : int
        Seeds the random features and the choice. One seed gives one answer.

    Attributes
    ----------
    model_ : PublishedModel or LimitModel
        The arrays of the fit. Each is an attribute here, too: ``W_`` is ``model_.W``.
    gamma_ : float
        The value used.
    """

    method = "ikpca"
    STATE: ClassVar[dict[str, tuple[str, ...]]] = (
        Denoiser.STATE | {"gamma_": ()} | _PUBLISHED | _LIMIT
    )
    OPTIONAL: ClassVar[frozenset[str]] = Denoiser.OPTIONAL | _PUBLISHED.keys() | _LIMIT.keys()
    RIDGES = (0.01, 0.1, 0.5)
    SELECTION_ROWS = 600

    model_: PublishedModel | LimitModel
    gamma_: float

    def __init__(
        self,
        n_components: int | Auto = "auto",
        *,
        n_rff: int | Literal["exact"] | Auto = "auto",
        kernel: str = "gaussian",
        gamma: float | Auto = "auto",
        ridge: float | Auto = "auto",
        noise_std: float | Auto = "auto",
        solver: str = "auto",
        seed: int = 0,
    ) -> None:
        self.n_components = n_components
        self.n_rff = n_rff
        self.kernel = kernel
        self.gamma = gamma
        self.ridge = ridge
        self.noise_std = noise_std
        self.solver = solver
        self.seed = seed
        self._features: FourierFeatures | None = None

    @property
    def n_rff_(self) -> int | str:
        """Number of random features, "exact" for infinitely many."""
        return self.model_.n_rff

    @property
    def ridge_(self) -> float | None:
        """The ridge used, None in the limit."""
        return self.model_.ridge

    def __getattr__(self, name: str) -> Any:
        """Return an array of the model under its name with an underscore."""
        model = self.__dict__.get("model_")
        if model is not None and name.endswith("_") and name[:-1] in model.FIELDS:
            return getattr(model, name[:-1])
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def get_state(self) -> dict[str, Value]:
        """Return the fitted attributes as `Denoiser.get_state` does, the other model's as None."""
        self._check_fitted()
        return {name: getattr(self, name, None) for name in self.STATE}

    @classmethod
    def from_state(cls, params: Mapping[str, Any], state: Mapping[str, Value]) -> Self:
        """Return a fitted estimator from what `get_params` and `get_state` gave.

        Raises
        ------
        ValueError
            If the state is that of neither model, or of both.
        """
        estimator = cls(**params)
        load_kernel(estimator.kernel)
        own: dict[str, Any] = {}
        for name in cls.STATE:
            if name not in _PUBLISHED and name not in _LIMIT:
                setattr(estimator, name, state[name])
            elif state[name] is not None:
                own[name[:-1]] = state[name]
        if own.keys() == PublishedModel.FIELDS.keys():
            estimator.model_ = PublishedModel(**own)
        elif own.keys() == LimitModel.FIELDS.keys() and own["blend"].shape[1] == 4:
            estimator.model_ = LimitModel(**own, gamma=estimator.gamma_)
        else:
            raise ValueError("its arrays are neither those of random features nor of their limit")
        return estimator

    def fit(
        self, X: Any, *, features: FourierFeatures | None = None, progress: Progress = silent
    ) -> Self:
        """Learn from noisy rows, as `Denoiser.fit` says.

        Parameters
        ----------
        X : array_like or row source, shape (n_samples, n_features)
        features : FourierFeatures, optional
            Use these random features instead of drawing them; they make `n_rff` and `seed`
            irrelevant, and a `gamma` that is given only a label. "auto" would draw others, so
            gamma, ridge and n_components have to be given.
        progress : callable

        Returns
        -------
        IKPCA
        """
        if features is not None and "auto" in (self.gamma, self.ridge, self.n_components):
            raise UsageError("with features given, give gamma, ridge and n_components too")
        self._features = features
        try:
            return super().fit(X, progress=progress)
        finally:
            self._features = None

    def ridge_unit(self) -> float:
        """Return the mean eigenvalue of ``W'W``, 1 in the limit."""
        return self.model_.ridge_unit()

    def cheaper(self, n_features: int) -> tuple[Self, float]:
        """Compare candidates with at most 1,000 features, or twice the width."""
        other, _ = super().cheaper(n_features)
        n_rff = self._count(n_features)
        fewer = min(n_rff, max(1000, 2 * n_features))
        other.n_rff = fewer
        return other, n_rff / fewer

    def _is_exact(self, n_samples: int) -> bool:
        if self.n_rff != "auto":
            return self.n_rff == "exact"
        smooth = self.kernel == "gaussian"
        return smooth and self.ridge == "auto" and not self._features and n_samples <= EXACT_ROWS

    def _count(self, n_features: int) -> int:
        """Return the number of random features to draw."""
        return self.n_rff if isinstance(self.n_rff, int) else max(2000, 4 * n_features)

    def _check_params(self, n_samples: int, n_features: int) -> None:
        super()._check_params(n_samples, n_features)
        load_kernel(self.kernel)
        if self.solver not in ("auto", "primal", "dual"):
            raise UsageError(f"solver {self.solver!r} is unknown: use auto, primal or dual")
        if self._is_exact(n_samples):
            self._check_exact(n_samples)
            return
        n_rff = self._features.n_rff if self._features else self._count(n_features)
        if n_rff < n_features:
            raise UsageError(
                f"{n_rff} random features are fewer than the {n_features} columns, so rows cannot "
                f"be reconstructed: use {4 * n_features} or more, or 'auto'"
            )
        if n_rff < 2 * n_features and self._features is None:
            warnings.warn(
                f"{n_rff} random features are close to the {n_features} columns, which makes rows "
                f"worse than they need be: use {4 * n_features} or more",
                IkpcaWarning,
                stacklevel=4,
            )

    def _check_exact(self, n_samples: int) -> None:
        if self.kernel != "gaussian":
            raise UsageError(
                f"infinitely many features need a smooth kernel, which the {self.kernel} one is "
                "not: give a number of random features"
            )
        if self.ridge != "auto":
            raise UsageError(
                "infinitely many features need no ridge: leave it out, or give a number of "
                "random features"
            )
        check_matrix("exact ikpca", n_samples, "give a number of random features")

    def _choose(
        self, X: RowSource, mean: FloatArray, noise_std: float | None, progress: Progress
    ) -> Choice:
        from ikpca_cli.core.selection import Choice, selection_rows, usable_noise_std

        if not self._is_exact(X.shape[0]):
            return super()._choose(X, mean, noise_std, progress)
        rows = selection_rows(X, CHOICE_ROWS, self.seed) - mean
        noise_variance = usable_noise_std(noise_std, rows) ** 2
        distances = Gaussian().distance(rows, rows)
        automatic = self.n_components == "auto"
        trial = CrossValidation(
            rows,
            distances,
            noise_variance,
            moves() if automatic else moves(_SHRINKS_OF_A_CUT),
            None if automatic else int(self.n_components),
            model_rng(self.seed, _DIRECTIONS),
        )
        if self.gamma == "auto":
            scale = float(np.median(distances)) or float(distances.mean())
            blend = search(trial.best, scale, lambda tried: progress("choosing", tried, 0))
        else:
            blend = trial.best(self.gamma)
        chosen = {"gamma": blend.gamma, "blend": blend.weights, "noise_variance": noise_variance}
        chosen["n_components"] = None if automatic else self.n_components
        return Choice(chosen, blend.risk, blend.error)

    def _fit(
        self, X: RowSource, chosen: Mapping[str, Any], *, exact: bool, progress: Progress
    ) -> None:
        self.gamma_ = float(chosen["gamma"])
        n_components: int | None = chosen["n_components"]
        if "blend" in chosen:
            rows = read_all(X) - self.mean_
            progress("eigenvectors", 0, 0)
            limit = ExactSpectrum.of(
                rows, Gaussian().distance(rows, rows), self.gamma_, n_components
            )
            self._set_spectrum(limit.variances, limit.total, n_components or 1, exact)
            blend: Mapping[Move, float] = chosen["blend"]
            self.model_ = LimitModel.of(limit, chosen["noise_variance"], blend)
            self.explained_variance_ = self.model_.signal_variances
            return
        features = self._features or FourierFeatures.draw(
            load_kernel(self.kernel), self.gamma_, self._count(X.shape[1]), X.shape[1], self.seed
        )
        found = spectrum(
            X,
            self.mean_,
            features,
            features.n_rff,
            n_components or 1,
            route=self.solver,
            progress=progress,
        )
        self._set_spectrum(found.variances, found.total, n_components or 1, exact)
        self.model_ = PublishedModel.of(features, found, float(chosen["ridge"]))

    def _denoise_block(self, X: FloatArray) -> FloatArray:
        rows: FloatArray = self.model_.denoise(X - self.mean_) + self.mean_
        return rows

    def _encode_block(self, X: FloatArray) -> FloatArray:
        return self.model_.encode(X - self.mean_)

    def _truncate(self, n_components: int, ridge: float | None) -> None:
        self.model_ = self.model_.variant(n_components, ridge)

    def _block_width(self) -> int:
        return self.model_.width
