"""Invertible kernel PCA (Gedon et al. 2023): with random Fourier features, or their limit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, Literal, Self

import numpy as np

from ikpca_cli.data.covariance import FeatureSums
from ikpca_cli.data.memory import check_matrix
from ikpca_cli.data.precision import rounded_fields
from ikpca_cli.data.row_source import FloatArray, Progress, RowSource, silent
from ikpca_cli.data.threads import at_work
from ikpca_cli.errors import UsageError
from ikpca_cli.estimators.base import Value
from ikpca_cli.estimators.denoiser import Denoiser
from ikpca_cli.estimators.exact_fit import (
    EXACT_ROWS,
    landmark_count,
    spectra_on_all,
    spectra_on_landmarks,
)
from ikpca_cli.estimators.parameters import check_feature_count, check_smooth
from ikpca_cli.linalg.eigen import Spectrum, feature_sums, spectrum, spectrum_of_sums
from ikpca_cli.models.arcsine import ArcsineModel
from ikpca_cli.models.companions import Companions, LowPassRows
from ikpca_cli.models.exact import ExactModel
from ikpca_cli.models.exact_spectrum import ExactSpectrum
from ikpca_cli.models.gauss_newton import GaussNewtonModel
from ikpca_cli.models.kernels.kernel import is_smooth, load_kernel, load_smooth
from ikpca_cli.models.random_features import FourierFeatures, fewest_pairs
from ikpca_cli.models.smoothing.candidates import SmoothingFit
from ikpca_cli.models.smoothing.model import SmoothingModel
from ikpca_cli.selection.choice import Auto, Choice, Oracle

CHOICE_ROWS = {"exact": 2000, "landmarks": 2000, "refined": 1000}
"""The most rows that the choice looks at."""

ENOUGH = {"exact": 100_000, "landmarks": 100_000, "refined": 50_000}
"""Held-out numbers that the choice needs."""

CHOICE_RFF = 8000
"""The most random features that the choice works with, unless rows are wider than half of it."""

REFINED_COMPONENTS = 512
"""The most components with random features; the noise leaves fewer."""

_ARCSINE = {f"{name}_": dims for name, dims in ArcsineModel.FIELDS.items()}
_EXACT = {f"{name}_": dims for name, dims in ExactModel.FIELDS.items()}
_GAUSS_NEWTON = {f"{name}_": dims for name, dims in GaussNewtonModel.FIELDS.items()}
_MODELS = _ARCSINE | _EXACT | _GAUSS_NEWTON
_COMPANIONS = Companions.STATE
_SUMS = {"sums_mean_": ("r",), "scatter_": ("r", "r")}


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
        many. For the refined way back they are balanced (`FourierFeatures.draw_balanced`), for
        which twice as many as columns are needed. "landmarks" is exact in the span of up to 3,000
        of the rows. "auto" is exact, for more than 3,000 training rows by landmarks; where the
        paper's inverse is used it is four features a column and not fewer than 2,000.
    kernel : str
        A key of `ikpca_cli.models.kernels.names.KERNELS`.
    gamma : float or "auto"
        Kernel width: ``exp(-gamma * distance)``.
    second_gamma : float, "none" or "auto"
        In the limit, another width whose iterations are added where that lowers the estimated risk.
        "auto" looks for one where gamma is chosen, too.
    ridge : float or "auto"
        Added to the diagonal of ``W'W`` in the published way back, in its units (those of gamma
        times n_rff); 0 is the pseudo-inverse. The limit has none.
    inverse : {"auto", "paper", "refined"}
        The way back of random features: the published arcsine and ridge, or weighted Gauss-Newton
        steps from the noisy row. "auto" is the paper's where a ridge is given or the kernel is not
        smooth. The limit is always refined.
    activation : str
        What the angles of random features pass through, a key of
        `ikpca_cli.models.activations.activation_names.ACTIVATIONS`; others than the sine are for
        the published way back.
    noise_std : float or "auto"
        Standard deviation of the noise, in the units of the data.
    noise_model : {"auto", "white", "columns", "counts", "correlated"}
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
    model_ : ArcsineModel, GaussNewtonModel or ExactModel
        The arrays of the fit. Each is an attribute here, too: ``W_`` is ``model_.W``.
    companions_ : Companions or None
        Smoothers, and a model of low frequencies, whose displacements are added.
    gamma_ : float
        The value used.
    sums_mean_ : ndarray, shape (n_rff,), or None
    scatter_ : ndarray, shape (n_rff, n_rff), or None
        `FeatureSums` of the rows, kept where they were asked for, so that more can be added.

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
    STATE: ClassVar[dict[str, tuple[str, ...]]] = (
        Denoiser.STATE | {"gamma_": ()} | _MODELS | _SUMS | _COMPANIONS
    )
    OPTIONAL: ClassVar[frozenset[str]] = (
        Denoiser.OPTIONAL | _MODELS.keys() | _SUMS.keys() | _COMPANIONS.keys()
    )
    RIDGES = (0.01, 0.1, 0.5)
    SELECTION_ROWS = 600

    model_: ArcsineModel | GaussNewtonModel | ExactModel
    companions_: Companions | None = None
    gamma_: float
    sums_mean_: FloatArray | None = None
    scatter_: FloatArray | None = None

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

    @property
    def n_rff_(self) -> int | str:
        """Number of random features, "exact" for infinitely many, or "landmarks"."""
        if isinstance(self.model_, ExactModel) and len(self.model_.rows) < self.n_samples_:
            return "landmarks"
        return self.model_.n_rff

    @property
    def second_gamma_(self) -> float | None:
        """The other width used, None for a single one."""
        if not isinstance(self.model_, ExactModel) or len(self.model_.gammas) < 2:
            return None
        return float(self.model_.gammas[1])

    @property
    def order_(self) -> str | None:
        """The order along rows that smoothers make use of, None without them."""
        return None if self.companions_ is None else str(self.companions_.order)

    @property
    def component_noise_(self) -> FloatArray | None:
        """Variance that the noise has along each component, as `Denoiser` says."""
        model = self.model_
        if isinstance(model, ExactModel):
            return model.main_noise
        return model.noise_variances if isinstance(model, GaussNewtonModel) else None

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
        added = {} if self.companions_ is None else self.companions_.get_state()
        return {name: added.get(name, getattr(self, name, None)) for name in self.STATE}

    @classmethod
    def from_state(cls, params: Mapping[str, Any], state: Mapping[str, Value]) -> Self:
        """Return a fitted estimator from what `get_params` and `get_state` gave.

        Raises
        ------
        ValueError
            If the state is that of no model, or of several.
        """
        estimator = cls(**params)
        estimator.fitted_params_ = estimator.get_params()
        own: dict[str, Any] = {}
        for name in cls.STATE:
            if name not in _MODELS | _COMPANIONS:
                setattr(estimator, name, state[name])
            elif name in _MODELS and state[name] is not None:
                own[name[:-1]] = state[name]
        if own.keys() == ArcsineModel.FIELDS.keys():
            estimator.model_ = ArcsineModel(**own, activation=estimator.activation)
        elif own.keys() == GaussNewtonModel.FIELDS.keys():
            estimator.model_ = GaussNewtonModel(**own)
            estimator.model_.check()
        elif own.keys() == ExactModel.FIELDS.keys():
            estimator.model_ = ExactModel(**own, kernel=estimator.kernel)
            estimator.model_.check()
        else:
            raise ValueError("its arrays are neither those of random features nor of their limit")
        companions = Companions.from_state(
            {name: state[name] for name in _COMPANIONS}, estimator.kernel
        )
        if companions is not None and isinstance(estimator.model_, ArcsineModel):
            raise ValueError("the paper's inverse has no smoothers beside it")
        estimator.companions_ = companions
        estimator.check_trust()
        return estimator

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
        """
        if features is not None and "auto" in (self.gamma, self.ridge, self.n_components):
            raise UsageError("with features given, give gamma, ridge and n_components too")
        self._features, self._keep_sums = features, keep_sums
        try:
            return super().fit(X, progress=progress)
        finally:
            self._features, self._keep_sums = None, False

    def partial_fit(self, X: Any, *, progress: Progress = silent) -> Self:
        """Learn from more rows, without the rows before, or from first ones.

        Random features, the means that rows are centred by, noise level and parameters remain those
        of the first rows; the components become those of all rows.

        Parameters
        ----------
        X : array_like or row source, shape (n_samples, n_features)
            At least two rows for the first time, then one or more.
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
                "this model cannot learn from more rows: keep the sums when fitting (--keep-sums)"
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
        self.estimated_mse_ = self.estimated_mse_error_ = None
        self._set_spectrum(found.variances, found.total, asked, False)
        self._set_sums(found)
        self.model_ = replace(model, feature_mean=found.mean, components=found.components)
        self._round()
        self._follow(given_rows)
        return self

    def _set_sums(self, found: Spectrum) -> None:
        assert found.sums is not None
        self.sums_mean_, self.scatter_ = found.sums.mean, found.sums.scatter

    def ridge_unit(self) -> float:
        """Return the mean eigenvalue of ``W'W``, in a fit with the published way back."""
        return float(np.einsum("ij,ij->", self.W_, self.W_)) / self.n_features_in_

    def cheaper(self, n_features: int) -> tuple[Self, float]:
        """Compare candidates with at most 1,000 features, or twice the width."""
        other, _ = super().cheaper(n_features)
        n_rff = self._count(n_features)
        fewer = min(n_rff, max(1000, 2 * n_features))
        other.n_rff = fewer
        return other, n_rff / fewer

    def _kind(self, n_samples: int) -> str:
        """Return the model of `n_samples` rows: "published", "refined", "exact" or "landmarks"."""
        published = self.inverse == "paper" or (
            self.inverse == "auto" and (self.ridge != "auto" or not is_smooth(self.kernel))
        )
        if self._features is not None or (published and self.n_rff not in ("exact", "landmarks")):
            return "published"
        if isinstance(self.n_rff, int):
            return "refined"
        return "exact" if self.n_rff == "exact" or n_samples <= EXACT_ROWS else "landmarks"

    def _count(self, n_features: int) -> int:
        """Return the number of random features to draw."""
        return self.n_rff if isinstance(self.n_rff, int) else max(2000, 4 * n_features)

    def _check_params(self, n_samples: int, n_features: int) -> None:
        super()._check_params(n_samples, n_features)
        kind = self._kind(n_samples)
        limit = kind in ("exact", "landmarks")
        if not limit and self.second_gamma not in ("auto", "none"):
            raise UsageError("a second gamma is for infinitely many features: leave it out")
        if self._keep_sums and (kind != "published" or self.solver == "dual"):
            raise UsageError(
                "sums are kept for random features with the paper's way back alone: give their "
                "number (--rff) and a ridge (--ridge), and not the dual solver"
            )
        if kind != "published" and self.activation != "sine":
            raise UsageError(
                f"the {self.activation} activation is for random features with the paper's way "
                "back: use the paper's inverse (--inverse paper), and not infinitely many features"
            )
        if kind != "published":
            what = "infinitely many features" if limit else "the refined way"
            check_smooth(what, self.kernel, self.ridge, self.inverse)
        if limit:
            count = n_samples if kind == "exact" else landmark_count(n_samples)
            check_matrix("exact ikpca", count, "give a number of random features")
        else:
            n_rff = self._features.n_rff if self._features else self._count(n_features)
            check_feature_count(n_rff, n_features, drawn=self._features is None)

    def _choose(
        self,
        X: RowSource,
        mean: FloatArray,
        noise_std: float | None,
        progress: Progress,
        oracle: Oracle | None,
    ) -> Choice:
        kind = self._kind(X.shape[0])
        if kind == "published":
            return super()._choose(X, mean, noise_std, progress, oracle)
        from ikpca_cli.selection.expansion import ExpansionSearch, exact_fits, refined_fits

        most = None if self.n_components == "auto" else self.n_components
        limit = kind in ("exact", "landmarks")
        if limit:
            fits = partial(exact_fits, most=most, form=load_smooth(self.kernel))
        else:
            n_features = X.shape[1]
            fits = partial(
                refined_fits,
                most=most or REFINED_COMPONENTS,
                n_rff=min(self._count(n_features), max(CHOICE_RFF, fewest_pairs(n_features))),
                route=self.solver,
                seed=self.seed,
                form=load_smooth(self.kernel),
            )
        search = ExpansionSearch(
            fits=fits,
            gamma=self.gamma,
            second_gamma=self.second_gamma if limit else "none",
            n_components=most,
            most_rows=CHOICE_ROWS[kind],
            enough=ENOUGH[kind],
            replicates=self.replicates,
            seed=self.seed,
            order=self.order,
        )
        return search.run(X, mean, noise_std, progress, oracle)

    def _spectrum(
        self,
        X: RowSource,
        mean: FloatArray,
        gamma: float,
        n_components: int,
        progress: Progress,
    ) -> tuple[FourierFeatures, Spectrum]:
        """Draw random features, unless some are given, and return their spectrum on rows `X`.

        The published way back has independent features, as the paper has them.
        """
        n_features = X.shape[1]
        size = self._count(n_features), n_features
        if self._features is not None:
            features = self._features
        elif self._kind(X.shape[0]) == "published":
            features = FourierFeatures.draw(load_kernel(self.kernel), gamma, *size, self.seed)
        else:
            features = FourierFeatures.draw_balanced(
                load_smooth(self.kernel), gamma, *size, self.seed
            )
        features = replace(features, activation=self.activation).rounded(self._float)
        route = "primal" if self._keep_sums else self.solver
        found = spectrum(
            X, mean, features, features.n_rff, n_components, route=route, progress=progress
        )
        return features, found

    def _fit(
        self, X: RowSource, chosen: Mapping[str, Any], *, exact: bool, progress: Progress
    ) -> None:
        self.gamma_ = float(chosen["gamma"])
        self.sums_mean_ = self.scatter_ = self.companions_ = None
        if "expansions" in chosen and self._kind(X.shape[0]) in ("exact", "landmarks"):
            self._fit_exact(X, chosen, exact, progress)
            self._fit_companions(X, chosen, progress)
            return
        asked = chosen["n_components"] or REFINED_COMPONENTS
        features, found = self._spectrum(X, self.mean_, self.gamma_, asked, progress)
        self._set_spectrum(found.variances, found.total, asked, exact)
        if "expansions" not in chosen:
            self.model_ = ArcsineModel.of(features, found, float(chosen["ridge"]))
            if self._keep_sums:
                self._set_sums(found)
            return
        some, noise_variance = chosen["rows"], chosen["noise_variance"]
        refined = GaussNewtonModel.of(features, found, some, noise_variance, self.seed)
        self.model_ = refined = refined.expanded(chosen["expansions"][0])
        self.explained_variance_ = refined.signal_variances
        self._fit_companions(X, chosen, progress)

    def _fit_exact(
        self, X: RowSource, chosen: Mapping[str, Any], exact: bool, progress: Progress
    ) -> None:
        asked = chosen["n_components"]
        noise_variance = chosen["noise_variance"]
        spectra = self._exact_spectra(
            X, self.mean_, chosen["rows"], chosen["gammas"], chosen, progress
        )
        self._set_spectrum(spectra[0].variances, spectra[0].total, asked or 1, exact)
        self.model_ = limit = ExactModel.of(
            spectra, noise_variance, chosen["expansions"], self.kernel
        )
        self.explained_variance_ = limit.main_variances

    def _exact_spectra(
        self,
        X: RowSource,
        mean: FloatArray,
        some: FloatArray,
        gammas: Sequence[float],
        chosen: Mapping[str, Any],
        progress: Progress,
    ) -> list[ExactSpectrum]:
        """Return spectra of rows, on all of them or in the span of landmarks."""
        form = load_smooth(self.kernel)
        given = gammas, chosen["n_components"], chosen["noise_variance"], form
        if self._kind(X.shape[0]) == "exact":
            return spectra_on_all(X, mean, *given, progress)
        return spectra_on_landmarks(X, mean, some, *given, self.seed, progress)

    def _fit_companions(self, X: RowSource, chosen: Mapping[str, Any], progress: Progress) -> None:
        """Fit the smoothers of a choice, and its model of low frequencies."""
        order, noise_variance, some = chosen["order"], chosen["noise_variance"], chosen["rows"]
        if order is None:
            return
        smoothers = SmoothingFit.of(order, some, self.mean_, noise_variance)
        smoothing = SmoothingModel.of(smoothers, chosen["smoothing"], chosen["varying"])
        if chosen["low_pass"] is None:
            self.companions_ = Companions(smoothing)
            return
        (count, gamma), weights = chosen["low_pass"]
        rows = LowPassRows(X, self.mean_, order, count)
        few = np.ascontiguousarray(order.forward(some)[:, :count])
        low: ExactModel | GaussNewtonModel
        if isinstance(self.model_, ExactModel):
            found = self._exact_spectra(rows, np.zeros(count), few, [gamma], chosen, progress)
            low = ExactModel.of(found, noise_variance, [weights], self.kernel)
        else:
            asked = chosen["n_components"] or REFINED_COMPONENTS
            features, spectral = self._spectrum(rows, np.zeros(count), gamma, asked, progress)
            low = GaussNewtonModel.of(features, spectral, few, noise_variance, self.seed)
            low = low.expanded(weights)
        self.companions_ = Companions(smoothing, low)

    def _round(self) -> None:
        self.model_ = rounded_fields(self.model_, self._float)
        if self.companions_ is not None:
            self.companions_ = self.companions_.rounded(self._float)

    def _denoise_block(self, X: FloatArray) -> FloatArray:
        centred = self._centred(X)
        cleaned = self.model_.denoise(centred)
        if self.companions_ is not None:
            cleaned += self.companions_.added(centred)
        rows: FloatArray = cleaned + self.mean_
        return rows

    def _clean_and_compare(self, X: FloatArray) -> tuple[FloatArray, FloatArray]:
        if not isinstance(self.model_, ArcsineModel):
            return super()._clean_and_compare(X)
        rows, distances = self.model_.denoise_and_compare(self._centred(X))
        return rows + self.mean_, distances

    def _distance_block(self, X: FloatArray, *, fitted: bool = False) -> FloatArray:
        return self.model_.distances(self._centred(X), self.n_samples_ if fitted else 0)

    def _encode_block(self, X: FloatArray) -> FloatArray:
        return self.model_.encode(self._centred(X))

    def _truncate(self, n_components: int, ridge: float | None) -> None:
        self.model_ = self.model_.variant(n_components, ridge)
        if self.companions_ is not None:
            self.companions_ = self.companions_.variant(n_components)

    def _block_width(self) -> int:
        return self.model_.width
