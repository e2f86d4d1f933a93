"""The beats of a recording as rows, of what varies fast in it."""

from __future__ import annotations

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.recordings.beats.events import Beats, find_peaks, without_baseline
from ikpca_cli.recordings.cutting import Cutting


def cut_beats(
    values: FloatArray, cutting: Cutting, name: str, like: FloatArray | None = None
) -> tuple[Beats, FloatArray, FloatArray, FloatArray]:
    """Return the beats of a recording, what varies fast in it, their rows, and its baseline.

    Parameters
    ----------
    values : ndarray, shape (length, channels)
    cutting : Cutting
    name : str
        What the recording is called in an error.
    like : ndarray, shape (length, channels), optional
        Peaks are those of this one.

    Raises
    ------
    InputError
        If there are too few beats.
    """
    fast, baseline = without_baseline(values / cutting.scales, cutting.fs)
    shown = fast if like is None else without_baseline(like / cutting.scales, cutting.fs)[0]
    peaks = find_peaks(shown, cutting.fs, cutting.apart)
    beats = Beats.at(peaks, len(values), name)
    return beats, fast, beats.cut(fast), baseline
