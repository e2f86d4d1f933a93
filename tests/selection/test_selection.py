"""The blind choice: risk estimate, and what is chosen."""

from __future__ import annotations

import h5py
import numpy as np
import pytest
from numpy.testing import assert_allclose

from ikpca_cli import IKPCA, PCA
from ikpca_cli.errors import IkpcaNote, InputError, UsageError
from ikpca_cli.estimators.decisions.conflicts import check_spectrum
from ikpca_cli.estimators.denoiser import load_method
from ikpca_cli.estimators.methods import METHODS
from ikpca_cli.models.preimage import Iteration
from ikpca_cli.models.smoothing.detection import find_order
from ikpca_cli.models.smoothing.order import RowOrder
from ikpca_cli.noise.estimate import NoiseLevel
from ikpca_cli.selection.displacements import Displacements
from ikpca_cli.selection.grid import stein_risk
from ikpca_cli.selection.least_risk import best_weights, optimism, risks_of
from ikpca_cli.selection.outcome import Expansion
from ikpca_cli.selection.row_order import best_order
from tests.conftest import ROOT


def sines(n_samples, seed, noise=0.3):
    """Return noisy and clean sines of random phase, (n_samples, 60)."""
    rng = np.random.default_rng(np.random.SeedSequence([77, seed]))
    phase = rng.uniform(0, 2 * np.pi, (n_samples, 1))
    clean = np.sin(np.linspace(0, 2 * np.pi, 60) + phase)
    return clean + rng.normal(scale=noise, size=clean.shape), clean


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


def test_an_order_is_taken_by_what_its_smoothers_are_worth():
    """Filters of lines and of pictures leave as much of small digits; their smoothers do not."""
    with h5py.File(ROOT / "sample_data/digits.h5") as file:
        noisy = np.asarray(file["train"][:300], dtype=np.float64).reshape(-1, 64)
    rng, mean = np.random.default_rng(0), noisy.mean(axis=0)
    assert find_order(noisy - mean, 0.25**2) == RowOrder(64, 1)
    found = best_order(noisy - mean, mean, 0.25**2, rng)
    assert (found.height, found.width) == (8, 8)
    rows, _ = sines(200, 4)
    mean = rows.mean(axis=0)
    assert best_order(rows - mean, mean, 0.3**2, rng) == RowOrder(60, 1)


def test_few_rows_of_few_directions_are_left_to_linear_components():
    """The weights of dozens of candidates owe too much to the noise of four hundred numbers."""
    rng = np.random.default_rng([42, 5])
    clean = 5.0 * rng.normal(size=(240, 2)) @ rng.normal(size=(2, 10))
    noisy = clean + rng.normal(size=clean.shape)
    given = {"noise_std": 1.0, "noise_model": "white"}
    models = IKPCA(**given).fit(noisy[:40]), PCA(**given).fit(noisy[:40])
    ours, linear = (np.mean((model.denoise(noisy[40:]) - clean[40:]) ** 2) for model in models)
    assert ours < 1.1 * linear


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


def test_shrinkage_and_a_number_of_components_exclude_each_other():
    with pytest.raises(UsageError, match="leave their number out"):
        PCA(3, shrink="optimal").fit(sines(30, 1)[0])
    with pytest.raises(UsageError, match="'much' is not allowed"):
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


def test_a_second_gamma_is_chosen_where_rows_are_broad_and_fine():
    """A curve with a broad course and fine turns, which one width of the kernel cannot follow."""
    rng = np.random.default_rng(0)
    mixing = rng.normal(size=(4, 10)) / 2.0

    def curve(n_samples):
        place = rng.uniform(size=(n_samples, 1))
        turn = 2.0 * np.pi * place
        fine = [0.8 * np.cos(4.0 * turn), 0.8 * np.sin(4.0 * turn)]
        return np.hstack([3.0 * place, 2.0 * np.cos(turn), *fine]) @ mixing

    train, clean = curve(200), curve(400)
    train = train + rng.normal(scale=0.2, size=train.shape)
    noisy = clean + rng.normal(scale=0.2, size=clean.shape)
    models = [
        IKPCA(order="none", noise_std=0.2, second_gamma=given).fit(train)
        for given in ("auto", "none")
    ]
    assert models[0].summary()["second_gamma"] is not None
    assert models[1].summary()["second_gamma"] is None
    errors = [np.mean((model.denoise(noisy) - clean) ** 2) for model in models]
    assert errors[0] < 0.99 * errors[1]


def test_a_pair_has_to_save_something_where_risks_are_negative():
    weights = ({Iteration(1.0, False, 1): 1.0},) * 2
    least, more, less = (Expansion((1.0, 2.0), weights, risk, 0.1) for risk in (-1.0, -0.99, -1.1))
    assert less.saves(0.01, least)
    assert not more.saves(0.01, least)
    assert not least.saves(0.0, least)


def test_refined_features_on_rows_wider_than_a_block_of_them(monkeypatch):
    monkeypatch.setattr("ikpca_cli.models.kernels.kernel.ORTHOGONAL", 40)
    monkeypatch.setattr("ikpca_cli.models.random_features.ORTHOGONAL", 40)
    monkeypatch.setattr("ikpca_cli.estimators.preimages.gauss_newton_kind.CHOICE_RFF", 100)
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
    monkeypatch.setattr(
        "ikpca_cli.estimators.decisions.noise_decision.estimate_noise", lambda rows: wrong
    )
    with pytest.warns(UserWarning, match="cannot be right"):
        model = IKPCA().fit(train)
    assert model.noise_std_ is None
    np.testing.assert_array_equal(model.denoise(train), train)  # nothing is known of the noise


@pytest.mark.parametrize("method", ["ikpca", "kpca"])
@pytest.mark.parametrize("gamma", [1e-40, 1e40])
def test_a_gamma_far_off_is_refused(method, gamma):
    with pytest.raises(UsageError, match="use about"):
        load_method(method)(gamma=gamma).fit(sines(40, 1)[0])


@pytest.mark.parametrize("method", METHODS)
def test_an_offset_that_single_precision_cannot_hold_is_refused(method):
    with pytest.raises(InputError, match="subtract"):
        load_method(method)(dtype="float32").fit(1e8 + sines(30, 1)[0])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("scale", [1e-40, 1e40])
def test_a_spread_beyond_single_precision_is_refused(method, scale):
    with pytest.raises(InputError, match="single precision"):
        load_method(method)(dtype="float32").fit(scale * sines(30, 1)[0])


def test_warnings_name_the_line_that_called_fit():
    with pytest.warns(UserWarning, match="close to the 60 columns") as found:
        IKPCA(2, n_rff=70, gamma=0.1, ridge=1.0, noise_std=0.3).fit(sines(30, 1)[0])
    assert found[0].filename == __file__


def test_neighbours_that_are_alike_are_made_use_of():
    """Smooth rows get much better for it; the same rows with columns shuffled lose next to nothing.

    Means over a few draws: what 120 rows choose differs by more than what is to be seen.
    """
    places = np.random.default_rng(11).permutation(60)
    errors = []
    for seed in range(4):
        noisy, clean = sines(320, 100 + seed)
        kinds = {"none": slice(None), "auto": slice(None), "shuffled": places}
        for kind, columns in kinds.items():
            order = "none" if kind == "none" else "auto"
            model = IKPCA(order=order, noise_std=0.3).fit(noisy[:120, columns])
            assert model.order_ == {"none": None, "auto": "line", "shuffled": "none"}[kind]
            cleaned = model.denoise(noisy[120:, columns])
            errors.append(np.mean((cleaned - clean[120:, columns]) ** 2))
    alone, smoothed, shuffled = np.reshape(errors, (4, 3)).mean(axis=0)
    assert smoothed < 0.8 * alone
    assert shuffled < 1.03 * alone


@pytest.mark.parametrize("digits", [None, 3])
@pytest.mark.parametrize("method", METHODS)
def test_rows_that_come_twice_choose_as_they_would_once(method, digits):
    noisy, clean = sines(300, 21)
    again = noisy[:100] if digits is None else noisy[:100].round(digits)
    errors = []
    for train in (noisy[:100], np.concatenate([noisy[:100], again])):
        model = load_method(method)(noise_std=0.3).fit(train)
        errors.append(np.mean((model.denoise(noisy[100:]) - clean[100:]) ** 2))
        assert model.estimated_mse_ is None or model.estimated_mse_ > 0.0
    # Other rows are held out, so the choice may be another; by duplicates it is 20 times worse.
    assert errors[1] < 1.25 * errors[0]


def test_a_choice_that_chose_itself_promises_less_than_it_did():
    """Weights judged on rows that did not choose them have the larger risk."""
    rng = np.random.default_rng(2)
    rows = rng.normal(size=(12, 20))
    steps = rng.normal(size=(30, 12, 20))
    gains = np.einsum("kij,ij->ki", steps, rows) / 20
    part = Displacements(steps, gains, np.mean(rows**2, axis=1))
    usable = np.ones(30, dtype=bool)
    weights = best_weights([part], usable, 0)
    least = risks_of([part], weights, part.before).mean()
    direct = np.mean((rows + np.tensordot(weights, steps, 1)) ** 2)
    assert least == pytest.approx(direct)
    fresh = rng.normal(size=(30, 5000, 20))
    error = rng.normal(size=(5000, 20))
    harm = np.mean((error + np.tensordot(weights, fresh, 1)) ** 2) - np.mean(error**2)
    gap = optimism([part], usable, 0)
    assert (
        0.5 * (part.before.mean() - least + harm) < gap < 2.0 * (part.before.mean() - least + harm)
    )


def test_optimism_is_that_of_weights_found_on_the_other_rows():
    rng = np.random.default_rng(5)
    steps = rng.normal(size=(6, 41, 4))
    part = Displacements(steps, rng.normal(scale=0.5, size=(6, 41)), np.ones(41))
    usable, total = np.ones(6, dtype=bool), 0.0
    for fold in np.array_split(np.arange(41), 4):
        weights = best_weights([part.some(np.setdiff1d(np.arange(41), fold))], usable, 3)
        total += risks_of([part.some(fold)], weights, np.zeros(len(fold))).sum()
    least = risks_of([part], best_weights([part], usable, 3), np.zeros(41)).mean()
    assert_allclose(optimism([part], usable, 3), 2.0 / (1.0 + 4.0 / 3.0) * (total / 41 - least))


@pytest.mark.filterwarnings("ignore::ikpca_cli.errors.IkpcaWarning")
def test_a_row_beyond_all_others_is_left_out_or_named_as_the_cause():
    rng = np.random.default_rng(3)
    rows = np.sin(rng.uniform(0.0, 6.0, (150, 1)) + np.linspace(0.0, 6.0, 60))
    rows += rng.normal(scale=0.3, size=rows.shape)
    rows[7] = 1e20
    with pytest.warns(IkpcaNote, match="row 8"):
        model = PCA().fit(rows)
    assert_allclose(model.noise_std_, 0.3, rtol=0.05)
    with pytest.raises(InputError, match="far beyond all others"):
        check_spectrum(0, 3, exact=False, by_gamma=False)
