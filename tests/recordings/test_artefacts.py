"""What happens once in a recording costs its own windows, and no others."""

import numpy as np
import pytest

from ikpca_cli.errors import IkpcaWarning
from ikpca_cli.estimators.mixture import Mixture
from ikpca_cli.recordings.fitting import fit_windows
from ikpca_cli.recordings.roughness import spikes
from ikpca_cli.recordings.suitability import STRUCK

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


def test_no_error_is_promised_where_spikes_are_most_of_it():
    rng = np.random.default_rng(6)
    times = np.arange(3000)[:, None]
    rows = np.sin(times / 15.0) + rng.normal(0.0, 0.2, (3000, 1))
    struck = rows + 2.0 * (rng.random(rows.shape) < 0.01)
    share = np.mean((struck - rows) ** 2)
    assert spikes([struck], np.array([0.2])) == pytest.approx(share, rel=0.2)
    assert fit_windows(Mixture(), [struck], window=(32,)).withheld == STRUCK
    peaks = np.exp(-((times % 60 - 30.0) ** 2) / 4.0)  # four samples wide
    for smooth in (np.sin(times / 3.0), 5.0 * peaks, 5.0 * (times % 200 > 100)):
        assert spikes([smooth + rows - np.sin(times / 15.0)], np.array([0.2])) == 0.0
