"""Activations: forward, and the inverse that the noisy angle tells."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from ikpca_cli import IKPCA
from ikpca_cli.errors import UsageError
from ikpca_cli.modelfile.storage import load_model, save_model
from ikpca_cli.models.activations.activation import load_activation
from ikpca_cli.models.activations.activation_names import ACTIVATIONS
from ikpca_cli.models.activations.leaky_relu import SLOPE
from ikpca_cli.models.random_features import FourierFeatures

OTHERS = [name for name in ACTIVATIONS if name != "sine"]
REFERENCES = {
    "sine": np.sin,
    "relu": lambda alpha: np.where(alpha > 0, alpha, 0.0),
    "leaky-relu": lambda alpha: np.where(alpha > 0, alpha, SLOPE * alpha),
}
ANGLES = arrays.arrays(
    np.float64, arrays.array_shapes(min_dims=2, max_dims=2), elements=st.floats(-300.0, 300.0)
)


@pytest.mark.parametrize("name", ACTIVATIONS)
@given(angles=ANGLES)
def test_the_forward_function_is_the_one_it_is_called(name, angles):
    values = angles / np.pi
    load_activation(name).forward(values)
    np.testing.assert_allclose(values, REFERENCES[name](angles), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", ACTIVATIONS)
@given(angles=ANGLES)
def test_the_inverse_of_what_went_forward_is_the_angle(name, angles):
    activation = load_activation(name)
    half_turns = angles / np.pi
    values = half_turns.copy()
    activation.forward(values)
    found = activation.inverse(half_turns, values)
    # Near its fold the arcsine turns rounding into its square root.
    np.testing.assert_allclose(found, angles, rtol=1e-12, atol=1e-5 if name == "sine" else 1e-12)


def test_what_the_rectifier_loses_goes_round_the_projection():
    half_turns = np.array([[-2.0, -0.5, 0.5, 2.0]]) / np.pi
    found = load_activation("relu").inverse(half_turns, np.array([[0.1, 0.2, 0.3, -0.1]]))
    np.testing.assert_allclose(found, [[-1.9, -0.3, 0.3, -0.1]], atol=1e-14)


@pytest.fixture
def rows():
    rng = np.random.default_rng(3)
    angle = rng.uniform(0.0, 2.0 * np.pi, 300)
    clean = np.stack([np.cos(angle), np.sin(angle), np.cos(2.0 * angle)], axis=1)
    return clean, clean + rng.normal(scale=0.2, size=clean.shape)


def fitted(noisy, name, **params):
    given = {"n_rff": 200, "gamma": 0.5, "ridge": 0.1, "noise_std": 0.2} | params
    return IKPCA(inverse="paper", activation=name, **given).fit(noisy)


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_all_components_give_the_rows_back(rows, name):
    _, noisy = rows
    model = fitted(noisy[:50], name, n_components=49, ridge=0.0)
    centred = noisy[:50] - noisy[:50].mean(axis=0)
    np.testing.assert_allclose(model.model_.denoise(centred), centred, atol=1e-6)


@pytest.mark.parametrize("name", OTHERS)
def test_the_model_is_that_of_the_formulas(rows, name):
    _, noisy = rows
    model = fitted(noisy, name, n_components=4).model_
    centred = noisy - noisy.mean(axis=0)
    angles = centred @ model.W.T + model.b
    features = REFERENCES[name](angles)
    mean = features.mean(axis=0)
    V = np.linalg.svd(features - mean, full_matrices=False)[2][:4]
    beta_hat = (features - mean) @ V.T @ V + mean
    back = {
        "relu": lambda: beta_hat + np.minimum(angles, 0.0),
        "leaky-relu": lambda: beta_hat + (1.0 - SLOPE) * np.minimum(angles, 0.0),
    }[name]()
    gram = model.W.T @ model.W + 0.1 * np.eye(3)
    expected = np.linalg.solve(gram, model.W.T @ (back - model.b).T).T
    np.testing.assert_allclose(model.denoise(centred), expected, atol=1e-9)


@pytest.mark.parametrize("name", OTHERS)
def test_a_choice_of_its_own_takes_noise_away(rows, name):
    clean, noisy = rows
    model = IKPCA(inverse="paper", n_rff=200, activation=name, noise_std=0.2).fit(noisy)
    assert np.mean((model.denoise(noisy) - clean) ** 2) < np.mean((noisy - clean) ** 2)


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_the_activation_is_kept_in_the_model_file(rows, tmp_path, name):
    _, noisy = rows
    model = fitted(noisy, name, n_components=4)
    path = str(tmp_path / "model.joblib")
    save_model(path, model)
    again = load_model(path)
    assert again.get_params()["activation"] == name
    np.testing.assert_array_equal(again.denoise(noisy), model.denoise(noisy))


@pytest.mark.parametrize("name", OTHERS)
def test_rows_far_from_the_training_rows_are_far(rows, name):
    _, noisy = rows
    model = fitted(noisy, name, n_components=4).model_
    centred = noisy - noisy.mean(axis=0)
    near = model.distances(centred, 0)
    assert near.max() < model.distances(20.0 * centred[:50], 0).min()
    np.testing.assert_allclose(model.denoise_and_compare(centred)[1], near)


@pytest.mark.parametrize("params", [{}, {"n_rff": 200}, {"n_rff": "exact", "inverse": "paper"}])
def test_other_ways_back_refuse_it(rows, params):
    with pytest.raises(UsageError, match="relu activation is for random features"):
        IKPCA(activation="relu", **params).fit(rows[1])


def test_features_in_another_precision_or_scale_keep_it():
    features = FourierFeatures(np.ones((4, 2)), np.zeros(4), "relu")
    assert features.rounded(np.float32).activation == "relu"
    assert features.scaled(2.0).activation == "relu"
