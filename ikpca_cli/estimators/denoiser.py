"""What every denoising method shares: a fit that looks at its rows and chooses."""

from __future__ import annotations

from copy import copy
from typing import Any, Self

import numpy as np

from ikpca_cli.data.duplicates import marks_of
from ikpca_cli.data.feature_names import encode
from ikpca_cli.data.first_pass import SAMPLE_ROWS, FirstPass, selection_rows
from ikpca_cli.data.row_source import FloatArray, Progress, RowSource, silent
from ikpca_cli.data.threads import at_work
from ikpca_cli.errors import Note, UsageError, tell
from ikpca_cli.estimators.decisions.lone_rows import leave_out_lone_rows
from ikpca_cli.estimators.decisions.noise_decision import (
    MODEL_ROWS,
    doubt_of,
    level_of_fit,
    level_read,
    noise_of_fit,
    tell_if_alone,
)
from ikpca_cli.estimators.decisions.promise import Promise, promise_of, simulated
from ikpca_cli.estimators.decisions.reasons import Reason
from ikpca_cli.estimators.decisions.scale import check_scale
from ikpca_cli.estimators.known_fit import LIMIT_ROWS, KnownFit
from ikpca_cli.estimators.methods import METHODS, WINDOW_METHODS
from ikpca_cli.noise.caution import SOME_ROWS
from ikpca_cli.noise.estimate import NoiseLevel
from ikpca_cli.noise.treatment import WhiteRows
from ikpca_cli.registry import load_named
from ikpca_cli.selection.choice import Choice, Oracle, Task
from ikpca_cli.selection.stages import Whole, expect
from ikpca_cli.transforms.protocol import Transform


class Denoiser(KnownFit):
    """Learns a model from noisy rows and cleans rows with it; see `Estimator` for attributes."""

    _given_noise: Transform | None = None
    _leaves_out = True  # rows that stand alone

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
            raise UsageError(
                f"{self.method} has no sums to keep: leave out keep_sums (--keep-sums)"
            )
        with at_work(with_scipy=True):
            return self._fit_rows(X, self.n_components != "auto", progress)

    def fit_transform(self, X: Any, y: object = None) -> Any:
        """Fit, and return the latent code of the same rows: ``fit(X).transform(X)``.

        Parameters
        ----------
        X : array_like or row source, shape (n_samples, n_features)
        y : object
            Not used; it is there for scikit-learn's pipelines.

        Returns
        -------
        ndarray or data frame, shape (n_samples, n_components)
            See `set_output`.

        Raises
        ------
        InputError, UsageError
            As `fit` does.
        """
        return self.fit(X).transform(X)

    def __sklearn_clone__(self) -> Self:
        """Return an unfitted copy with the noise and form of output that were given."""
        copy = type(self)(**self.get_params()).set_noise(self._given_noise)
        return copy.set_output(**getattr(self, "_sklearn_output_config", {}))

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

    def _fit_rows(
        self, X: Any, exact: bool, progress: Progress, oracle: Oracle | None = None
    ) -> Self:
        progress = progress if isinstance(progress, Whole) else Whole(progress)
        given = X if isinstance(X, FirstPass) else FirstPass(X, self.seed)
        self._check_params(given.shape[0], given.shape[1])
        self._read(given, progress)
        expect(progress, self._planned(*given.shape))
        if self._leaves_out and self.n_components == "auto" and not self.replicates:
            leave_out_lone_rows(given)
        check_scale(self, given)
        self.feature_codes_ = encode(given.feature_names)
        self.strength_ = None  # the choice compares rows as they are moved
        alike = np.ptp(selection_rows(given, SAMPLE_ROWS, self.seed), axis=0) == 0.0
        self.constant_ = alike.astype(float) if alike.any() else None
        noise = noise_of_fit(self, given, self._given_noise)
        self._set_noise(noise)
        progress("noise", 1, 1)
        rows = given
        if self.usual_treatment().is_needed:
            rows = FirstPass(self.white_rows(given), self.seed)
            self._read(rows, progress)
        mean = rows.mean
        level = level_of_fit(self, rows, mean, noise)
        progress("level", 1, 1)
        self.noise_doubt_ = level.doubt_in_words(may_leave=self.n_components == "auto")
        if self.noise_doubt_ and not isinstance(self.noise_doubt_, Note):
            tell(f"{self.noise_doubt_}; give noise_std (--noise-std) if you know it", stacklevel=4)
        read = level_read(self, rows, mean, level)
        task = Task(rows, mean, None if level.is_bound else level.std, progress, oracle)
        task, choice, level = self._choose_possible(task, level)
        if task.noise_std is not None and choice.is_impossible:
            task, choice, level = self._give_up_level(task, choice, level)
            reason = Reason.BELOW_ZERO
        elif level.certain or oracle:
            reason = Reason.NONE
        else:
            reason = Reason.NOT_KNOWN if task.noise_std is None else Reason.GUESS
        if task.noise_std is not None and not oracle:
            if not reason:
                reason = doubt_of(self, noise, task.noise_std, given, rows)
            elif reason is Reason.GUESS:
                white = selection_rows(rows, MODEL_ROWS, self.seed) - mean
                tell_if_alone(white, task.noise_std, given.name)
        self.noise_std_ = task.noise_std
        self.read_std_ = None if task.noise_std in (None, read) else read
        self.tried_ = choice.tried
        self.fit_with(rows, mean, choice, exact=exact, progress=progress)
        self.marks_ = marks_of(selection_rows(rows, SAMPLE_ROWS, self.seed) - mean)
        progress("checking", 0, 0)
        self._set_trust(task, choice, level, reason, given)
        progress("checking", 1, 1)
        return self

    def _choose_possible(self, task: Task, level: NoiseLevel) -> tuple[Task, Choice, NoiseLevel]:
        """Choose with a lower level than was read where the error would be below zero by that.

        Means of like surroundings find some without noise where it is not white. They do so at a
        limit, too, but the level is not too high for that.
        """
        choice = self._choose(task)
        while task.noise_std and self.noise_std == "auto" and choice.is_impossible:
            read, lower = task.noise_std, level.lowered(choice.risk or 0.0)
            at_limit = bool(level.remark) and task.patches and lower is not None
            if not at_limit:
                level = lower or level.safely_low()
            patches = task.patches and lower is not None and not at_limit
            task = task._replace(noise_std=level.std, patches=patches)
            self.noise_doubt_ = level.doubt_in_words(may_leave=self.n_components == "auto")
            choice = self._choose(task)
            if lower is None:
                line = (
                    f"the noise level {read:.3g} cannot be right, the error would be below zero: "
                    f"it is taken to be {level.std:.3g}; give the true noise_std (--noise-std) "
                    "if you know it"
                )
                tell(Note(line), stacklevel=5)
                break
        return task, choice, level

    def _give_up_level(
        self, task: Task, choice: Choice, level: NoiseLevel
    ) -> tuple[Task, Choice, NoiseLevel]:
        """Say that a level cannot be right; choose without one, if it was not given."""
        std, give = task.noise_std, "give the true noise_std (--noise-std) if you know it"
        line = f"the noise level {std:.3g} cannot be right, the error would be below zero"
        is_left = self.noise_std == self.n_components == "auto"
        left = Note(f"{line}, so that rows are left as they are: {give}")
        tell(left if is_left else f"{line}: {give}", stacklevel=5)
        if self.noise_std != "auto":
            return task, choice, level
        task = task._replace(noise_std=None)
        return task, self._choose(task), NoiseLevel(None, certain=False)

    def _set_trust(
        self, task: Task, choice: Choice, level: NoiseLevel, reason: Reason, given: FirstPass
    ) -> None:
        """Set what is promised, how far rows are moved, and which rows are unlike the `given`."""
        is_known = task.oracle is not None
        n_numbers = min(task.X.shape[0], SAMPLE_ROWS) * task.X.shape[1]
        promise = promise_of(
            self, choice, level, task.noise_std, reason, is_known=is_known, n_numbers=n_numbers
        )
        self.strength_ = promise.strength  # rows are cleaned by it
        some = selection_rows(given, LIMIT_ROWS, self.seed)
        self._set_limit(some)
        self.noise_rms_ = None
        if choice.risk is not None:
            likely = self._in_units(promise, some, choice)
            promise = promise if is_known else likely.checked()
        told, nothing = (promise.mse, promise.error), (None, None)
        self.estimated_mse_, self.estimated_mse_error_ = nothing if promise.withheld else told
        self.rough_mse_, self.rough_mse_error_ = told if promise.withheld else nothing
        self.withheld_ = int(promise.withheld)

    def _in_units(self, promise: Promise, rows: FloatArray, choice: Choice) -> Promise:
        """Return a promise in the units of the data; set the mean change of rows (k, p)."""
        usual, std = self.usual_treatment(), self.noise_std_
        fits_again = len(rows) == self.n_samples_ and not promise.withheld
        rows = rows if fits_again else rows[:SOME_ROWS]
        cleaned = self.clean(rows, usual)
        self.removed_mse_ = None if usual.by_row else float(np.mean((cleaned - rows) ** 2))
        if std is None:
            return promise

        def clean(noisy: FloatArray) -> FloatArray:
            model = self
            if fits_again:
                model, white = copy(self), FirstPass(usual.forward(noisy), self.seed)
                model._read(white, silent)
                model.fit_with(white, white.mean, choice)
                model.marks_ = marks_of(white[:] - white.mean)
            return model.clean(noisy, usual)

        likely, noise_rms = simulated(promise, clean, usual, rows, cleaned, std, self.seed)
        if usual.transform is not None:
            self.noise_rms_ = noise_rms
        return likely

    def set_noise(self, transform: Transform | None) -> Self:
        """Give what makes the noise of the next fit white, of variance 1, and return self."""
        self._given_noise = transform
        return self

    @property
    def level_given(self) -> bool:
        """Whether the noise of a fit is told, and not found."""
        return self.noise_std != "auto" or self._given_noise is not None

    def white_rows(self, X: RowSource) -> RowSource:
        """Return rows (n, p) as this fit sees them: without spikes, with white noise."""
        usual = self.usual_treatment()
        return WhiteRows(X, usual) if usual.is_needed else X

    def _choose(self, task: Task) -> Choice:
        """Return every parameter for a fit."""
        from ikpca_cli.selection.grid import choose

        return choose(self, task)


def load_method(name: str) -> type[Denoiser]:
    """Return the class of the method called `name`.

    Raises
    ------
    UsageError
        If no method has that name.
    """
    cls: type[Denoiser] = load_named(METHODS | WINDOW_METHODS, "method", name)
    return cls
