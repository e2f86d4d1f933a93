"""What every denoising method shares: a fit by row blocks, and cleaning with it."""

from __future__ import annotations

import copy
import warnings
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ikpca_cli.data.feature_names import encode
from ikpca_cli.data.first_pass import SAMPLE_ROWS, FirstPass, selection_rows
from ikpca_cli.data.precision import rounded
from ikpca_cli.data.random import Stream, model_rng
from ikpca_cli.data.row_source import (
    LARGEST_SINGLE,
    FloatArray,
    Progress,
    RowSource,
    as_rows,
    check_width,
    row_blocks,
    sample_rows,
    silent,
)
from ikpca_cli.data.threads import at_work
from ikpca_cli.errors import IkpcaWarning, InputError, UsageError
from ikpca_cli.estimators.base import WITHHELD, Estimator
from ikpca_cli.estimators.methods import METHODS, WINDOW_METHODS
from ikpca_cli.estimators.parameters import PARAMETERS, too_many_components
from ikpca_cli.models.kernels.kernel import load_kernel
from ikpca_cli.models.novelty import distance_limit
from ikpca_cli.noise.caution import FEW_ROWS, IN_DOUBT, SOME_ROWS, Caution, caution_of_file
from ikpca_cli.noise.estimate import NoiseLevel
from ikpca_cli.noise.level import estimate_noise
from ikpca_cli.noise.models.choose import Noise, noise_of
from ikpca_cli.noise.models.noise_names import NOISE_MODELS
from ikpca_cli.noise.models.spikes import Spikes
from ikpca_cli.noise.risk import stein_risks
from ikpca_cli.noise.treatment import Treatment
from ikpca_cli.noise.white_rows import WhiteRows
from ikpca_cli.registry import load_named
from ikpca_cli.selection.choice import Auto, Choice
from ikpca_cli.transforms.column_scale import ColumnScale
from ikpca_cli.transforms.protocol import Transform
from ikpca_cli.transforms.transform_registry import names as transform_arrays
from ikpca_cli.transforms.transform_registry import transform_of

if TYPE_CHECKING:
    from ikpca_cli.selection.choice import Oracle

LIMIT_ROWS = 500
"""Training rows that tell how far rows usually are."""

PROBES = 4
"""Random directions that a divergence is measured along where noise is not white."""

MODEL_ROWS = 1000
"""Training rows that tell what noise is like."""

SCALE_ROWS, FARTHEST = 100, 1e12
"""Rows that tell a typical distance, and how far from its inverse a gamma may be."""

MOST_ERROR = 0.12
"""Standard error of a promise, over the promise, from which it is not made."""

LARGEST_OFFSET = 1e5
"""Means over spread that single precision leaves two digits of."""


class Denoiser(Estimator):
    """Learns a model from noisy rows and cleans rows with it; see `Estimator` for attributes."""

    _given_noise: Transform | None = None
    _transform: Transform | None = None

    def fit(
        self, X: Any, y: object = None, *, keep_sums: bool = False, progress: Progress = silent
    ) -> Self:
        """Learn from noisy rows.

        Parameters
        ----------
        X : array_like or row source, shape (n_samples, n_features)
            Noisy rows: an array, a memory map, an HDF5 dataset or anything else with ``.shape``
            and row slices. It is read in blocks and not changed.
        y : object
            Not used; it is there for scikit-learn's pipelines.
        keep_sums : bool
            Keep what `partial_fit` needs to add rows later; for a method that can.
        progress : callable
            Called as ``progress(stage, done, total)`` from within long loops.

        Returns
        -------
        Self

        Raises
        ------
        InputError
            If the rows are not finite numbers, too few, or all alike.
        UsageError
            If a parameter cannot be used with these rows.
        """
        if keep_sums:
            raise UsageError(f"{self.method} has no sums to keep: leave --keep-sums out")
        with at_work(with_scipy=True):
            return self._fit_rows(X, self.n_components != "auto", progress)

    def fit_transform(self, X: Any, y: object = None) -> FloatArray:
        """Fit, and return the latent code of the same rows: ``fit(X).transform(X)``."""
        return self.fit(X).transform(X)

    def fit_up_to(
        self, X: Any, *, oracle: Oracle | None = None, progress: Progress = silent
    ) -> Self:
        """Fit like `fit`, but keep fewer than `n_components` where the rows have no more.

        Parameters
        ----------
        X : array_like or row source, shape (n_samples, n_features)
        oracle : Oracle, optional
            Choose what is best for these rows, whose clean versions are known, instead of by an
            estimate: no use in practice, but the bound that the estimate is measured against.
        progress : callable

        Returns
        -------
        Self
        """
        with at_work(with_scipy=True):
            return self._fit_rows(X, False, progress, oracle)

    def partial_fit(self, X: Any, *, progress: Progress = silent) -> Self:
        """Learn from more rows without those before, where the method can.

        Raises
        ------
        UsageError
            If it cannot.
        """
        raise UsageError(f"{self.method} cannot learn from more rows: fit it on all of them")

    def _fit_rows(
        self, X: Any, exact: bool, progress: Progress, oracle: Oracle | None = None
    ) -> Self:
        rows = X if isinstance(X, FirstPass) else FirstPass(X, self.seed)
        self._check_params(rows.shape[0], rows.shape[1])
        self._read(rows, progress)
        self._check_scale(rows)
        self.feature_codes_ = encode(rows.feature_names)
        self.strength_ = None  # the choice compares rows as they are moved
        alike = np.ptp(selection_rows(rows, SAMPLE_ROWS, self.seed), axis=0) == 0.0
        self.constant_ = alike.astype(float) if alike.any() else None
        self._set_noise(self._noise_of(rows))
        usual = self._usual()
        given = rows
        if usual.is_needed:
            rows = FirstPass(self.white_rows(rows), self.seed)
            self._read(rows, progress)
        mean = rows.mean
        level = self._noise_level(rows, mean)
        noise_std = None if level.is_bound else level.std
        choice = self._choose(rows, mean, noise_std, progress, oracle)
        withheld = 0 if level.certain or oracle else 1 if noise_std is not None else 2
        if noise_std is not None and choice.is_impossible:
            warnings.warn(
                f"the noise level {noise_std:.3g} cannot be right, the error would be below zero: "
                "give the true one (--noise-std) if you know it",
                IkpcaWarning,
                stacklevel=4,
            )
            withheld = 4
            if self.noise_std == "auto":
                noise_std = None
                choice = self._choose(rows, mean, None, progress, oracle)
        self.noise_std_ = noise_std
        self._promise(choice, level, withheld, oracle is not None)
        self.fit_with(rows, mean, choice.params, exact=exact, progress=progress)
        some = selection_rows(given, LIMIT_ROWS, self.seed)
        self._set_limit(some)
        if choice.risk is not None:
            self._in_units(some[:SOME_ROWS])
        return self

    def set_noise(self, transform: Transform | None) -> Self:
        """Give what makes the noise of the next fit white, of variance 1, and return self."""
        self._given_noise = transform
        return self

    def white_rows(self, X: RowSource) -> RowSource:
        """Return rows (n, p) as this fit sees them: without spikes, with white noise."""
        usual = self._usual()
        return WhiteRows(X, usual) if usual.is_needed else X

    def _follow(self, X: RowSource) -> None:
        """Let what is known of the training rows follow more of them; withdraw what cannot.

        Distances that were usual before were to fewer rows, so that the farther limit is kept.
        """
        self.estimated_mse_ = self.estimated_mse_error_ = self.removed_mse_ = None
        self.withheld_ = WITHHELD.index("rows were added")
        some = sample_rows(X, LIMIT_ROWS, model_rng(self.seed, Stream.FILE_SAMPLE))
        before = self.distance_limit_
        self._set_limit(some)
        if before is not None and self.distance_limit_ is not None:
            self.distance_limit_ = max(before, self.distance_limit_)
        if self.constant_ is not None:
            alike = (some == self.mean_).all(axis=0)
            self.constant_ = self.constant_ * alike

    def _noise_of(self, rows: FirstPass) -> Noise:
        """Return what the noise on rows is like: given, asked for, or found."""
        if self._given_noise is not None:
            name = "columns" if isinstance(self._given_noise, ColumnScale) else "correlated"
            width = self._given_noise.width
            if width is not None and width != rows.shape[1]:
                raise InputError(
                    f"{rows.name} has {rows.shape[1]} columns, but its noise was given for {width}"
                )
            return Noise(name, self._given_noise, evidence="as given")
        scale_given = self.noise_std != "auto" or getattr(self, "gamma", "auto") != "auto"
        asked = self.noise_model
        if asked == "auto" and (scale_given or self.n_components != "auto" or self.replicates):
            return Noise()
        some = selection_rows(rows, MODEL_ROWS, self.seed)
        return noise_of(some, asked, rows.name)

    def _set_noise(self, noise: Noise) -> None:
        """Set what is kept of the noise."""
        self.noise_model_ = NOISE_MODELS.index(noise.name)
        self.noise_evidence_ = noise.evidence
        self.spike_limit_ = None if noise.spikes is None else noise.spikes.limit
        arrays = {} if noise.transform is None else noise.transform.state()
        for name in transform_arrays():
            setattr(self, f"{name}_", arrays.get(name))
        self._transform = noise.transform

    def _noise_transform(self) -> Transform | None:
        """Return what makes the noise white, made anew after a model was read."""
        if self._transform is None and self.noise_model_:
            arrays = {name: getattr(self, f"{name}_") for name in transform_arrays()}
            self._transform = transform_of(arrays)
        return self._transform

    def check_trust(self) -> None:
        """Raise ValueError unless what is kept of the noise makes sense, as `Estimator` says."""
        super().check_trust()
        if self.noise_model_ and self._noise_transform() is None:
            raise ValueError("it does not hold what its noise is like")

    def _in_units(self, rows: FloatArray) -> None:
        """Set the mean change of some training rows (k, p), and promises in the units of the data.

        Where noise is not white the promise is that of rows after the transform. It is multiplied
        by the estimated error of training rows in the units of the data over that after it.
        """
        usual = self._usual()
        self.removed_mse_ = float(np.mean((self.clean(rows, usual) - rows) ** 2))
        self.noise_rms_ = None
        transform, std = usual.transform, self.noise_std_
        if transform is None or std is None:
            return
        Z, plain = usual.forward(rows), Treatment(usual.caution)
        after: FloatArray = np.zeros(len(rows))
        white: FloatArray = np.zeros(len(rows))
        before: FloatArray = np.zeros(len(rows))
        for probe in range(PROBES):
            rng = model_rng(self.seed + probe, Stream.MODEL_PROBE)
            clean = partial(self.clean, treatment=usual)
            risks, before = stein_risks(clean, rows, std, transform, rng)
            after += risks / PROBES
            white += (
                stein_risks(partial(self.clean, treatment=plain), Z, std, None, rng)[0] / PROBES
            )
        self.noise_rms_ = float(before.mean()) ** 0.5
        if self.estimated_mse_ is None or self.estimated_mse_error_ is None:
            return
        ratio = float(after.mean() / white.mean())
        doubt = float((after - ratio * white).std() / len(rows) ** 0.5 / abs(after.mean()))
        error = float(np.hypot(self.estimated_mse_error_ / self.estimated_mse_, doubt))
        if 0.0 < ratio < np.inf and error <= MOST_ERROR:
            self.estimated_mse_ *= ratio
            self.estimated_mse_error_ = error * self.estimated_mse_
        else:
            self.estimated_mse_ = self.estimated_mse_error_ = None
            self.withheld_ = 3

    def _noise_level(self, rows: FirstPass, mean: FloatArray) -> NoiseLevel:
        """Return the noise level that was given, or else estimated; say what is odd about it."""
        if self.noise_std != "auto":
            return NoiseLevel(float(self.noise_std), certain=True)
        if self._given_noise is not None:
            return NoiseLevel(1.0, certain=True)
        some = selection_rows(rows, SAMPLE_ROWS, self.seed)
        if self.replicates:
            # All that replicates differ in is noise.
            return NoiseLevel(float(np.sqrt(np.mean(np.var(some, axis=0, ddof=1)))), certain=True)
        level = estimate_noise(some - mean)
        doubt = level.doubt_in_words()
        if doubt:
            warnings.warn(doubt, IkpcaWarning, stacklevel=5)
        return level

    def _promise(self, choice: Choice, level: NoiseLevel, withheld: int, is_known: bool) -> None:
        """Set what the choice promises, or why it does not, and how far rows may be moved."""
        self.estimated_mse_ = self.estimated_mse_error_ = self.strength_ = None
        self.tried_ = choice.tried
        self.withheld_ = withheld
        std, risk, error = self.noise_std_, choice.risk, choice.error or 0.0
        useless = False
        if std is not None and risk is not None:
            if not is_known:
                error = float(np.hypot(error, level.risk_error(risk)))
            if not withheld and not is_known and error > MOST_ERROR * risk:
                self.withheld_ = 3
            if not self.withheld_:
                self.estimated_mse_, self.estimated_mse_error_ = risk, error
            useless = risk - error >= (1.0 - 1e-9) * std**2
        blind = self.n_components == "auto" and not self.replicates and not is_known
        if risk is not None and blind:
            nothing = level.is_bound or useless
            self.strength_ = 0.0 if nothing else 1.0 if level.certain else IN_DOUBT
        if useless:
            warnings.warn(
                f"{self.method} is not expected to bring these rows closer to clean ones: they may "
                "be free of noise, or have nothing in common that it can learn"
                + ("; they will be left as they are" if self.strength_ == 0.0 else ""),
                IkpcaWarning,
                stacklevel=5,
            )

    def _check_scale(self, rows: FirstPass) -> None:
        """Refuse rows, or a gamma, whose scale the numbers of the model cannot follow."""
        if self.dtype == "float32":
            offset = float(np.abs(rows.mean).max())
            if not 1.0 / LARGEST_SINGLE <= rows.std <= LARGEST_SINGLE:
                raise InputError(
                    f"{rows.name}: the spread of its values is beyond single precision; rescale "
                    "them, or use float64"
                )
            if offset > LARGEST_OFFSET * rows.std:
                raise InputError(
                    f"{rows.name}: values around {offset:.3g} that differ by {rows.std:.3g} are "
                    "too alike for single precision; subtract what they share, or use float64"
                )
        gamma: float | Auto = getattr(self, "gamma", "auto")
        if gamma != "auto":
            some = rows.sample(SCALE_ROWS) - rows.mean
            typical = float(load_kernel(getattr(self, "kernel", "")).distance(some, some).mean())
            # Where all of some rows are alike, nothing is typical.
            if typical and not 1.0 / FARTHEST <= gamma * typical <= FARTHEST:
                raise UsageError(
                    f"gamma {gamma:.3g} is far from what these rows need: use about "
                    f"{1.0 / typical:.3g}, or 'auto'"
                )

    def is_useless(self) -> bool:
        """Tell whether the fit was not expected to lower the error, so that rows are left alone."""
        return self.strength_ == 0.0

    def denoise(self, X: Any, *, progress: Progress = silent) -> FloatArray:
        """Return the cleaned rows.

        Parameters
        ----------
        X : array_like or row source, shape (n_samples, n_features)
            Noisy rows as wide as the training rows. Each is cleaned by itself.
        progress : callable
            As for `fit`.

        Returns
        -------
        ndarray, shape (n_samples, n_features)
            In the type that the model is kept in.

        Raises
        ------
        InputError
            If the rows have another width than the training rows or are not finite numbers.
        """
        rows = self._check_rows(X)
        out = np.empty(rows.shape, dtype=self._float)
        for part, block in self.denoise_blocks(rows):
            out[part] = block
            progress("denoise", part.stop, rows.shape[0])
        return out

    def denoise_blocks(self, X: RowSource) -> Iterator[tuple[slice, FloatArray]]:
        """Yield (slice, cleaned rows), for sources and outputs that do not fit in memory."""
        treatment = self.treatment(X)
        for part, block in self._blocks(X):
            yield part, self.clean(block, treatment)

    def flagged_blocks(
        self, X: RowSource, *, keep_unlike: bool = False, treatment: Treatment | None = None
    ) -> Iterator[tuple[slice, FloatArray, FloatArray, NDArray[np.bool_]]]:
        """Yield (slice, rows, cleaned rows, which of them are unlike the training rows).

        Parameters
        ----------
        X : RowSource, shape (n_samples, n_features)
        keep_unlike : bool
            Leave rows that are unlike the training rows as they are.
        treatment : Treatment, optional
            What `treatment` returned for these rows.
        """
        limit = np.inf if self.distance_limit_ is None else self.distance_limit_
        how = self.treatment(X) if treatment is None else treatment
        for part, block in self._blocks(X):
            distances = np.zeros(len(block))

            def compared(Z: FloatArray, distances: FloatArray = distances) -> FloatArray:
                cleaned, distances[:] = self._clean_and_compare(Z)
                small: FloatArray = rounded(cleaned, self._float)
                return small

            with at_work():
                cleaned = how.clean(block, compared)
            unlike = distances > limit
            if keep_unlike:
                cleaned[unlike] = block[unlike]
            yield part, block, cleaned, unlike

    def treatment(self, X: RowSource) -> Treatment:
        """Return how the rows of one source are cleaned, by a look at some of them.

        Parameters
        ----------
        X : RowSource, shape (n_samples, n_features)
            Rows that differ from the training rows in their noise are moved by as much less, or
            more, as their own noise says; a few rows do not tell it.
        """
        rows = self._check_rows(X)
        usual = self._usual()
        if usual.caution.std is None or usual.caution.strength == 0.0 or rows.shape[0] < FEW_ROWS:
            return usual
        some = sample_rows(rows, SOME_ROWS, model_rng(self.seed, Stream.FILE_SAMPLE))
        rng = model_rng(self.seed, Stream.FILE_PROBE)
        with at_work(with_scipy=True):
            found = caution_of_file(self._raw, usual.forward(some), usual.caution, rng)
        return replace(usual, caution=found)

    def _usual(self) -> Treatment:
        """Return how rows are cleaned whose noise is that of the training rows."""
        if self.strength_ is None:
            caution = Caution(None)
        else:
            caution = Caution(self.noise_std_, self.strength_)
        constant = None if self.constant_ is None else self.constant_ != 0.0
        spikes = None if self.spike_limit_ is None else Spikes(self.spike_limit_)
        return Treatment(caution, self._noise_transform(), constant, spikes)

    def _raw(self, Z: FloatArray) -> FloatArray:
        """Clean rows with white noise, in the type of the model."""
        cleaned: FloatArray = rounded(self._denoise_block(Z), self._float)
        return cleaned

    def clean(self, block: FloatArray, treatment: Treatment) -> FloatArray:
        """Return checked rows (n, p), cleaned as `treatment` says, in the type of the model."""
        with at_work():
            return treatment.clean(block, self._raw)

    def distances(self, X: Any) -> FloatArray:
        """Return how far rows `X` (n_samples, n_features) are from the training rows, (n_samples,).

        In feature space, see `ikpca_cli.models.novelty`; rows beyond `distance_limit_` are unlike
        all that the model was fitted on, so that what it makes of them may be wrong.

        Raises
        ------
        InputError
            As for `denoise`.
        """
        with at_work():
            white = self._usual().forward
            blocks = self._blocks(X)
            return np.concatenate([self._distance_block(white(block)) for _, block in blocks])

    def transform(self, X: Any) -> FloatArray:
        """Return the latent code of rows `X` (n_samples, n_features): (n_samples, n_components).

        Raises
        ------
        InputError
            As for `denoise`.
        """
        rows = self._check_rows(X)
        codes = np.empty((rows.shape[0], self.n_components_))
        white = self._usual().forward
        for part, block in self._blocks(rows):
            with at_work():
                codes[part] = self._encode_block(white(block))
        return codes

    def denoise_as_fitted(self, X: FloatArray) -> FloatArray:
        """Return rows (n, p) cleaned like the training rows, without a look at their own noise."""
        parts = self._blocks(X)
        return np.concatenate([self.clean(block, self._usual()) for _, block in parts])

    def noise_left(self, X: FloatArray) -> FloatArray:
        """Return the variance of the error that cleaning leaves in rows (n, p), over the noise's.

        Where a method cannot tell it is the same everywhere.
        """
        return np.ones(X.shape)

    def variant(self, n_components: int, ridge: float | None = None) -> Self:
        """Return a fitted copy with fewer components or another ridge, without fitting again.

        Raises
        ------
        UsageError
            If this fit does not hold that many components.
        """
        self._check_fitted()
        n_components = PARAMETERS["n_components"].check("n_components", n_components)
        if ridge is not None:
            ridge = PARAMETERS["ridge"].check("ridge", ridge)
        if n_components > self.n_components_:
            raise too_many_components(n_components, self.n_components_)
        other = copy.copy(self)
        changed: dict[str, Any] = {"n_components": n_components}
        if ridge is not None and "ridge" in self.parameter_names():
            changed["ridge"] = ridge
        other.fitted_params_ = self.fitted_params_ | changed
        other.set_params(**changed)
        other.explained_variance_ = self.explained_variance_[:n_components]
        other.distance_limit_ = None
        with at_work(with_scipy=True):
            other._truncate(n_components, ridge)
        return other

    # For the methods ----------------------------------------------------------------------------

    RIDGES: ClassVar[tuple[float, ...]] = ()
    """Candidate ridges in units of `ridge_unit`, the first to begin with; () for no ridge."""

    SELECTION_ROWS: ClassVar[int] = 1000
    """Rows that the choice of parameters looks at."""

    def shrunk(self, noise_std: float) -> Self | None:
        """Return a fitted copy that weighs components by their signal, None if it always does."""
        return None

    def ridge_unit(self) -> float:
        """Return the ridge that weighs as much as the data in this fit."""
        return 1.0

    def cheaper(self, n_features: int) -> tuple[Self, float]:
        """Return an estimator for comparing candidates, and the factor from its ridge to ours."""
        return type(self)(**self.get_params()), 1.0

    def fit_with(
        self,
        X: RowSource,
        mean: FloatArray,
        chosen: Mapping[str, Any],
        *,
        exact: bool = False,
        progress: Progress = silent,
    ) -> Self:
        """Fit with every parameter known.

        Parameters
        ----------
        X : RowSource, shape (n_samples, n_features)
            Checked rows.
        mean : ndarray, shape (n_features,)
            What to centre them by.
        chosen : mapping
            n_components, None for as many as are of use, gamma and ridge for a method that has
            them, and the noise level as "shrink" where components are to be weighed by it.
        exact : bool
            Refuse more components than there are, instead of keeping fewer.
        progress : callable
        """
        self.fitted_params_ = self.get_params()
        self.mean_ = mean
        self.n_samples_ = int(X.shape[0])
        self._fit(X, chosen, exact=exact, progress=progress)
        if self._float is not np.float64:
            self._round()
        return self

    @property
    def _float(self) -> type[np.floating[Any]]:
        """The type that the model is kept and cleans rows in."""
        return np.float32 if self.dtype_ == "float32" else np.float64

    def _round(self) -> None:
        """Keep the fitted arrays in `_float`, but for the means of the rows."""
        for name in self.STATE.keys() - Denoiser.STATE.keys():
            setattr(self, name, rounded(getattr(self, name), self._float))

    def _centred(self, X: FloatArray) -> FloatArray:
        """Return rows less the means of the training rows, in `_float`."""
        rows: FloatArray = rounded(X - self.mean_, self._float)
        return rows

    def _read(self, rows: FirstPass, progress: Progress) -> None:
        """Read what a fit needs to know of its rows first."""
        rows.read(progress)

    def _choose(
        self,
        X: RowSource,
        mean: FloatArray,
        noise_std: float | None,
        progress: Progress,
        oracle: Oracle | None,
    ) -> Choice:
        """Return every parameter for a fit on `X`."""
        from ikpca_cli.selection.grid import choose

        return choose(self, X, mean, noise_std, progress, oracle)

    @abstractmethod
    def _fit(
        self, X: RowSource, chosen: Mapping[str, Any], *, exact: bool, progress: Progress
    ) -> None:
        """Set the fitted attributes; with `exact`, fewer components than asked is an error."""

    @abstractmethod
    def _denoise_block(self, X: FloatArray) -> FloatArray:
        """Clean one block of checked rows."""

    @abstractmethod
    def _distance_block(self, X: FloatArray, *, fitted: bool = False) -> FloatArray:
        """Return the distances of one block of checked rows.

        If they were `fitted` on, those that other rows like them would have.
        """

    def _clean_and_compare(self, X: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Clean one block of checked rows, and return their distances, too."""
        return self._denoise_block(X), self._distance_block(X)

    def _set_limit(self, rows: FloatArray) -> None:
        """Set the limit of distances by some of the training rows (k, n_features)."""
        white = self._usual().forward
        blocks = self._blocks(rows)
        distances = [self._distance_block(white(block), fitted=True) for _, block in blocks]
        self.distance_limit_ = distance_limit(np.concatenate(distances))

    def _blocks(self, X: Any) -> Iterator[tuple[slice, FloatArray]]:
        """Yield (slice, block) of rows that were checked for the model, as wide as it works on."""
        return row_blocks(self._check_rows(X), self._block_width())

    @abstractmethod
    def _encode_block(self, X: FloatArray) -> FloatArray:
        """Return the latent codes of one block of checked rows."""

    @abstractmethod
    def _truncate(self, n_components: int, ridge: float | None) -> None:
        """Cut this copy's own fitted attributes to fewer components, another ridge."""

    @abstractmethod
    def _block_width(self) -> int:
        """Return the width of the widest intermediate array per row."""

    def _check_params(self, n_samples: int, n_features: int) -> None:
        """Refuse parameters that contradict each other or rows of this shape."""

    def _check_rows(self, X: Any) -> RowSource:
        self._check_fitted()
        rows = as_rows(X)
        check_width(rows, self.n_features_in_)
        return rows

    def _set_spectrum(self, variances: FloatArray, total: float, asked: int, exact: bool) -> None:
        if len(variances) == 0:
            raise InputError(
                "the features of all rows are alike with this gamma, there is nothing to learn "
                "from them; use another gamma, or 'auto'"
            )
        if exact and len(variances) < asked:
            raise too_many_components(asked, len(variances))
        self.explained_variance_ = variances
        self.total_variance_ = total


def load_method(name: str) -> type[Denoiser]:
    """Return the class of the method called `name`.

    Raises
    ------
    UsageError
        If no method has that name.
    """
    cls: type[Denoiser] = load_named(METHODS | WINDOW_METHODS, "method", name)
    return cls
