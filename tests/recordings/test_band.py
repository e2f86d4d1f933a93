"""Beats by their lowest frequencies: nothing of them is lost, and noise beyond them is."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from ikpca_cli.estimators.mixture import Mixture
from ikpca_cli.recordings.beats.band import band_of, narrow, noise_by_frequency, widen
from ikpca_cli.recordings.beats.events import LENGTH, Beats
from ikpca_cli.recordings.cutting import Cutting
from ikpca_cli.recordings.fitting import fit_beats
from tests.recordings.ecg import ecg

SLOW = 20


def slow_rows(channels=1):
    """Return rows (30, LENGTH * channels) of the SLOW lowest cosines of each channel."""
    phases = np.pi * np.outer(np.arange(LENGTH) + 0.5, np.arange(SLOW)) / LENGTH
    heights = np.random.default_rng(3).normal(size=(30, SLOW, channels))
    return np.einsum("tk,nkc->ntc", np.cos(phases), heights).reshape(30, -1)


@pytest.mark.parametrize("channels", [1, 3])
def test_slow_rows_are_whole_in_a_band(channels):
    rows = slow_rows(channels)
    in_band = narrow(rows, SLOW, LENGTH)
    assert in_band.shape == (30, SLOW * channels)
    assert_allclose((in_band**2).sum(axis=1), (rows**2).sum(axis=1))
    assert_allclose(widen(in_band, SLOW, LENGTH), rows, atol=1e-10)
    assert narrow(rows, 0, LENGTH) is rows
    assert widen(rows, 0, LENGTH) is rows


def test_a_band_holds_the_signal_and_no_more():
    noise = np.random.default_rng(4).normal(size=(30, LENGTH))
    powers = np.ones(LENGTH)
    assert SLOW <= band_of(slow_rows() + noise, powers) < 1.3 * SLOW
    assert band_of(noise, powers) < 1.3 * SLOW
    assert band_of(slow_rows() + noise, 0.0 * powers) == LENGTH


@pytest.mark.parametrize("samples", [300, 2000])
def test_noise_of_a_sample_is_noise_of_fewer_coefficients(samples):
    peaks = 500.0 + samples * np.arange(40)
    length = 41 * samples + 1000
    beats = Beats.at(peaks, length, "x")
    noise = np.random.default_rng(5).normal(size=(length, 1))
    powers = noise_by_frequency(beats.cut(noise))
    assert_allclose(powers[:50].mean(), LENGTH / samples, rtol=0.15)


@pytest.mark.parametrize(("fs", "times"), [(250.0, 15.0), (360.0, 20.0), (1000.0, 25.0)])
def test_a_recording_is_cleaned_by_its_beats_at_any_rate(fs, times):
    rng = np.random.default_rng(8)
    clean, _ = ecg(120.0, fs, rng)
    std = clean.std() / 10**0.5
    noisy = clean + rng.normal(0.0, std, len(clean))
    model = fit_beats(Mixture(), [noisy[:, None]], fs=fs)
    cleaned = model.denoise(noisy[:, None])
    assert np.mean((cleaned[:, 0] - clean) ** 2) < std**2 / times
    again = type(model).from_plain(model.model, model.to_plain())
    assert_array_equal(again.denoise(noisy[:, None]), cleaned)


def test_a_model_without_a_band_knows_all_frequencies():
    plain = Cutting("beats", LENGTH, 1, scales=(1.0,), fs=360.0).to_plain()
    del plain["band"]
    assert Cutting.from_plain(plain, LENGTH).band == 0


@pytest.mark.parametrize("band", [-1, LENGTH + 1, 20.0, True])
def test_a_band_that_is_none_is_refused(band):
    plain = Cutting("beats", LENGTH, 1, scales=(1.0,), fs=360.0).to_plain() | {"band": band}
    with pytest.raises(ValueError, match="the band of its beats is none"):
        Cutting.from_plain(plain, LENGTH)
    with pytest.raises(ValueError, match="the band of its beats is none"):
        Cutting.from_plain(plain | {"kind": "signal", "band": 8}, LENGTH)
