"""No text makes a reader work without bounds: what it does is counted, not timed."""

from __future__ import annotations

import gzip
import io
import sys
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ikpca_cli.errors import InputError
from ikpca_cli.formats.arrays import read_rows
from ikpca_cli.formats.csv.form import cells
from ikpca_cli.formats.csv.form.cells import Grammar, raw_cells
from ikpca_cli.formats.csv.form.text_columns import _WITH_UNIT
from ikpca_cli.formats.csv.parsing import table_text
from ikpca_cli.formats.csv.parsing.table_text import TableText


class Counted(io.BytesIO):
    """Bytes without end, as a gzip file of a few kilobytes may hold them."""

    def __init__(self, start, endless):
        super().__init__(start)
        self.endless = endless
        self.given = len(start)

    def read(self, size=-1):
        found = super().read(size)
        missing = size - len(found)
        self.given += missing
        return found + (self.endless * (missing // len(self.endless) + 1))[:missing]


@pytest.mark.parametrize("start", [b"", b"1,2\n3,4\n", b"a,b\n" * 100 + b"1,2\n" * 400_000])
@pytest.mark.parametrize("endless", [b"1", b"1,", b'"', b" ", b"\xff"])
def test_a_line_without_end_is_refused_after_so_many_bytes(monkeypatch, start, endless):
    monkeypatch.setattr(table_text, "LONGEST_LINE", 1 << 20)
    monkeypatch.setattr(table_text, "_BLOCK", 1 << 18)
    stream = Counted(start, endless)
    with pytest.raises(InputError, match="longer than 1 MB"):
        for _ in TableText(stream, "endless.csv").blocks(0):
            pass
    assert stream.given <= len(start) + (4 << 20)


def test_a_small_file_of_a_long_line_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(table_text, "LONGEST_LINE", 1 << 20)
    path = tmp_path / "line.csv.gz"
    path.write_bytes(gzip.compress(b"1" * (5 << 20), 9))
    assert path.stat().st_size < 10_000
    with pytest.raises(InputError, match="line 1 is longer than 1 MB"):
        read_rows(str(path))


def steps(function, *arguments):
    """Count the lines of Python that a call runs."""
    count = 0

    def trace(_frame, event, _argument):
        nonlocal count
        count += event == "line"
        return trace

    sys.settrace(trace)
    try:
        function(*arguments)
    finally:
        sys.settrace(None)
    return count


@pytest.mark.parametrize("piece", ['"', '",', 'a",', '"a', ',"', "1,", '""', '"x",y'])
def test_splitting_takes_steps_like_the_length_of_a_line(piece):
    short, long = (steps(raw_cells, piece * count, ",") for count in (200, 2000))
    assert long <= 11 * short + 100


@pytest.mark.parametrize("cell", ["1" * 6000 + "x", "1," * 3000, " " * 6000, "1 " * 3000 + "x"])
def test_a_long_cell_is_text(cell):
    assert Grammar().number(cell) is None or not cell.strip()
    assert Grammar(",", ".").number(cell) is None or not cell.strip()


PATTERNS = [
    cells.plain_number("."),
    cells.plain_number(","),
    cells.grouped_number(".", ","),
    cells.grouped_number(",", "."),
    cells.grouped_number(".", " "),
]


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern.pattern)
@given(cell=st.text(alphabet="0123456789.,+-eE x", max_size=12))
def test_possessive_patterns_find_what_greedy_ones_do(pattern, cell):
    import re

    greedy = re.compile(re.sub(r"([+*?}])\+", r"\1", pattern.pattern), re.A)
    assert bool(pattern.fullmatch(cell)) == bool(greedy.fullmatch(cell))


def test_no_repetition_in_a_pattern_of_numbers_gives_back(tmp_path):
    for pattern in PATTERNS:
        assert "*)" not in pattern.pattern
        for place, sign in enumerate(pattern.pattern):
            if sign in "*+" and pattern.pattern[place - 1] not in "[\\+*?}-":
                assert pattern.pattern[place + 1 : place + 2] == "+", pattern.pattern
    assert _WITH_UNIT.fullmatch("1 " * 15 + "!") is None


def read_or_refuse(path):
    """Return what is in a file; None if it is refused in one line, which must not be another."""
    line = ""
    try:
        with read_rows(str(path)) as found:
            return found.read()
    except InputError as error:
        line = str(error)
    assert line
    assert "\n" not in line
    return None


piece = st.one_of(
    st.floats(allow_nan=False).map(repr),
    st.integers(-99, 99999).map(str),
    st.sampled_from(["", "a", "NA", "OVER", "1,5", "1.234,5", '"x', '"1,682"', "#", "Mean", "°"]),
)


@given(
    rows=st.lists(st.lists(piece, min_size=1, max_size=5), min_size=1, max_size=12),
    delimiter=st.sampled_from([",", ";", "\t", " ", "|"]),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    head=st.sampled_from(["", "sep=;\n", "# a b\n", "title\n\n", "\ufeff"]),
)
def test_any_text_is_read_or_refused_in_one_line(tmp_path_factory, rows, delimiter, end, head):
    path = tmp_path_factory.mktemp("any") / "any.csv"
    path.write_bytes((head + end.join(delimiter.join(row) for row in rows)).encode())
    values = read_or_refuse(path)
    if values is not None:
        assert values.ndim == 2
        assert 0 < len(values) <= len(rows) * 5
        assert np.isfinite(values).all()


@given(data=st.binary(max_size=200))
def test_any_bytes_are_read_or_refused_in_one_line(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("bytes") / "any.txt"
    path.write_bytes(data)
    read_or_refuse(path)


def test_a_line_of_many_numbers_takes_time_like_its_length(tmp_path):
    costs = []
    for count in (4_000, 40_000):
        path = tmp_path / f"{count}.csv"
        path.write_text(",".join(f"{place % 97 / 8:.3f}" for place in range(count)) + "\n")
        start = time.process_time()
        read_or_refuse(path)
        costs.append(time.process_time() - start)
    assert costs[1] < 20.0 * costs[0] + 1.0  # ten times the numbers, a hundred times the pairs
