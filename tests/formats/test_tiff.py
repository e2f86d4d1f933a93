"""TIFF files: what their numbers stand for."""

from __future__ import annotations

import numpy as np
import pytest

from ikpca_cli.errors import InputError
from ikpca_cli.formats.arrays import ReadOptions, output_notes, read_rows, write_rows

tifffile = pytest.importorskip("tifffile")
VALUES = np.random.default_rng(1).integers(0, 256, (9, 6, 5)).astype(np.uint8)


@pytest.mark.parametrize("photometric", ["minisblack", "miniswhite"])
def test_black_stays_black(tmp_path, photometric):
    tifffile.imwrite(tmp_path / "in.tif", VALUES, photometric=photometric)
    with read_rows(str(tmp_path / "in.tif"), ReadOptions()) as rows:
        write_rows(str(tmp_path / "out.tif"), rows.read(), rows.layout)
    with tifffile.TiffFile(tmp_path / "out.tif") as file:
        assert file.pages[0].photometric.name == photometric.upper()
        np.testing.assert_array_equal(file.asarray(), VALUES)


def test_a_palette_is_refused(tmp_path):
    colours = np.zeros((3, 256), np.uint16)
    tifffile.imwrite(tmp_path / "in.tif", VALUES, photometric="palette", colormap=colours)
    with pytest.raises(InputError, match="palette"):
        read_rows(str(tmp_path / "in.tif"), ReadOptions())


@pytest.mark.parametrize("kind", ["unassalpha", "assocalpha", "unspecified"])
def test_transparency_is_refused_and_a_fourth_channel_is_not(tmp_path, kind):
    pixels = np.random.default_rng(1).integers(0, 256, (3, 6, 5, 4)).astype(np.uint8)
    tifffile.imwrite(tmp_path / "in.tif", pixels, photometric="rgb", extrasamples=[kind])
    if kind == "unspecified":
        with read_rows(str(tmp_path / "in.tif"), ReadOptions()) as rows:
            np.testing.assert_array_equal(rows.read(), pixels.reshape(3, -1))
        return
    with pytest.raises(InputError, match="transparency"):
        read_rows(str(tmp_path / "in.tif"), ReadOptions())


def test_what_an_output_does_not_have_is_said(tmp_path):
    tifffile.imwrite(tmp_path / "plain.tif", VALUES, photometric="minisblack")
    told = {"description": "run 7", "resolution": (300, 300)}
    tifffile.imwrite(tmp_path / "told.tif", VALUES, photometric="minisblack", **told)
    with read_rows(str(tmp_path / "plain.tif"), ReadOptions()) as rows:
        assert output_notes("out.tif", rows.layout) == ()
    with read_rows(str(tmp_path / "told.tif"), ReadOptions()) as rows:
        (line,) = output_notes("out.tif", rows.layout)
    assert line.endswith("not what else is in the input: ImageDescription, XResolution")
