"""Weights of principal components, against the best that simulated rows have."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from ikpca_cli.linalg.shrinkage import optimal_weights, prediction_weights


@pytest.mark.parametrize(("n_samples", "n_features"), [(2400, 600), (600, 2400)])
def test_weights_are_the_best_multiples(n_samples, n_features):
    rng = np.random.default_rng(4)
    strength = np.array([12.0, 7.0, 4.0]) * (n_features / n_samples) ** 0.5
    axes = np.linalg.qr(rng.normal(size=(n_features, 3)))[0].T
    old, new = (rng.normal(size=(n, 3)) * strength**0.5 @ axes for n in (n_samples, 4000))
    noisy = old + rng.normal(size=old.shape)
    _, values, components = np.linalg.svd(noisy, full_matrices=False)
    found = components[:3]
    given = values**2, n_samples, n_features, 1.0
    codes = noisy @ found.T
    best_old = np.einsum("ij,ij->j", old @ found.T, codes) / np.sum(codes**2, axis=0)
    codes = (new + rng.normal(size=new.shape)) @ found.T
    best_new = np.einsum("ij,ij->j", new @ found.T, codes) / np.sum(codes**2, axis=0)
    assert_allclose(optimal_weights(*given)[:3], best_old, atol=0.04)
    assert_allclose(prediction_weights(*given)[:3], best_new, atol=0.04)


@pytest.mark.parametrize("rule", [optimal_weights, prediction_weights])
def test_noise_alone_is_left_out(rule):
    noise = np.random.default_rng(0).normal(size=(300, 1200))
    squares = np.linalg.svd(noise, compute_uv=False) ** 2
    assert_array_equal(rule(0.98 * squares, 300, 1200, 1.0), 0.0)
