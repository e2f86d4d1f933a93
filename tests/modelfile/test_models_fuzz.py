"""A short fuzz of model files; `fuzz_models.py` beside it is the long one."""

import random
from pathlib import Path

import joblib
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from ikpca_cli.modelfile.joblib_arrays import NotPlainError
from ikpca_cli.modelfile.plain_joblib import loads
from tests.modelfile.fuzz_models import mutate, outcome, real_models

FILES = 1_000


def test_mutated_models_are_loaded_or_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    models = real_models()
    random_ = random.Random(11)
    path = Path("mutated.joblib")
    outcomes = set()
    for _ in range(FILES):
        path.write_bytes(mutate(random_, models))
        outcomes.add(outcome(path))
    assert list(tmp_path.iterdir()) == [tmp_path / path]
    assert {"loaded", "is not an ikpca model but a foreign or damaged joblib file"} <= outcomes
    assert {"is incomplete", "is damaged"} <= outcomes


@given(st.binary(max_size=200))
def test_any_bytes_are_refused_or_plain(content):
    try:
        loads(memoryview(b"\x80\x04" + content))
    except NotPlainError:
        return


@pytest.mark.parametrize("shift", [0, 3])
@pytest.mark.parametrize("dtype", ["<f4", "<f8"])
def test_arrays_are_views_unless_they_are_out_of_step(tmp_path, shift, dtype):
    path = tmp_path / "plain.joblib"
    joblib.dump(np.arange(6, dtype=dtype).reshape(2, 3), path)
    content = b"\0" * shift + path.read_bytes()
    array = loads(memoryview(content)[shift:])
    np.testing.assert_array_equal(array, np.arange(6, dtype=dtype).reshape(2, 3), strict=True)
    assert array.flags.aligned
    assert not array.flags.writeable
    assert array.flags.owndata == (shift != 0)


floats = hnp.arrays(
    st.sampled_from(["<f4", "<f8", ">f4", ">f8"]),
    hnp.array_shapes(max_dims=4),
    elements=st.floats(width=32),
)
plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**127), 2**127 - 1)
    | st.floats()
    | st.text(max_size=60)
    | floats,
    lambda inner: st.dictionaries(st.text(max_size=5), inner) | st.tuples(inner, inner),
)


@given(value=plain, protocol=st.sampled_from([4, 5]))
def test_plain_values_are_read_as_joblib_wrote_them(tmp_path_factory, value, protocol):
    path = tmp_path_factory.getbasetemp() / "plain.joblib"
    joblib.dump(value, path, protocol=protocol)
    assert_same(loads(memoryview(path.read_bytes())), value)


def assert_same(value, expected):
    if isinstance(expected, np.ndarray):
        native = expected.astype(expected.dtype.newbyteorder("="))
        np.testing.assert_array_equal(value, native, strict=True)
        assert not value.flags.writeable
    elif isinstance(expected, dict):
        assert list(value) == list(expected)
        for key in expected:
            assert_same(value[key], expected[key])
    elif isinstance(expected, tuple):
        assert type(value) is tuple
        for one, other in zip(value, expected, strict=True):
            assert_same(one, other)
    else:
        assert type(value) is type(expected)
        assert value == expected or (np.isnan(value) and np.isnan(expected))
