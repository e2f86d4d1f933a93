"""Tables whose rows are numbered, and recordings whose samples are."""

from __future__ import annotations

import csv

import numpy as np
import pytest

from ikpca_cli.cli.given.looks import check_rows
from ikpca_cli.errors import InputError
from ikpca_cli.formats.arrays import read_rows
from ikpca_cli.formats.read_options import ReadOptions

ROWS = 240


def write(path, names, values, words=None):
    """Write rows with their numbers before them, and words behind them."""
    with path.open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow([*names, "kind"] if words else names)
        for place, row in enumerate(np.round(values, 3)):
            table.writerow([place + 1, *row, *([words[place]] if words else [])])
    return str(path)


def checked(path):
    """Return the rows of a file that `fit` takes for samples, and what is said of them."""
    with read_rows(path, ReadOptions()) as rows:
        check_rows(rows, path)
        return np.asarray(rows[:]), rows.layout.table, " ".join(map(str, rows.warnings))


def cases(rng):
    return rng.normal(size=(ROWS, 4)) * [1.0, 20.0, 0.1, 3.0]


def channels(kind, rng):
    """Return a recording (rows, 4) of a kind, with noise."""
    t = np.arange(ROWS)[:, None] + 10.0 * np.arange(4)
    made = {
        "waves": np.sin(0.4 * t),
        "fast": np.sin(1.6 * t),
        "beats": np.exp(-((t % 60 - 30.0) ** 2) / 30.0),
        "drift": 0.01 * t,
        "walk": np.cumsum(rng.normal(size=(ROWS, 4)), axis=0),
        "steps": np.repeat(rng.normal(size=(ROWS // 20, 4)), 20, axis=0),
    }[kind]
    return made + 0.3 * made.std() * rng.normal(size=made.shape)


@pytest.mark.parametrize("name", ["Id", "obsno", "patient", "CaseNo", "Ketchup.hid"])
def test_a_column_that_numbers_cases_is_no_data(tmp_path, name):
    values = cases(np.random.default_rng(3))
    path = write(tmp_path / "cases.csv", [name, "a", "b", "c", "d"], values)
    rows, table, said = checked(path)
    assert np.array_equal(rows, np.round(values, 3))
    assert table.label_names == (name,)
    assert "column 1 for labels, as numbers of the rows" in said
    # In another order, and few: as the model had them.
    few = write(tmp_path / "few.csv", ["a", name, "b", "c", "d"], values[:3])
    with read_rows(few, ReadOptions(width=4)) as found:
        assert found.layout.table.label_names == (name,)
    with read_rows(path, ReadOptions(orientation="rows")) as insisted:
        assert insisted.shape == (ROWS, 5)


@pytest.mark.parametrize("name", ["", "Id"])
def test_cases_sorted_by_their_kind_are_no_recording(tmp_path, name):
    rng = np.random.default_rng(4)
    kinds = np.repeat([0, 1, 2], ROWS // 3)
    values = cases(rng) + 5.0 * kinds[:, None] * [1.0, 20.0, 0.1, 3.0]
    names = [name, "a", "b", "c", "d"]
    words = [("setosa", "versicolor", "virginica")[kind] for kind in kinds]
    path = write(tmp_path / "sorted.csv", names, values, words)
    assert checked(path)[0].shape == (ROWS, 4)
    # Nothing tells them from a recording without their kinds.
    with pytest.raises(InputError, match="looks like a recording"):
        checked(write(tmp_path / "unknown.csv", names, values))


@pytest.mark.parametrize("name", ["", "Id", "No."])
@pytest.mark.parametrize("kind", ["waves", "fast", "beats", "drift", "walk", "steps"])
def test_samples_that_are_numbered_are_those_of_a_recording(tmp_path, kind, name):
    values = channels(kind, np.random.default_rng(5))
    states = ["rest" if place < ROWS // 2 else "walk" for place in range(ROWS)]
    for words in (None, states):
        path = write(tmp_path / "recording.csv", [name, "a", "b", "c", "d"], values, words)
        if kind == "fast" and not name:  # an index alone is asked about by neighbours
            continue
        with pytest.raises(InputError, match="looks like a recording"):
            checked(path)


def test_times_and_samples_are_no_numbers_of_cases(tmp_path):
    for name in ("time", "sample", "frame", "humid", "t"):
        path = write(tmp_path / "a.csv", [name, "a", "b", "c", "d"], cases(np.random.default_rng()))
        with pytest.raises(InputError, match="holds times, or counts the rows"):
            checked(path)
