"""Stretches of a recording cut into beats, one a row, and put together again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.errors import InputError
from ikpca_cli.recordings.beats.events import LENGTH, Beats, find_peaks, without_baseline
from ikpca_cli.recordings.roughness import channel_noise

_LONG = 256
"""Samples that tell how much of a stretch is noise."""

_FAINT, _CHANCE = 0.02, 12.0
"""Share of the power that is no noise, below which there are no beats; and three times its error by
chance, times the root of the samples."""

SLOWEST = 12.0
"""Samples a second without which a heart beat is but one of them."""


@dataclass(frozen=True)
class StretchOfBeats:
    """A stretch, (length, channels), as what varies fast in it and its baseline.

    Attributes
    ----------
    fast, baseline : ndarray, shape (length, channels)
    beats : Beats or None
        None where there are too few to cut.
    """

    fast: FloatArray
    baseline: FloatArray
    beats: Beats | None

    @property
    def count(self) -> int:
        """Beats in it."""
        return 0 if self.beats is None else len(self.beats.peaks)

    @classmethod
    def of(
        cls, values: FloatArray, fs: float, apart: int, name: str, like: FloatArray | None = None
    ) -> Self:
        """Return that of a stretch as it came, (length, channels).

        Parameters
        ----------
        values : ndarray, shape (length, channels)
        fs, apart
            See `find_peaks`.
        name : str
            What the recording is called in an error.
        like : ndarray, shape (length, channels), optional
            Peaks are those of this one.

        Raises
        ------
        InputError
            If there are too few beats, or too few samples to filter.
        """
        if 0.0 < fs < SLOWEST:
            raise InputError(
                f"{name}: {fs:g} samples a second are too few to tell heart beats; check the rate "
                "(--fs), or cut other events by their peaks (ikpca beats --align peak)"
            )
        if not np.ptp(values, axis=0).any():
            raise InputError(
                f"{name}: all samples are alike, and no beats; give a recording of some"
            )
        if len(values) < max(fs, apart):
            said = f"{len(values) / fs:.2g} seconds" if fs else f"{len(values)} samples"
            raise InputError(
                f"{name}: it is {said} long, too short to find beats; give more, or check "
                f"{'the rate (--fs)' if fs else '--apart'}"
            )
        try:
            fast, baseline = without_baseline(values, fs)
            _refuse_noise(fast, name)
            shown = fast if like is None else without_baseline(like, fs)[0]
            return cls(fast, baseline, Beats.at(find_peaks(shown, fs, apart), len(values), name))
        except InputError:
            raise
        except ValueError as error:
            raise InputError(
                f"{name}: {len(values)} samples are too few to find beats; give more"
            ) from error

    def moved(self, by: FloatArray, fs: float) -> Self:
        """Return the same with something added, (length, channels), and beats where they were."""
        fast, baseline = without_baseline(by, fs) if fs > 0.0 else (by, 0.0)
        return replace(self, fast=self.fast + fast, baseline=self.baseline + baseline)

    def rows(self) -> FloatArray:
        """Return its beats, one a row."""
        return self.cut(self.fast)

    def cut(self, values: FloatArray) -> FloatArray:
        """Return what other samples, (length, channels), have where the beats are, one a row."""
        if self.beats is None:
            return np.empty((0, LENGTH * values.shape[1]))
        return self.beats.cut(values)


def _refuse_noise(fast: FloatArray, name: str) -> None:
    """Refuse a stretch (length, channels) that varies no more than white noise does.

    In noise alone the highest peaks would be taken for beats.

    Raises
    ------
    InputError
    """
    if len(fast) < _LONG:
        return
    powers = fast.var(axis=0)
    others = powers - channel_noise([fast], "signal") ** 2
    faint = others <= (_FAINT + _CHANCE / len(fast) ** 0.5) * powers
    reach = np.sqrt(2.0 * np.log(len(fast))) + 1.0  # the highest of as many normal numbers
    if (faint & (np.abs(fast).max(axis=0) <= reach * np.sqrt(powers))).all():
        raise InputError(
            f"{name}: holds nothing beside white noise, and no beats that stand out of it; give a "
            "recording of some"
        )


def cut_stretches(
    parts: Iterable[tuple[FloatArray, str]], fs: float, apart: int
) -> list[StretchOfBeats]:
    """Return stretches of recordings, see `find_peaks`; those with too few beats have none.

    Parameters
    ----------
    parts : iterable of (ndarray of shape (length, channels), str)
        Stretches, and what the recording of each is called in an error.
    fs, apart
        See `find_peaks`.

    Raises
    ------
    InputError
        If none of them has enough beats.
    """
    found, reason = [], None
    for values, name in parts:
        try:
            found.append(StretchOfBeats.of(values, fs, apart, name))
        except InputError as error:
            reason = error
            found.append(StretchOfBeats(values, np.zeros_like(values), None))
    if reason is not None and not any(part.count for part in found):
        raise reason
    return found


def put_back(parts: Sequence[StretchOfBeats], rows: FloatArray) -> list[FloatArray]:
    """Return the stretches, (length, channels) each, with their beats replaced by rows."""
    whole: list[FloatArray] = []
    start = 0
    for part in parts:
        own = rows[start : start + part.count]
        fast = part.fast if part.beats is None else part.beats.put_back(part.fast, own)
        whole.append(fast + part.baseline)
        start += part.count
    return whole
