"""Cleaned windows stay where noise may have hidden what was there."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from ikpca_cli.recordings.cutting import Cutting
from ikpca_cli.recordings.windows import FARTHEST, within

RNG = np.random.default_rng(np.random.SeedSequence([16, 31]))


@pytest.mark.parametrize(("kind", "width"), [("signal", 3), ("image", 8)])
def test_a_number_thrown_far_out_comes_back_and_no_other_moves(kind, width):
    cutting = Cutting(kind, 8, width, 1)
    clean = np.repeat(RNG.normal(size=(20, 1)), 8 * width, axis=1)
    windows = clean + 0.1 * RNG.normal(size=clean.shape)
    assert_array_equal(within(clean, windows, cutting, 0.1), clean)
    thrown = clean.copy()
    thrown[3, 5], thrown[7, 0] = 70.0, -9.0
    back = within(thrown, windows, cutting, 0.1)
    assert np.abs(back - clean).max() < 0.1 * (FARTHEST + 4.0)
    assert (back != clean).sum() == 2
    assert_array_equal(within(thrown, windows, cutting, None), thrown)


def test_a_window_unlike_all_of_the_fit_is_moved_no_farther_than_by_noise():
    cutting = Cutting("signal", 64, 1, 1)
    windows = RNG.normal(size=(9, 64))
    windows[4] += np.linspace(0.0, 900.0, 64)
    back = within(np.zeros_like(windows), windows, cutting, 1.0)
    moved = np.sqrt(np.mean((back - windows) ** 2, axis=1))
    assert np.all(moved < 1.8)
    assert np.all(np.delete(back, 4, axis=0) == 0.0)
