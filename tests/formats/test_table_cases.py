"""Text tables as people really have them, from the data beside this checkout."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from ikpca_cli.errors import InputError
from ikpca_cli.formats.arrays import ReadOptions, read_rows, write_rows


@pytest.fixture
def opened(shared):
    def read(name, **options):
        with read_rows(str(shared / "cases" / name), ReadOptions(**options)) as rows:
            return rows.read(), rows

    return read


@pytest.fixture
def refused(shared):
    def read(name, **options):
        with pytest.raises(InputError) as caught:
            read_rows(str(shared / "cases" / name), ReadOptions(**options))
        assert name in str(caught.value)
        assert "\n" not in str(caught.value)
        return str(caught.value)

    return read


@pytest.mark.parametrize(
    ("name", "shape", "first", "last"),
    [
        ("bom.csv", (3, 3), 1.0, 9.0),
        ("decimal_comma.csv", (3, 3), 1.5, 3.5),
        ("quoted_header.csv", (2, 2), 1.0, 4.0),
        ("comments_then_header.csv", (2, 3), 0.1, 0.6),
        ("tabs.tsv", (2, 2), 1e-3, 4.0),
        ("crlf.csv", (3, 3), 1.0, 10.0),
        ("wavelength_header.csv", (40, 16), -0.0238, None),
        ("name_then_wavelengths.csv", (40, 16), -0.0238, None),
        ("units_row.csv", (40, 3), -0.024, -0.044),
        ("preamble.csv", (40, 3), -0.024, -0.044),
        ("total_row.csv", (40, 3), -0.024, -0.044),
        ("mixed_line_ends.txt", (8, 3), -0.024, -0.005),
    ],
)
def test_what_can_be_read_is_read_right(opened, name, shape, first, last):
    values, _ = opened(name)
    assert values.shape == shape
    assert values[0, 0] == first
    assert last is None or values[-1, -1] == last


@pytest.mark.parametrize("name", ["wavelength_header.csv", "name_then_wavelengths.csv"])
def test_axis_and_labels_come_back(opened, shared, tmp_path, name):
    values, rows = opened(name)
    write_rows(str(tmp_path / name), values * 1.01, rows.layout)
    before = (shared / "cases" / name).read_text().splitlines()
    after = (tmp_path / name).read_text().splitlines()
    assert after[0] == before[0]
    if name.startswith("name"):
        assert [line.split(",")[0] for line in after] == [line.split(",")[0] for line in before]
        assert rows.feature_names[:2] == ("400.00", "405.10")


@pytest.mark.parametrize(
    ("name", "reasons"),
    [
        ("blank_cell.csv", ["row 2 (line 3), column 2 'b' is missing", "--missing"]),
        ("text_cell.csv", ["row 2, column 2 is 'abc'"]),
        ("overrange.csv", ["row 18 (line 19), column 2 'ch2' is 'OVER'", "--na"]),
        ("thousands_quoted.csv", ["--thousands ,", "--decimal ,"]),
        ("many_digits.csv", ["row 1, column 1 is '111"]),
    ],
)
def test_what_cannot_be_is_refused_by_place_and_option(refused, name, reasons):
    line = refused(name)
    for reason in reasons:
        assert reason in line


def test_options_bring_the_right_numbers(opened):
    values, _ = opened("thousands_quoted.csv", thousands=",")
    assert_array_equal(values[:2], [[896, 1682, 861, 1204], [1515, 1583, 921, 1572]])
    values, _ = opened("overrange.csv", na="OVER", missing="drop")
    assert values.shape == (39, 3)
    values, rows = opened("index_column.csv")
    assert "column 1, which has no name and numbers the rows" in rows.warnings[0]
    assert values.shape == (3, 3)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("wavelength_header.csv", "400 to 475, for the axis"),
        ("name_then_wavelengths.csv", "column 1 'sample' for labels"),
        ("units_row.csv", "line 2 for units"),
        ("preamble.csv", "lines 1 to 3 for a preamble"),
        ("total_row.csv", "the last line from 'Mean' on for no rows"),
    ],
)
def test_the_message_says_what_was_taken_for_what(opened, name, words):
    _, rows = opened(name)
    assert len(rows.warnings) == 1
    assert words in rows.warnings[0]
    assert np.isfinite(rows.read()).all()
