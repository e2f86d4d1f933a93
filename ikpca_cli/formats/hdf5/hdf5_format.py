"""HDF5 files: one dataset, or several that are alike, with what is attached to them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from ikpca_cli.data.row_source import Progress
from ikpca_cli.errors import InputError
from ikpca_cli.formats.array_checks import as_one_sample, check_shape
from ikpca_cli.formats.file_rows import Rows
from ikpca_cli.formats.format import Array, Format, Input, Output, Write
from ikpca_cli.formats.hdf5.guarded import hdf5_writer
from ikpca_cli.formats.hdf5.packing import Unpacked, unpacked
from ikpca_cli.formats.layout import Layout, Part
from ikpca_cli.formats.read_options import ReadOptions
from ikpca_cli.formats.rows.row_slices import Source
from ikpca_cli.formats.rows.window import Window

_CACHE = 32 << 20  # bytes of chunks: more than HDF5's 1 MB keeps a row of them between windows
_LISTED = 20
_SIGNATURE = b"\x89HDF\r\n\x1a\n"


class _Vector:
    """A dataset of one axis as one sample."""

    def __init__(self, dataset: Any) -> None:
        self.shape = (1, *dataset.shape)
        self.dtype: np.dtype[Any] = dataset.dtype
        self._dataset = dataset

    def __getitem__(self, rows: slice) -> Array:
        return np.asarray(self._dataset[:])[np.newaxis][rows]


class _Stacked:
    """The samples of several datasets, one after the other."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self._sources = sources
        self._ends = np.cumsum([source.shape[0] for source in sources])
        self.shape = (int(self._ends[-1]), *sources[0].shape[1:])
        self.dtype = np.result_type(*(source.dtype for source in sources))

    def __getitem__(self, rows: slice) -> Array:
        blocks, start = [], rows.start
        while start < rows.stop:
            place = int(np.searchsorted(self._ends, start, side="right"))
            first = int(self._ends[place]) - self._sources[place].shape[0]
            stop = min(rows.stop, int(self._ends[place]))
            blocks.append(self._sources[place][start - first : stop - first])
            start = stop
        return np.concatenate(blocks) if len(blocks) > 1 else blocks[0]


def read_hdf5(file: Input, options: ReadOptions, _: Progress) -> Rows:
    """Open datasets of an HDF5 file.

    Parameters
    ----------
    file
        The file.
    options
        `dataset` names one, needed only where several could be meant, or has ``*``, ``?`` or
        ``[`` in it for all that are like it.

    Returns
    -------
    Rows
        Over the datasets, which stay in the file.

    Raises
    ------
    InputError
        If no dataset is a stack of samples, several are, the one named is not, its numbers are
        not all in this file, or the file is damaged.
    """
    from ikpca_cli.formats.hdf5.trial import is_plain, try_out

    if not is_plain(file):
        try_out(file, options)
    return open_hdf5(file, options)


def open_hdf5(file: Input, options: ReadOptions) -> Rows:
    """Open datasets as `read_hdf5` does, without a trial before."""
    import h5py

    try:
        opened = h5py.File(file.path if file.data is None else file.open(), rdcc_nbytes=_CACHE)
    except OSError as error:
        raise InputError(f"{file.name}: is a damaged HDF5 file ({error}); copy it again") from error
    try:
        return _open(opened, file, options)
    except BaseException:
        opened.close()
        raise


def _open(opened: Any, file: Input, options: ReadOptions) -> Rows:
    from ikpca_cli.formats.hdf5.attributes import Attachments
    from ikpca_cli.formats.hdf5.chosen import check_kind, choose
    from ikpca_cli.formats.hdf5.hdf5_trust import Contents, datasets

    found = datasets(opened, file.name)
    chosen, many = choose(opened, file.name, options.dataset, found)
    matlab = "MATLAB_class" in opened[chosen[0]].attrs
    if matlab and not many:
        options = as_one_sample(opened[chosen[0]].shape[::-1], options)
    contents = Contents(opened, file.length())
    sources: list[Source] = []
    parts: list[Part] = []
    packed = False
    for path in chosen:
        dataset, called = opened[path], f"{file.name}: {path}"
        shape = dataset.shape[::-1] if matlab else dataset.shape
        check_kind(called, dataset)
        vector = (many and len(shape) == 1) or check_shape(called, shape, options)
        contents.check(dataset, called)
        understood = unpacked(dataset, called)
        packed = packed or isinstance(understood, Unpacked)
        reverse = matlab != options.transpose
        sources.append(_Vector(understood) if vector else Window(understood, reverse=reverse))
        parts.append(Part(path, sources[-1].shape[0], vector))
        if sources[-1].shape[1:] != sources[0].shape[1:]:
            raise InputError(
                f"{called}: has samples of shape {sources[-1].shape[1:]}, and {chosen[0]} of "
                f"{sources[0].shape[1:]}; datasets that are read as one need the same"
            )
    attachments = Attachments(
        counts={part.dataset: part.count for part in parts},
        last=matlab != options.transpose,
        packing=understood.packing() if packed and len(chosen) == 1 else None,
    )
    attachments.note(opened, chosen, [key for key in found if key not in chosen])
    samples = _Stacked(sources) if many else sources[0]
    layout = Layout(
        format="mat73" if matlab else "hdf5",
        dtype=np.dtype(np.float64) if packed else samples.dtype,
        sample_shape=samples.shape[1:],
        transposed=options.transpose,
        dataset=chosen[0],
        compressed=any(opened[path].compression is not None for path in chosen),
        others=tuple(key for key in found if key not in chosen and key not in attachments.places()),
        beside=attachments,
        parts=tuple(parts) if many or vector else (),
    )
    name = f"{file.name}: {options.dataset if many else chosen[0]}"
    return Rows(
        samples,
        name,
        layout,
        missing=options.missing,
        warnings=tuple(contents.doubts),
        close=opened.close,
    )


def _sniff(head: bytes, path: str) -> bool:
    # HDF5 allows a block of its user's before the file: 512 bytes, or a power of two more.
    return any(head.startswith(_SIGNATURE, offset) for offset in (0, 512, 1024, 2048))


def _notes(layout: Layout) -> tuple[str, ...]:
    lost = getattr(layout.beside, "lost", [])
    return (f"not copied to the output: {', '.join(lost[:_LISTED])}",) if lost else ()


@contextmanager
def _writer(output: Output) -> Iterator[Write]:
    with hdf5_writer(output, last=output.layout.transposed) as write:
        yield write


HDF5 = Format(
    name="hdf5",
    suffixes=(".h5", ".hdf5"),
    sniff=_sniff,
    read=read_hdf5,
    writer=_writer,
    sliceable=True,
    named=True,
    notes=_notes,
)
