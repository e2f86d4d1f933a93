"""One validation of parameters for Python, the command line and model files."""

from __future__ import annotations

import re
from fractions import Fraction

import joblib
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays, scalar_dtypes
from numpy.testing import assert_array_equal

from ikpca_cli import IKPCA, PCA, KernelPCA, load_model, save_model
from ikpca_cli.cli.given.values import parsed
from ikpca_cli.errors import ModelError, UsageError
from ikpca_cli.estimators.denoiser import load_method
from ikpca_cli.estimators.methods import METHODS
from ikpca_cli.estimators.parameters import PARAMETERS

ACCEPTED = [
    ("n_rff", np.int64(360), 360),
    ("n_rff", 360.0, 360),
    ("n_rff", np.array(360), 360),
    ("n_rff", np.str_("exact"), "exact"),
    ("n_components", np.uint8(3), 3),
    ("second_gamma", np.float32(0.25), 0.25),
    ("second_gamma", "none", "none"),
    ("gamma", np.float16(0.5), 0.5),
    ("gamma", 2, 2.0),
    ("gamma", Fraction(1, 4), 0.25),
    ("ridge", 0, 0.0),
    ("landmarks", np.float64(50), 50),
    ("seed", np.uint64(2**64 - 1), 2**64 - 1),
    ("noise_std", np.longdouble(0.5), 0.5),
    ("replicates", np.True_, True),
    ("dtype", "float32", "float32"),
]

REFUSED = [
    ("n_rff", "exakt", "a whole number of 1 or more, or 'auto' or 'exact'"),
    ("n_rff", 0, "a whole number"),
    ("n_rff", float("inf"), "a whole number"),
    ("n_components", 2.5, "a whole number of 1 or more, or 'auto'"),
    ("n_components", True, "a whole number"),
    ("n_components", np.True_, "a whole number"),
    ("n_components", 10**400, "a whole number"),
    ("gamma", "scale", "a number from 1e-75 to 1e+75, or 'auto'"),
    ("gamma", "0.5", "a number"),
    ("gamma", 0.0, "a number"),
    ("gamma", -1e300, "a number"),
    ("gamma", 10**400, "a number"),
    ("gamma", None, "a number"),
    ("gamma", 1j, "a number"),
    ("gamma", [0.5], "a number"),
    ("gamma", np.array([0.5]), "a number"),
    ("second_gamma", "exact", "a number from 1e-75 to 1e+75, or 'auto' or 'none'"),
    ("latent_gamma", float("nan"), "a number"),
    ("ridge", -0.1, "a number from 0 to 1e+75, or 'auto'"),
    ("noise_std", np.float32("nan"), "a number"),
    ("landmarks", "auto", "a whole number of 1 or more, or 'all'"),
    ("seed", -1, "a whole number of 0 or more"),
    ("seed", "auto", "a whole number"),
    ("kernel", "cosine", "'gaussian' or 'laplacian'"),
    ("shrink", "Cut", "'auto' or 'cut' or 'optimal'"),
    ("inverse", 1, "'auto' or 'paper' or 'refined'"),
    ("solver", None, "'auto' or 'primal' or 'dual'"),
    ("dtype", "float16", "'float64' or 'float32'"),
    ("replicates", 1, "True or False"),
    ("replicates", "yes", "True or False"),
]


def owner(name):
    """Return an estimator that has a parameter."""
    return next(cls() for cls in map(load_method, METHODS) if name in cls.parameter_names())


@pytest.mark.parametrize("method", METHODS)
def test_every_parameter_is_known_and_its_default_allowed(method):
    cls = load_method(method)
    for name, value in cls().get_params().items():
        assert PARAMETERS[name].check(name, value) == value


@pytest.mark.parametrize(("name", "value", "plain"), ACCEPTED)
def test_numpys_scalars_are_numbers(name, value, plain):
    found = owner(name).set_params(**{name: value}).get_params()[name]
    assert found == plain
    assert type(found) is type(plain)


@pytest.mark.parametrize(("name", "value", "allowed"), REFUSED)
def test_a_refusal_names_parameter_value_and_what_is_allowed(name, value, allowed):
    estimator = owner(name)
    before = estimator.get_params()
    with pytest.raises(UsageError, match=f"^{name} .* is not allowed: use {re.escape(allowed)}"):
        estimator.set_params(**{"noise_std": 3.0, name: value})
    assert estimator.get_params() == before
    with pytest.raises(UsageError, match=f"^{name} "):
        setattr(estimator, name, value)
    with pytest.raises(UsageError, match=f"^{name} "):
        type(estimator)(**{name: value})


ANYTHING = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.complex_numbers(),
    st.text(),
    st.binary(),
    st.fractions(),
    st.decimals(),
    st.lists(st.floats(), max_size=2),
    st.sampled_from([word for known in PARAMETERS.values() for word in known.metavar.split("|")]),
    scalar_dtypes().flatmap(lambda dtype: arrays(dtype, ())),
    st.builds(object),
)


def outcome(function, *args):
    """Return what a function returns, and the line of its refusal."""
    try:
        return function(*args), ""
    except UsageError as error:
        return None, str(error)


@given(value=ANYTHING, name=st.sampled_from(sorted(PARAMETERS)))
def test_whatever_is_given_becomes_plain_or_is_refused_in_a_line(value, name):
    found, refusal = outcome(PARAMETERS[name].check, name, value)
    assert len(refusal.splitlines()) == (found is None)
    assert len(refusal) < 200
    if found is not None:
        assert type(found) in (bool, int, float, str)
        assert PARAMETERS[name].check(name, found) is found


@given(text=st.text() | st.from_regex(r"[-+]?[0-9._e]+", fullmatch=True))
@pytest.mark.parametrize("name", sorted(PARAMETERS))
def test_what_the_command_line_accepts_python_accepts(name, text):
    found, refusal = outcome(PARAMETERS[name].parse, "--option", text)
    if found is None:
        assert refusal.startswith("--option ")
    else:
        assert PARAMETERS[name].check(name, found) is found


@pytest.mark.parametrize(
    ("option", "text", "value"),
    [
        ("--rff", " 1e3 ", 1000),
        ("--rff", "exact", "exact"),
        ("--components", "7", 7),
        ("--gamma", "5e-3", 0.005),
        ("--ridge", "0", 0.0),
        ("--noise-std", "auto", "auto"),
        ("--landmarks", "all", "all"),
        ("--kernel", "laplacian", "laplacian"),
        ("--seed", 3, 3),
        ("--clean", True, True),
    ],
)
def test_options_are_read_as_their_parameters(option, text, value):
    assert parsed(option, text) == value


@pytest.mark.parametrize("value", ["scale", -1e300, 1e76, None, True])
def test_a_model_file_with_such_a_parameter_is_refused(arcs, tmp_path, value):
    path = str(tmp_path / "m.joblib")
    save_model(path, KernelPCA(2, gamma=0.2, ridge=0.1, noise_std=0.1).fit(arcs[0]))
    content = joblib.load(path)
    del content["checksum"]  # so that what else is checked is seen
    content["params"]["gamma"] = value
    joblib.dump(content, path, protocol=4)
    with pytest.raises(ModelError, match="is damaged: parameter gamma .*; fit the model again"):
        load_model(path)


@pytest.mark.parametrize("n_rff", ["exact", 40])
@pytest.mark.parametrize("method", METHODS)
def test_parameters_set_after_a_fit_are_for_the_next_one(method, n_rff, arcs, tmp_path):
    noisy, _ = arcs
    if method != "ikpca" and n_rff == 40:
        pytest.skip("only ikpca has random features")
    cls = load_method(method)
    given = {"gamma": 0.2, "ridge": 0.1} if method == "kpca" or n_rff == 40 else {"gamma": 0.2}
    given |= {"n_rff": n_rff} if method == "ikpca" else {}
    model = cls(3, noise_std=0.1, **(given if method != "pca" else {})).fit(noisy)
    untouched = cls(**model.get_params()).fit(noisy)
    changes = {
        "n_components": 1,
        "kernel": "laplacian",
        "gamma": 9.0,
        "latent_gamma": 9.0,
        "ridge": 5.0,
        "n_rff": 77,
        "noise_std": 4.0,
        "replicates": True,
        "landmarks": 4,
        "shrink": "optimal",
        "seed": 8,
        "dtype": "float32",
    }
    model.set_params(**{key: changes[key] for key in changes.keys() & set(cls.parameter_names())})
    assert model.summary() == untouched.summary()
    assert_array_equal(model.denoise(noisy), untouched.denoise(noisy))
    assert_array_equal(model.transform(noisy), untouched.transform(noisy))
    assert_array_equal(model.distances(noisy), untouched.distances(noisy))
    assert_array_equal(model.variant(2).denoise(noisy), untouched.variant(2).denoise(noisy))
    for name, estimator in (("set", model), ("not", untouched)):
        save_model(str(tmp_path / name), estimator)
    assert (tmp_path / "set").read_bytes() == (tmp_path / "not").read_bytes()


def test_components_after_a_fit_are_not_for_rows_that_are_added(arcs):
    noisy, _ = arcs
    model = IKPCA(5, n_rff=40, gamma=0.3, ridge=0.5, noise_std=0.1).fit(noisy, keep_sums=True)
    model.set_params(n_components=2, dtype="float32")
    assert model.partial_fit(noisy).n_components_ == 5
    assert model.denoise(noisy).dtype == np.float64


def test_a_variant_has_the_parameters_that_it_was_given(arcs, tmp_path):
    noisy, _ = arcs
    model = KernelPCA(5, gamma=0.2, ridge=0.1, noise_std=0.1).fit(noisy)
    other = model.variant(np.int64(2), np.float32(0.5))
    assert (other.n_components, other.ridge) == (2, 0.5)
    assert (model.n_components, model.ridge) == (5, 0.1)
    save_model(str(tmp_path / "m"), other)
    again = load_model(str(tmp_path / "m"))
    assert again.get_params() == other.get_params()
    assert_array_equal(again.denoise(noisy), other.denoise(noisy))
    with pytest.raises(UsageError, match=r"^n_components 0 is not allowed"):
        model.variant(0)
    with pytest.raises(UsageError, match=r"^ridge -1 is not allowed"):
        model.variant(2, -1)
    assert PCA(3).fit(noisy).variant(2, 0.5).get_params() == PCA(2).get_params()
