"""Text tables of every dialect: read right, refused rightly, and written as they came."""

from __future__ import annotations

import gzip

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ikpca_cli.errors import InputError, UsageError
from ikpca_cli.formats.arrays import (
    Layout,
    ReadOptions,
    TableStyle,
    open_output,
    output_notes,
    read_rows,
    write_rows,
)
from ikpca_cli.formats.csv.columns import select
from ikpca_cli.formats.csv.form.cells import BLANK, Grammar
from ikpca_cli.formats.csv.form.dialect import Dialect
from ikpca_cli.formats.csv.form.table_form import TableForm
from ikpca_cli.formats.csv.parsing import by_numpy, parse
from ikpca_cli.formats.csv.parsing.fast import parse_fast

PLAIN = [[1.0, -2.5, 3e-7], [4.0, 0.5, 600.0]]


@pytest.fixture
def table(tmp_path):
    def write(text, name="table.csv"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def nothing(*_args, **_options):
    """Read no block, so that all are left to the exact parser."""


def polars_or_skip():
    pytest.importorskip("polars")
    from ikpca_cli.formats.csv.parsing import by_polars

    return by_polars.read_block


@pytest.fixture(params=["exact", "numpy", "polars"])
def reader(request, monkeypatch):
    """All parsers in turn."""
    readers = {"exact": lambda: nothing, "numpy": lambda: by_numpy.read_block}
    read_block = readers.get(request.param, polars_or_skip)()
    monkeypatch.setattr(parse, "reader", lambda _size: read_block)
    return request.param


def read(path, **options):
    with read_rows(str(path), ReadOptions(**options)) as rows:
        return rows.read()


def refusal(path, **options):
    with pytest.raises(InputError) as caught:
        read_rows(str(path), ReadOptions(**options))
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "1,-2.5,3e-7\n4,.5,+6E+2\n",
        "1, -2.5, 3e-7\n4, .5, 600.\n",
        " 1 ,-2.5,3e-7\n4,  .5,600\n",
        "1;-2.5;3e-7\n4;.5;600\n",
        "1\t-2.5\t3e-7\n4\t.5\t600\n",
        "1|-2.5|3e-7\n4|.5|600\n",
        "1 -2.5 3e-7\n4 .5 600\n",
        "  1.000   -2.500   3.000e-7\n  4.000    0.500 600.000\n",
        "1 \t-2.5\t 3e-7\n4\t\t.5 600 \n",
        "1;-2,5;3e-7\n4;,5;600,0\n",
        "1\t-2,5\t3e-7\n4\t0,5\t600\n",
        "1 -2,5 3e-7\n4 0,5 600\n",
        "1,-2.5,3e-7,\n4,.5,600,\n",
        "a,b,c\n1,-2.5,3e-7,\n4,.5,600,\n",
        "a,b,c,\n1,-2.5,3e-7,\n4,.5,600,\n",
        "1,-2.5,3e-7\n4,.5,600",
        "1,-2.5,3e-7\n4,.5,600\n\n\n",
        "\n\n1,-2.5,3e-7\n\n4,.5,600\n   \n",
        "1,-2.5,3e-7\r\n4,.5,600\r\n",
        "1,-2.5,3e-7\r4,.5,600\r",
        "# one\n#two\n1,-2.5,3e-7\n# three\n4,.5,600\n",
        "# a b c\n1 -2.5 3e-7\n4 .5 600\n",
        '"a","b, c","d ""e"""\n1,-2.5,3e-7\n4,.5,600\n',
        '"1","-2.5","3e-7"\n"4",".5","600"\n',
        '"1,0","-2,5","3e-7"\n"4",",5","600,0"\n',
        "sample,400,401\n1,-2.5,3e-7\n4,.5,600\n",
        "0,1,2\n1,-2.5,3e-7\n4,.5,600\n",
        "sep=;\n1;-2.5;3e-7\n4;.5;600\n",
        "1.D0,-2.5,3.0D-7\n4,.5d0,0.6d+3\n",
        "  1.000D+00 -0.250D+01  0.300D-06\n  0.400D+01  0.500D+00  0.600D+03\n",
        "1;-2,5;3,0D-7\n4;0,5;6,D2\n",
        "\ufeffa,b,c\n1,-2.5,3e-7\n4,.5,600\n",
        "Zeit;µV;°C\n1;-2,5;3e-7\n4;0,5;600\n",
        "Zeit;µV;°C\n1;-2,5;3e-7\n4;0,5;600\n".encode("latin-1"),
        "a,b,c\n1,-2.5,3e-7\n4,.5,600\n".encode("utf-16"),
        gzip.compress(b"a,b,c\n1,-2.5,3e-7\n4,.5,600\n", mtime=0),
    ],
)
def test_every_dialect_reads_the_same(table, reader, text):
    values = read(table(text))
    np.testing.assert_array_equal(values, PLAIN)
    assert values.flags.c_contiguous


@pytest.mark.parametrize(
    "text",
    [
        "1.0,-2.5\n4.0,0.5\n",
        "a;b\r\n1,5;-2,5\r\n4,0;0,5\r\n",
        "\ufeffa\tb\n1.0\t-2.5\n4.0\t0.5\n",
        '"a","#N"\n1.0,-2.5\n4.0,0.5\n',
        "#N,b\n1.0,-2.5\n4.0,0.5\n",
        '"#N",b\n1.0,-2.5\n4.0,0.5\n',
        'a,"b, c"\n1.0,-2.5\n4.0,0.5\n',
        "# made by hand\n# units: mV\na,b\n1.0,-2.5\n4.0,0.5\n",
        "# a b\n1.0 -2.5\n4.0 0.5\n",
        "1.5\n2.5\n",
        "value\n1,5\n2,25\n",
        '"a","b"\n"1,5","2,25"\n"-3,5","0,5"\n',
        "sep=;\n1.5;2.5\n",
        "1.500e+00,-2.250e-03\n4.000e+10,5.000e-01\n",
        "a;b\n1,500E+00;-2,250E-03\n4,000E+10;5,000E-01\n",
        "1.500D+00,-2.250D-03\n4.000D+10,5.000D-01\n",
        "1.500000000000000000e+00 -2.500000000000000000e-01\n",
        "a,b,\n1.0,-2.5,\n4.0,0.5,\n",
        "1.0\t-2.5\t\n4.0\t0.5\t\n",
        '"a";"b"\n"1.0";"-2.5"\n"4.0";"0.5"\n',
        'n,"a","b"\n"x","1.0","-2.5"\n"y","4.0","0.5"\n',
        "     a     b\n   1.0  -2.5\n  14.0   0.5\n",
        "  1.00D+00 -2.50D+01\n -4.00D+10  5.00D-01\n",
        "  1.0,  -2.5\n 14.0,   0.5\n",
        " S1    1.0  -2.5\n S2   14.0   0.5\n",
        "  400.0   1.50\n" + "".join(f"  {400 + i}.5   1.25\n" for i in range(20)),
    ],
)
def test_an_output_is_the_input_again(table, tmp_path, reader, text):
    path = table(text, "in.csv")
    with read_rows(str(path)) as rows:
        write_rows(str(tmp_path / "out.csv"), rows.read(), rows.layout)
    assert (tmp_path / "out.csv").read_bytes() == path.read_bytes()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("out.csv", b"a;b\n1,5;2,5\n"),
        ("out.txt", b"a;b\n1,5;2,5\n"),
        ("out.dat", b"a;b\n1,5;2,5\n"),
        ("out.tsv", b"a\tb\n1,5\t2,5\n"),
    ],
)
def test_the_targets_suffix_decides_the_delimiter(table, tmp_path, name, expected):
    with read_rows(str(table("a;b\n1,5;2,5\n", "in.csv"))) as rows:
        write_rows(str(tmp_path / name), rows.read(), rows.layout)
    assert (tmp_path / name).read_bytes() == expected


def test_gzip_is_mirrored_and_the_same_bytes_each_time(table, tmp_path):
    path = table(gzip.compress(b"a,b\n1.5,2.5\n", mtime=0), "in.csv.gz")
    with read_rows(str(path)) as rows:
        for name in ["one.csv.gz", "two.csv.gz", "plain.csv"]:
            write_rows(str(tmp_path / name), rows.read(), rows.layout)
    assert (tmp_path / "one.csv.gz").read_bytes() == (tmp_path / "two.csv.gz").read_bytes()
    assert gzip.decompress((tmp_path / "one.csv.gz").read_bytes()) == b"a,b\n1.5,2.5\n"
    assert (tmp_path / "plain.csv").read_bytes() == b"a,b\n1.5,2.5\n"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a,b\n", "a header but no rows"),
        ("1,2,3\n4,5\n6,7\n", "row 1 has 3 cells where 2 are expected"),
        ("# nothing\n\n", "holds no rows of numbers"),
        ("1,2,3\n4,5\n6,7,8\n", "row 2 has 2 cells where 3 are expected"),
        ("1,2,3\n4,5,6,7\n6,7,8\n", "row 2 has 4 cells where 3 are expected"),
        ("a,b\n1,2\n\n# note\n3,x\n", "row 2 (line 5), column 2 'b' is 'x', not a number"),
        ("1,abc,3\n4,5,6\n", "row 1, column 2 is 'abc'"),
        ("1,2\n3,inf\n", "row 2, column 2 is inf: infinite"),
        ("1,2\n3,1e999\n", "row 2, column 2 is 1e999: infinite"),
        ("1,2\n3,NaN\n", "row 2, column 2 is missing"),
        ("1,2\n#N/A,4\n", "row 2, column 1 is missing"),
        ("1,2\n3,1_000\n", "'1_000', not a number"),
        ("1,2\n3,0x10\n", "'0x10', not a number"),
        ("1,2\n3,true\n", "'true', not a number"),
        (gzip.compress(b"1,2\n" * 5000, mtime=0)[:-20], "damaged gzip"),
        (b"1,2\n3,\xff\n", "row 2, column 2"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_place(table, reader, text, reason):
    assert reason in refusal(table(text))


def test_numbers_that_outgrow_their_columns_do_not_touch(table, tmp_path):
    with read_rows(str(table("  1.0  -2.5\n 14.0   0.5\n"))) as rows:
        write_rows(str(tmp_path / "out.txt"), np.array([[123456.5, -98765.25]]), rows.layout)
    assert (tmp_path / "out.txt").read_text() == "123456.5 -98765.25\n"


def test_another_delimiter_is_written_without_what_goes_with_the_old_one(table, tmp_path):
    for text in ("a;b;\n1.0;-2.5;\n14.0;0.5;\n", "   a    b\n 1.0 -2.5\n14.0  0.5\n"):
        with read_rows(str(table(text, "in.txt"))) as rows:
            write_rows(str(tmp_path / "out.tsv"), rows.read(), rows.layout, force=True)
        assert (tmp_path / "out.tsv").read_text() == "a\tb\n1.0\t-2.5\n14.0\t0.5\n"


@pytest.mark.parametrize("word", ["", "NA", "#N/A", "-9999", "OVER"])
def test_missing_values_are_written_as_they_were(table, tmp_path, reader, word):
    text = f"id,a,b\nx,1.5,{word}\ny,{word},0.5\n"
    options = ReadOptions(missing="keep", na="OVER,-9999")
    with read_rows(str(table(text, "in.csv")), options) as rows:
        layout, values = rows.layout, np.array([[1.5, np.nan], [np.nan, 0.5]])
        np.testing.assert_array_equal(rows.read(), values)
    target = str(tmp_path / "out.csv")
    with open_output(target, 2, float, layout, with_missing=True) as write:
        write(values)
    assert (tmp_path / "out.csv").read_text() == text


def test_names_and_labels_that_an_output_does_not_have_are_said(table):
    with read_rows(str(table("id,a,b\nx,1.5,2\ny,3,0.5\n"))) as rows:
        assert output_notes("out.csv", rows.layout) == ()
        (line,) = output_notes("out.npy", rows.layout)
        assert "not the names of columns and labels" in line
    with read_rows(str(table("1.5,2\n3,0.5\n"))) as rows:
        assert output_notes("out.npy", rows.layout) == ()


def test_a_missing_value_is_no_blank_line(table, tmp_path):
    options = ReadOptions(missing="keep", columns="1")
    with (
        read_rows(str(table("1.5,2\n,3\n2.5,4\n")), options) as rows,
        open_output(str(tmp_path / "x.csv"), 3, float, rows.layout, with_missing=True) as write,
    ):
        write(rows.read())
    with read_rows(str(tmp_path / "x.csv"), ReadOptions(missing="keep")) as rows:
        np.testing.assert_array_equal(rows.read()[:, -1], [1.5, np.nan, 2.5])


def test_a_name_of_digits_and_a_letter_is_no_number_of_fortran(table):
    with read_rows(str(table("12D4,1.5\n12D5,2.5\n"))) as rows:
        assert rows.read().tolist() == [[1.5], [2.5]]


def test_a_decimal_mark_found_too_late_names_the_options(table):
    text = "".join("1;2\n" for _ in range(3000)) + "1;2,5\n"
    line = refusal(table(text))
    assert "row 3001, column 2 is '2,5'" in line
    assert "--decimal" in line
    assert read(table(text), decimal=",")[-1, 1] == 2.5


def test_a_column_of_decimal_commas_is_doubted(table):
    with read_rows(str(table("1,05\n2,5\n"))) as rows:
        assert rows.shape == (2, 2)
        assert "--decimal ," in rows.warnings[0]
    np.testing.assert_array_equal(read(table("1,05\n2,5\n"), decimal=","), [[1.05], [2.5]])


@pytest.mark.parametrize("name", ["tab", "\\t", "\t"])
def test_a_given_delimiter_is_obeyed(table, name):
    text = "a b\tc\n1\t2\n"
    assert read(table(text), delimiter=name).shape == (1, 2)
    with pytest.raises(UsageError, match="--delimiter ab: give one character"):
        read(table(text), delimiter="ab")
    with pytest.raises(UsageError, match="--decimal ;: give"):
        read(table(text), decimal=";")


def test_dropped_rows_lose_their_labels_and_say_so(table, tmp_path, reader):
    path = table(",x,y\nr1,1,2\nr2,,4\nr3,5,6\n")
    with read_rows(str(path), ReadOptions(columns="2-", missing="drop")) as rows:
        assert rows.shape == (2, 2)
        assert rows.kept.tolist() == [0, 2]
        assert "1 of 3 samples dropped" in rows.warnings[0]
        assert rows.warnings[0].endswith("row 2")
        write_rows(str(tmp_path / "out.csv"), rows.read(), rows.layout)
    assert (tmp_path / "out.csv").read_text() == ",x,y\nr1,1.0,2.0\nr3,5.0,6.0\n"


def test_a_feature_without_any_value_has_no_mean(table):
    assert "feature 2 has no value" in refusal(table("1,\n2,\n3,NA\n\n"[:-1]), missing="mean")
    assert "feature 2 has no value" in refusal(table("1,\n2,\n3,NA\n\n"[:-1]), missing="drop")
    assert "every sample has a missing" in refusal(table("x,y,z\n1,,\n,2,3\n"), missing="drop")


def test_samples_in_columns_are_written_in_columns(table, tmp_path):
    path = table("s1,s2,s3\n1.0,2.0,\n4.0,5.0,6.0\n")
    with read_rows(str(path), ReadOptions(transpose=True, missing="drop")) as rows:
        np.testing.assert_array_equal(rows.read(), [[1, 4], [2, 5]])
        assert rows.warnings[0].endswith("column 3")
        write_rows(str(tmp_path / "out.csv"), rows.read(), rows.layout)
    assert (tmp_path / "out.csv").read_text() == "s1,s2\n1.0,2.0\n4.0,5.0\n"


def test_r_leaves_out_the_name_of_its_index(table, tmp_path):
    path = table('"x" "y"\n"r1" 1.5 2.5\n"r2" 3.5 4.5\n', "in.txt")
    with read_rows(str(path), ReadOptions(columns="2-")) as rows:
        np.testing.assert_array_equal(rows.read(), [[1.5, 2.5], [3.5, 4.5]])
        assert rows.layout.table.labels == (('"r1"',), ('"r2"',))


def test_whole_numbers_come_back_whole_on_request(table, tmp_path):
    with read_rows(str(table("1,2\n3,4\n"))) as rows:
        write_rows(str(tmp_path / "out.csv"), rows.read() + 0.4, rows.layout, round_to_input=True)
    assert (tmp_path / "out.csv").read_text() == "1,2\n3,4\n"


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("2-4", [1, 2, 3]),
        ("3-", [2, 3, 4]),
        ("5,1", [4, 0]),
        ("^1", [1, 2, 3, 4]),
        ("^1,^5", [1, 2, 3]),
        ("2-4,^3", [1, 3]),
        ("b,c", [1, 2]),
        ("^b", [0, 2, 3, 4]),
        ('"d,e"', [3]),
        ("-x", [4]),
        ("1-2,-x", [0, 1, 4]),
    ],
)
def test_selections(text, places):
    assert select(text, ["a", "b", "c", "d,e", "-x"], 5) == places


@pytest.mark.parametrize("text", ["0", "6", "3-2", "1,1", "1-3,2", "z", "a", "", "^1,^2-5", "1-9"])
def test_impossible_selections(text):
    with pytest.raises(UsageError, match="--columns"):
        select(text, ["a", "b", "a", "d", "e"], 5)
    with pytest.raises(UsageError, match="no header"):
        select("t0", None, 5)


cell = st.one_of(
    st.floats(width=64).map(repr),
    st.integers().map(str),
    st.from_regex(r"[+-]?[0-9]{0,3}[.,]?[0-9]{0,3}([eEdD][+-]?[0-9]{0,2})?", fullmatch=True),
    st.sampled_from(
        ["", " ", "nan", "NA", "null", "#N/A", "inf", "1_0", "0x1", "true", "1d3", "1.d3"]
    ),
    st.text(alphabet='0123456789.,;+-eEdD "#\tnaif_x', max_size=6),
)


@given(
    rows=st.lists(st.lists(cell, min_size=1, max_size=3), min_size=1, max_size=4),
    delimiter=st.sampled_from([",", ";", "\t", "|", BLANK]),
    decimal=st.sampled_from([".", ","]),
    width=st.integers(1, 3),
    trailing=st.booleans(),
    missing=st.booleans(),
    chosen=st.permutations(range(3)),
    index=st.booleans(),
)
@example([["0.0", ""]], ",", ".", 2, True, False, [0, 1, 2], True)
@example([["1"], [""]], ",", ".", 1, True, False, [0, 1, 2], False)
@example([["1.5D2", "1.D-1"], ["0.5", ".5d1"]], ",", ".", 2, False, False, [0, 1, 2], False)
@example([["1D2", "1.5"], ["0.5", "1.5"]], ",", ".", 2, False, False, [0, 1, 2], False)
@example([["", ""], ["0.0"]], " ", ".", 1, False, True, [0, 1, 2], False)
def test_the_fast_parser_never_differs_from_the_exact_one(
    rows, delimiter, decimal, width, trailing, missing, chosen, index
):
    if delimiter == decimal or (delimiter == BLANK and trailing):
        return
    dialect = Dialect(delimiter=delimiter, grammar=Grammar(decimal), width=width, trailing=trailing)
    columns = tuple(column for column in chosen if column < width)
    labels = ()
    if index and width > 1:
        labels, columns = columns[:1], columns[1:]
    options = ReadOptions(missing="keep" if missing else "error")
    plan = TableForm(dialect=dialect, name="file", options=options, columns=columns, labels=labels)
    end = delimiter * trailing + "\n"
    text = "".join(delimiter.join(row) + end for row in rows).encode()
    for read_block in (by_numpy.read_block, polars_or_skip()):
        found = parse_fast(text, plan, read_block)
        if found is not None:
            exact = parse.parse_exactly(text.decode(), 0, 0, plan, {})
            np.testing.assert_array_equal(found[0], exact[0])
            assert found[1] == exact[1]


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_survive_writing_and_reading(value):
    assert Grammar().number(repr(value)) == value
    assert Grammar(",").number(repr(value).replace(".", ",")) == value


def test_a_table_of_many_blocks_is_read_whole(table, monkeypatch, reader):
    monkeypatch.setattr("ikpca_cli.formats.csv.parsing.table_text._BLOCK", 4096)
    monkeypatch.setattr("ikpca_cli.formats.csv.parsing.table_text._HEAD", 4096)
    values = np.random.default_rng(0).normal(size=(3000, 4))
    lines = [",".join(map(repr, row)) for row in values.tolist()]
    np.testing.assert_array_equal(read(table("\n".join(lines))), values)
    lines[1234] = "# a comment"
    lines[2345] = "1,2,oops,4"
    line = refusal(table("a,b,c,d\n" + "\n".join(lines)))
    assert "row 2345 (line 2347), column 3 'c' is 'oops'" in line
    lines[2345] = lines[0]
    packed = table(gzip.compress("\n".join(lines).encode()))
    assert read(packed).shape == (2999, 4)


@pytest.mark.parametrize("dtype", ["?", "u1", "i8", "f2", "f4", "f8"])
def test_numbers_are_written_alike_however_many_are_at_once(tmp_path, monkeypatch, dtype):
    values = (np.random.default_rng(0).normal(size=(30, 7)) * 9).astype(dtype)
    labels = tuple((str(row),) for row in range(30))
    style = TableStyle(
        names=tuple("abcdefg"), label_names=("",), labels=labels, label_places=(0,), newline="\r\n"
    )
    layout = Layout(format="csv", dtype=values.dtype, sample_shape=(7,), table=style)
    write_rows(str(tmp_path / "few.csv"), values, layout)
    monkeypatch.setattr("ikpca_cli.formats.csv.table_output._TOGETHER", 50)
    write_rows(str(tmp_path / "many.csv"), values, layout)
    assert (tmp_path / "many.csv").read_bytes() == (tmp_path / "few.csv").read_bytes()
