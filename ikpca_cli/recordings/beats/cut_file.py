"""Files of beats: cut from a recording, with the rate of the cut, and put back into it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ikpca_cli.data.row_source import FloatArray, read_all
from ikpca_cli.errors import InputError
from ikpca_cli.formats.hdf5.attributes import Attached, Attachments
from ikpca_cli.formats.layout import Layout
from ikpca_cli.recordings.beats.band import noise_of_beats
from ikpca_cli.recordings.beats.cut import StretchOfBeats, cut_stretches, put_back
from ikpca_cli.recordings.beats.events import LENGTH
from ikpca_cli.recordings.cutting import Cutting
from ikpca_cli.recordings.recording import Recording, recording_of
from ikpca_cli.transforms.frequency_band import FrequencyBand

if TYPE_CHECKING:
    from ikpca_cli.formats.file_rows import Rows

CUT_AT = "cut_at_samples_per_second"
"""Attribute of beats in HDF5: the rate that they were cut with, 0 for other events."""

NOISE = "noise_in_band"
"""Another: what their noise is, by that of the recording; see `FrequencyBand.state`."""

SAME_RATE = 1e-3
"""Relative difference of two rates that are the same."""

_STILL_THERE = 0.5  # of the noise beyond its band, if it was not taken off
_SOME = 500  # beats that tell


@dataclass(frozen=True)
class CutFile:
    """A file that was cut into beats.

    Attributes
    ----------
    name
        Of the file.
    recording
        What of it is signal.
    rate
        Samples a second, 0 for events that are no heart beats.
    parts
        Its stretches.
    """

    name: str
    recording: Recording
    rate: float
    parts: list[StretchOfBeats]

    @classmethod
    def of(cls, rows: Rows, name: str, fs: float | None, apart: int, *, is_heart: bool) -> Self:
        """Find the beats of a recording.

        Parameters
        ----------
        rows : Rows, shape (samples, channels)
        name : str
            What the user calls it.
        fs : float or None
            Samples a second; None for what the file says.
        apart : int
            Samples from one event to the next, about, if that is known; else 0.
        is_heart : bool
            Whether its events are R peaks.

        Raises
        ------
        InputError
            If it is no single recording, or has too few beats.
        """
        recording = recording_of(rows, "beats")
        if recording.by_rows and len(recording.canvases) > 1:
            raise InputError(f"{name}: holds several recordings, one a row; give one a file")
        rate = recording.rate_or(fs) if is_heart else 0.0
        stretches = [(read_all(canvas), recording.name) for canvas in recording.canvases]
        return cls(name, recording, rate, cut_stretches(stretches, rate, apart))

    @property
    def shape(self) -> tuple[int, int]:
        """Of all beats as rows."""
        return sum(part.count for part in self.parts), LENGTH * self.recording.width

    @property
    def remarks(self) -> tuple[str, ...]:
        """What there is to say of the recording."""
        return self.recording.remarks(Cutting("beats", LENGTH, self.recording.width))

    @property
    def layout(self) -> Layout:
        """The form of a file of the beats, which in HDF5 says how they were cut."""
        channels = self.recording.width
        kind = np.dtype(np.float64)
        values: dict[str, tuple[Any, Any]] = {CUT_AT: (self.rate, kind)}
        noise = noise_of_beats(self.parts)
        if noise is not None:
            (state,) = noise.state().values()
            values[NOISE] = (state, kind)
        return Layout(
            format="npy",
            dtype=kind,
            sample_shape=(LENGTH,) if channels == 1 else (LENGTH, channels),
            dataset="beats",
            beside=Attachments({"beats": Attached(values)}),
        )

    def rows(self) -> FloatArray:
        """Return the beats, one a row."""
        return np.concatenate([part.rows() for part in self.parts])

    def with_beats(self, beats: Rows, name: str) -> FloatArray:
        """Return the recording with cleaned beats, (samples, columns of the file).

        Parameters
        ----------
        beats : Rows, shape (count, length)
            Cut from this recording in the same way.
        name : str
            What the user calls their file.

        Raises
        ------
        InputError
            If they were not.
        """
        self._check_rate(beats, name)
        if beats.shape != self.shape:
            raise InputError(
                f"{name}: has shape {beats.shape}, but the beats of {self.name} have "
                f"{self.shape}: give those that were cut from it"
            )
        new, own = np.asarray(beats[:], dtype=np.float64), self.rows()
        if np.mean((new - own) ** 2) > np.mean(own**2):
            raise InputError(
                f"{name}: is unlike the beats that are cut from {self.name} in this way: give "
                "those that were, and the options that they were cut with (--fs, --align, --apart)"
            )
        wholes = iter(put_back(self.parts, new))
        blocks = self.recording.cleaned(
            lambda canvas: iter([(slice(0, int(canvas.shape[0])), next(wholes))])
        )
        return np.concatenate([block for _, block in blocks])

    def _check_rate(self, beats: Rows, name: str) -> None:
        """Refuse beats that say that they were cut at another rate than this."""
        number = getattr(beats.layout.beside, "number", None)
        cut_at = None if number is None else number(beats.layout.dataset or "", CUT_AT)
        if cut_at is not None and abs(cut_at - self.rate) > SAME_RATE * self.rate:
            was, now = (
                f"{one:g} samples a second" if one else "other events"
                for one in (cut_at, self.rate)
            )
            raise InputError(
                f"{name}: was cut as beats of {was}, not of {now}: give the options that it was "
                "cut with (--fs, --align, --apart)"
            )


def noise_told(rows: Rows) -> FrequencyBand | None:
    """Return the noise that a file of beats says it has; None if it does not, or has it no more.

    Parameters
    ----------
    rows : Rows, shape (n, LENGTH * channels)
        Beats that may have been cleaned, whose file still says what was there before.
    """
    numbers_at = getattr(rows.layout.beside, "numbers_at", None)
    state = None if numbers_at is None else numbers_at(rows.layout.dataset or "", NOISE)
    if state is None:
        return None
    try:
        noise = FrequencyBand.from_state({"frequency_band": state})
    except ValueError:
        return None
    if noise.width != rows.shape[1]:
        return None
    X = np.asarray(rows[:_SOME], dtype=np.float64)
    X -= X.mean(axis=0)
    # What cleaning takes off first lies beyond the band.
    length = noise.width // len(noise.stds)
    expected = noise.beyond * noise.band / length * float(np.mean(np.square(noise.stds)))
    is_there = float(np.mean((X - noise.inverse(noise.forward(X))) ** 2)) > _STILL_THERE * expected
    return noise if is_there else None
