"""Rows whose values are lower than noise that grows with the signal can make them."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from ikpca_cli.data.row_source import as_rows
from ikpca_cli.estimators.pca import PCA
from ikpca_cli.noise.caution import Caution
from ikpca_cli.noise.treatment import Treatment
from ikpca_cli.transforms.logarithm import Logarithm
from ikpca_cli.transforms.square_root import SquareRoot

ZERO = 400.0


def offset_counts(shape, seed):
    """Return counts of two, above a zero that is offset, for lines of any strength."""
    rng = np.random.default_rng(np.random.SeedSequence([74, seed]))
    signal = 20.0 * (1.0 + rng.uniform(size=(shape[0], 1)) * np.sin(np.arange(shape[1]) / 4.0))
    return ZERO + 2.0 * rng.poisson(signal / 2.0)


@pytest.mark.parametrize(
    "transform", [SquareRoot(2.0, -2.0 * ZERO), Logarithm(0.1, ZERO)], ids=["counts", "logarithm"]
)
def test_what_is_lower_than_noise_allows_comes_back_as_it_came(transform):
    rows = offset_counts((5, 40), seed=1)
    rows[1] -= 300.0  # a drift of the zero
    rows[2, 7] = 0.0  # a dead pixel
    cleaned = Treatment(Caution(None), transform).clean(rows, lambda Z: Z + 1.0)
    moved = np.ones(rows.shape, dtype=bool)
    moved[1], moved[2, 7] = False, False
    assert_array_equal(cleaned != rows, moved)


@pytest.mark.parametrize(("gain", "floor"), [(1.0, 0.0), (2.0, -800.0), (0.5, 4.0)])
def test_counts_themselves_are_never_lower(gain, floor):
    rng = np.random.default_rng(np.random.SeedSequence([75]))
    zero = max(-floor / gain, 0.0)
    variance = max(floor + gain * zero, 0.0)
    for signal in np.geomspace(0.01, 100.0, 9):
        counts = zero + gain * rng.poisson(signal / gain, 4000)
        drawn = counts + variance**0.5 * rng.normal(size=4000)
        assert drawn.min() > SquareRoot(gain, floor).lowest


def test_rows_that_are_lower_are_told_as_unlike():
    model = PCA(noise_model="counts").fit(offset_counts((150, 40), seed=2))
    rows = offset_counts((60, 40), seed=3)
    rows[[4, 9]] -= 300.0
    (block,) = model.flagged_blocks(as_rows(rows))
    assert_array_equal(block.unlike.nonzero()[0], [4, 9])
    assert_array_equal((block.cleaned == rows).all(axis=1).nonzero()[0], [4, 9])
