"""Names of features: kept as numbers, and compared."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ikpca_cli import PCA, load_model, save_model
from ikpca_cli.data.axes import axis_of
from ikpca_cli.data.feature_names import decode, encode, order_of
from ikpca_cli.errors import IkpcaWarning, InputError, ModelError
from ikpca_cli.formats.csv.columns import select

ROWS = np.random.default_rng(0).normal(size=(30, 3))


@given(st.lists(st.text(max_size=12), min_size=1, max_size=6))
def test_names_come_back_fit_to_print(names):
    codes = encode(names)
    if codes is None:
        assert not any(names)
        return
    back = decode(codes)
    assert len(back) == len(names)
    assert all(name.isprintable() for name in back)
    plain = [name for name in names if name.isprintable() and name == " ".join(name.split())]
    assert set(plain) <= set(back)


def test_long_names_are_cut_and_none_is_none():
    assert decode(encode(["x" * 999, "y"])) == ("x" * 200, "y")
    assert encode(None) is None
    assert encode(["", ""]) is None


@given(order=st.permutations(range(5)))
def test_the_order_leads_from_one_to_the_other(order):
    known = ["a", "b", "400", "c d", "é"]
    names = [known[place] for place in order]
    found, said = order_of(names, known, "rows")
    if found is None:
        assert names == known
        assert said is None
    else:
        assert [names[place] for place in found] == known
        assert "taken by name" in said


@pytest.mark.parametrize("names", [["a", "a", "b"], ["b", "a", "a"]])
def test_names_that_come_twice_have_no_order(names):
    assert order_of(names, names, "rows") == (None, None)
    with pytest.raises(InputError, match="rows: column 1 is"):
        order_of(names[::-1], names, "rows")


@pytest.mark.parametrize(
    "codes",
    [
        np.array([65.5, 10, 66, 10, 67]),
        np.array([300.0, 10, 66, 10, 67]),
        np.array([-1.0, 10, 66, 10, 67]),
        np.array([27.0, 10, 66, 10, 67]),  # an escape sequence may begin so
        np.array([255.0, 10, 66, 10, 67]),
        np.array([65.0, 10, 66]),
    ],
)
def test_a_model_with_other_names_is_damaged(tmp_path, codes):
    model = PCA(n_components=1, noise_std=0.1).fit(ROWS)
    model.feature_codes_ = codes
    save_model(str(tmp_path / "model.joblib"), model)
    with pytest.raises(ModelError, match="is damaged"):
        load_model(str(tmp_path / "model.joblib"))


def test_a_fit_on_an_array_forgets_the_names_of_another(tmp_path):
    class Named(np.ndarray):
        feature_names = ("x", "y", "z")

    model = PCA(n_components=1, noise_std=0.1).fit(ROWS.view(Named))
    assert model.feature_names_ == ("x", "y", "z")
    save_model(str(tmp_path / "model.joblib"), model)
    assert load_model(str(tmp_path / "model.joblib")).feature_names_ == ("x", "y", "z")
    assert model.fit(ROWS).feature_names_ is None


@pytest.mark.parametrize("names", [("1_1", "11"), ("1_1", "11", "x"), ("1_2", "1_1")])
def test_underscores_in_names_are_no_digits(names):
    turned = tuple(reversed(names))
    found, _ = order_of(turned, names, "rows")
    assert [turned[place] for place in found] == list(names)
    assert axis_of([f"{place}_1" for place in range(9)]) is None


def test_columns_to_choose_are_said_as_the_option_takes_them():
    names = ("a, b", 'c "q"', "d e")
    with pytest.raises(InputError) as caught:
        order_of((*names, "more"), names, "rows")
    given = str(caught.value).partition("--columns: ")[2]
    assert select(given, (*names, "more"), 4) == [0, 1, 2]
    with pytest.raises(InputError, match="by their places"):
        order_of(("400", "405", "410"), ("400", "405"), "rows")


class Frame:
    """What a data frame has: rows by slices, and names and types of columns."""

    def __init__(self, values, columns, dtypes=None):
        self.values, self.columns, self.shape = values, list(columns), values.shape
        self.dtypes = dtypes or [values.dtype] * values.shape[1]

    def __getitem__(self, rows):
        return self.values[rows]


def test_columns_of_a_data_frame_are_known_by_name():
    model = PCA().fit(Frame(ROWS, "abc"))
    assert model.feature_names_ == ("a", "b", "c")
    np.testing.assert_array_equal(model.denoise(Frame(ROWS, "abc")), model.denoise(ROWS))
    with pytest.raises(InputError, match="in another order: give them as a,b,c"):
        model.denoise(Frame(ROWS[:, ::-1], "cba"))
    with pytest.raises(InputError, match="column 2 is 'c', which is column 3"):
        model.transform(Frame(ROWS, "acd"))
    with pytest.warns(IkpcaWarning, match="taken by place"):
        model.denoise(Frame(ROWS, "xyz"))
    assert PCA().fit(Frame(ROWS, [0, 1, 2])).feature_names_ is None


def test_columns_of_words_are_refused_by_name():
    frame = Frame(ROWS, "abc", [np.dtype(float), np.dtype(object), np.dtype(float)])
    with pytest.raises(InputError, match="column 'b' does not hold real numbers"):
        PCA().fit(frame)


def test_missing_values_of_nullable_columns_are_named():
    class Nullable:
        kind, na_value = "f", object()  # as pandas.Float64Dtype has them

    class Frame64(Frame):
        def to_numpy(self, dtype, na_value):
            return np.where(self.values == "NA", na_value, self.values).astype(dtype)

        def __getitem__(self, rows):
            raise TypeError("float() argument must be a number, not 'NAType'")

    values = ROWS.astype(object)
    np.testing.assert_array_equal(
        PCA().fit(Frame64(values, "abc", [Nullable()] * 3)).denoise(ROWS),
        PCA().fit(ROWS).denoise(ROWS),
    )
    values[3, 1] = "NA"
    with pytest.raises(InputError, match="row 4, column 2 is NaN"):
        PCA().fit(Frame64(values, "abc", [Nullable()] * 3))
