"""The error of one set of rows, or of a recording, against clean ones or estimated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from ikpca_cli.cli.given.values import MEAN
from ikpca_cli.cli.given.window_options import stretch_of, times_as_labels
from ikpca_cli.cli.options import AxisLabels
from ikpca_cli.cli.pictures import picture_of_beats, show
from ikpca_cli.cli.several import open_all, open_clean, open_clean_recording
from ikpca_cli.estimators.missing_values import refill
from ikpca_cli.evaluation.metrics import evaluate_model
from ikpca_cli.evaluation.without_clean import estimate_error
from ikpca_cli.plots.shown import MOST, Shown
from ikpca_cli.recordings.evaluation import evaluate_windows
from ikpca_cli.recordings.windowed import Windowed

if TYPE_CHECKING:
    from ikpca_cli.data.row_source import Progress
    from ikpca_cli.estimators.denoiser import Denoiser
    from ikpca_cli.formats.arrays import ReadOptions, Rows

Score = Mapping[str, float | int | str | None]


@dataclass(frozen=True)
class Test:
    """What a model is tried on.

    Attributes
    ----------
    noisy
        Files: one set of rows, or one recording.
    clean
        A file of clean ones, `MEAN`, or None for an estimate.
    options
        How files are read.
    plot
        Where a picture goes, if one is wanted.
    axes
        What its axes are called.
    image
        Height and width of the image that a row is, where the file does not say.
    force
        Whether the picture may replace another.
    """

    noisy: Sequence[str]
    clean: str | None
    options: ReadOptions
    plot: str | None = None
    axes: AxisLabels = field(default_factory=AxisLabels)
    image: tuple[int, int] | None = None
    force: bool = False


def score_of(model: Denoiser | Windowed, test: Test, progress: Progress) -> Score:
    """Measure, and draw, what a model makes of rows, of a recording or of a picture."""
    if isinstance(model, Windowed):
        return _of_recording(model, test)
    return _of_rows(model, test, progress)


def _of_recording(model: Windowed, test: Test) -> Score:
    options = times_as_labels(test.noisy[0], test.options)
    with (
        open_all(test.noisy, options) as rows,
        open_clean_recording(test.clean, test.options, rows, model.cutting.kind) as reference,
    ):
        score: Score = evaluate_windows(model, rows, reference, rows.layout.sample_shape)
        if test.plot is not None:
            stretch = stretch_of(model, rows, reference).labelled(*test.axes.both).scored(score)
            show(stretch, test.plot, force=test.force)
    return score


def _of_rows(model: Denoiser, test: Test, progress: Progress) -> Score:
    score: Score
    with (
        open_all(test.noisy, test.options, names=model.feature_names_) as rows,
        open_clean(test.clean, test.options, rows) as reference,
    ):
        if rows.has_holes:
            rows.fill_by(partial(refill, model))
        if test.clean is None:
            score = estimate_error(model, rows)
        else:
            score = evaluate_model(model, rows, reference, progress)
        if test.plot is not None:
            _draw(test.plot, model, test, rows, reference, score)
    return score if len(test.noisy) == 1 else {**score, "n_files": len(test.noisy)}


def _draw(
    plot: str, model: Denoiser, test: Test, rows: Rows, reference: Rows | None, score: Score
) -> None:
    if test.clean == MEAN:
        shown = Shown.of(rows, model, most=MOST).labelled(*test.axes.both)
        picture_of_beats(plot, shown, model.method, force=test.force)
        return
    shown = Shown.of(rows, model, clean=reference, image=test.image).labelled(*test.axes.both)
    if test.clean is None:
        shown = replace(shown, estimate=score)
    show(shown, plot, force=test.force)
