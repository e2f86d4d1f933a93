"""Cleaning rows with what a fit left: by their noise, their limits, and how far they may go."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Self

import numpy as np

from ikpca_cli.data.feature_names import check_features
from ikpca_cli.data.precision import rounded
from ikpca_cli.data.random import Stream, model_rng
from ikpca_cli.data.row_source import (
    FloatArray,
    Progress,
    RowSource,
    as_rows,
    row_blocks,
    sample_rows,
    silent,
)
from ikpca_cli.data.threads import at_work
from ikpca_cli.estimators.base import Estimator
from ikpca_cli.estimators.decisions.other_noise import caution_of
from ikpca_cli.models.novelty import distance_limit
from ikpca_cli.noise.caution import FEW_ROWS, SOME_ROWS, Caution
from ikpca_cli.noise.estimate import MANY_COLUMNS
from ikpca_cli.noise.models.choose import Noise
from ikpca_cli.noise.models.noise_names import NOISE_MODELS
from ikpca_cli.noise.models.spikes import Spikes
from ikpca_cli.noise.treatment import CleanedBlock, Treatment
from ikpca_cli.transforms.protocol import Transform
from ikpca_cli.transforms.transform_registry import names as transform_arrays
from ikpca_cli.transforms.transform_registry import transform_of


class Cleaner(Estimator):
    """A fitted method at work on rows; see `Estimator` for attributes.

    A method says how a block of rows with white noise is cleaned, encoded and compared with others.
    """

    _transform: Transform | None = None

    def is_useless(self) -> bool:
        """Tell whether the fit was not expected to lower the error: rows are left alone."""
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
    ) -> Iterator[CleanedBlock]:
        """Yield blocks of rows, before and after.

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
        cleaner = self._at_level(how.caution.goes_by)
        for part, block in self._blocks(X):
            distances = np.zeros(len(block))

            def compared(Z: FloatArray, distances: FloatArray = distances) -> FloatArray:
                cleaned, distances[:] = cleaner._clean_and_compare(Z)
                small: FloatArray = rounded(cleaned, self._float)
                return small

            with at_work():
                prepared = how.prepared(block)
                cleaned = how.finish(block, prepared, compared)
            unlike = (distances > limit) | prepared.strange
            if keep_unlike:
                cleaned[unlike] = block[unlike]
            yield CleanedBlock(part, block, cleaned, unlike, prepared.left_out)

    def treatment(self, X: RowSource) -> Treatment:
        """Return how the rows of one source are cleaned, by a look at some of them.

        Parameters
        ----------
        X : RowSource, shape (n_samples, n_features)
            They are moved by as much, or as little, as their own noise says, which a few hardly do.
        """
        rows, usual = self._check_rows(X), self.usual_treatment()
        is_settled = usual.caution.std is None or usual.caution.strength == 0.0
        are_few = rows.shape[0] < FEW_ROWS
        if is_settled and (are_few or usual.spikes is None):
            return usual
        some = sample_rows(rows, SOME_ROWS, model_rng(self.seed_, Stream.FILE_SAMPLE))
        usual = usual if are_few else usual.of_file(some)
        if is_settled:
            return usual
        given = lambda ratio: self._at_level(ratio)._raw, self._distance_block
        with at_work():
            found = caution_of(self, *given, some, usual)
        is_given = self.fitted_params_["noise_std"] != "auto"
        if is_given and rows.shape[1] <= MANY_COLUMNS and not are_few:
            found = replace(found, is_untold=not found.is_certain)
        return replace(usual, caution=found)

    def clean(self, block: FloatArray, treatment: Treatment) -> FloatArray:
        """Return checked rows (n, p), cleaned as `treatment` says, in the type of the model."""
        with at_work():
            return treatment.clean(block, self._at_level(treatment.caution.goes_by)._raw)

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
            white = self.usual_treatment().forward
            return np.concatenate([self._distance_block(white(Z)) for _, Z in self._blocks(X)])

    def transform(self, X: Any) -> Any:
        """Return the latent code of rows.

        Parameters
        ----------
        X : array_like or row source, shape (n_samples, n_features)

        Returns
        -------
        ndarray or data frame, shape (n_samples, n_components)
            See `set_output`.

        Raises
        ------
        InputError
            As for `denoise`.
        """
        rows = self._check_rows(X)
        codes = np.empty((rows.shape[0], self.n_components_))
        white = self.usual_treatment().forward
        for part, block in self._blocks(rows):
            with at_work():
                codes[part] = self._encode_block(white(block))
        return self._in_form(codes, X)

    def denoise_as_fitted(self, X: FloatArray) -> FloatArray:
        """Return rows (n, p) cleaned like the training rows, without a look at their own noise."""
        usual = self.usual_treatment()
        return np.concatenate([self.clean(some, usual) for _, some in self._blocks(X)])

    def noise_left(self, X: FloatArray) -> FloatArray:
        """Return the variance of the error that cleaning leaves in rows (n, p), over the noise's.

        Where a method cannot tell it is the same everywhere.
        """
        return np.ones(X.shape)

    def _set_noise(self, noise: Noise) -> None:
        """Set what is kept of the noise."""
        self.noise_model_ = NOISE_MODELS.index(noise.name)
        self.noise_evidence_ = noise.evidence
        self.spike_directions_ = None if noise.spikes is None else noise.spikes.state()
        self.spike_share_ = None if noise.spikes is None else noise.spikes.share
        arrays = {} if noise.transform is None else noise.transform.state()
        for name in transform_arrays():
            setattr(self, f"{name}_", arrays.get(name))
        self._transform = noise.transform

    def _noise_transform(self) -> Transform | None:
        """Return what makes the noise white, made anew after a model was read."""
        if self._transform is None and self.noise_model_:
            self._transform = self._kept_transform()
        return self._transform

    def _kept_transform(self) -> Transform | None:
        """Return the transform of the arrays that are kept, None where there are none."""
        return transform_of({name: getattr(self, f"{name}_") for name in transform_arrays()})

    def check_trust(self) -> None:
        """Raise ValueError unless what is kept of the noise makes sense, as `Estimator` says."""
        super().check_trust()
        transform = self._kept_transform()
        if bool(self.noise_model_) != (transform is not None):
            raise ValueError("it does not hold what its noise is like")
        width = self.n_features_in_
        alike = transform is None or transform.width in (None, width)
        alike &= self.constant_ is None or len(self.constant_) == width
        if not alike or self.usual_treatment().width_of(width) != len(self.mean_):
            raise ValueError("what its noise is like is for rows of another width")

    def usual_treatment(self) -> Treatment:
        """Return how rows are cleaned whose noise is that of the training rows."""
        spikes = Spikes.from_state(self.spike_directions_, self.spike_share_ or 0.0)
        caution = Caution(None)
        if self.strength_ is not None:
            read, struck = self.read_std_, spikes is not None
            caution = Caution(self.noise_std_, self.strength_, read=read, has_spikes=struck)
        constant = None if self.constant_ is None else self.constant_ != 0.0
        return Treatment(caution, self._noise_transform(), constant, spikes)

    def _raw(self, Z: FloatArray) -> FloatArray:
        """Clean rows with white noise, in the type of the model."""
        cleaned: FloatArray = rounded(self._denoise_block(Z), self._float)
        return cleaned

    @property
    def _float(self) -> type[np.floating[Any]]:
        """The type that the model is kept and cleans rows in."""
        return np.float32 if self.dtype_ == "float32" else np.float64

    def _centred(self, X: FloatArray) -> FloatArray:
        """Return rows less the means of the training rows, in `_float`."""
        rows: FloatArray = rounded(X - self.mean_, self._float)
        return rows

    def _blocks(self, X: Any) -> Iterator[tuple[slice, FloatArray]]:
        """Yield (slice, block) of rows that were checked for the model, as wide as it works on."""
        return row_blocks(self._check_rows(X), self._block_width())

    def _check_rows(self, X: Any) -> RowSource:
        self._check_fitted()
        rows = as_rows(X)
        check_features(rows, self.n_features_in_, self.feature_names_)
        return rows

    def _set_limit(self, rows: FloatArray) -> None:
        """Set the limit of distances by some of the training rows (k, n_features)."""
        white = self.usual_treatment().forward
        blocks = self._blocks(rows)
        distances = [self._distance_block(white(block), fitted=True) for _, block in blocks]
        self.distance_limit_ = distance_limit(np.concatenate(distances))

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

    def _at_level(self, ratio: float) -> Self:
        """Return what goes by noise that is so many times as loud, where a method can."""
        return self

    @abstractmethod
    def _encode_block(self, X: FloatArray) -> FloatArray:
        """Return the latent codes of one block of checked rows."""

    @abstractmethod
    def _block_width(self) -> int:
        """Return the width of the widest intermediate array per row."""
