"""Series as the archives of time series classification have them (.ts, of sktime and aeon).

Lines that begin with @ say what follows ``@data``: a series a line, its numbers between commas, its
dimensions and then its class between colons. Missing numbers are question marks.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ikpca_cli.data.row_source import Progress
from ikpca_cli.errors import InputError, OutputError
from ikpca_cli.formats.csv.table_output import table_writer
from ikpca_cli.formats.file_rows import Rows
from ikpca_cli.formats.format import Array, Format, Input, Output, Write, at_once
from ikpca_cli.formats.layout import Layout, TableStyle
from ikpca_cli.formats.npy import array_rows
from ikpca_cli.formats.read_options import ReadOptions

_MISSING = "?"
_TOLD = 20  # lines that tell how many decimals numbers have


@dataclass(frozen=True)
class _About:
    """The lines above the series, what one is in shape, and what stands behind each."""

    head: str
    shape: tuple[int, ...]
    classes: tuple[str, ...]

    def keep(self, samples: npt.NDArray[np.bool_]) -> _About:
        """Return that of the chosen series, a mask of shape (n,)."""
        if not self.classes:
            return self
        pairs = zip(self.classes, samples, strict=True)
        return replace(self, classes=tuple(one for one, keep in pairs if keep))


def _sniff(head: bytes, path: str) -> bool:
    """Tell by the lines above the series, before which there may be many remarks."""
    if b"@problemname" in head.lower():
        return True
    *lines, _ = head.split(b"\n")
    remarks = all(line.startswith(b"#") or not line.strip() for line in lines)
    return path.lower().endswith(".ts") and bool(lines) and remarks


def _read(file: Input, options: ReadOptions, _: Progress) -> Rows:
    with file.open() as stream:
        text = stream.read().decode("utf-8-sig", "surrogateescape")
    lines = text.replace("\r\n", "\n").split("\n")
    words = [line.strip().lower().split() for line in lines]
    if ["@data"] not in words:
        raise InputError(f"{file.name}: has no line @data, below which its series are; add it")
    first = words.index(["@data"]) + 1
    said = {line[0]: line[1] for line in words[:first] if len(line) > 1}
    if said.get("@timestamps") == "true":
        raise InputError(f"{file.name}: has times in its series, which are not read; take them out")
    below = [(place, line) for place, line in enumerate(lines[first:], first + 1) if line.strip()]
    series = [(place, line.strip().split(":")) for place, line in below if line[0] not in "#%"]
    if not series:
        raise InputError(f"{file.name}: holds no series below @data; give a file with some")
    labelled = "true" in (said.get("@classlabel"), said.get("@targetlabel"))
    count = len(series[0][1]) - labelled
    length = series[0][1][0].count(",") + 1
    for place, parts in series:
        if [part.count(",") + 1 for part in parts[:count]] != [length] * count or (
            len(parts) != count + labelled
        ):
            raise InputError(
                f"{file.name}: line {place} is not of {count} x {length} numbers as the first "
                "series is; bring all to one length"
            )
    array = np.stack([_numbers(parts[:count], place, file.name) for place, parts in series])
    shape = (length,) if count == 1 else (count, length)
    classes = tuple(parts[-1] for _, parts in series) if labelled else ()
    about = _About("\n".join(lines[:first]) + "\n", shape, classes)
    values = array.reshape(len(series), *shape)
    style = _style(series[:_TOLD], count)
    others = ("classes",) if labelled else ()
    return array_rows(values, file.name, "ts", options, table=style, others=others, beside=about)


def _numbers(parts: Sequence[str], place: int, name: str) -> Array:
    """Return the numbers of a series, NaN where they are missing."""
    cells = ",".join(parts).replace(_MISSING, "nan").split(",")
    try:
        return np.array(cells, dtype=np.float64)
    except ValueError as error:
        raise InputError(f"{name}: line {place}: {error}; mend it") from error


def _style(series: Sequence[tuple[int, Sequence[str]]], count: int) -> TableStyle:
    """Return how numbers are written: with a decimal more than those of the first series."""
    cells = [cell for _, parts in series for part in parts[:count] for cell in part.split(",")]
    behind = [len(cell.strip().partition(".")[2]) for cell in cells]
    exact = any("e" in cell.lower() for cell in cells)
    return TableStyle(digits=None if exact else max(behind) + 1, missing=_MISSING, suffix=".ts")


@contextmanager
def _writer(output: Output) -> Iterator[Write]:
    layout, sample = output.layout, output.shape[1:]
    if layout.transposed and len(sample) == 1:
        sample = output.shape[:1]
    if len(sample) > 2:
        raise OutputError(
            f"{output.target}: a .ts file holds series of one or several dimensions, not samples "
            f"of shape {tuple(sample)}; write .npy"
        )
    about = layout.beside
    if not isinstance(about, _About) or about.shape != tuple(sample):
        about = _About(_head(sample), tuple(sample), ())
    output.handle.write(about.head.encode("utf-8", "surrogateescape"))
    width = int(np.prod(sample))
    done = 0

    def put(block: Array) -> None:
        nonlocal done
        text = io.BytesIO()
        with table_writer(text, (len(block), width), _plain(layout)) as write:
            write(block.reshape(len(block), width))
        for line in text.getvalue().decode().splitlines():
            cells = line.split(",")
            parts = [",".join(cells[at : at + sample[-1]]) for at in range(0, width, sample[-1])]
            parts += about.classes[done : done + 1]
            output.handle.write((":".join(parts) + "\n").encode("utf-8", "surrogateescape"))
            done += 1

    if not layout.transposed:
        yield put
        return
    with at_once(output, put) as write_all:
        yield write_all


def _plain(layout: Layout) -> TableStyle:
    """Return how the numbers of a table are written, and nothing else of its style."""
    style = layout.table or TableStyle()
    known = ("decimals", "digits", "significant", "exponent", "least_mantissa")
    return TableStyle(missing=_MISSING, **{name: getattr(style, name) for name in known})


def _head(sample: tuple[int, ...]) -> str:
    """Return the lines above series of a shape."""
    several = f"@dimensions {sample[0]}\n" if len(sample) == 2 else ""
    return (
        "@problemName rows\n@timeStamps false\n@missing false\n"
        f"@univariate {str(len(sample) == 1).lower()}\n{several}@equalLength true\n"
        f"@seriesLength {sample[-1]}\n@classLabel false\n@data\n"
    )


TS = Format(
    name="ts",
    suffixes=(".ts",),
    sniff=_sniff,
    read=_read,
    writer=_writer,
    in_digits=True,
    keeps=True,
)
