"""What every format of the registry keeps: numbers, shapes, refusals, and its own content."""

from __future__ import annotations

import io
import subprocess
import sys

import numpy as np
import pytest

from ikpca_cli.errors import IkpcaError, InputError, OutputError, UsageError
from ikpca_cli.formats.arrays import Layout, ReadOptions, open_output, read_rows, write_rows
from ikpca_cli.formats.format_registry import FORMATS, format_named
from tests.conftest import ROOT
from tests.formats.test_edf import edf

EXTRAS = {"tiff": "tifffile", "png": "PIL"}
PICTURES = ("tiff", "png")


@pytest.fixture(params=FORMATS)
def form(request):
    if request.param in EXTRAS:
        pytest.importorskip(EXTRAS[request.param])
    if request.param == "wfdb":
        pytest.skip("is several files, written of another record alone")
    return format_named(request.param)


def stored(path, form, count=4):
    """Write samples that the format can hold; return them as rows."""
    if form.name == "edf":  # which is made of another alone
        values = np.random.default_rng(3).integers(0, 256, (count, 5)).astype(float)
        path.write_bytes(
            edf([(f"lead {place}", 2, column) for place, column in enumerate(values.T)])
        )
        return values
    shape = (
        (1, 6, 5) if form.name == "png" else (count, 6, 5) if form.name == "tiff" else (count, 5)
    )
    values = np.random.default_rng(3).integers(0, 256, shape)
    dtype = np.dtype(np.uint8 if form.name in PICTURES else np.float64)
    layout = Layout(format=form.name, dtype=dtype, sample_shape=shape[1:])
    write_rows(str(path), values.reshape(shape[0], -1).astype(float), layout)
    return values.reshape(shape[0], -1)


def refusal_of(path):
    """Return the line with which a file is refused, or None if it is read."""
    try:
        with read_rows(str(path)) as rows:
            assert rows.shape[0] * rows.shape[1] < 1 << 24
            rows.read()
    except IkpcaError as error:
        return str(error)


def test_what_is_written_is_sniffed_and_read_as_it_was(form, tmp_path):
    path = tmp_path / f"x{form.suffixes[0]}"
    values = stored(path, form)
    with read_rows(str(path)) as rows:
        assert rows.layout.format == form.name
        np.testing.assert_array_equal(rows.read(), values)
        assert rows.dtype == np.float64
        assert rows.read().flags.c_contiguous
        np.testing.assert_array_equal(rows[0:1], values[:1])


def test_the_content_tells_the_format_not_the_name(form, tmp_path):
    if form.name == "mat":
        pytest.skip("version 4 is told by its name")
    values = stored(tmp_path / f"x{form.suffixes[0]}", form)
    (tmp_path / f"x{form.suffixes[0]}").rename(tmp_path / "named.dat")
    with read_rows(str(tmp_path / "named.dat")) as rows:
        np.testing.assert_array_equal(rows.read(), values)
        write_rows(str(tmp_path / "out.dat"), rows.read(), rows.layout)
    with read_rows(str(tmp_path / "out.dat")) as rows:
        assert rows.layout.format == form.name
        np.testing.assert_array_equal(rows.read(), values)


def test_blocks_make_the_file_that_is_made_at_once(form, tmp_path):
    path = tmp_path / f"x{form.suffixes[0]}"
    stored(path, form)
    with read_rows(str(path)) as rows:
        values, layout = rows.read(), rows.layout
    target = str(tmp_path / f"blocks{form.suffixes[0]}")
    with open_output(target, len(values), values.dtype, layout) as write:
        for start in range(0, len(values), 3):
            write(values[start : start + 3])
    with read_rows(target) as rows:
        np.testing.assert_array_equal(rows.read(), values)


def test_the_same_from_a_pipe_to_a_pipe(form, tmp_path):
    path = tmp_path / f"x{form.suffixes[0]}"
    values = stored(path, form)
    script = (
        "from ikpca_cli.formats.arrays import read_rows, write_rows\n"
        "rows = read_rows('-')\nwrite_rows('-', rows.read(), rows.layout)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, input=path.read_bytes(), capture_output=True
    )
    assert done.returncode == 0, done.stderr.decode()
    out = tmp_path / f"out{form.suffixes[0]}"
    out.write_bytes(done.stdout)
    with read_rows(str(out)) as rows:
        np.testing.assert_array_equal(rows.read(), values)


def test_a_result_that_is_not_finite_is_never_written(form, tmp_path):
    path = tmp_path / f"x{form.suffixes[0]}"
    stored(path, form)
    target = tmp_path / f"out{form.suffixes[0]}"
    with read_rows(str(path)) as rows:
        values = rows.read().copy()
        values[0, 2] = np.nan
        with pytest.raises(OutputError, match="row 1, column 3 of the result is not finite"):
            write_rows(str(target), values, rows.layout)
    assert not target.exists()


def test_options_without_a_meaning_are_refused(form, tmp_path):
    path = tmp_path / f"x{form.suffixes[0]}"
    stored(path, form)
    if not form.named:
        with pytest.raises(UsageError, match="have no names: leave --dataset out"):
            read_rows(str(path), ReadOptions(dataset="nope"))
    else:
        with pytest.raises(InputError, match="nope"):
            read_rows(str(path), ReadOptions(dataset="nope"))
    if not form.tabular:
        with pytest.raises(UsageError, match="--columns"):
            read_rows(str(path), ReadOptions(columns="1"))


def test_a_suffix_of_compression_compresses_or_is_refused(form, tmp_path):
    path = tmp_path / f"x{form.suffixes[0]}"
    values = stored(path, form)
    with read_rows(str(path)) as rows:
        for name in ("out.gz", f"out{form.suffixes[0]}.gz"):
            if form.gzip:
                write_rows(str(tmp_path / name), rows.read(), rows.layout)
                assert (tmp_path / name).read_bytes().startswith(b"\x1f\x8b")
                with read_rows(str(tmp_path / name)) as back:
                    np.testing.assert_array_equal(back.read(), values)
            else:
                with pytest.raises(OutputError, match=f"{form.title} file; name it .*out"):
                    write_rows(str(tmp_path / name), rows.read(), rows.layout)
                assert not (tmp_path / name).exists()


def test_a_file_that_is_cut_short_or_changed_is_read_or_refused_in_a_line(form, tmp_path):
    path = tmp_path / f"x{form.suffixes[0]}"
    stored(path, form)
    whole = path.read_bytes()
    rng = np.random.default_rng(1)
    for trial in range(120):
        damaged = bytearray(whole)
        if trial % 3 == 0:
            del damaged[int(rng.integers(1, len(whole))) :]
        for place in rng.integers(0, len(damaged), trial % 3 * 2):
            damaged[place] ^= 1 << int(rng.integers(8))
        path.write_bytes(damaged)
        line = refusal_of(path)
        assert line is None or ("\n" not in line and path.name in line)


def test_a_stack_of_pages_is_a_row_each(tmp_path):
    tifffile = pytest.importorskip("tifffile")
    stack = np.random.default_rng(0).integers(0, 65536, (7, 9, 4), np.uint16)
    tifffile.imwrite(tmp_path / "x.tif", stack, compression="zlib", photometric="minisblack")
    with read_rows(str(tmp_path / "x.tif")) as rows:
        assert rows.shape == (7, 36)
        assert rows.layout.sample_shape == (9, 4)
        write_rows(str(tmp_path / "whole.tif"), rows.read() + 0.2, rows.layout)
        write_rows(str(tmp_path / "minus.tif"), -rows.read() / 4, rows.layout, round_to_input=False)
        write_rows(str(tmp_path / "x.npy"), rows.read(), rows.layout)
    back = tifffile.imread(tmp_path / "whole.tif")
    assert back.dtype == np.uint16
    np.testing.assert_array_equal(back, stack)
    np.testing.assert_array_equal(tifffile.imread(tmp_path / "minus.tif"), stack / -4.0)
    assert np.load(tmp_path / "x.npy").shape == (7, 9, 4)


def test_one_picture_and_several_stacks(tmp_path):
    tifffile = pytest.importorskip("tifffile")
    tifffile.imwrite(tmp_path / "one.tif", np.ones((8, 6), np.float32))
    with read_rows(str(tmp_path / "one.tif")) as rows:
        assert rows.shape == (1, 48)
        assert rows.dtype == np.float32
    tifffile.imwrite(tmp_path / "rgb.tif", np.ones((8, 6, 3), np.uint8), photometric="rgb")
    with read_rows(str(tmp_path / "rgb.tif")) as rows:
        assert rows.layout.sample_shape == (8, 6, 3)
    with tifffile.TiffWriter(tmp_path / "two.tif") as tiff:
        tiff.write(np.ones((8, 6)))
        tiff.write(np.ones((4, 5)))
    with pytest.raises(InputError, match="holds 2 stacks, of shapes"):
        read_rows(str(tmp_path / "two.tif"))


@pytest.mark.parametrize(("dtype", "mode"), [("u1", "L"), ("u2", "I;16"), ("?", "1")])
def test_a_picture_comes_back_in_kind(tmp_path, dtype, mode):
    image = pytest.importorskip("PIL.Image")
    top = 2 if dtype == "?" else np.iinfo(dtype).max
    pixels = np.random.default_rng(0).integers(0, top, (9, 4), endpoint=dtype != "?").astype(dtype)
    image.fromarray(pixels).save(tmp_path / "x.png")
    with read_rows(str(tmp_path / "x.png")) as rows:
        assert rows.shape == (1, 36)
        np.testing.assert_array_equal(rows.read(), pixels.reshape(1, 36))
        write_rows(str(tmp_path / "out.png"), rows.read() + 0.3, rows.layout)
        with pytest.raises(OutputError, match=r"write \.tif or \.npy"):
            write_rows(str(tmp_path / "r.png"), rows.read(), rows.layout, round_to_input=False)
    with image.open(tmp_path / "out.png") as back:
        assert back.mode == mode
        np.testing.assert_array_equal(np.asarray(back), pixels)


def test_pictures_that_would_lose_something_are_refused(tmp_path):
    image = pytest.importorskip("PIL.Image")
    image.fromarray(np.zeros((4, 4, 4), np.uint8), "RGBA").save(tmp_path / "alpha.png")
    with pytest.raises(InputError, match="transparent in places, which is not read"):
        read_rows(str(tmp_path / "alpha.png"))
    pixels = np.random.default_rng(0).integers(0, 9, (4, 4, 3), dtype=np.uint8)
    whole = image.fromarray(pixels)
    whole.convert("RGBA").save(tmp_path / "opaque.png")
    whole.quantize(256).save(tmp_path / "palette.png")
    for name in ("opaque", "palette"):
        with read_rows(str(tmp_path / f"{name}.png")) as rows:
            np.testing.assert_array_equal(rows.read(), pixels.reshape(1, -1))
    buffer = io.BytesIO()
    image.fromarray(np.zeros((4, 4), np.uint8)).save(buffer, "PNG")
    huge = bytearray(buffer.getvalue())
    huge[16:24] = b"\0\1\0\0\0\1\0\0"
    (tmp_path / "huge.png").write_bytes(huge)
    with pytest.raises(InputError, match="declares 65536 x 65536 pixels"):
        read_rows(str(tmp_path / "huge.png"))


@pytest.mark.parametrize(("name", "package"), EXTRAS.items())
def test_a_package_that_is_not_installed_is_named(tmp_path, monkeypatch, name, package):
    pytest.importorskip(package)
    form = format_named(name)
    stored(tmp_path / f"x{form.suffixes[0]}", form)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(InputError, match=rf"not installed: pip install 'ikpca-cli\[{name}\]'"):
        read_rows(str(tmp_path / f"x{form.suffixes[0]}"))


def test_a_png_of_a_damaged_header_is_called_so(tmp_path):
    pytest.importorskip("PIL")
    path = tmp_path / "x.png"
    stored(path, format_named("png"))
    content = bytearray(path.read_bytes())
    content[19] ^= 1
    path.write_bytes(content)
    assert refusal_of(path) == f"{path}: is a damaged PNG file; save it again"
