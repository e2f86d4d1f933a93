"""Tables as instruments and spreadsheets write them: what is what, and what is never guessed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from ikpca_cli.errors import InputError, UsageError
from ikpca_cli.formats.arrays import ReadOptions, read_rows, write_rows

RNG = np.random.default_rng(11)
NUMBERS = np.round(3 + np.sin(np.linspace(0, 3, 8) + RNG.uniform(0, 6, (30, 1))), 4)


def lines(rows, form="%.4f", between=","):
    return "".join(between.join(form % value for value in row) + "\n" for row in rows)


def names(count=8):
    return [f"c{place}" for place in range(count)]


@pytest.fixture
def table(tmp_path):
    def write(text, name="table.csv", encoding="utf-8"):
        path = tmp_path / name
        path.write_bytes(text.encode(encoding))
        return path

    return write


@pytest.fixture
def opened(table):
    """Return the numbers of a text, its layout, and what the reader says of it."""

    def read(text, *, encoding="utf-8", **options):
        with read_rows(str(table(text, encoding=encoding)), ReadOptions(**options)) as rows:
            said = " ".join(rows.warnings).replace(str(rows.name), "")
            return rows.read(), rows.layout, said

    return read


@pytest.fixture
def refused(table):
    def read(text, error=InputError, **options):
        with pytest.raises(error) as caught:
            read_rows(str(table(text)), ReadOptions(**options))
        assert "\n" not in str(caught.value)
        return str(caught.value)

    return read


# Thousands ------------------------------------------------------------------------------------


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("mark", [",", "."])
@pytest.mark.parametrize("quoted", [True, False])
def test_a_mark_that_may_be_either_is_refused_by_name(refused, opened, delimiter, mark, quoted):
    if delimiter == "," and (mark == "." or not quoted):
        pytest.skip("a comma between cells leaves no doubt")
    rows = [["896", f"1{mark}682"], [f"2{mark}204", "861"], ["711", f"1{mark}572"]]
    form = '"{}"' if quoted else "{}"
    text = "".join(delimiter.join(form.format(cell) for cell in row) + "\n" for row in rows)
    line = refused(text)
    assert f"give --thousands {mark} or --decimal {mark}" in line
    assert_array_equal(opened(text, thousands=mark)[0], [[896, 1682], [2204, 861], [711, 1572]])
    assert_array_equal(opened(text, decimal=mark)[0][:2], [[896, 1.682], [2.204, 861]])


@pytest.mark.parametrize(
    ("cell", "value", "mark"),
    [
        ("1.234.567", 1234567, "."),
        ("1,234,567", 1234567, ","),
        ("1.682,5", 1682.5, "."),
        ("1,682.5", 1682.5, ","),
        ("1 682", 1682, " "),
        ("1\u202f682,5", 1682.5, " "),
        ("1\u00a0682", 1682, " "),
        ("1'682.5", 1682.5, "'"),
        ("1\u2019682", 1682, "'"),
        ("-12'345'678", -12345678, "'"),
    ],
)
def test_a_mark_that_can_only_be_one_is_read_and_said(opened, cell, value, mark):
    values, _, said = opened(f"a;b\n{cell};2\n7;8\n9;10\n")
    assert_array_equal(values, [[value, 2], [7, 8], [9, 10]])
    assert f"{mark!r} for the mark between thousands" in said.replace('"', "'").replace(
        "'''", '"\'"'
    )


@pytest.mark.parametrize("cell", ["1,68", "12,3456", "0,682", ",682", "1234,567"])
def test_a_number_that_has_no_groups_decides_the_decimal_mark(opened, cell):
    values, _, said = opened(f"{cell};1,250\n7,5;3,125\n")
    assert_allclose(values[0], [float(cell.replace(",", ".")), 1.25], rtol=0)
    assert "thousands" not in said


@pytest.mark.parametrize("cell", ["1,23,456", "12,34", "1,2345", "1,,234", "1,234,56", ",123"])
def test_with_thousands_given_other_groups_are_refused(refused, cell):
    assert repr(cell) in refused(f"1;2\n{cell};4\n", thousands=",")


def test_numbers_with_three_decimals_throughout_stay_numbers(opened):
    values, _, said = opened(lines(NUMBERS + 1, "%.3f", "\t"))
    assert_allclose(values, np.round(NUMBERS + 1, 3), atol=1e-3)
    assert "--thousands ." in said
    assert opened(lines(NUMBERS + 1, "%.3f"))[2] == ""


def test_groups_without_quotes_between_commas_are_doubted(opened):
    assert "cells such as 075" in opened("1,682,2,075,7\n1,515,1,583,8\n2,122,1,651,9\n")[2]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1,682,2,075\n1,515,1,583\n2,122,1,651\n", "1,682"),  # groups, or decimals
        ("12,4,-3,5\n-0,4,1,2\n7,1,2,9\n", "12,4"),  # no whole number is -0
        ("5,41, 8,16\n6,70, -3,20\n7,98, 1,5\n", "5,41"),
        ("u,v\n5,4,8,1\n6,7,3,2\n7,9,1,5\n", "5,4"),
        ("x1,5,41,8,16\nx2,6,70,3,02\nx3,7,98,1,55\n", "5,41"),
        ("5,05\n7,41\n", "5,05"),
    ],
)
def test_a_comma_within_numbers_and_between_them_is_refused(refused, opened, text, number):
    line = refused(text)
    assert f"commas stand within numbers, as in {number}, and between them: " in line
    said = opened(text, delimiter=",")[0]
    assert said.shape[1] in (2, 4)  # as it says
    if text.startswith("5,05"):
        assert "give --decimal , if" in line
        assert_array_equal(opened(text, decimal=",")[0], [[5.05], [7.41]])


@pytest.mark.parametrize(
    "text",
    [
        "12,4,3,5\n10,4,1,2\n7,1,2,9\n",
        "12,40,3,50\n10,44,1,20\n7,13,2,90\n",
        "1, 2, 3, 4\n5, 6, 7, 8\n",
        "a,b,c,d\n12,4,3,5\n10,4,1,2\n",
        "8,05,15\n9,45,00\n",
        "1,5\n1,05\n",
    ],
)
def test_whole_numbers_between_commas_stay_what_they_are(opened, text):
    values = opened(text)[0]
    assert values.shape[1] == text.splitlines()[-1].count(",") + 1


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("10,814.25;1,954,000.5\n-803.5;-2,844.75\n", {}),
        ("10.814,25\t954,5\n-803,5\t-1.012.844,75\n", {}),
        ("10\u00a0814,25;954,5\n-803,5;-1\u00a0012\u00a0844,75\n", {}),
        ('"10,814.25","954.5"\n"803.5","12,844.75"\n', {}),
        ("10,814;954\n803;12,844\n", {"thousands": ","}),
        ("12, 0.5, 7.25\n3, 1.5, 6.75\n", {}),
        ("12; 0.5; 7.25;\n3; 1.5; 6.75;\n", {}),
        ("a, 0.5, 7.25\nb, 1.5, 6.75\n", {}),
        ("a; 0.5; 7.25;\nb; 1.5; 6.75;\n", {}),
        ("0.5, a, 7.25\n1.5, b, 6.75\n", {}),
        ('"0.5", "7.25"\n"1.5", "6.75"\n', {}),
    ],
)
def test_groups_of_digits_and_blanks_behind_delimiters_come_back(table, tmp_path, text, options):
    with read_rows(str(table(text)), ReadOptions(**options)) as rows:
        write_rows(str(tmp_path / "out.csv"), rows.read(), rows.layout)
    written = (tmp_path / "out.csv").read_text("utf-8")
    assert written.replace(".0", "").replace(",0", "") == text.replace(".0", "").replace(",0", "")


# Numeric headers --------------------------------------------------------------------------------

AXES = {
    "wavelengths": [f"{400 + 5 * i}" for i in range(8)],
    "descending": [f"{4000.5 - 478.6 * i:.1f}" for i in range(8)],
    "times": [f"{0.125 * i:.3f}" for i in range(8)],
    "times like the rows": [f"{2.5 + 0.2031 * i:.4f}" for i in range(8)],
    "octaves": ["31.5", "63", "125", "250", "500", "1000", "2000", "4000"],
    "pixels": [f"{339.1 + 0.37 * i - 1e-3 * i * i:.3f}" for i in range(8)],
    "1 to N": [f"{i + 1}" for i in range(8)],
    "0 to N": [f"{i}" for i in range(8)],
}


@pytest.mark.parametrize("axis", AXES.values(), ids=AXES)
@pytest.mark.parametrize("corner", [None, "", "sample", "quoted"])
def test_an_axis_is_no_row_and_comes_back_untouched(table, tmp_path, axis, corner):
    rows = lines(NUMBERS).splitlines()
    head = ",".join(axis)
    if corner == "quoted":
        head = ",".join(f'"{name}"' for name in axis)
    elif corner is not None:
        head = f"{corner},{head}"
        rows = [f"S{place:03d},{row}" for place, row in enumerate(rows)]
    path = table("\n".join([head, *rows]) + "\n")
    with read_rows(str(path)) as found:
        assert_array_equal(found.read(), NUMBERS)
        assert found.feature_names == tuple(axis)
        assert (
            "for the axis (" in found.warnings[0] or "for the axis, column 1" in found.warnings[0]
        )
        assert "--header" in found.warnings[0]
        write_rows(str(tmp_path / "out.csv"), found.read(), found.layout)
    written = (tmp_path / "out.csv").read_text().splitlines()
    assert written[0] == head
    if corner in ("", "sample"):
        assert [line.split(",")[0] for line in written[1:]] == [f"S{i:03d}" for i in range(30)]


@pytest.mark.parametrize("axis", [AXES["1 to N"], AXES["wavelengths"]])
def test_an_axis_over_whole_numbers(opened, axis):
    counts = (NUMBERS * 100).astype(int)
    values, layout, _ = opened(",".join(axis) + "\n" + lines(counts, "%d"))
    assert_array_equal(values, counts)
    assert layout.feature_names == tuple(axis)


@pytest.mark.parametrize(
    "rows",
    [
        np.sort(RNG.uniform(size=(40, 9)), axis=1),
        np.cumsum(RNG.uniform(0.5, 1.5, (40, 20)), axis=1),
        np.linspace(0, 1, 12) * RNG.uniform(1, 5, (40, 1)) + 2,
        -np.sort(-RNG.uniform(size=(40, 3)), axis=1),
        np.sort(RNG.integers(0, 9, (40, 4)), axis=1),
    ],
    ids=["sorted", "cumulative", "ramps", "falling", "whole"],
)
def test_ordinary_rows_that_rise_stay_rows(opened, rows):
    assert opened(lines(rows))[0].shape == rows.shape


def test_a_first_row_that_happens_to_rise_is_a_row_about_which_is_asked(opened):
    rows = np.round(RNG.uniform(size=(30, 8)), 4)
    rows[0] = np.sort(rows[0])
    values, _, said = opened(lines(rows))
    assert_array_equal(values, rows)
    assert "--header yes" in said
    assert opened(lines(rows), header="no")[0].shape == (30, 8)
    assert opened(lines(rows), header="yes")[0].shape == (29, 8)


def test_header_yes_and_no_are_obeyed(opened, refused):
    text = "1,2,3\n4,5,6\n7,8,10\n"
    assert_array_equal(opened(text, header="yes")[0], [[4, 5, 6], [7, 8, 10]])
    assert opened(text, header="yes")[1].feature_names == ("1", "2", "3")
    assert "'a', not a number" in refused("a,b\n1,2\n3,4\n", header="no")
    assert "--header maybe" in refused(text, UsageError, header="maybe")


def test_quotes_around_numbers_above_others_without_are_around_names(opened):
    values, layout, _ = opened('"3","1","2"\n4,5,6\n1,9,2\n')
    assert_array_equal(values, [[4, 5, 6], [1, 9, 2]])
    assert layout.feature_names == ("3", "1", "2")


def test_a_missing_first_cell_is_no_corner(refused):
    assert "row 1, column 1 is missing" in refused(",2.5,3.5\n1.0,0.5,0.7\n2.5,1.0,0.1\n")


# Above and below the rows -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "units",
    ["mV,mV,s,,-,°C,1/s,a.u.\n", ",,,,,,,x\n", "mV,V,A,W,s,m,kg,K\n\nfirst,,,,,,,\n"],
)
def test_units_are_no_row_and_come_back(table, tmp_path, units):
    text = ",".join(names()) + "\n" + units + lines(NUMBERS)
    path = table(text)
    with read_rows(str(path)) as rows:
        assert_array_equal(rows.read(), NUMBERS)
        assert rows.feature_names == tuple(names())
        assert "for units or remarks" in rows.warnings[0]
        write_rows(str(tmp_path / "out.csv"), rows.read(), rows.layout)
    assert (tmp_path / "out.csv").read_text() == text


@pytest.mark.parametrize(
    "preamble",
    [
        "Instrument,Model 7\nOperator,\n[DATA]\n",
        "Date;2024-03-05\nGain,5\n\n>>>>>Begin<<<<<\n",
        "A title that is long, and has a comma\n",
        "Channels,3\nSamples,30\n***End***,\n" * 12,
        "% made by\n% another program\n",
        '"quoted, text"\n\n',
    ],
)
@pytest.mark.parametrize("header", [True, False])
def test_a_preamble_is_left_alone_and_comes_back(table, tmp_path, preamble, header):
    text = preamble + (",".join(names()) + "\n") * header + lines(NUMBERS)
    path = table(text)
    with read_rows(str(path)) as rows:
        assert_array_equal(rows.read(), NUMBERS)
        assert rows.feature_names == (tuple(names()) if header else None)
        assert "for a preamble" in rows.warnings[0]
        write_rows(str(tmp_path / "out.csv"), rows.read(), rows.layout)
    assert (tmp_path / "out.csv").read_text() == text


def test_lines_that_are_skipped_and_comments(opened, refused):
    text = "1,2,3,4\n5,6\n" + lines(NUMBERS)
    assert "--skip-rows" in refused(text)
    assert_array_equal(opened(text, skip_rows=2)[0], NUMBERS)
    rows = lines(NUMBERS).splitlines()
    marked = "\n".join([*rows[:9], "% a remark, 1", *rows[9:]])
    assert "--comment" in refused(marked)
    assert_array_equal(opened(marked, comment="%")[0], NUMBERS)
    assert "--skip-rows 500 leaves out all" in refused(text, skip_rows=500)
    assert "--comment 1" in refused(text, UsageError, comment="1")


@pytest.mark.parametrize(
    "end",
    [
        "Mean,,,,,,,\n",
        "Total:,1,2,3,4,5,6,7\n",
        "\nSumme,1,2,3,4,5,6,7\nMittelwert,1,2,3,4,5,6,7\n",
        ",,,,,,,\n,,,,,,,\n",
        "-- end of file --\n",
        "\n\nMethod: scan\nOperator: nobody\n",
    ],
)
@pytest.mark.parametrize("labelled", [True, False])
def test_what_ends_a_table_is_no_row(table, tmp_path, end, labelled):
    rows = [f"s{i}," * labelled + row for i, row in enumerate(lines(NUMBERS).splitlines())]
    head = ",".join(["id"] * labelled + names())
    if labelled:
        end = end.replace("an,,", "an,,,").replace(",7\n", ",7,8\n")
        end = end.replace(",,,,,,,\n,", ",,,,,,,,\n,")
    path = table("\n".join([head, *rows]) + "\n" + end)
    with read_rows(str(path)) as found:
        assert_array_equal(found.read(), NUMBERS)
        assert "left out" in " ".join(found.warnings) or set(end) <= set(",\n")
        write_rows(str(tmp_path / "out.csv"), found.read(), found.layout)
    assert len((tmp_path / "out.csv").read_text().splitlines()) == 31


def test_a_word_in_the_last_row_is_a_mistake_still(refused):
    assert "'oops'" in refused("1,2\n3,4\n5,oops\n")
    assert "'Mean'" in refused("1,2\n3,4\nMean,x\n")


@pytest.mark.parametrize(("word", "row"), [("sum", np.sum), ("mean", np.mean)])
def test_a_last_row_that_sums_up_is_doubted(opened, word, row):
    text = lines([*NUMBERS, row(NUMBERS, axis=0)])
    assert f"the last row is the {word} of the others" in opened(text)[2]


@pytest.mark.parametrize("filler", ["-9999", "9.9E+37", "999", "-32768", "1e30"])
def test_a_number_that_stands_for_a_missing_one_is_doubted(opened, filler):
    rows = lines(NUMBERS).splitlines()
    rows[7] = ",".join([filler, *rows[7].split(",")[1:]])
    text = "\n".join(rows)
    values, _, said = opened(text)
    assert f"row 8 holds {float(filler):g}" in said
    assert values[7, 0] == float(filler)
    assert opened(text, na=filler, missing="drop")[0].shape == (29, 8)
    assert opened(lines(NUMBERS * 300))[2] == ""


def test_words_for_missing_values(refused, opened):
    text = "a,b\n1,2\nOVER,4\n5,---\n7,8\n"
    assert "row 2 (line 3), column 1 'a' is 'OVER', not a number" in refused(text)
    assert "--na" in refused(text)
    assert "column 1 'a' is missing (OVER)" in refused(text, na="OVER,---")
    assert_array_equal(opened(text, na="over, ---", missing="drop")[0], [[1, 2], [7, 8]])


# Labels -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "labels",
    [
        [f"S{i:03d}" for i in range(30)],
        [f"{i % 28 + 1:02d}.03.2024" for i in range(30)],
        [f"2024-03-05 10:{i:02d}:00" for i in range(30)],
        [f'"Doe, {i}"' for i in range(30)],
        [f' padded "{i}" ' for i in range(30)],
        ["control", "treated"] * 15,
        ["", "x"] * 15,
        ["1e5x", "a.b"] * 15,
    ],
    ids=["ids", "days", "times", "quoted", "padded", "words", "blanks", "like-numbers"],
)
@pytest.mark.parametrize("place", [0, 3, 8])
def test_columns_of_text_are_labels_and_come_back_byte_for_byte(table, tmp_path, labels, place):
    rows = []
    for label, row in zip(labels, lines(NUMBERS).splitlines(), strict=True):
        cells = row.split(",")
        rows.append(",".join([*cells[:place], label, *cells[place:]]))
    head = names()
    head.insert(place, "who")
    text = "\r\n".join([",".join(head), *rows]) + "\r\n"
    path = table(text)
    with read_rows(str(path)) as found:
        assert_array_equal(found.read(), NUMBERS)
        assert found.feature_names == tuple(names())
        assert f"column {place + 1} 'who' for labels" in found.warnings[0]
        write_rows(str(tmp_path / "out.csv"), found.read(), found.layout)
    assert (tmp_path / "out.csv").read_bytes() == text.encode()


def test_labels_are_chosen_by_name_and_place(table, tmp_path, opened, refused):
    text = "day,a,b,site\n1,2.0,3.0,5\n2,4.5,3.5,5\n4,4.0,1.5,6\n"
    values, layout, _ = opened(text, labels="day,4")
    assert_array_equal(values, [[2, 3], [4.5, 3.5], [4, 1.5]])
    write_rows(str(tmp_path / "out.csv"), values, layout)
    assert (tmp_path / "out.csv").read_text() == text
    assert "column 1 is named by --labels, too" in refused(
        text, UsageError, labels="1", columns="1-2"
    )
    assert "leaves no column of data" in refused(text, UsageError, labels="1-")
    assert "--labels z: no column is named 'z'" in refused(text, UsageError, labels="z")
    _, layout, _ = opened(text, labels="site", columns="b,a")
    write_rows(str(tmp_path / "two.csv"), values, layout)
    assert (tmp_path / "two.csv").read_text().splitlines()[0] == "site,b,a"


@pytest.mark.parametrize("cell", ["4.2%", "12 N", "$5", "3,5 mV", "<0.1", "(5)"])
def test_numbers_with_something_beside_them_are_no_labels(refused, cell):
    text = "F;x\n" + "".join(f"{cell};{i}.5\n" for i in (1, 7, 2, 4))
    assert f"row 1 (line 2), column 1 'F' is {cell!r}, not a number" in refused(text)


def test_an_index_of_numbers_is_doubted_and_kept(opened):
    text = "".join(f"{i},{row}\n" for i, row in enumerate(lines(NUMBERS).splitlines()))
    values, _, said = opened(text)
    assert values.shape == (30, 9)
    assert "column 1 rises evenly" in said
    assert "--labels 1" in said
    assert_array_equal(opened(text, labels="1")[0], NUMBERS)


def test_an_index_behind_labels_is_doubted(opened):
    text = "".join(f"2024-03-{i + 1:02d},{100 + i},{a}\n" for i, a in enumerate(NUMBERS[:, 0]))
    said = opened("day,record,value\n" + text)[2]
    assert "column 2 'record' rises evenly" in said
    assert "--labels 1,2" in said
    assert opened("day,record,value\n" + text, labels="1,2")[0].shape == (30, 1)


def test_the_axis_of_samples_in_columns_is_no_sample(table, tmp_path):
    text = "nm,s1,s2,s3\n" + "".join(
        f"{400 + 5 * i},{a:.4f},{b:.4f},{c:.4f}\n" for i, (a, b, c) in enumerate(NUMBERS[:, :3])
    )
    with read_rows(str(table(text)), ReadOptions(transpose=True)) as rows:
        assert_array_equal(rows.read(), NUMBERS[:, :3].T)
        assert rows.feature_names == tuple(str(400 + 5 * i) for i in range(30))
        assert "column 1 'nm' for the axis" in rows.warnings[0]
        write_rows(str(tmp_path / "out.csv"), rows.read(), rows.layout)
    assert (tmp_path / "out.csv").read_text() == text


# Whole files ------------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["utf-16", "cp1252", "utf-8-sig"])
def test_labels_come_back_in_their_encoding(table, tmp_path, encoding):
    text = "Prüfer;Kraft\r\n" + "".join(f"Müller {i};{i % 3},25\r\n" for i in range(9))
    path = table(text, encoding=encoding)
    with read_rows(str(path)) as rows:
        assert rows.read()[:3].tolist() == [[0.25], [1.25], [2.25]]
        write_rows(str(tmp_path / "out.csv"), rows.read(), rows.layout)
    assert (tmp_path / "out.csv").read_bytes() == path.read_bytes()


@pytest.mark.parametrize("odd", ["\r\n", "\r"])
@pytest.mark.parametrize("place", [0, 3, 7])
def test_one_line_that_ends_otherwise(opened, odd, place):
    rows = lines(NUMBERS[:8]).splitlines()
    text = "".join(row + (odd if i == place else "\n") for i, row in enumerate(rows))
    assert_array_equal(opened(text)[0], NUMBERS[:8])


def test_a_name_with_a_line_end(table, tmp_path):
    text = '"Absorbance\n(AU)","Temp, °C",Flow\n' + lines(NUMBERS[:, :3])
    with read_rows(str(table(text))) as rows:
        assert_array_equal(rows.read(), NUMBERS[:, :3])
        assert rows.feature_names == ("Absorbance\n(AU)", "Temp, °C", "Flow")
        write_rows(str(tmp_path / "out.csv"), rows.read(), rows.layout)
    assert (tmp_path / "out.csv").read_text() == text


def test_inches_are_no_open_quotes(opened):
    text = "".join(f'{i % 3}" pipe,{i}.5\n' for i in range(12))
    assert_array_equal(opened(text)[0][:, 0], np.arange(12) + 0.5)


def test_options_of_tables_are_refused_elsewhere(tmp_path):
    np.save(tmp_path / "x.npy", NUMBERS)
    for option, value in [("labels", "1"), ("skip_rows", 2), ("header", "yes"), ("na", "x")]:
        with pytest.raises(UsageError, match="--" + option.replace("_", "-")):
            read_rows(str(tmp_path / "x.npy"), ReadOptions(**{option: value}))


# Digits -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value", "written"),
    [
        ("1.5,2\n2.5,3\n", 1 / 3, "0.33,0.3\n"),
        ("0.1234,2.25\n2.5,3.00\n", 2 / 3, "0.66667,0.667\n"),
        ("1.500,2.250\n2.500,3.125\n", 0.5, "0.500,0.500\n"),
        ("1.23e-7,2.5e3\n2.5e0,3.0\n", 1 / 3e8, "3.333e-09,3.333e-09\n"),
        ("0.12345678901234567,1.5\n2.5,3.0\n", 1 / 3, f"{1 / 3!r},0.33\n"),
    ],
)
def test_outputs_have_about_the_decimals_of_their_column(opened, tmp_path, text, value, written):
    _, layout, _ = opened(text)
    path = tmp_path / "out.csv"
    write_rows(str(path), np.full((1, 2), value), layout)
    assert path.read_text() == written
    write_rows(str(path), np.full((1, 2), 0.75), layout.with_digits(4), force=True)
    assert path.read_text() == ("7.5000e-01,7.5000e-01\n" if "e-7" in text else "0.7500,0.7500\n")


def test_rounding_of_outputs_adds_little_to_their_error(opened, tmp_path):
    _, layout, _ = opened(lines(NUMBERS, "%.2f"))
    exact = NUMBERS + RNG.uniform(size=NUMBERS.shape)
    write_rows(str(tmp_path / "out.csv"), exact, layout)
    with read_rows(str(tmp_path / "out.csv"), ReadOptions(header="no")) as rows:
        assert_allclose(rows.read(), exact, rtol=0, atol=0.5e-3 + 1e-9)


@pytest.mark.parametrize("labels", ["sample.1", "1e5x", "e", "a.b"])
def test_round_goes_by_the_numbers_and_not_by_labels(opened, tmp_path, labels):
    _, layout, _ = opened("".join(f"{labels};{i};{9 - i}\n" for i in (1, 5, 2)), labels="1")
    assert layout.dtype == np.int64
    write_rows(str(tmp_path / "out.csv"), np.full((3, 2), 4.6), layout, round_to_input=True)
    assert (tmp_path / "out.csv").read_text() == f"{labels};5;5\n" * 3
    assert opened("1,2.0\n3,4.0\n")[1].dtype == np.float64
    assert opened("1,2e0\n3,4e0\n")[1].dtype == np.float64
    missing, layout, _ = opened("1,None\n3,4\n5,6\n", missing="drop")
    assert layout.dtype == np.int64
    assert missing.shape == (2, 2)


@given(
    values=st.lists(
        st.lists(st.decimals(-1000, 1000, places=3), min_size=3, max_size=3), min_size=2, max_size=5
    )
)
def test_numbers_with_some_decimals_come_back_as_the_same(tmp_path_factory, values):
    path = tmp_path_factory.mktemp("digits")
    (path / "in.csv").write_text("".join(",".join(map(str, row)) + "\n" for row in values))
    with read_rows(str(path / "in.csv"), ReadOptions(header="no", decimal=".")) as rows:
        write_rows(str(path / "out.csv"), rows.read(), rows.layout)
        with read_rows(str(path / "out.csv"), ReadOptions(header="no", decimal=".")) as again:
            assert_array_equal(again.read(), rows.read())


# Further down than is looked at first -----------------------------------------------------------

WHOLE = "12;345\n" * 150_000  # over a megabyte


@pytest.mark.parametrize("later", ["1.682;345\n", "12;1.682\n" * 40])
def test_a_point_far_below_whole_numbers_is_not_guessed(opened, refused, later):
    said = refused(WHOLE + later)
    assert "line 150001, column" in said
    assert "'1.682' may be 1682 or 1.682" in said
    assert opened(WHOLE + later, decimal=".")[0].max() == 345.0
    assert opened(WHOLE + later, thousands=".")[0].max() == 1682.0


def test_a_number_further_down_may_tell_the_mark(opened):
    assert opened(WHOLE + "1.682;345\n1.5;12\n")[0][-1, 0] == 1.5


def test_a_whole_number_below_many_decimals_is_not_guessed(refused):
    assert "line 1, column 1: '1.682'" in refused("1.682;2.345\n" * 90_000 + "682;1.345\n")


# Numbers with marks stuck to them -----------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (lines(NUMBERS, "%.3f mV"), "not a number"),
        ("".join(f"[{line}]\n" for line in lines(NUMBERS).split()), "printed array"),
        ("".join(f"({line}),\n" for line in lines(NUMBERS).split()), "not a number"),
        (str(NUMBERS.tolist()), "printed array"),
        (np.array2string(NUMBERS, max_line_width=200), "printed array"),
        (lines(NUMBERS).replace("\n", "\x0b"), "not a number"),
        (lines(NUMBERS).replace("\n", "\u2028"), "not a number"),
    ],
)
def test_numbers_are_not_laid_aside_as_labels_for_what_sticks_to_them(refused, text, words):
    assert words in refused(text)


@pytest.mark.parametrize(
    "label",
    ["S{}", "P1.{}", '"Smith, {}"', '"Mon, 01.02.2020, 10:{}"', "2020-01-01 10:00:{}.5", "1:{}.5"],
)
def test_labels_with_digits_are_still_labels(opened, label):
    rows = enumerate(lines(NUMBERS).split(), start=10)
    values, layout, _ = opened("".join(f"{label.format(i)},{line}\n" for i, line in rows))
    assert_array_equal(values, NUMBERS)
    assert layout.table.labels[0] == (label.format(10),)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (lines(NUMBERS).replace("\n", " # ok\n"), "# ok', not a number"),
        (lines(NUMBERS).replace("\n", " ! checked\n"), "not a number"),
        (lines(NUMBERS * np.tile([1, -100], 4), "%9.4f", ""), "blanks between numbers that touch"),
        (lines(NUMBERS * np.tile([1, -1], 4), "%11.4E", ""), "numbers that touch"),
    ],
)
def test_numbers_with_remarks_or_without_blanks_between_are_no_labels(refused, text, words):
    assert words in refused(text)


def test_dates_and_ranges_are_labels_where_they_cannot_touch(opened):
    dates = "".join(f"01.02.2020 10:00:{i} {row}\n" for i, row in enumerate(NUMBERS[:, 0], 10))
    assert_array_equal(opened(dates)[0][:, 0], NUMBERS[:, 0])
    ranges = "".join(f"{i}.5-{i + 1}.5,{row}\n" for i, row in enumerate(NUMBERS[:, 0]))
    assert_array_equal(opened(ranges)[0][:, 0], NUMBERS[:, 0])


def test_a_quoted_line_feed_among_rows_is_refused_as_such(refused):
    text = "id,a,b\n" + "".join(f'"s{i}\nx",{i}.5,{i}.25\n' for i in range(12))
    assert "row 1 (line 2) has a quote that is not closed in its line" in refused(text)


@pytest.mark.parametrize("decimal", [",", "."])
def test_blanks_within_cells_between_tabs_stand_between_thousands(opened, decimal):
    text = "".join(f"12 {i:03d},5\t{i + 1} 345,25\n" for i in range(12)).replace(",", decimal)
    values, _, said = opened(text)
    assert_array_equal(values, [[12000.5 + i, 1000 * i + 1345.25] for i in range(12)])
    assert "' ' for the mark between thousands" in said


def test_settings_beside_the_first_rows_are_no_header(opened):
    settings = ["Record Length,40", "Sample Interval,4e-9"] + [","] * 10
    text = "".join(f"{key},,{i}.5,{i * i}.25,\n" for i, key in enumerate(settings))
    values, _, said = opened(text)
    assert "took columns 1, 2, 3 for no data" in said
    assert values.tolist() == [[i + 0.5, i * i + 0.25] for i in range(12)]


@pytest.mark.parametrize(
    "form",
    [
        *("{}*", "{} **", "{} (0.2)", "{} [1.1; 2.2]", "{}/3.5", "{}+2.5i", "{} +/- 0.1", "{}-"),
        *("{} mmol/L", "{} counts", "{} cm-1", "{} kg m-2", "{} to 5.0", "{}x10^3", "{}e+"),
        *("ca. {}", "EUR {}", "mV:{}", '"=""{}"""'),
    ],
)
def test_numbers_with_more_in_their_cells_are_not_laid_aside_as_labels(refused, form):
    rows = ("1.25,2.5," + form.format(f"{value:.2f}") for value in NUMBERS[:, 0])
    assert "row 1 (line 2), column 3 'c2' is" in refused("c0,c1,c2\n" + "\n".join(rows) + "\n")


@pytest.mark.parametrize("label", ["v1.{}", "10.0.0.{}", "{}.5-{}.5", "P.{}", "01.02.{} x"])
def test_names_with_decimals_in_them_are_labels(opened, label):
    rows = (f"{label.format(i, i)},{value}\n" for i, value in enumerate(NUMBERS[:, 0], 10))
    assert_array_equal(opened("".join(rows))[0][:, 0], NUMBERS[:, 0])


@pytest.mark.parametrize("word", ["OVER", "<0.05", "1.5*", "n.d."])
@pytest.mark.parametrize("head", ["", ",".join(names(4)) + "\n"])
def test_a_first_row_with_a_mistake_is_no_header(refused, word, head):
    said = refused(f"{head}{word},1.5,0.7,2.25\n" + lines(NUMBERS[:, :4]))
    assert "row 1" in said
    assert ", column 1" in said
    assert ("--header yes" in said) == (not head)


@pytest.mark.parametrize(
    "cell", ["<0.05", "1.5*", "(1.5)", "1+2j", "1_000", "#DIV/0!", "OVER", "x"]
)
def test_a_mistake_before_numbers_that_rise_is_no_second_header(refused, cell):
    head = ",".join(names(4)) + "\n"
    said = refused(f"{head}{cell},0.5,0.7,2.25\n" + lines(NUMBERS[:, :4]))
    assert "row 1 (line 2), column 1 'c0'" in said


def test_a_mistake_before_numbers_that_rise_as_others_do_is_no_header(refused, opened):
    rising = np.sort(NUMBERS, axis=1)
    mistaken = "OVER" + lines(rising[:1])[6:] + lines(rising[1:])
    assert "row 1, column 1 is 'OVER'" in refused(mistaken)
    values, _, said = opened("OVER,0.5,0.7,2.25\n" + lines(NUMBERS[:, :4]))
    assert len(values) == len(NUMBERS)
    assert "line 1 was taken for names" in said
    assert "line 1" not in opened("nm,400,405,410,415,420\n" + lines(NUMBERS[:, :6]))[2]


def test_names_that_are_numbers_after_a_word_are_a_header_where_they_are_an_axis(opened):
    values, layout, _ = opened("gene,7,12,99\n" + lines(NUMBERS[:, :4]))
    assert_array_equal(values, NUMBERS[:, :4])
    assert layout.table.names == ("gene", "7", "12", "99")


@pytest.mark.parametrize("dash", ["\u2212", "\u2013"])
def test_a_dash_before_a_number_is_a_minus(opened, dash):
    assert_array_equal(opened(lines(-NUMBERS).replace("-", dash))[0], -NUMBERS)


def test_a_dash_of_windows_before_a_number_is_a_minus(opened):
    text = lines(-NUMBERS).replace("-", "\x96")
    assert_array_equal(opened(text, encoding="latin-1")[0], -NUMBERS)


def test_a_few_rising_numbers_far_from_the_others_are_asked_about(opened):
    rows = lines(NUMBERS[:, [3, 0, 5, 2, 6]])
    values, _, said = opened("100.02,101.1,105.3,110.2,120.9\n" + rows)
    assert values.shape == (31, 5)
    assert "--header yes" in said
    assert "--header" not in opened("1.02,4.1,3.3,0.2,2.9\n" + rows)[2]


def test_several_variables_of_octave_are_refused(refused):
    one = "# name: x\n# type: matrix\n# rows: 30\n# columns: 8\n" + lines(NUMBERS, between=" ")
    assert "several variables" in refused(one + "\n\n" + one.replace("x", "y"))


@pytest.mark.parametrize("suffix", [".edf", ".MAT", ".ts", ".png"])
def test_a_text_table_of_any_suffix_comes_back_as_one(table, suffix):
    path = table(lines(NUMBERS, between="\t"), "probe" + suffix)
    with read_rows(str(path)) as rows:
        write_rows(str(path.with_stem("out")), rows.read(), rows.layout)
    assert path.with_stem("out").read_text() == path.read_text()


def test_tabs_stay_below_lines_of_other_words(opened):
    above = "".join(f"Field{place}   :  Quantity {place}\n" for place in range(24)) + "// Data\n"
    values, layout, _ = opened(above + lines(NUMBERS, between="\t"))
    assert layout.table.delimiter == "\t"
    assert_array_equal(values, NUMBERS)


def test_tabs_stay_below_names_of_one_column_more(opened):
    above = "Channels\t2\t\t\nSamples\t30\t30\t\nX_Value\tVoltage\tCurrent\tComment\n"
    values, layout, _ = opened(above + lines(NUMBERS[:, :3], between="\t"))
    assert layout.table.delimiter == "\t"
    assert_array_equal(values, NUMBERS[:, :3])


def test_zero_has_no_sign_that_it_did_not_have(table):
    path = table("-0.00,0.5\n" + lines(NUMBERS[:9, :2], form="%.1f"))
    with read_rows(str(path)) as rows:
        values = rows.read().copy()
        values[1] = [-0.0004, -0.04]
        write_rows(str(path.with_stem("out")), values, rows.layout)
    first, second = path.with_stem("out").read_text().splitlines()[:2]
    assert (first, second) == ("-0.0,0.5", "0.0,-0.04")


@pytest.mark.parametrize("unit", [" %", " s", " mV"])
def test_units_in_all_cells_are_named_and_part_no_numbers(refused, unit):
    text = "".join(",".join(f"{cell:.3f}{unit}" for cell in row) + "\n" for row in NUMBERS)
    said = refused("a,b,c,d,e,f,g,h\n" + text)
    assert f"{unit}', not a number; leave the number alone in its cell, without unit" in said
