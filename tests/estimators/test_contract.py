"""What each method in the registry owes to its users, whatever the method."""

from __future__ import annotations

import h5py
import numpy as np
import pytest
from numpy.testing import assert_array_equal

from ikpca_cli import IKPCA, KernelPCA, load_model, save_model
from ikpca_cli.errors import IkpcaWarning, InputError, UsageError
from ikpca_cli.estimators.denoiser import load_method
from ikpca_cli.estimators.methods import METHODS
from ikpca_cli.models.kernels.kernel import load_kernel


@pytest.fixture(params=METHODS)
def method(request):
    return load_method(request.param)


def test_shape_dtype_and_fitted_values(method, arcs):
    noisy, _ = arcs
    model = method(2)
    assert model.fit(noisy) is model
    cleaned = model.denoise(noisy)
    assert cleaned.shape == noisy.shape
    assert cleaned.dtype == np.float64
    assert model.transform(noisy).shape == (120, 2)
    assert model.n_components_ == 2
    assert model.n_features_in_ == 5
    assert set(model.summary()) >= {"method", "n_samples", "gamma", "ridge", "n_rff", "noise_std"}


def test_one_seed_gives_one_answer(method, arcs):
    noisy, _ = arcs
    assert_array_equal(
        method(seed=3).fit(noisy).denoise(noisy), method(seed=3).fit(noisy).denoise(noisy)
    )


def test_input_stays_as_it_was(method, arcs):
    noisy = arcs[0].copy()
    noisy.setflags(write=False)
    method().fit(noisy).denoise(noisy)
    assert_array_equal(noisy, arcs[0])


@pytest.mark.parametrize("rff", [40, "auto"])
def test_single_precision(method, rff, arcs, tmp_path):
    if method is not IKPCA and rff == 40:
        pytest.skip("only ikpca has random features")
    given = {"n_rff": rff, "ridge": 0.5} if rff == 40 else {}
    noisy, _ = arcs
    double = method(3, **given).fit(noisy)
    single = method(3, dtype="float32", **given).fit(noisy)
    cleaned = single.denoise(noisy)
    assert cleaned.dtype == np.float32
    assert 0.0 < np.abs(cleaned - double.denoise(noisy)).max() < 1e-4 * np.abs(cleaned).max()
    arrays = {k: v for k, v in single.get_state().items() if isinstance(v, np.ndarray)}
    kept = {k for k, v in arrays.items() if v.dtype == np.float64}
    assert kept == {"mean_", "explained_variance_"}
    save_model(str(tmp_path / "m.joblib"), single)
    loaded = load_model(str(tmp_path / "m.joblib"))
    assert_array_equal(loaded.denoise(noisy), cleaned)
    assert_array_equal(single.variant(2).denoise(noisy), loaded.variant(2).denoise(noisy))


@pytest.mark.filterwarnings("ignore::ikpca_cli.errors.IkpcaWarning")
@pytest.mark.parametrize("dtype", [">f8", "<f4", np.float16, np.int32, np.longdouble, bool])
def test_any_real_dtype_is_read(method, dtype):
    rows = np.random.default_rng(1).integers(-2, 3, (40, 4)).astype(dtype)
    model = method(2).fit(rows)
    assert_array_equal(model.denoise(rows), method(2).fit(rows.astype(float)).denoise(rows))


def test_any_memory_order_and_source_is_read(method, arcs, tmp_path):
    noisy, _ = arcs
    plain = method(2).fit(noisy).denoise(noisy)
    assert_array_equal(method(2).fit(np.asfortranarray(noisy)).denoise(noisy), plain)
    assert_array_equal(method(2).fit(np.repeat(noisy, 2, axis=1)[:, ::2]).denoise(noisy), plain)
    assert_array_equal(method(2).fit(noisy.tolist()).denoise(noisy.tolist()), plain)
    with h5py.File(tmp_path / "x.h5", "w") as file:
        data = file.create_dataset("x", data=noisy)
        assert_array_equal(method(2).fit(data).denoise(data), plain)


def test_saved_and_loaded_is_equal(method, arcs, tmp_path):
    noisy, _ = arcs
    model = method().fit(noisy)
    path = str(tmp_path / "m.joblib")
    save_model(path, model)
    loaded = load_model(path)
    assert type(loaded) is method
    assert loaded.get_params() == model.get_params()
    assert_array_equal(loaded.denoise(noisy), model.denoise(noisy))
    save_model(str(tmp_path / "again.joblib"), loaded)
    assert (tmp_path / "again.joblib").read_bytes() == (tmp_path / "m.joblib").read_bytes()


def test_parameters_by_name(method):
    model = method(4, seed=9)
    assert model.get_params()["n_components"] == 4
    assert method(**model.get_params()).get_params() == model.get_params()
    assert model.set_params(n_components=2).n_components == 2
    assert repr(model).startswith(method.__name__)
    with pytest.raises(UsageError, match="has no parameter 'depth'"):
        model.set_params(depth=1)


def test_automatic_choice_is_no_copy_and_no_collapse(method, arcs):
    noisy, clean = arcs
    cleaned = method().fit(noisy).denoise(noisy)
    assert np.mean((cleaned - noisy) ** 2) > 0.1 * np.mean((noisy - clean) ** 2)
    assert np.all(cleaned.std(axis=0) > 0.5 * clean.std(axis=0))
    assert np.mean((cleaned - clean) ** 2) < 0.8 * np.mean((noisy - clean) ** 2)


def test_use_before_fit_is_refused(method):
    with pytest.raises(UsageError, match="call fit first"):
        method().denoise(np.zeros((2, 2)))


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        (np.zeros(5), "shape"),
        (np.zeros((2, 3, 4)), "shape"),
        (np.zeros((1, 3)), "1 row: at least 2"),
        (np.zeros((0, 3)), "0 rows"),
        (np.zeros((5, 0)), "no columns"),
        (np.ones((6, 3)), "alike"),
        (np.full((6, 3), 1j), "real"),
        (np.array([["a", "b"], ["c", "d"]]), "real"),
        (np.array([[1.0, np.nan], [2.0, 3.0]]), "row 1, column 2"),
        (np.array([[1.0, 2.0], [-np.inf, 3.0]]), "row 2, column 1"),
        (np.array([[1e-200, 0.0], [0.0, 1e-200]]), "double precision"),
        (np.array([[1e308, 0.0], [-1e308, 1e308]]), "row 1, column 1 is 1e\\+308"),
    ],
)
def test_rows_that_cannot_be_learned_from(method, rows, reason):
    with pytest.raises(InputError, match=reason):
        method().fit(rows)


def test_rows_of_another_width(method, arcs):
    model = method(2).fit(arcs[0])
    with pytest.raises(InputError, match="4 columns .* fitted on 5"):
        model.denoise(arcs[0][:, :4])


@pytest.mark.parametrize(
    "params",
    [
        {"n_components": 0},
        {"n_components": -2},
        {"noise_std": 0.0},
        {"noise_std": float("nan")},
        {"gamma": -1.0},
        {"gamma": 0.0},
        {"ridge": -0.1},
        {"ridge": float("inf")},
        {"seed": -1},
        {"kernel": "cosine"},
        {"dtype": "float16"},
        {"n_components": 1000},
    ],
)
def test_parameters_that_cannot_be_used(method, params, arcs):
    if not params.keys() <= set(method.parameter_names()):
        pytest.skip(f"{method.method} has no {min(params)}")
    with pytest.raises(UsageError):
        method(**params).fit(arcs[0])


@pytest.mark.filterwarnings("ignore::ikpca_cli.errors.IkpcaWarning")
def test_few_rows_of_many_columns(method):
    rng = np.random.default_rng(8)
    rows = np.outer(rng.normal(size=6), np.sin(np.arange(50.0))) + rng.normal(0, 0.1, (6, 50))
    assert np.isfinite(method().fit(rows).denoise(rows)).all()
    assert np.isfinite(method().fit(rows[:2]).denoise(rows)).all()


def test_random_features_fewer_than_columns_are_refused(arcs):
    with pytest.raises(UsageError, match="4 random features are fewer than the 5 columns"):
        IKPCA(n_rff=4).fit(arcs[0])


def test_random_features_close_to_the_columns_warn(arcs):
    with pytest.warns(IkpcaWarning, match="6 random features are close to the 5 columns"):
        IKPCA(2, n_rff=6, gamma=0.2, ridge=0.1).fit(arcs[0])


def test_the_noise_of_a_user_is_not_our_features():
    noise = np.random.default_rng(0).normal(size=(50, 4))
    drawn = IKPCA(2, n_rff=50, gamma=0.5, ridge=0.1, noise_std=1.0, seed=0).fit(noise).W_
    assert np.abs(np.corrcoef(drawn.ravel(), noise.ravel())[0, 1]) < 0.3


@pytest.mark.parametrize("draw", ["draw", "draw_balanced"])
def test_features_of_a_kind_do_not_depend_on_how_many_there_are(draw):
    from ikpca_cli.models.random_features import FourierFeatures

    kernel = load_kernel("gaussian")
    few, many = (getattr(FourierFeatures, draw)(kernel, 1.0, r, 3, seed=2) for r in (10, 40))
    assert_array_equal(few.W, many.W[:10])
    assert_array_equal(few.b, many.b[:10])


def test_kernel_matrix_that_does_not_fit_is_refused(monkeypatch):
    monkeypatch.setattr("ikpca_cli.data.memory.available_bytes", lambda: 10**9)
    with pytest.raises(InputError, match=r"kpca needs a 20 GB kernel matrix .* 50000 rows"):
        KernelPCA(2).fit(np.random.default_rng(0).normal(size=(50_000, 2)))


def test_arrays_are_laid_out_as_they_are_read_back(method, arcs):
    """Else products of matrices round in another way after a model was saved."""
    noisy, _ = arcs
    state = method().fit(noisy).get_state()
    arrays = {name: value for name, value in state.items() if isinstance(value, np.ndarray)}
    assert arrays
    assert [name for name, value in arrays.items() if not value.flags.c_contiguous] == []
