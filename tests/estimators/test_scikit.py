"""The methods behave as scikit-learn's estimators do, without needing it."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix

from ikpca_cli import PCA
from ikpca_cli.errors import InputError, UsageError
from ikpca_cli.estimators.denoiser import load_method
from ikpca_cli.estimators.methods import METHODS
from ikpca_cli.evaluation.without_clean import estimate_error
from ikpca_cli.noise.models.noise_names import NOISE_MODELS
from ikpca_cli.transforms.column_scale import ColumnScale


@pytest.fixture(params=METHODS)
def estimator(request):
    """A method with no choice left to make."""
    given = {"gamma": 0.2, "ridge": 0.1, "noise_std": 0.1, "n_rff": 40}
    cls = load_method(request.param)
    return cls(3, **{key: given[key] for key in given.keys() & set(cls.parameter_names())})


def test_fit_takes_a_target_and_ignores_it(estimator, arcs):
    noisy, clean = arcs
    plain = estimator.fit(noisy).denoise(noisy)
    assert_array_equal(estimator.fit(noisy, clean).denoise(noisy), plain)
    assert_array_equal(estimator.fit(noisy, None).denoise(noisy), plain)


def test_fit_transform_is_fit_and_transform(estimator, arcs):
    noisy, _ = arcs
    codes = estimator.fit_transform(noisy, None)
    assert codes.shape == (120, 3)
    assert_array_equal(codes, estimator.transform(noisy))


def test_parameters_that_are_set_after_a_fit_are_for_the_next_one(estimator, arcs):
    noisy, _ = arcs
    estimator.set_params(n_components="auto", noise_std="auto").fit(noisy)
    louder = noisy + np.random.default_rng(8).normal(size=noisy.shape)
    before = [estimator.denoise(rows) for rows in (noisy, louder, noisy[:5])]
    told = estimator.summary(), estimate_error(estimator, louder)
    other = {"n_components": 1, "noise_std": 9.0, "seed": 7, "ridge": 8.0, "gamma": 50.0}
    estimator.set_params(**{name: other[name] for name in other.keys() & estimator.get_params()})
    for rows, cleaned in zip((noisy, louder, noisy[:5]), before, strict=True):
        assert_array_equal(estimator.denoise(rows), cleaned)
    assert (estimator.summary(), estimate_error(estimator, louder)) == told


def test_a_clone_is_an_unfitted_copy(estimator, arcs):
    base = pytest.importorskip("sklearn.base")
    estimator.set_params(seed=np.int64(7), noise_std=np.float32(0.5)).fit(arcs[0])
    other = base.clone(estimator)
    assert type(other) is type(estimator)
    assert other.get_params() == estimator.get_params()
    assert not hasattr(other, "mean_")


def test_a_clone_keeps_the_noise_that_was_given(estimator, arcs):
    base = pytest.importorskip("sklearn.base")
    levels = ColumnScale(np.linspace(0.05, 0.3, arcs[0].shape[1]))
    fits = [base.clone(estimator.set_noise(levels)).fit(arcs[0]), estimator.fit(arcs[0])]
    assert fits[0].noise_model_ == NOISE_MODELS.index("columns")
    assert_array_equal(*[fit.denoise(arcs[0]) for fit in fits])


def test_codes_have_names(estimator, arcs):
    with pytest.raises(UsageError, match="not fitted"):
        estimator.get_feature_names_out()
    names = estimator.fit(arcs[0]).get_feature_names_out(["a", "b"])
    assert names.tolist() == [f"{estimator.method}{place}" for place in range(3)]


@pytest.mark.parametrize("form", ["pandas", "polars"])
def test_codes_come_as_the_data_frame_that_is_asked_for(estimator, arcs, form):
    library = pytest.importorskip(form)
    codes = estimator.fit(arcs[0]).transform(arcs[0])
    names = estimator.get_feature_names_out().tolist()
    frame = estimator.set_output(transform=form).set_output().transform(arcs[0])
    assert isinstance(frame, library.DataFrame)
    assert list(frame.columns) == names
    assert_array_equal(frame.to_numpy(), codes)
    assert isinstance(estimator.fit_transform(arcs[0]), library.DataFrame)
    assert isinstance(estimator.denoise(arcs[0]), np.ndarray)
    again = estimator.set_output(transform="default").transform(arcs[0])
    assert_array_equal(again, codes)
    with pytest.raises(UsageError, match="'list' is not allowed: use 'default' or"):
        estimator.set_output(transform="list")


def test_data_frames_of_codes_are_those_of_scikit_learn(estimator, arcs):
    pandas, sklearn = pytest.importorskip("pandas"), pytest.importorskip("sklearn")
    base, pipeline = pytest.importorskip("sklearn.base"), pytest.importorskip("sklearn.pipeline")
    rows = pandas.DataFrame(arcs[0], index=range(7, 7 + len(arcs[0])))
    with sklearn.config_context(transform_output="pandas"):
        frame = estimator.fit_transform(rows)
        assert isinstance(base.clone(estimator).fit_transform(rows), pandas.DataFrame)
    assert frame.index.equals(rows.index)
    assert isinstance(estimator.transform(rows), np.ndarray)
    piped = pipeline.make_pipeline(estimator).set_output(transform="pandas")
    pandas.testing.assert_frame_equal(piped.fit_transform(rows), frame)
    assert isinstance(base.clone(piped).fit(rows).transform(rows), pandas.DataFrame)


def test_python_numbers_are_taken_and_other_objects_named():
    rows = np.random.default_rng(7).normal(size=(30, 4))
    objects = rows.astype(object)
    objects[0, 0], rows[0, 0] = Decimal("0.5"), 0.5
    assert_array_equal(PCA().fit(objects).denoise(objects), PCA().fit(rows).denoise(rows))
    objects[3, 1] = "many"
    with pytest.raises(InputError, match="row 4, column 2 is 'many'"):
        PCA().fit(objects)


def test_a_pipeline_takes_it_at_either_place(estimator, arcs):
    pipeline = pytest.importorskip("sklearn.pipeline")
    preprocessing = pytest.importorskip("sklearn.preprocessing")
    noisy, clean = arcs
    scaled = preprocessing.StandardScaler().fit_transform(noisy)
    last = pipeline.make_pipeline(preprocessing.StandardScaler(), estimator)
    codes = last.fit(noisy, clean).transform(noisy)
    assert_allclose(codes, estimator.fit(scaled).transform(scaled), rtol=1e-12)
    assert_allclose(last.fit_transform(noisy), codes, rtol=1e-12)
    first = pipeline.make_pipeline(estimator, preprocessing.StandardScaler())
    assert_allclose(first.fit_transform(noisy).std(axis=0), 1.0)
    last.set_params(**{f"{last.steps[-1][0]}__n_components": 2})
    assert last.fit(noisy).transform(noisy).shape == (120, 2)


def test_sparse_masked_and_ragged_rows_are_refused_in_words():
    rows = np.random.default_rng(7).normal(size=(30, 4))
    with pytest.raises(InputError, match=r"is a sparse matrix: give X\.toarray"):
        PCA().fit(csr_matrix(rows))
    model = PCA().fit(np.ma.masked_array(rows, mask=False))
    with pytest.raises(InputError, match="has masked numbers"):
        model.denoise(np.ma.masked_greater(rows, 1.0))
    with pytest.raises(InputError, match="has rows of several lengths: give one"):
        model.denoise([[1.0, 2.0], [3.0]])


@pytest.mark.filterwarnings("ignore:Estimator .* does not inherit:UserWarning")
def test_what_scikit_learn_checks_of_an_estimator_holds(estimator):
    checks = pytest.importorskip("sklearn.utils.estimator_checks")
    words_of_our_own = {
        "check_do_not_raise_errors_in_init_or_set_params",
        "check_n_features_in_after_fitting",
        "check_set_params",
        "check_dtype_object",
        "check_fit_score_takes_y",  # more rows need sums that were kept
    }
    estimator.set_params(n_components=1)
    found = checks.check_estimator(estimator, on_fail=None, on_skip=None)
    failed = {one["check_name"] for one in found if one["status"] == "failed"}
    assert failed <= words_of_our_own
