"""What of a file is signal: canvases to cut windows from, and columns that stay as they are."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ikpca_cli.data.row_source import FloatArray, RowSource, row_name
from ikpca_cli.errors import IkpcaWarning, InputError
from ikpca_cli.recordings.canvases.canvas import Canvas, Channels, Sample, row_of, samples_of
from ikpca_cli.recordings.canvases.gaps import Bridged, BridgedRows
from ikpca_cli.recordings.cutting import Cutting, Kind
from ikpca_cli.recordings.guesses.disorder import disorder_of
from ikpca_cli.recordings.guesses.lone_spikes import spike_shares
from ikpca_cli.recordings.roughness import channel_noise
from ikpca_cli.recordings.times import (
    DIFFERS,
    NONE,
    Times,
    even_times,
    seconds_of,
    shown_times,
    time_columns,
    times_of,
)

Blocks = Iterator[tuple[slice, FloatArray]]


@dataclass(frozen=True)
class Recording:
    """The canvases of a file, in its order.

    Attributes
    ----------
    rows : RowSource, shape (n, p)
        The file as it is read.
    canvases : tuple of Canvas
        Stretches whose first axis is that of the rows, between leaps of their times, or one a row.
    columns : ndarray of int
        The columns of the rows that the canvases have; all where there is one a row.
    times : Times
    time : tuple of int
        The columns that hold times.
    is_picture : bool
        Whether the canvases are pictures.
    gaps : tuple of slice
        Rows in no canvas: long gaps.
    spikes : float
        Share of the numbers that are spikes, which the canvases are without.
    """

    rows: RowSource
    canvases: tuple[Canvas, ...]
    columns: NDArray[np.intp]
    times: Times = NONE
    time: tuple[int, ...] = ()
    is_picture: bool = False
    gaps: tuple[slice, ...] = ()
    spikes: float = 0.0

    @property
    def by_rows(self) -> bool:
        """Whether each row is a canvas of its own."""
        return isinstance(self.canvases[0], Sample)

    @property
    def width(self) -> int:
        """Columns of the canvases."""
        return int(self.canvases[0].shape[1])

    @property
    def name(self) -> str:
        """What messages call the file."""
        return row_name(self.rows)

    @property
    def rate(self) -> float:
        """Samples a second, where its times name their unit; else 0."""
        if self.times.step <= 0.0:
            return 0.0
        shown = shown_times(self.rows, self.time, slice(0, 1))
        step = self.times.step * (seconds_of(shown[1]) if shown else 0.0)
        return float(f"{1.0 / step:.6g}") if step > 0.0 else 0.0

    def rate_or(self, given: float | None) -> float:
        """Return the rate that is given, or that of the times; warn where they differ.

        Raises
        ------
        InputError
            If there is neither.
        """
        own = self.rate
        if given is None and own <= 0.0:
            found = f"{1.0 / self.times.step:.6g}" if self.times.step > 0.0 else ""
            guess = f", --fs {found} if its times are seconds" if found else ""
            raise InputError(
                f"{self.name}: heart beats are found by their times, and how many samples there "
                f"are a second is not known: give it (--fs){guess}"
            )
        if given is not None and own > 0.0 and abs(np.log(given / own)) > DIFFERS:
            warnings.warn(
                f"{self.name}: its times say {own:g} samples a second, not {given:g} (--fs): beats "
                "may be missed",
                IkpcaWarning,
                stacklevel=3,
            )
        return own if given is None else given

    @property
    def counted(self) -> tuple[int, str]:
        """How many of what it holds."""
        if self.is_picture:
            return (self.rows.shape[0] if self.by_rows else 1), "picture"
        return self.rows.shape[0], "recording" if self.by_rows else "sample"

    @property
    def longest(self) -> Canvas:
        """The longest canvas, the first of several."""
        return max(self.canvases, key=lambda canvas: int(canvas.shape[0]))

    def remarks(self, cutting: Cutting) -> tuple[str, ...]:
        """Return what is to be said of its times, where windows of these are cut from it."""
        found = [self.times.remark()]
        short = [int(canvas.shape[0]) for canvas in self.canvases]
        short = [length for length in short if length < cutting.shortest]
        if short and (self.times.leaps or self.gaps):
            found.append(
                f"{sum(short)} samples between {'leaps' if self.times.leaps else 'gaps'} too near "
                f"to each other for the window {cutting.text} stay as they are"
            )
        if self.spikes:
            found.append(
                f"{100.0 * self.spikes:.2g} % of its numbers stand alone, like spikes: the median "
                "of those around each takes its place"
            )
        if self.gaps:
            lost = sum(gap.stop - gap.start for gap in self.gaps)
            found.append(
                f"{lost} samples are missing in {len(self.gaps)} long "
                f"gap{'s' * (len(self.gaps) != 1)}: no window spans one, and a straight line "
                "stands for it"
            )
        if self.times.differs(cutting.step):
            found.append(
                f"its samples lie {self.times.step:.4g} apart, those of the fit "
                f"{cutting.step:.4g}, so that windows are of another duration; fit a model on "
                "recordings of this rate"
            )
        return tuple(f"{self.name}: {text}" for text in found if text)

    def without(self, still: Sequence[int]) -> Self:
        """Return the same without some of its channels, which stay as they are."""
        if not still or still[-1] >= len(self.columns):  # it has other channels than it should
            return self
        columns = np.delete(self.columns, still)
        canvases = tuple(replace(one, columns=columns) for one in self.canvases)  # type: ignore[type-var]
        return replace(self, columns=columns, canvases=canvases)

    def without_spikes(self, stds: FloatArray) -> Self:
        """Return the same with what is around spikes in their place, if it has some.

        Parameters
        ----------
        stds : ndarray, shape (c,)
            Noise level of each of its channels.
        """
        # Rough signal, whose samples differ by more than noise, has no spikes as far as that.
        stds = np.maximum(stds, channel_noise(self.canvases, "signal"))
        shares = spike_shares(self.canvases, stds)
        if not shares.any():
            return self
        limits = np.where(shares > 0.0, stds, np.inf)
        canvases = tuple(replace(one, stds=limits) for one in self.canvases)  # type: ignore[type-var]
        return replace(self, canvases=canvases, spikes=float(shares.mean()))

    def check(self, cutting: Cutting) -> None:
        """Refuse a recording that windows cannot be cut from.

        Raises
        ------
        InputError
        """
        name, shape = self.name, self.longest.shape
        if cutting.kind == "image":
            if shape[0] < cutting.height or shape[1] < cutting.width:
                raise InputError(
                    f"{name}: a picture of {shape[0]} x {shape[1]} is smaller than the window "
                    f"{cutting.text}; give a smaller one (--window)"
                )
            return
        if shape[1] != cutting.width:
            raise InputError(
                f"{name}: has {shape[1]} channel{'s' * (shape[1] != 1)}, but the model was fitted "
                f"on {cutting.width}"
                f"{f' beside {len(cutting.still)} without noise' * bool(cutting.still)}; give a "
                "recording of the same channels"
            )
        if cutting.kind == "signal" and shape[0] < cutting.height:
            raise InputError(
                f"{name}: has {shape[0]} sample{'s' * (shape[0] != 1)}, fewer than the window "
                f"{cutting.height}; give a longer recording, or fit with a smaller one (--window)"
            )

    def cleaned(self, clean: Callable[[Canvas], Blocks]) -> Iterator[tuple[slice, FloatArray]]:
        """Yield (slice, rows with their canvases cleaned), what is no signal as it is."""
        if not self.by_rows:
            gaps, start = {gap.start: gap for gap in self.gaps}, 0
            for canvas in self.canvases:
                if start in gaps:
                    gap = gaps[start]
                    yield gap, np.asarray(self.rows[gap], dtype=np.float64)
                    start = gap.stop
                for inner, block in clean(canvas):
                    part = slice(start + inner.start, start + inner.stop)
                    rows = np.array(self.rows[part], dtype=np.float64)
                    rows[:, self.columns] = block
                    yield part, rows
                start += int(canvas.shape[0])
            if start in gaps:
                yield gaps[start], np.asarray(self.rows[gaps[start]], dtype=np.float64)
            return
        found = (np.concatenate([block for _, block in clean(canvas)]) for canvas in self.canvases)
        planes = len(self.canvases) // self.rows.shape[0]
        for place in range(self.rows.shape[0]):
            yield (
                slice(place, place + 1),
                row_of([next(found) for _ in range(planes)], self.rows.shape[1]),
            )


def recording_of(rows: RowSource, kind: Kind, sample_shape: tuple[int, ...] = ()) -> Recording:
    """Find the canvases of a file.

    Parameters
    ----------
    rows : RowSource, shape (n, p)
        Samples by channels; or channels by samples, each row a recording of its own, where rows are
        longer than there are many; or a picture; or a stack of pictures. What is missing of rows
        that say so (``has_holes``) is bridged by straight lines.
    kind : {"signal", "image", "beats"}
    sample_shape : tuple of int
        The shape of what a row was in its file; two numbers for a stack of pictures.

    Raises
    ------
    InputError
        If there is no signal in it.
    """
    n_rows, n_columns = rows.shape
    every = np.arange(n_columns)
    if getattr(rows, "has_holes", False):
        alone = len(sample_shape) > 1 or (kind != "image" and n_columns > n_rows)
        rows = BridgedRows(rows) if alone else Bridged(rows)
    if kind == "image":
        shape = sample_shape if len(sample_shape) > 1 else (n_rows, n_columns)
        if len(shape) != 2 and shape[2:] != (3,):
            raise InputError(
                f"{row_name(rows)}: holds pictures of shape {sample_shape}, and windows are cut "
                "from pictures in grey, or in red, green and blue: save each channel, or their "
                "mean, as a grey picture, and clean that"
            )
        if len(sample_shape) > 1:
            return Recording(rows, samples_of(rows, shape), every, is_picture=True)
        return Recording(rows, (Channels(rows, every, 0, n_rows),), every, is_picture=True)
    if kind == "signal" and len(sample_shape) > 1:
        raise InputError(
            f"{row_name(rows)}: holds samples of shape {sample_shape}, and windows are cut from "
            "recordings of samples by channels: leave --window out, to clean them as rows, or give "
            "a recording of two axes"
        )
    if n_columns > n_rows:
        return Recording(rows, samples_of(rows, (n_columns, 1)), every, even_times(rows))
    disorder = disorder_of(rows)
    if disorder:
        raise InputError(
            f"{row_name(rows)}: {disorder}; if it is a channel, let another column be the first"
        )
    time = time_columns(rows)
    columns = np.setdiff1d(every, time)
    if len(columns) == 0:
        raise InputError(f"{row_name(rows)}: holds times alone; give a file with its channels, too")
    times = times_of(rows, time)
    gaps = tuple(rows.gaps(columns)) if isinstance(rows, Bridged) else ()
    cuts = {0, n_rows, *times.leaps}.union(*((gap.start, gap.stop) for gap in gaps))
    missing = {gap.start for gap in gaps}
    stretches = tuple(
        Channels(rows, columns, start, stop)
        for start, stop in pairwise(sorted(cuts))
        if start not in missing
    )
    return Recording(rows, stretches, columns, times, time, gaps=gaps)
