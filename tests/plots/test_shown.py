"""Which rows are shown, and how a terminal shows them."""

from __future__ import annotations

import io
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from ikpca_cli import PCA
from ikpca_cli.cli.preview import print_preview
from ikpca_cli.errors import UsageError
from ikpca_cli.formats.arrays import ReadOptions, read_rows
from ikpca_cli.plots.shown import FEW, MOST, Shown, image_shape


@pytest.fixture
def rows():
    rng = np.random.default_rng(5)
    return np.outer(rng.normal(size=50), np.linspace(0, 1, 6)) + rng.normal(0, 0.1, (50, 6))


def shown_of(path, rows, **more):
    options = ReadOptions(**more.pop("reading", {}))
    with read_rows(str(path), options) as source:
        return Shown.of(source, PCA(1).fit(rows), **more)


def test_rows_are_spread_evenly_and_numbered_as_in_the_file(tmp_path, rows):
    np.save(tmp_path / "x.npy", rows)
    shown = shown_of(tmp_path / "x.npy", rows, most=3)
    assert_array_equal(shown.places, [1, 25, 50])
    assert_array_equal(shown.noisy, rows[[0, 24, 49]])
    assert_allclose(shown.cleaned, PCA(1).fit(rows).denoise(rows)[[0, 24, 49]])
    assert shown.label(1) == "row 25"
    assert shown.count() == "3 of 50 rows"
    assert len(shown_of(tmp_path / "x.npy", rows)) == FEW
    assert shown_of(tmp_path / "x.npy", rows, most=MOST).count() == "all 50 rows"


def test_dropped_rows_keep_their_numbers(tmp_path, rows):
    holes = rows.copy()
    holes[:10, 0] = np.nan
    np.save(tmp_path / "x.npy", holes)
    shown = shown_of(tmp_path / "x.npy", rows, most=2, reading={"missing": "drop"})
    assert_array_equal(shown.places, [11, 50])
    assert_array_equal(shown.noisy[0], rows[10])


def test_columns_of_a_transposed_file_are_columns(tmp_path, rows):
    np.save(tmp_path / "x.npy", rows.T)
    shown = shown_of(tmp_path / "x.npy", rows, most=2, reading={"transpose": True})
    assert shown.label(1) == "column 50"


def test_names_and_shapes_come_from_the_file(tmp_path, rows):
    np.savetxt(tmp_path / "x.csv", rows, delimiter=",", header="a,b,c,d,e,f", comments="")
    assert shown_of(tmp_path / "x.csv", rows).columns == tuple("abcdef")
    np.save(tmp_path / "x.npy", rows.reshape(50, 2, 3))
    assert shown_of(tmp_path / "x.npy", rows).is_image
    np.save(tmp_path / "flat.npy", rows)
    assert not shown_of(tmp_path / "flat.npy", rows).is_image
    assert shown_of(tmp_path / "flat.npy", rows, image=(3, 2)).sample_shape == (3, 2)


@pytest.mark.parametrize("text", ["16", "4x4x4", "axb", "4x5", "-4x-4", ""])
def test_wrong_image_sizes_are_refused(text):
    with pytest.raises(UsageError, match="--image"):
        image_shape(text, 16)


def test_image_sizes():
    assert image_shape("2x8", 16) == (2, 8)
    assert image_shape(None, 16) is None


def preview(monkeypatch, shown, encoding="utf-8", columns=80):
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stderr", io.TextIOWrapper(raw, encoding=encoding))
    monkeypatch.setenv("COLUMNS", str(columns))
    print_preview(shown)
    sys.stderr.flush()
    return raw.getvalue().decode(encoding).splitlines()


def one(noisy, cleaned, shape):
    noisy, cleaned = np.atleast_2d(noisy), np.atleast_2d(cleaned)
    places = np.arange(1, len(noisy) + 1)
    return Shown(noisy, cleaned, None, places, 9, "x.npy", "row", shape, None)


def test_bars_rise_with_the_numbers(monkeypatch):
    ramp = np.arange(8.0)
    lines = preview(monkeypatch, one(ramp, 7 - ramp, (8,)))
    assert lines == ["x.npy:", "row 1 noisy ▁▂▃▄▅▆▇█", "   denoised █▇▆▅▄▃▂▁"]
    lines = preview(monkeypatch, one(ramp, 7 - ramp, (8,)), encoding="ascii")
    assert lines[1] == "row 1 noisy _.-~=+*#"


def test_constant_rows_are_flat(monkeypatch):
    lines = preview(monkeypatch, one(np.ones(4), np.ones(4), (4,)))
    assert lines[1].endswith(" ▁▁▁▁")


def test_wide_rows_fit_the_terminal(monkeypatch):
    wide = np.sin(np.arange(5000.0))
    lines = preview(monkeypatch, one([wide] * 3, [wide] * 3, (5000,)), columns=50)
    assert len(lines) == 7
    assert {len(line) for line in lines[1:]} == {49}


def test_images_stand_side_by_side(monkeypatch):
    image = np.array([0.0, 1.0, 0.5, 0.25])
    lines = preview(monkeypatch, one(image, 1 - image, (2, 2)))
    assert lines == ["x.npy:", "row 1 noisy  denoised", "  ██  ██", "▒▒░░  ▒▒▓▓"]


def test_large_images_fit_the_terminal(monkeypatch):
    image = np.random.default_rng(0).uniform(size=200 * 100)
    lines = preview(monkeypatch, one(image, image, (200, 100)), columns=60)
    assert max(map(len, lines)) <= 59
    assert len(lines) == 2 + 28
