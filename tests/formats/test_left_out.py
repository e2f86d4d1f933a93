"""Lines of a table that begin with a comment mark, and are or may be rows."""

from __future__ import annotations

import numpy as np
import pytest

from ikpca_cli.errors import InputError
from ikpca_cli.formats.arrays import ReadOptions, read_rows, write_rows

VALUES = np.arange(1, 31).reshape(10, 3) / 8
LINES = [",".join(map(str, row)) for row in VALUES]
MIXED = [*LINES[::2], *LINES[1::2]]


def read(path, lines, **options):
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    with read_rows(str(path), ReadOptions(**options)) as rows:
        return rows.read(), " ".join(rows.warnings)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "table.csv"


@pytest.mark.parametrize(
    "mark", ["#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#WERT!", "#NA"]
)
@pytest.mark.parametrize("between", [",", ";", "\t"])
def test_a_row_that_begins_with_an_error_of_a_spreadsheet_is_a_row(path, mark, between):
    lines = [line.replace(",", between) for line in (*LINES[:4], f"{mark},2,3", *LINES[5:])]
    with pytest.raises(InputError, match="row 5, column 1 is"):
        read(path, lines)
    values, said = read(path, lines, missing="drop", na=mark)
    np.testing.assert_array_equal(values, np.delete(VALUES, 4, axis=0))
    assert "row 5" in said


def test_comments_are_still_comments_and_between_rows_they_are_told(path):
    lines = ["# by hand", *LINES[:4], "# Look! here", "#Look! here", "#note", *LINES[4:]]
    values, said = read(path, lines)
    np.testing.assert_array_equal(values, VALUES)
    assert "line 6 begins with #: comments between rows are not in outputs" in said
    said = read(path, [*MIXED, *lines, "# again", *MIXED])[1]
    assert "line 11 begins with # (3 such places)" in said
    assert read(path, ["# by hand", *LINES, "# the end"])[1] == ""


def test_a_row_behind_a_comment_mark_is_told(path):
    lines = [*LINES[:4], "#5" + LINES[4], *LINES[5:], " # 7,8,9"]
    values, said = read(path, lines)
    np.testing.assert_array_equal(values, np.delete(VALUES, 4, axis=0))
    assert "line 5 has the form of a row" in said
    values, said = read(path, lines[:4] + lines[5:-1], comment="%")
    assert said == ""


def test_labels_that_begin_with_the_mark_are_read_with_another(path):
    lines = [f"#{place},{line}" for place, line in enumerate(LINES)]
    with pytest.raises(InputError, match="--comment"):
        read(path, lines)
    values, _ = read(path, lines, comment="%")
    np.testing.assert_array_equal(values, VALUES)


@pytest.mark.parametrize("word", ["+nan", "nan(ind)", "-1.#IND", "1.#QNAN", "<NA>", "#NA", "NULL"])
def test_words_for_nothing(path, word):
    lines = [*LINES[:4], f"5,{word},3", *LINES[5:]]
    with pytest.raises(InputError, match="row 5, column 2 is missing"):
        read(path, lines)
    values, _ = read(path, lines, missing="drop")
    np.testing.assert_array_equal(values, np.delete(VALUES, 4, axis=0))


@pytest.mark.parametrize(
    ("lines", "place"),
    [
        ([*MIXED, "", *MIXED], "line 11 is blank, and"),
        ([*MIXED, "", "", *MIXED, "", *MIXED], "line 11 is blank (2 such places), and"),
        ([*LINES, ""], None),
        ([line for row in LINES for line in (row, "")], None),  # blank lines part rows
    ],
)
def test_blank_lines_between_rows_may_part_tables(path, lines, place):
    said = read(path, lines)[1]
    assert said == "" if place is None else f"{place} rows above and below it" in said


UP = [f"{place},{place * 0.7 % 1:.2f}" for place in range(20)]


@pytest.mark.parametrize("gap", [[""], ["# scan 2"], ["", "# scan 2", "# of 3", ""]])
@pytest.mark.parametrize("second", [UP, UP[::-1], UP[5:]])
def test_tables_below_each_other_are_refused(path, gap, second):
    if gap == [""] and second is UP:
        pytest.skip("signals along one axis")
    with pytest.raises(InputError, match=r"begins again below line 21, where another table"):
        read(path, [*UP, *gap, *second])
    assert len(read(path, [*UP, *gap, *second], orientation="rows")[0]) == len(UP) + len(second)


@pytest.mark.parametrize("gap", [[""], ["", "", " "]])
def test_blank_lines_part_signals_along_one_axis(path, gap):
    lines = ["# three spectra", *UP, *gap, *UP[:-1], "19,7.00", *gap, *UP]
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    with read_rows(str(path)) as rows:
        assert rows.shape == (3, 20)
        assert rows.layout.feature_names == tuple(map(str, range(20)))
        assert rows.read()[1, -1] == 7.0
        write_rows(str(path.with_name("out.csv")), rows.read(), rows.layout)
    assert path.with_name("out.csv").read_text().splitlines() == [line.strip() for line in lines]
    with pytest.raises(InputError, match="their axis is not the same for all"):
        read(path, [*UP, *gap, *UP[:-2], "18.5,2.00", "19.5,3.00"])
    with pytest.raises(InputError, match="their axis is not the same for all"):
        read(path, [*UP, *gap, *UP[:-2]])


@pytest.mark.parametrize("second", [UP[::2], [f"{place + 20},1" for place in range(9)]])
def test_a_remark_between_rows_is_no_other_table(path, second):
    shuffled = [*UP[::3], *UP[1::3], *UP[2::3]]
    assert len(read(path, [*shuffled, "# a remark", *second])[0]) == len(UP) + len(second)
    going_on = [f"{place},{place * 0.3 % 1:.2f}" for place in range(20, 40)]
    assert len(read(path, [*UP, "# a remark", *going_on])[0]) == 40
