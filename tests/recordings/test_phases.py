"""Beats cleaned once more by what all of them are like at one distance from their peak."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from ikpca_cli.estimators.mixture import Mixture
from ikpca_cli.estimators.pca import PCA
from ikpca_cli.recordings.beats import phases
from ikpca_cli.recordings.beats.cut import StretchOfBeats, put_back
from ikpca_cli.recordings.beats.phases import _drift, clean_stretch, cleaned_by_phase
from ikpca_cli.recordings.fitting import fit_beats
from tests.recordings.ecg import ecg


@pytest.mark.parametrize(("fs", "seconds", "least"), [(100.0, 120.0, 10.0), (250.0, 60.0, 14.0)])
def test_the_error_of_a_recording_falls(fs, seconds, least):
    rng = np.random.default_rng(int(fs))
    clean, _ = ecg(seconds, fs, rng)
    std = clean.std() / 10**0.5
    clean += 0.4 * np.sin(2.0 * np.pi * 0.2 * np.arange(len(clean)) / fs)
    rows = (clean + rng.normal(0.0, std, len(clean)))[:, None]
    found = fit_beats(Mixture(), [rows], fs=fs).denoise(rows)[:, 0]
    assert np.mean((found - clean) ** 2) < std**2 / least
    # So it does before the first beat and after the last that are whole.
    ends = np.r_[: round(fs), len(clean) - round(fs) : len(clean)]
    assert np.mean((found - clean)[ends] ** 2) < 0.45 * std**2


def test_channels_are_cleaned_together():
    rng = np.random.default_rng(4)
    clean, peaks = ecg(120.0, 100.0, rng)
    both = np.stack([clean, np.roll(clean, 4)], axis=1)
    rows = both + rng.normal(0.0, 0.1, both.shape)
    together = cleaned_by_phase(rows, peaks, 0.1, 0)
    alone = cleaned_by_phase(rows[:, :1], peaks, 0.1, 0)
    error = np.mean((together[:, 0] - clean) ** 2)
    assert error < 0.85 * np.mean((alone[:, 0] - clean) ** 2)


def test_pauses_and_few_beats_leave_no_sample_out():
    rng = np.random.default_rng(5)
    peaks = np.array([90.0, 171.3, 250.0, 700.0, 779.6])
    for length in (790, 2000):
        rows = rng.normal(size=(length, 1))
        found = cleaned_by_phase(rows, peaks, 1.0, 0)
        assert found.shape == rows.shape
        near = slice(0, 790)
        assert np.mean(found[near] ** 2) < 0.3 * np.mean(rows[near] ** 2)
        assert_array_equal(found[1000:], rows[1000:])  # more than an interval beyond the last


@pytest.mark.parametrize("seed", [2, 3, 6])
def test_a_few_beats_like_no_other_are_not_made_like_them(seed):
    clean, peaks = ecg(150.0, 100.0, np.random.default_rng(seed))
    std = clean.std() / 10**0.5
    rows = clean + np.random.default_rng(seed + 1).normal(0.0, std, len(clean))
    for shift in (-0.05, 0.0, 0.05):
        errors = (cleaned_by_phase(rows[:, None], peaks + shift, std, 0)[:, 0] - clean) ** 2
        assert errors.mean() < std**2 / 14.0


def test_drift_is_told_from_beats_and_noise():
    rng = np.random.default_rng(6)
    n, usual = 20_000, 80
    wander = 3.0 * np.sin(np.arange(n) / 70.0)[:, None]
    noise = rng.normal(size=(n, 1))
    assert np.mean(_drift(noise, usual, 1.0) ** 2) < 2e-3
    assert np.mean((_drift(noise + wander, usual, 1.0) - wander) ** 2) < 0.05
    beats = np.sin(2.0 * np.pi * np.arange(n) / usual)[:, None]
    assert np.mean(_drift(beats, usual, 0.1) ** 2) < 0.02 * np.mean(beats**2)


def test_drift_of_a_long_recording_is_found_in_parts(monkeypatch):
    rows = np.cumsum(np.random.default_rng(8).normal(size=(9000, 2)), axis=0)
    whole = phases._drift(rows, 30, 1.0)
    monkeypatch.setattr(phases, "_BLOCK", 1)
    monkeypatch.setattr(phases, "_SLOWEST", 256)  # so that several parts are wider than a wavelet
    parts = phases._drift(rows, 30, 1.0)
    monkeypatch.setattr(phases, "_BLOCK", 1 << 18)
    assert_array_equal(phases._drift(rows, 30, 1.0), parts)
    assert np.std(whole - rows) < 0.2 * np.std(rows)


def test_another_method_cleans_alone():
    rng = np.random.default_rng(7)
    clean, _ = ecg(40.0, 100.0, rng)
    rows = (clean + rng.normal(0.0, 0.1, len(clean)))[:, None]
    part = StretchOfBeats.of(rows, 100.0, 0, "the recording")
    halved = clean_stretch(part, lambda some: some / 2.0, 100.0, None, 0)
    assert_array_equal(halved, put_back([part], part.rows() / 2.0)[0])
    model = fit_beats(PCA(2), [rows], fs=100.0)
    model.model.noise_std_ = 0.0  # which a mixture would weigh by
    assert np.isfinite(model.denoise(rows)).all()
