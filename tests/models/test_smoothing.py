"""Smoothers along the row: transforms, derivatives, weights, and what a model keeps of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.fft import dct
from scipy.stats import multivariate_normal

from ikpca_cli import IKPCA
from ikpca_cli.data.precision import rounded_fields
from ikpca_cli.models.companions import Companions, LowPassRows
from ikpca_cli.models.smoothing.adaptive import ADAPTIVE
from ikpca_cli.models.smoothing.candidates import SmoothingFit, place_of_components
from ikpca_cli.models.smoothing.detection import find_order, signal_band
from ikpca_cli.models.smoothing.model import SmoothingModel
from ikpca_cli.models.smoothing.nonlocal_means import nonlocal_means
from ikpca_cli.models.smoothing.order import RowOrder
from ikpca_cli.models.smoothing.row_windows import WindowModel
from ikpca_cli.selection.displacements import Displacements, SmoothDisplacements

ORDERS = [
    RowOrder(30, 1),
    RowOrder(6, 5, across=True),
    RowOrder(10, 3),
    RowOrder(3, 10, down=False, across=True),
    RowOrder(30, 1, down=False),
]
LEVEL = 0.3


@pytest.fixture
def rows():
    """Smooth rows of 30 numbers with noise, and what has to be added to have them as they are."""
    rng = np.random.default_rng(7)
    phase = rng.uniform(0.0, 2.0 * np.pi, (40, 1))
    clean = np.sin(np.linspace(0.0, 6.0, 30) + phase) * rng.uniform(1.0, 3.0, (40, 1))
    noisy = clean + rng.normal(scale=LEVEL, size=clean.shape)
    return noisy - noisy.mean(axis=0), noisy.mean(axis=0)


def windows_of(order, X, offset):
    """Learn from windows, in double precision: None for rows without an order."""
    windows = WindowModel.learned(order, X, offset, LEVEL**2)
    return None if windows is None else rounded_fields(windows, np.float64)


@pytest.mark.parametrize("order", ORDERS)
def test_the_transform_is_orthonormal(order, rows):
    X, _ = rows
    Z = order.forward(X)
    assert_allclose(order.inverse(Z), X, atol=1e-12)
    assert_allclose(Z @ Z.T, X @ X.T, atol=1e-10)
    Z[0] += 1.0
    assert_allclose(order.inverse(Z)[1:], X[1:], atol=1e-12)
    assert not np.shares_memory(Z, X)
    low = order.inverse(Z[:, :7])
    assert_allclose(order.forward(low)[:, 7:], 0.0, atol=1e-12)
    assert order.sizes.sum() == 30
    assert_array_equal(RowOrder.from_array(order.to_array()).to_array(), order.to_array())


def test_the_transform_of_a_line_is_the_cosine_transform(rows):
    X, _ = rows
    assert_allclose(RowOrder(30, 1).forward(X), dct(X, norm="ortho"), atol=1e-12)


def test_channels_are_not_mixed(rows):
    X, _ = rows
    alone = np.zeros_like(X)
    alone[:, 1::3] = X[:, 1::3]
    order = RowOrder(10, 3)
    low = order.inverse(order.forward(alone)[:, :12])
    assert_allclose(np.delete(low, np.s_[1::3], axis=1), 0.0, atol=1e-12)


def test_roughness_is_the_penalty_of_second_differences():
    # On a line long enough that its ends do not matter, u is the mean squared second difference.
    order = RowOrder(400, 1)
    for place in (3, 10, 40):
        wave = order.inverse(np.eye(400)[place : place + 1])[0]
        assert_allclose(np.sum(np.diff(wave, 2) ** 2), order.roughness[place], rtol=0.05)


@pytest.mark.parametrize("order", ORDERS)
def test_divergences_are_those_of_the_displacements(order, rows):
    X, offset = rows
    windows = windows_of(order, X[10:], offset)
    fit = SmoothingFit.of(order, X[10:], offset, LEVEL**2, windows)
    rng = np.random.default_rng(0)
    e = rng.choice((-1.0, 1.0), X[:10].shape)
    Z, dZ, step = order.forward(X[:10]) - fit.centre, order.forward(e), 1e-6
    assert fit.names[place_of_components(order)] == "components of 30 coefficients"
    _, turns = fit.dense(Z, [dZ], np.ones(30))
    above, below = (fit.dense(Z + sign * step * dZ, [], np.ones(30))[0] for sign in (1, -1))
    along = np.einsum("ij,kij->ki", dZ, above - below) / (2.0 * step)
    adaptive = len(ADAPTIVE) + (windows is not None)
    assert_allclose(turns[-adaptive:], along[-adaptive:], rtol=1e-5, atol=1e-6)
    # Those of linear smoothers are exact, and those along all axes add up to them.
    axes = np.eye(30)
    linear = len(turns) - adaptive
    traces = np.zeros(linear)
    for axis in axes:
        moved = fit.dense(order.forward(axis[None]), [], np.ones(30))[0][:linear, 0]
        traces += moved @ order.forward(axis[None])[0]
    assert_allclose(turns[:linear, 0], traces, rtol=1e-8)


@pytest.mark.parametrize(
    ("order", "half", "reach"),
    [(RowOrder(6, 5, across=True), (1, 1), (5, 5)), (RowOrder(30, 1), (3, 0), (20, 0))],
)
def test_non_local_means_are_those_written_out(order, half, reach, rows):
    X, offset = rows
    X = (X + offset)[:3]
    sides = order.height, order.width
    places = [(y, x) for y in range(sides[0]) for x in range(sides[1])]
    padding = ((0, 0), (half[0], half[0]), (half[1], half[1]))
    padded = np.pad(X.reshape(-1, *sides), padding, mode="symmetric")
    patches = [padded[:, y : y + 2 * half[0] + 1, x : x + 2 * half[1] + 1] for y, x in places]
    expected = np.empty_like(X)
    for place, (y, x) in enumerate(places):
        weights = np.zeros_like(X)
        for other, (v, u) in enumerate(places):
            if abs(y - v) <= reach[0] and abs(x - u) <= reach[1]:
                apart = np.mean((patches[place] - patches[other]) ** 2, axis=(1, 2))
                unlike = np.maximum(apart - 2.0 * LEVEL**2, 0.0)
                weights[:, other] = np.exp(-unlike / (0.8 * LEVEL) ** 2)
        expected[:, place] = np.sum(weights * X, axis=1) / weights.sum(axis=1)
    moved, _ = nonlocal_means(order, LEVEL**2, order.forward(X), ())
    assert_allclose(X + order.inverse(moved), expected, atol=1e-10)


def test_rows_of_edges_are_cleaned_by_non_local_means_too():
    rng = np.random.default_rng(2)
    places = rng.uniform(5.0, 59.0, (2, 120, 1))
    clean = np.sum(rng.choice((-1.0, 1.0), (2, 120, 1)) * (np.arange(64) > places), axis=0)
    noisy = clean + rng.normal(scale=0.2, size=clean.shape)
    model = IKPCA(noise_std=0.2).fit(noisy[:80])
    kept = model.companions_.smoothing
    assert [name for name, _, _ in ADAPTIVE][-1] == "non-local means"
    assert kept.adaptive[-1] > 0.2
    error = np.mean((model.denoise(noisy[80:]) - clean[80:]) ** 2)
    without = replace(kept, adaptive=np.array([*kept.adaptive[:-1], 0.0]))
    model.companions_ = replace(model.companions_, smoothing=without)
    assert error < 0.8 * np.mean((model.denoise(noisy[80:]) - clean[80:]) ** 2)


@pytest.mark.parametrize(
    ("order", "size", "step"),
    [(RowOrder(8, 6, across=True), (4, 3), 2), (RowOrder(48, 1), (24, 1), 3)],
)
def test_numbers_are_the_mean_of_the_posterior_means_of_windows_around_them(order, size, step):
    rng = np.random.default_rng(4)
    clean = np.sin(np.linspace(0.0, 9.0, 48) + rng.uniform(0.0, 6.0, (60, 1)))
    X = clean + rng.normal(scale=LEVEL, size=clean.shape)
    windows = windows_of(order, X[3:], np.zeros(48))
    assert tuple(windows.size) == size
    covariances = []
    for k in range(len(windows.shares)):
        own = windows.owners == k
        U = windows.directions[own]
        assert_allclose(U @ U.T, np.eye(len(U)), atol=1e-5)
        covariances.append((U.T * windows.signal_variances[own]) @ U)
    grids, total, count = X[:3].reshape(-1, order.height, order.width), 0.0, 0.0
    for y in range(0, order.height - size[0] + 1, step):
        for x in range(order.width - size[1] + 1):
            at = np.zeros((order.height, order.width), dtype=bool)
            at[y : y + size[0], x : x + size[1]] = True
            W = grids[:, at]
            noisy = [C + LEVEL**2 * np.eye(W.shape[1]) for C in covariances]
            logs = [multivariate_normal(cov=C).logpdf(W) for C in noisy] + np.log(windows.shares)[
                :, None
            ]
            likely = np.exp(logs - logs.max(axis=0)) / np.exp(logs - logs.max(axis=0)).sum(axis=0)
            means = [
                np.linalg.solve(C, W.T).T @ signal
                for C, signal in zip(noisy, covariances, strict=True)
            ]
            found = np.zeros_like(grids)
            found[:, at] = np.einsum("ki,kij->ij", likely, means)
            total, count = total + found, count + at
    moved, _ = windows.displacements(order, LEVEL**2, order.forward(X[:3]), ())
    expected = (total / count).reshape(3, -1)
    assert_allclose(X[:3] + order.inverse(moved), expected, atol=1e-5)


def test_features_at_any_place_are_cleaned_by_windows_and_fixed_ones_without():
    rng = np.random.default_rng(6)
    t = np.arange(96)
    phase, size = rng.uniform(0.0, 1.0, (2, 160, 1))
    saws = (t / (30.0 + 20.0 * size) + phase) % 1.0
    noisy = saws + rng.normal(scale=0.2, size=saws.shape)
    model = IKPCA(noise_std=0.2).fit(noisy[:110])
    error = np.mean((model.denoise(noisy[110:]) - saws[110:]) ** 2)
    assert model.companions_.windows.weight[0] > 0.3
    assert error < 0.12 * 0.2**2
    again = IKPCA.from_state(model.get_params(), model.get_state())
    assert_array_equal(again.denoise(noisy[110:]), model.denoise(noisy[110:]))
    lines = size[:60] * t[::2] / 96.0
    noisy = lines + rng.normal(scale=0.2, size=lines.shape)
    assert IKPCA(noise_std=0.2).fit(noisy).companions_.windows is None


@pytest.mark.parametrize("order", ORDERS)
def test_products_are_those_of_displacements_written_out(order, rows):
    X, offset = rows
    varying = np.ones(30, dtype=bool)
    windows = windows_of(order, X[10:], offset)
    fit = SmoothingFit.of(order, X[10:], offset, LEVEL**2, windows)
    rng = np.random.default_rng(0)
    tangents = [rng.choice((-1.0, 1.0), X[:10].shape)]
    found = SmoothDisplacements.of(fit, X[:10], tangents, varying)
    names = fit.names
    each = np.array([found.together(row) for row in np.eye(len(names))])
    flat = each.reshape(len(each), -1)
    assert_allclose(found.products, flat @ flat.T / flat.shape[1], atol=1e-10)
    other = Displacements(rng.normal(size=(4, 10, 30)), np.zeros((4, 10)), np.zeros(10))
    crossed = flat @ other.steps.reshape(4, -1).T / flat.shape[1]
    assert_allclose(found.products_with(other), crossed, atol=1e-10)
    assert_allclose(found.farthest, np.linalg.norm(each, axis=2).max(axis=1), rtol=1e-10)
    # A model adds, to rows, what its weights make of the candidates.
    weights = rng.uniform(0.0, 1.0, len(names))
    model = SmoothingModel.of(fit, weights, varying)
    model.check()
    centred = X[:10] - order.inverse(fit.centre[None])
    moved = order.inverse(found.together(weights))
    if windows is not None:
        windows = replace(windows, weight=weights[-1:])
    assert_allclose(model.displacements(centred, windows), moved, atol=1e-10)


def test_gains_with_known_errors_are_inner_products(rows):
    X, offset = rows
    order = RowOrder(6, 5, across=True)
    fit = SmoothingFit.of(order, X[10:], offset, LEVEL**2)
    error = np.random.default_rng(3).normal(size=(10, 30))
    found = SmoothDisplacements.of(fit, X[:10], [], np.ones(30, dtype=bool), error)
    each = np.array([order.inverse(found.together(row)) for row in np.eye(len(fit.names))])
    assert_allclose(found.gains, np.einsum("kij,ij->ki", each, error) / 30, atol=1e-10)


def test_columns_without_variance_do_not_change(rows):
    X, offset = rows
    X = X.copy()
    X[:, [4, 11]] = 0.0
    varying = np.ptp(X, axis=0) > 0.0
    fit = SmoothingFit.of(RowOrder(30, 1), X, offset, LEVEL**2)
    model = SmoothingModel.of(fit, np.full(len(fit.names), 0.3), varying)
    assert_array_equal(model.displacements(X)[:, [4, 11]], 0.0)
    found = SmoothDisplacements.of(fit, X, [np.ones_like(X) * varying], varying)
    noise = np.random.default_rng(5).normal(size=(4000, 30)) * varying
    order = RowOrder(30, 1)
    first = order.forward(noise)[:, : order.sizes[0]]
    assert_allclose(found.gains[0, 0] * 30 / LEVEL**2, -np.mean(first**2), rtol=0.1)


@pytest.mark.parametrize("noise", [0.2, 0.001])
def test_the_order_along_rows_is_found(noise):
    """Also where the signal stands out of the noise at every frequency."""
    rng = np.random.default_rng(0)
    y, x = np.mgrid[:8, :9] / 8.0
    centre = rng.uniform(0.0, 1.0, (2, 300, 1, 1))
    pictures = np.exp(-((y - centre[0]) ** 2 + (x - centre[1]) ** 2) / 0.1).reshape(300, -1)
    t = np.linspace(0.0, 6.0, 36)
    signals = np.sin(t + rng.uniform(0.0, 6.0, (300, 1)))
    other = np.sin(t + rng.uniform(0.0, 6.0, (300, 1)))
    channels = np.stack([signals, -other], axis=2).reshape(300, -1)
    found = []
    for clean in (pictures, signals, channels, channels[:, np.r_[0:72:2, 1:72:2]]):
        noisy = clean + rng.normal(scale=noise, size=clean.shape)
        found.append(find_order(noisy - noisy.mean(axis=0), noise**2))
    assert found == [
        RowOrder(8, 9, across=True),
        RowOrder(36, 1),
        RowOrder(36, 2),
        RowOrder(2, 36, down=False, across=True),
    ]
    assert find_order(np.ones((20, 7)), 1.0) is None
    noisy = signals + rng.normal(scale=noise, size=signals.shape)
    shuffled = (noisy - noisy.mean(axis=0))[:, rng.permutation(36)]
    assert find_order(shuffled, noise**2) == RowOrder(36, 1, down=False)


def test_the_band_of_the_signal_is_found():
    rng = np.random.default_rng(0)
    order = RowOrder(100, 1)
    Z = rng.normal(size=(200, 100))
    Z[:, :20] *= 3.0
    count = signal_band(order, order.inverse(Z), 1.0, 1.0)
    assert 20 <= count <= 27
    assert signal_band(order, rng.normal(size=(200, 100)), 1.0, 1.0) == 0


def test_companions_are_refused_where_their_numbers_cannot_be(rows):
    X, offset = rows
    fit = SmoothingFit.of(RowOrder(30, 1), X, offset, LEVEL**2)
    model = SmoothingModel.of(fit, np.full(len(fit.names), 0.1), np.ones(30, dtype=bool))
    order = RowOrder(30, 1)
    windows = windows_of(order, X, offset)
    state = Companions(model, windows=windows).get_state()
    assert Companions.from_state(dict.fromkeys(Companions.STATE), "gaussian") is None
    again = Companions.from_state(state, "gaussian")
    assert again is not None
    assert_array_equal(again.added(X), Companions(model, windows=windows).added(X))
    for name, value in {
        "smoothing_order_": [29.0, 1.0, 1.0, 0.0],
        "smoothing_order_ ": [30.0, 1.0, 2.0, 0.0],
        "smoothing_adaptive_": [1.0],
        "smoothing_noise_variance_": [0.0],
        "low_gammas_": [1.0],
        "windows_size_": [31.0, 1.0],
        "windows_size_ ": [14.0, 1.0],
        "windows_weight_": [0.0],
        "windows_shares_": [1.0],
        "windows_owners_": None,
    }.items():
        changed = None if value is None else np.array(value)
        with pytest.raises(ValueError, match="its "):
            Companions.from_state(state | {name.strip(): changed}, "gaussian")


def test_rows_of_low_frequency_are_those_of_the_transform(rows):
    X, offset = rows
    order = RowOrder(6, 5, across=True)
    some = LowPassRows(X + offset, offset, order, 9)
    assert some.shape == (40, 9)
    assert_allclose(some[5:8], order.forward(X[5:8])[:, :9], atol=1e-12)


def test_lines_of_pictures_are_kept_that_lie_on_some_coefficients_of_a_band():
    """Of upright and level strokes at 20 dB .53 of the noise is left without Wiener's filter."""
    rng = np.random.default_rng(np.random.SeedSequence([86]))
    pictures = np.zeros((250, 10, 10))
    for picture in pictures:
        for place, is_level in zip(rng.integers(1, 9, 2), rng.random(2) < 0.5, strict=True):
            line = picture[place] if is_level else picture[:, place]
            line[1:9] = 1.0
    clean = pictures.reshape(250, 100)
    std = 0.1 * np.sqrt(np.mean((clean - clean.mean(axis=0)) ** 2))
    noisy = clean + std * rng.normal(size=clean.shape)
    cleaned = IKPCA().fit(noisy[:166]).denoise(noisy[166:])
    assert np.mean((cleaned - clean[166:]) ** 2) < 0.47 * std**2
