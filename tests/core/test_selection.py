"""The blind choice: noise level, risk estimate, and what is chosen."""

from __future__ import annotations

import numpy as np
import pytest

from ikpca_cli import IKPCA, PCA
from ikpca_cli.core.blind import Blend
from ikpca_cli.core.methods import METHODS, load_method
from ikpca_cli.core.moves import Move
from ikpca_cli.core.neighbourhoods import thickness
from ikpca_cli.core.noise import NoiseLevel, estimate_noise
from ikpca_cli.core.pca import shrinkage
from ikpca_cli.core.selection import stein_risk
from ikpca_cli.errors import InputError, UsageError


def sines(n_samples, seed, noise=0.3):
    """Return noisy and clean sines of random phase, (n_samples, 60)."""
    rng = np.random.default_rng(np.random.SeedSequence([77, seed]))
    phase = rng.uniform(0, 2 * np.pi, (n_samples, 1))
    clean = np.sin(np.linspace(0, 2 * np.pi, 60) + phase)
    return clean + rng.normal(scale=noise, size=clean.shape), clean


@pytest.mark.parametrize("noise", [0.05, 0.3, 1.0])
def test_noise_level_from_the_spectrum(noise):
    assert estimate_noise(sines(200, 1, noise)[0]).std == pytest.approx(noise, rel=0.05)
    wide = sines(40, 1, noise)[0]
    assert estimate_noise(wide - wide.mean(axis=0)).std == pytest.approx(noise, rel=0.1)


@pytest.mark.parametrize("noise", [0.05, 0.15])
def test_noise_level_from_neighbourhoods(noise):
    rng = np.random.default_rng(4)
    angle, across = rng.uniform(0, np.pi, 1500), rng.uniform(0, 2, 1500)
    clean = np.stack([2 * np.cos(angle), 2 * np.sin(angle), across], axis=1)
    noisy = clean + rng.normal(scale=noise, size=clean.shape)
    found = estimate_noise(noisy - noisy.mean(axis=0))
    assert found.certain
    assert found.std == pytest.approx(noise, rel=0.15)


@pytest.mark.parametrize(("noise", "within"), [(0.02, 0.03), (0.05, 0.03), (0.1, 0.06)])
def test_the_bend_of_a_surface_is_not_noise(noise, within):
    rng = np.random.default_rng(np.random.SeedSequence([34]))
    clean = rng.normal(size=(2000, 3))
    clean /= np.linalg.norm(clean, axis=1, keepdims=True)
    noisy = clean + rng.normal(scale=noise, size=clean.shape)
    assert estimate_noise(noisy - noisy.mean(axis=0)).std == pytest.approx(noise, rel=within)


@pytest.mark.parametrize("rows", [(40, 3), (60, 2), (200, 5)])
def test_noise_on_a_lattice_is_within_its_spread(rows):
    rng = np.random.default_rng(np.random.SeedSequence([35]))
    level = estimate_noise(rng.integers(-1, 2, rows).astype(float))
    assert level.std is None or 0.1 < level.std < 1.0


GROUPS = [(1000, 4, (9, 10)), (2000, 5, (10, 14)), (2000, 6, (12,))]


@pytest.mark.parametrize(("n_samples", "n_features", "groups"), GROUPS)
def test_small_groups_far_from_a_plane_do_not_change_its_thickness(n_samples, n_features, groups):
    rng = np.random.default_rng(np.random.SeedSequence([38]))
    clean = rng.normal(size=(n_samples, 2)) @ rng.normal(size=(2, n_features)) * 3.0
    far = [np.full((size, n_features), 1000.0 * (k + 1)) for k, size in enumerate(groups)]
    found = []
    for rows in (clean, np.concatenate([clean, *far])):
        noisy = rows[rng.permutation(len(rows))] + rng.normal(scale=0.3, size=rows.shape)
        found.append(thickness(noisy - noisy.mean(axis=0)).std)
    assert found[1] == pytest.approx(found[0], rel=0.1)


def test_marks_on_quiet_columns_are_not_noise():
    rng = np.random.default_rng(np.random.SeedSequence([36]))
    marked = rng.uniform(size=(1000, 200)) < np.linspace(0.05, 0.9, 200)
    clean = marked * rng.uniform(0.2, 2.0, (1000, 200))
    noisy = clean + rng.normal(scale=0.25, size=clean.shape)
    assert estimate_noise(noisy - noisy.mean(axis=0)).std == pytest.approx(0.25, rel=0.02)


def test_few_quiet_columns_do_not_overrule_the_spectrum():
    levels = []
    for seed in range(40):
        rng = np.random.default_rng(np.random.SeedSequence([32, seed]))
        X = np.outer(rng.normal(size=60), np.ones(24)) + rng.normal(size=(60, 24))
        levels.append(estimate_noise(X - X.mean(axis=0)).std)
    assert min(levels) > 0.85


@pytest.mark.parametrize("noise", [0.7, 3.0])
def test_noise_level_of_integers(noise):
    rng = np.random.default_rng(np.random.SeedSequence([33]))
    X = np.round(
        np.outer(5.0 * rng.normal(size=400), np.ones(30)) + noise * rng.normal(size=(400, 30))
    )
    expected = np.sqrt(noise**2 + 1.0 / 12.0)  # rounding is noise, too
    assert estimate_noise(X - X.mean(axis=0)).std == pytest.approx(expected, rel=0.05)


def test_noise_level_of_a_single_column_is_unknown():
    level = estimate_noise(np.arange(-4.0, 5.0)[:, None])
    assert (level.std, level.certain) == (None, False)


@pytest.mark.parametrize("method", METHODS)
def test_estimated_risk_is_near_the_true_error(method):
    train, _ = sines(200, 2)
    noisy, clean = sines(2000, 3)
    model = load_method(method)().fit(train)
    probe = np.random.default_rng(np.random.SeedSequence([5])).standard_normal(noisy.shape)
    estimate, error = stein_risk(model.denoise, noisy, 0.3, probe)
    truth = np.mean((model.denoise(noisy) - clean) ** 2)
    assert estimate == pytest.approx(truth, abs=0.03 * 0.3**2)
    assert abs(estimate - truth) < 4 * error


def test_defaults_on_sines_cut_the_error_eightfold():
    train, _ = sines(200, 4)
    noisy, clean = sines(40, 5)
    before = np.mean((noisy - clean) ** 2)
    model = IKPCA().fit(train)
    assert np.mean((model.denoise(noisy) - clean) ** 2) < before / 8
    assert PCA().fit(train).n_components_ == 2


def test_given_values_are_kept():
    train, _ = sines(100, 6)
    model = IKPCA(7, gamma=0.01, noise_std=0.2).fit(train)
    assert (model.n_components_, model.gamma_, model.noise_std_) == (7, 0.01, 0.2)
    assert IKPCA(ridge=0.5).fit(train).ridge_ == 0.5


def test_optimal_shrinkage_beats_every_cut():
    rng = np.random.default_rng(np.random.SeedSequence([31]))
    scales = np.array([3.0, 1.0, 0.6, 0.45])
    basis = np.linalg.qr(rng.normal(size=(40, 4)))[0].T
    clean = (rng.normal(size=(1000, 4)) * scales) @ basis
    noisy = clean + rng.normal(scale=0.5, size=clean.shape)
    train, test, wanted = noisy[:600], noisy[600:], clean[600:]
    model = PCA(shrink="optimal", noise_std=0.5).fit(train)
    error = np.mean((model.denoise(test) - wanted) ** 2)
    assert np.all(np.diff(model.weights_) <= 0)
    assert np.all((model.weights_ > 0) & (model.weights_ < 1))
    for count in range(1, 8):
        assert error < np.mean((PCA(count).fit(train).denoise(test) - wanted) ** 2)


def test_shrinkage_is_the_published_function():
    # Two values worked out by hand from the formula, for a square and a long matrix.
    assert shrinkage(np.array([9.0]), 101, 100, 1.0)[0] == pytest.approx(
        np.sqrt((9.09 - 2) ** 2 - 4) / 9.09
    )
    assert shrinkage(np.array([4.0]), 401, 100, 1.0)[0] == pytest.approx(
        np.sqrt((4.01 - 1.25) ** 2 - 1) / 4.01
    )
    assert shrinkage(np.array([2.2]), 401, 100, 1.0)[0] == 0.0


def test_shrinkage_and_a_number_of_components_exclude_each_other():
    with pytest.raises(UsageError, match="leave their number out"):
        PCA(3, shrink="optimal").fit(sines(30, 1)[0])
    with pytest.raises(UsageError, match="unknown"):
        PCA(shrink="much").fit(sines(30, 1)[0])
    assert np.all(PCA(3).fit(sines(30, 1)[0]).weights_ == 1.0)


@pytest.mark.parametrize("n_rff", ["exact", 400])
def test_on_rows_in_a_plane_ikpca_is_as_good_as_pca(n_rff):
    rng = np.random.default_rng(np.random.SeedSequence([37]))
    clean = rng.normal(size=(500, 3)) @ rng.normal(size=(3, 40))
    noisy = clean + rng.normal(scale=1.0, size=clean.shape)
    errors = [
        np.mean((model.fit(noisy[:200]).denoise(noisy[200:]) - clean[200:]) ** 2)
        for model in (IKPCA(n_rff=n_rff), PCA())
    ]
    assert errors[0] < 1.05 * errors[1]


@pytest.mark.filterwarnings("ignore::ikpca_cli.errors.IkpcaWarning")
@pytest.mark.parametrize("shape", [(20, 3), (60, 10), (200, 3), (60, 4)])
def test_the_search_ends_on_noise(shape):
    for seed in range(6):
        rows = np.random.default_rng(np.random.SeedSequence([39, seed])).normal(size=shape)
        assert np.isfinite(IKPCA().fit(rows).gamma_)


def test_a_pair_has_to_save_something_where_risks_are_negative():
    weights = ({Move(1.0, False, 1): 1.0},) * 2
    least, more, less = (Blend((1.0, 2.0), weights, risk, 0.1) for risk in (-1.0, -0.99, -1.1))
    assert less.saves(0.01, least)
    assert not more.saves(0.01, least)
    assert not least.saves(0.0, least)


def test_refined_features_on_rows_wider_than_a_block_of_them(monkeypatch):
    monkeypatch.setattr("ikpca_cli.core.kernels.ORTHOGONAL", 40)
    monkeypatch.setattr("ikpca_cli.core.fourier.ORTHOGONAL", 40)
    monkeypatch.setattr("ikpca_cli.core.ikpca.CHOICE_RFF", 100)
    rng = np.random.default_rng(np.random.SeedSequence([40]))
    clean = np.sin(np.linspace(0, 6, 100) + rng.uniform(0, 2 * np.pi, (150, 1)))
    noisy = clean + rng.normal(scale=0.5, size=clean.shape)
    for n_rff in (200, 400, 600):
        model = IKPCA(n_rff=n_rff, inverse="refined", noise_std=0.5).fit(noisy[:120])
        assert np.mean((model.denoise(noisy[120:]) - clean[120:]) ** 2) < 0.2 * 0.5**2


def test_rows_that_are_all_but_alike_are_refused():
    rows = np.concatenate([np.zeros((50_000, 3)), np.ones((1, 3))])
    with pytest.raises(InputError, match="alike"), pytest.warns(UserWarning, match="cannot be"):
        IKPCA(n_rff=100, inverse="refined").fit(rows)


@pytest.mark.parametrize("method", METHODS)
def test_an_impossible_noise_level_promises_nothing(method):
    train, _ = sines(200, 8)
    with pytest.warns(UserWarning, match="cannot be right"):
        model = load_method(method)(noise_std=1.5).fit(train)
    assert model.estimated_mse_ is None


def test_a_wrong_noise_level_is_not_used(monkeypatch):
    train, _ = sines(200, 8)
    wrong = NoiseLevel(1.5, certain=True)
    monkeypatch.setattr("ikpca_cli.core.selection.estimate_noise", lambda rows: wrong)
    with pytest.warns(UserWarning, match="cannot be right"):
        model = IKPCA().fit(train)
    assert model.noise_std_ is None
    assert np.mean((model.denoise(train) - train) ** 2) < 2 * 0.3**2


@pytest.mark.parametrize("method", ["ikpca", "kpca"])
@pytest.mark.parametrize("gamma", [1e-40, 1e40])
def test_a_gamma_far_off_is_refused(method, gamma):
    with pytest.raises(UsageError, match="use about"):
        load_method(method)(gamma=gamma).fit(sines(40, 1)[0])


@pytest.mark.parametrize("method", METHODS)
def test_an_offset_that_single_precision_cannot_hold_is_refused(method):
    with pytest.raises(InputError, match="subtract"):
        load_method(method)(dtype="float32").fit(1e8 + sines(30, 1)[0])


def curves(n_samples, n_features, rng):
    """Return points on a closed curve of several harmonics, (n_samples, n_features)."""
    turns = rng.uniform(0, 2 * np.pi, (n_samples, 1))
    k = np.arange(n_features)
    return np.cos((k // 2 + 1) * turns + k % 2 * np.pi / 2) / (k // 2 + 1)


@pytest.mark.parametrize("n_features", [4, 5, 8])
def test_noise_in_several_directions_across_a_curve(n_features):
    rng = np.random.default_rng(np.random.SeedSequence([41]))
    noisy = curves(1500, n_features, rng) + rng.normal(scale=0.1, size=(1500, n_features))
    level = estimate_noise(noisy - noisy.mean(axis=0))
    assert level.std == pytest.approx(0.1, rel=0.1)


@pytest.mark.parametrize("n_features", [2, 3, 4, 8])
@pytest.mark.parametrize("n_samples", [300, 1500])
def test_nothing_but_noise_in_few_columns(n_features, n_samples):
    rng = np.random.default_rng(np.random.SeedSequence([42]))
    noise = rng.normal(size=(n_samples, n_features))
    assert estimate_noise(noise - noise.mean(axis=0)).std == pytest.approx(1.0, rel=0.15)


def test_noise_on_a_line():
    rng = np.random.default_rng(np.random.SeedSequence([43]))
    noisy = np.outer(rng.normal(size=500), np.ones(3)) + rng.normal(scale=0.3, size=(500, 3))
    assert estimate_noise(noisy - noisy.mean(axis=0)).std == pytest.approx(0.3, rel=0.1)


def test_one_row_far_off_does_not_hide_the_noise():
    rng = np.random.default_rng(np.random.SeedSequence([44]))
    noisy = curves(300, 2, rng) + rng.normal(scale=0.1, size=(300, 2))
    noisy[7] = 1e8
    assert estimate_noise(noisy - noisy.mean(axis=0)).std == pytest.approx(0.1, rel=0.15)


def test_rows_that_come_ten_times_have_the_noise_of_one():
    rng = np.random.default_rng(np.random.SeedSequence([45]))
    noisy = curves(300, 2, rng) + rng.normal(scale=0.1, size=(300, 2))
    once = estimate_noise(noisy - noisy.mean(axis=0)).std
    assert estimate_noise(np.repeat(noisy, 10, axis=0) - noisy.mean(axis=0)).std == once


def test_few_rows_do_not_tell_the_noise():
    rows = np.random.default_rng(np.random.SeedSequence([46])).normal(size=(6, 20))
    assert estimate_noise(np.repeat(rows, 9, axis=0)).std is None


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("scale", [1e-40, 1e40])
def test_a_spread_beyond_single_precision_is_refused(method, scale):
    with pytest.raises(InputError, match="single precision"):
        load_method(method)(dtype="float32").fit(scale * sines(30, 1)[0])


def test_warnings_name_the_line_that_called_fit():
    with pytest.warns(UserWarning, match="close to the 60 columns") as found:
        IKPCA(2, n_rff=70, gamma=0.1, ridge=1.0, noise_std=0.3).fit(sines(30, 1)[0])
    assert found[0].filename == __file__
