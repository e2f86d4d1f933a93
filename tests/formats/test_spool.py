"""Tables with more numbers than are kept in memory."""

from __future__ import annotations

import gzip

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from ikpca_cli.errors import InputError
from ikpca_cli.formats.arrays import ReadOptions, read_rows, write_rows
from ikpca_cli.formats.csv.parsing import spool, table_text
from ikpca_cli.formats.rows.mapped import Mapped


@pytest.fixture
def little_memory(monkeypatch):
    monkeypatch.setattr(spool, "IN_MEMORY", 20_000)
    monkeypatch.setattr(table_text, "_BLOCK", 10_000)


@pytest.fixture
def table(tmp_path):
    values = np.random.default_rng(3).normal(size=(1500, 5))
    path = tmp_path / "table.csv"
    lines = (f"r{i}," + ",".join(map(repr, row)) for i, row in enumerate(values.tolist()))
    path.write_text("id,a,b,c,d,e\n" + "\n".join(lines) + "\n")
    return path, values


@pytest.mark.parametrize("zipped", [True, False])
def test_numbers_come_back_from_a_temporary_file(little_memory, table, tmp_path, zipped):
    path, values = table
    if zipped:
        path = path.with_suffix(".csv.gz")
        path.write_bytes(gzip.compress(table[0].read_bytes()))
    told = []
    with read_rows(
        str(path), ReadOptions(columns="2-"), lambda *report: told.append(report)
    ) as rows:
        assert isinstance(rows._source, Mapped)
        assert_array_equal(rows.read(), values)
        assert_array_equal(rows[700:710], values[700:710])
        write_rows(str(tmp_path / "out.csv"), rows.read(), rows.layout)
    assert (tmp_path / "out.csv").read_bytes() == table[0].read_bytes()
    assert {stage for stage, _, _ in told} == {"parsing"}
    assert [done for _, done, _ in told] == sorted(done for _, done, _ in told)
    assert all(total == 0 if zipped else done <= total for _, done, total in told)


def test_samples_in_columns(little_memory, table):
    path, values = table
    with read_rows(str(path), ReadOptions(columns="2-", transpose=True)) as rows:
        assert_array_equal(rows.read(), values.T)


def test_a_mistake_far_down_is_named(little_memory, table):
    path, _ = table
    text = path.read_text().splitlines()
    text[1400] = text[1400].rsplit(",", 1)[0] + ",oops"
    path.write_text("\n".join(text))
    with pytest.raises(InputError, match="row 1400 .*column 6 'e' is 'oops'"):
        read_rows(str(path), ReadOptions(columns="2-"))


def test_a_full_folder_for_temporary_files_is_named(little_memory, table, small_disk, monkeypatch):
    path, _ = table
    monkeypatch.setattr("tempfile.tempdir", str(small_disk))
    (small_disk / "filler").write_bytes(bytes(230_000))
    with pytest.raises(InputError, match=f"fit into .* {small_disk}; set TMPDIR"):
        read_rows(str(path), ReadOptions(columns="2-"))
