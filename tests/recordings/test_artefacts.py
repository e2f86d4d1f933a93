"""What happens once in a recording costs its own windows, and no others."""

import numpy as np
import pytest

from ikpca_cli.cli.given.window_options import stretch_of
from ikpca_cli.data.row_source import as_rows
from ikpca_cli.errors import IkpcaWarning
from ikpca_cli.estimators.mixture import Mixture
from ikpca_cli.formats.arrays import ReadOptions, read_rows
from ikpca_cli.recordings.canvases.canvas import in_memory
from ikpca_cli.recordings.fitting import fit_windows
from ikpca_cli.recordings.guesses.lone_spikes import spike_shares, spikes
from ikpca_cli.recordings.roughness import channel_noise
from ikpca_cli.recordings.suitability import STRUCK
from tests.recordings.ecg import ecg
from tests.recordings.signals import noisy as with_noise
from tests.recordings.signals import signal

PLACE = 900


def _error(clean, added, std, window, place=PLACE):
    """Return the error far from a place where something is added, over the noise variance."""
    rng = np.random.default_rng(4)
    rows = clean[:, None] + rng.normal(0.0, std, (len(clean), 1))
    rows[place : place + len(added), 0] += added
    found = fit_windows(Mixture(), [rows], window=(window,)).denoise(rows)[:, 0]
    far = np.abs(np.arange(len(clean)) - place) > len(added) + 5
    far &= np.abs(np.arange(len(clean)) - PLACE) > 150
    return np.mean((found - clean)[far] ** 2) / std**2


@pytest.mark.parametrize("added", [np.array([200.0]), 60.0 * np.exp(-np.arange(100) / 30.0)])
def test_an_artefact_costs_its_own_windows(added):
    times = np.arange(2000)
    clean = np.sin(times / 7.0 + np.sin(times / 150.0))
    usual, found = (_error(clean, one, 0.4, 32) for one in (np.zeros(0), added))
    assert found < 1.15 * usual


def test_one_high_step_leaves_the_rest_smooth():
    clean = np.where(np.arange(2000) < PLACE, 0.0, 250.0)
    assert _error(clean, np.zeros(0), 1.0, 32) < 0.05


@pytest.mark.parametrize("place", [0, 1999])
def test_nor_do_windows_beyond_an_end_spread_what_stands_there(place):
    clean = np.sin(np.arange(2000) / 7.0)
    usual, found = (_error(clean, np.array([one]), 0.4, 32, place) for one in (0.0, 1e9))
    assert found < 1.15 * usual


def test_a_recording_whose_noise_is_not_known_stays_as_it_is():
    rows = np.round(30.0 + np.sin(np.arange(2000.0) / 300.0), 2)[:, None]
    rows[0] = 60.0
    with pytest.warns(IkpcaWarning, match="rows are left as they are"):
        model = fit_windows(Mixture(), [rows], window=(32,))
    assert model.noise_std_ is None
    assert np.array_equal(model.denoise(rows), rows)


def struck(clean, std, rng, share=0.005):
    """Return a clean recording with noise, and with spikes of either sign that come at any time."""
    noisy = clean + rng.normal(0.0, std, clean.shape)
    odd = rng.random(clean.shape) < share
    sizes = rng.choice([-1.0, 1.0], clean.shape) * rng.uniform(10.0, 50.0, clean.shape)
    return noisy, noisy + odd * sizes * std


def test_spikes_of_a_recording_go():
    rng = np.random.default_rng(6)
    beats = ecg(12.0, 250.0, rng)[0]
    clean = np.stack([beats, np.sin(np.arange(len(beats)) / 15.0)], axis=1)
    std = clean.std(axis=0) / 10.0**0.5
    noisy, spiked = struck(clean, std, rng)
    spiked[:, 0] = noisy[:, 0] + (spiked - noisy)[:, 0] * (rng.random(len(beats)) < 0.5)
    usual = fit_windows(Mixture(), [noisy], window=(32,))
    with pytest.warns(IkpcaWarning, match=r"0\.3. % of its numbers stand alone, like spikes"):
        model = fit_windows(Mixture(), [spiked], window=(32,))
    left = [
        np.mean((one - clean) ** 2 / std**2)
        for one in (usual.denoise(noisy), model.denoise(spiked))
    ]
    assert left[1] < 1.3 * left[0] + 0.02
    assert model.withheld != STRUCK
    # In parts, as a whole.
    recording = model.recording(as_rows(spiked))
    canvas = recording.canvases[0]
    parts = np.concatenate([canvas[k : k + 7] for k in range(0, len(spiked), 7)])
    assert np.array_equal(parts, in_memory(canvas))
    # A model fitted without any finds those of a file.
    assert np.mean((usual.denoise(spiked) - clean) ** 2 / std**2) < 1.3 * left[0] + 0.02


def test_a_row_that_is_a_recording_loses_its_spikes_too(tmp_path):
    rng = np.random.default_rng(7)
    clean = np.sin(np.arange(3000) / 15.0)[None]
    noisy, spiked = struck(clean, 0.2, rng)
    model = fit_windows(Mixture(), [noisy], window=(32,))
    assert np.mean((model.denoise(spiked) - clean) ** 2) < 0.2 * 0.2**2
    # A picture has them before, and not after.
    np.save(tmp_path / "x.npy", spiked)
    with read_rows(str(tmp_path / "x.npy"), ReadOptions(recording=True)) as rows:
        found = stretch_of(model, rows)
        given = stretch_of(model, rows, spiked)
    part = slice(found.start - 1, found.start - 1 + len(found.noisy))
    assert np.array_equal(found.noisy[:, 0], spiked[0, part])
    assert np.array_equal(given.clean, found.noisy)
    assert np.abs(found.cleaned).max() < 1.5 < np.abs(found.noisy).max()


@pytest.mark.parametrize("db", [10.0, 20.0, 30.0, 40.0])
def test_sharp_signal_is_no_spike(db):
    rng = np.random.default_rng(8)
    times = np.arange(20_000)
    narrow = np.exp(-0.5 * ((times[:, None] - rng.uniform(10, 19_990, 100)) / 0.4) ** 2)
    pulses = narrow @ rng.exponential(size=100)
    paced = np.sin(times / 300.0) + 5.0 * (times % 1000 == 200)
    counted = np.sin(times / 300.0) + 5.0 * (rng.random(20_000) < 0.01)
    signals = [
        pulses,
        paced,
        counted,
        *(signal(name, 2048) for name in ("blocks", "bumps", "doppler")),
    ]
    signals += [ecg(60.0, fs, rng)[0] for fs in (50.0, 100.0, 250.0)]
    for clean in signals:
        rows, _ = with_noise(clean, db, rng)
        stds = channel_noise([rows[:, None]], "signal")
        assert not spike_shares([rows[:, None]], stds).any()


def test_no_error_is_promised_where_what_may_be_spikes_is_most_of_it():
    rng = np.random.default_rng(6)
    times = np.arange(3000)[:, None]
    rows = np.sin(times / 15.0) + rng.normal(0.0, 0.2, (3000, 1))
    regular = rows + 2.0 * (times % 100 == 50)
    share = np.mean((regular - rows) ** 2)
    assert spikes([regular], np.array([0.2])) == pytest.approx(share, rel=0.2)
    assert fit_windows(Mixture(), [regular], window=(32,)).withheld == STRUCK
    peaks = np.exp(-((times % 60 - 30.0) ** 2) / 4.0)  # four samples wide
    for smooth in (np.sin(times / 3.0), 5.0 * peaks, 5.0 * (times % 200 > 100)):
        assert spikes([smooth + rows - np.sin(times / 15.0)], np.array([0.2])) == 0.0
