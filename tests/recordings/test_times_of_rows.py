"""Columns of times before rows that are no recording, as they are wider than they are many."""

from __future__ import annotations

import numpy as np
import pytest

from ikpca_cli.cli.given.looks import check_rows
from ikpca_cli.errors import InputError
from ikpca_cli.formats.arrays import ReadOptions, read_rows

RNG = np.random.default_rng(81)


def check(path, times, names=None, n_rows=30, n_columns=40):
    """Look at rows of a reaction, behind their times."""
    some = [*RNG.normal(size=(n_rows, n_columns)).round(3)]
    lines = [
        ",".join(map(str, [*time, *row])) for time, row in zip(times[:n_rows], some, strict=True)
    ]
    if names is not None:
        # Names in letters alone: those that are numbered are told from what stands beside them.
        letters = [first + second for first in "abcdefgh" for second in "uvwxyz"][:n_columns]
        lines.insert(0, ",".join([*names, *letters]))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    with read_rows(str(path), ReadOptions()) as rows:
        check_rows(rows, "rows")


UNEVEN = np.sort(RNG.uniform(0.0, 90.0, 40)).round(4)


def test_uneven_times_are_no_part_of_wide_rows(tmp_path):
    with pytest.raises(InputError, match=r"column 1 'start' rises .* give --labels 1; .*none"):
        check(tmp_path / "a.csv", UNEVEN[:, None], ["start"])
    noisy = RNG.permutation(UNEVEN)
    check(tmp_path / "a.csv", noisy[:, None], ["start"])


@pytest.mark.filterwarnings("ignore::ikpca_cli.errors.IkpcaNote")  # it rises from row to row
def test_a_column_that_is_called_times_need_not_be_the_first(tmp_path):
    times = [(run, time) for run, time in zip(RNG.integers(0, 9, 40), UNEVEN, strict=True)]
    with pytest.raises(InputError, match=r"column 2 'time/s' rises .* --labels 2;"):
        check(tmp_path / "a.csv", times, ["mode", "time/s"])
    check(tmp_path / "a.csv", times, ["mode", "angle"])


def test_text_beside_times_remains_a_label(tmp_path):
    times = [(time, "a" if time < 50 else "b") for time in UNEVEN]
    with pytest.raises(InputError, match=r"--labels 1,2;"):
        check(tmp_path / "a.csv", times, ["t", "kind"])


@pytest.mark.parametrize(("step", "refused"), [(1, False), (10, True)])
def test_times_without_a_name_are_no_index(tmp_path, step, refused):
    times = 1660315243 + step * np.arange(60)[:, None]
    given = tmp_path / "a.csv", times, ['""']
    if not refused:
        check(*given, n_rows=60, n_columns=5)
        return
    way = "--labels 1 --window none;"
    with pytest.raises(InputError, match=f"column 1 holds times.* if column 1 .* {way}"):
        check(*given, n_rows=60, n_columns=5)
