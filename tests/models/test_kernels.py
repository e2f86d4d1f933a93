"""Every kernel of the registry: value, derivatives, spectral density, and what takes it."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ikpca_cli import IKPCA, KernelPCA, load_model, save_model
from ikpca_cli.linalg.eigen import spectrum
from ikpca_cli.models.exact_spectrum import ExactSpectrum
from ikpca_cli.models.gauss_newton import GaussNewtonModel
from ikpca_cli.models.kernels.kernel import Radial, is_smooth, load_kernel
from ikpca_cli.models.kernels.names import KERNELS
from ikpca_cli.models.landmark_spectrum import landmark_spectrum
from ikpca_cli.models.preimage import all_iterations
from ikpca_cli.models.random_features import FourierFeatures

SMOOTH = [name for name in KERNELS if is_smooth(name)]
GAMMA = 0.4


@pytest.fixture(scope="module")
def rows(arcs):
    noisy, _ = arcs
    return noisy - noisy.mean(axis=0)


@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel_falls_from_one_to_zero(name):
    u = np.linspace(0.0, 200.0, 4001)
    values = load_kernel(name).value(u)
    assert values[0] == 1.0
    assert np.all(np.diff(values) < 0.0)
    assert 0.0 <= values[-1] < 0.01


@pytest.mark.parametrize("name", SMOOTH)
def test_slope_and_curvature_are_derivatives(name):
    kernel, step = load_kernel(name), 1e-6
    u = np.linspace(0.1, 6.0, 30)

    def derivative(function):
        return (function(u + step) - function(u - step)) / (2 * step)

    assert_allclose(derivative(kernel.value), -kernel.steepness * kernel.slope(u), rtol=1e-6)
    assert_allclose(derivative(kernel.slope), -kernel.curvature(u), rtol=1e-6)
    assert_allclose(kernel.slope(np.zeros(1)), 1.0)
    assert_allclose(kernel.below(u), kernel.value(u) - 1.0, atol=1e-15)
    assert_allclose(kernel.slope_below(u), kernel.slope(u) - 1.0, atol=1e-15)
    for part, one in zip(kernel.parts(u), ("value", "slope", "curvature"), strict=True):
        assert_allclose(part, getattr(kernel, one)(u))


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("balanced", [False, True])
def test_random_features_converge_as_the_root_of_their_number(rows, name, balanced):
    kernel = load_kernel(name)
    if balanced and not isinstance(kernel, Radial):
        pytest.skip("frequencies are at right angles for kernels of the Euclidean distance")
    draw = FourierFeatures.draw_balanced if balanced else FourierFeatures.draw
    gram = kernel.gram(rows, rows, GAMMA)
    numbers = np.array([100, 1000, 10_000])
    errors = []
    for number in numbers:
        squares = []
        for seed in range(6):
            features = draw(kernel, GAMMA, number, rows.shape[1], seed).features(rows)
            squares.append(np.mean((2.0 / number * features @ features.T - gram) ** 2))
        errors.append(np.sqrt(np.mean(squares)))
    exponent = np.polyfit(np.log(numbers), np.log(errors), 1)[0]
    assert -0.6 < exponent < -0.4
    assert errors[-1] < 1.2 / np.sqrt(numbers[-1])


@pytest.mark.parametrize("name", SMOOTH)
def test_gains_and_divergences_are_derivatives(rows, name):
    exact = ExactSpectrum.of(
        rows, load_kernel(name).distance(rows, rows), GAMMA, form=load_kernel(name)
    )
    rng = np.random.default_rng(0)
    total = np.zeros(6)
    for _ in range(200):
        change = exact.codes(rows + 1e-5 * rng.normal(size=rows.shape)) - exact.codes(rows)
        total += np.mean(change[:, :6] ** 2, axis=0) / 1e-10
    assert_allclose(total / 200, exact.noise_gains[:6], rtol=0.06)
    y, step = rows[:7] + 0.05, 1e-6
    axes = [np.broadcast_to(np.sqrt(5.0) * e, y.shape) for e in np.eye(5)]
    moves = all_iterations((0.5, 2.0))
    for move, _, divergence in exact.displacements(0.01, y, moves, axes):
        found = np.zeros(7)
        for e in axes:
            up, down = (
                next(iter(exact.displacements(0.01, y + sign * step * e, [move])))[1]
                for sign in (1, -1)
            )
            found += np.sum(e * (up - down) / (2 * step), axis=1) / 5
        assert_allclose(divergence, found, atol=1e-5)


@pytest.mark.parametrize("name", SMOOTH)
def test_one_step_goes_down_towards_the_target(rows, name):
    """The step equals minus the gradient of the distance to the target over 4 gamma g'(0) s."""
    form = load_kernel(name)
    some = ExactSpectrum.of(rows, form.distance(rows, rows), GAMMA, form=form).cut(4)
    y = rows[:5] + 0.05
    move = next(m for m in all_iterations((0.0,)) if m.steps == 1)
    ((_, moved, _),) = some.displacements(0.0, y, [move])
    a = 1 / len(rows) + some.codes(y) @ some.vectors.T

    def distance(x):
        return 1.0 - 2.0 * np.sum(a * form.gram(x, rows, GAMMA), axis=1)

    gradient = np.empty_like(y)
    for j in range(y.shape[1]):
        e = np.zeros(y.shape[1])
        e[j] = 1e-6
        gradient[:, j] = (distance(y + e) - distance(y - e)) / 2e-6
    pulls = form.slope(GAMMA * form.distance(y, rows))
    s = np.maximum(np.sum(a * pulls, axis=1), 0.5)[:, None]
    assert_allclose(moved, -gradient / (4 * GAMMA * form.steepness * s), atol=1e-7)


@pytest.mark.parametrize("name", SMOOTH)
def test_all_rows_as_landmarks_and_many_features_tend_to_the_exact_model(rows, name):
    form = load_kernel(name)
    exact = ExactSpectrum.of(rows, form.distance(rows, rows), GAMMA, form=form)
    move = next(m for m in all_iterations((1.0,)) if m.steps == 1)
    expected = next(iter(exact.displacements(0.01, rows + 0.1, [move])))[1]
    near = landmark_spectrum(rows, np.zeros(5), rows, rows, GAMMA, form=form)
    found = next(iter(near.displacements(0.01, rows + 0.1, [move])))[1]
    assert_allclose(found, expected, atol=1e-4)
    gaps = []
    # The length of a step is divided by sum_i a_i k_i there, and by that of the pulls here.
    expected = next(iter(exact.cut(40).displacements(0.01, rows + 0.1, [move])))[1]
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    for number in (200, 20_000):
        features = FourierFeatures.draw_balanced(form, GAMMA, number, 5, 0)
        found = spectrum(rows, np.zeros(5), features, number, 40)
        model = GaussNewtonModel.of(features, found, rows, 1.0, 1)
        moved = next(iter(model.displacements(0.01, rows + 0.1, [move])))[1]
        moved /= np.linalg.norm(moved, axis=1, keepdims=True)
        gaps.append(np.sqrt(np.mean((moved - expected) ** 2)))
    assert gaps[1] < 0.5 * gaps[0]


@pytest.mark.filterwarnings("ignore::ikpca_cli.errors.IkpcaWarning")
@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("n_rff", ["auto", 300])
def test_ikpca_takes_every_kernel(arcs, tmp_path, name, n_rff):
    noisy, clean = arcs
    model = IKPCA(kernel=name, n_rff=n_rff, noise_std=0.1).fit(noisy)
    cleaned = model.denoise(noisy)
    gain = np.mean((cleaned - clean) ** 2) / np.mean((noisy - clean) ** 2)
    # With an edge at 0 a kernel has few strong components: then rows may be left as they are.
    assert gain < 0.9 if is_smooth(name) else gain <= 1.0
    save_model(str(tmp_path / "m.joblib"), model)
    assert_allclose(load_model(str(tmp_path / "m.joblib")).denoise(noisy), cleaned, atol=1e-12)


@pytest.mark.filterwarnings("ignore::ikpca_cli.errors.IkpcaWarning")
@pytest.mark.parametrize("name", KERNELS)
def test_kernel_pca_takes_every_kernel(arcs, name):
    noisy, clean = arcs
    cleaned = KernelPCA(kernel=name).fit(noisy).denoise(noisy)
    assert np.mean((cleaned - clean) ** 2) < np.mean((noisy - clean) ** 2)


@pytest.mark.parametrize("name", [name for name in KERNELS if is_smooth(name)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_kernels_of_far_rows_are_no_denormal_numbers(name, dtype):
    form = load_kernel(name)
    u = np.geomspace(1e-6, 1e6, 400).astype(dtype)
    expected = form.value(u), form.slope(u), form.curvature(u)
    for found, given in zip(form.parts(u.copy()), expected, strict=True):
        assert_allclose(found, given, rtol=1e-6, atol=np.finfo(dtype).tiny ** 0.4)
        assert found.min() > np.finfo(dtype).tiny
