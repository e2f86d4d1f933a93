"""What may be read of an HDF5 file from a stranger: only what is whole and inside the file.

Everything here looks at links and headers; no value of a dataset is read.
"""

from __future__ import annotations

import math
import posixpath
from typing import Any

import h5py

from ikpca_cli.errors import InputError

_DEEPEST = 32
_MOST_OBJECTS = 10_000
# Deflate reaches about 1000 : 1 at best, other filters a little more, and signals far less.
_BEST_COMPRESSION = 10_000


def datasets(file: h5py.File, name: str) -> dict[str, h5py.Dataset]:
    """Find the datasets of a file, by hard links alone: those never leave it.

    Parameters
    ----------
    file
        An open file.
    name
        What messages call it.

    Returns
    -------
    dict
        Datasets by path, without the leading slash, each once.

    Raises
    ------
    InputError
        If the file holds more objects than any real one, or groups nested without end.
    """
    found: dict[str, h5py.Dataset] = {}
    seen = {h5py.h5o.get_info(file.id).addr}
    pending: list[tuple[str, h5py.Group]] = [("", file)]
    while pending:
        path, group = pending.pop()
        for key in group:
            if not isinstance(group.get(key, getlink=True), h5py.HardLink):
                continue
            item = group[key]
            address = h5py.h5o.get_info(item.id).addr
            if address in seen:
                continue
            seen.add(address)
            if len(seen) > _MOST_OBJECTS or path.count("/") > _DEEPEST:
                raise InputError(f"{name}: holds too many groups and datasets to look through")
            if isinstance(item, h5py.Dataset):
                found[path + key] = item
            elif isinstance(item, h5py.Group):
                pending.append((f"{path}{key}/", item))
    return dict(sorted(found.items()))


def resolve(file: h5py.File, path: str, name: str, depth: int = 0) -> Any:
    """Follow a path inside a file, over hard and soft links.

    Parameters
    ----------
    file
        An open file.
    path
        As given by the user; it starts at the root.
    name
        What messages call the file.
    depth
        How many soft links were followed.

    Returns
    -------
    h5py.Dataset, h5py.Group or h5py.Datatype, or None if there is nothing.

    Raises
    ------
    InputError
        If the path leaves the file through an external link, or never ends.
    """
    if depth > _DEEPEST:
        raise InputError(f"{name}: {path!r} is a chain of links without end")
    item: Any = file
    parts = [part for part in path.split("/") if part not in ("", ".")]
    for index, part in enumerate(parts):
        if not isinstance(item, h5py.Group):
            return None
        link = item.get(part, getlink=True)
        if isinstance(link, h5py.ExternalLink):
            raise InputError(
                f"{name}: {path!r} is a link to another file, {link.filename}, which is never "
                "followed; give that file itself"
            )
        if isinstance(link, h5py.SoftLink):
            # A relative link starts at its own group; the rest of the path follows its end.
            target = posixpath.join(item.name, link.path, *parts[index + 1 :])
            return resolve(file, target, name, depth + 1)
        if link is None:
            return None
        item = item[part]
    return item


def check_content(file: h5py.File, data: h5py.Dataset, name: str, length: int) -> None:
    """Refuse a dataset whose numbers are not all in this file.

    Parameters
    ----------
    file
        The open file.
    data
        One of its datasets, not empty.
    name
        What messages call the dataset.
    length
        The file's length in bytes.

    Raises
    ------
    InputError
        If the numbers lie in other files, or the declared size is beyond what the file holds.
    """
    _check_inside(file, data, name, length, depth=0)


def _check_inside(file: h5py.File, data: Any, name: str, length: int, depth: int) -> None:
    creation = data.id.get_create_plist()
    if creation.get_external_count():
        other = creation.get_external(0)[0].decode(errors="replace")
        raise InputError(f"{name}: keeps its numbers in another file, {other}, which is not read")
    kind = creation.get_layout()
    if kind == h5py.h5d.VIRTUAL:
        _check_virtual(file, data, name, length, depth)
        return
    _check_filters(creation, name)
    declared = math.prod(data.shape) * data.dtype.itemsize
    stored = data.id.get_storage_size()
    filters = creation.get_nfilters()
    if kind == h5py.h5d.CHUNKED:
        needed = math.prod(-(-n // c) for n, c in zip(data.shape, data.chunks, strict=True))
        chunks = data.id.get_num_chunks() if needed > 1 else int(stored > 0)
        if chunks < needed:
            raise InputError(
                f"{name}: declares shape {data.shape} but only {chunks} of its {needed} chunks are "
                "stored; the file is incomplete, write it again"
            )
    fits = stored * _BEST_COMPRESSION if filters else stored
    if declared > fits or (stored > length and kind != h5py.h5d.COMPACT):
        raise InputError(
            f"{name}: declares shape {data.shape}, {declared} bytes, but the file holds "
            f"{min(stored, length)} of them; it is incomplete, write it again"
        )
    offset = data.id.get_offset() if kind == h5py.h5d.CONTIGUOUS else None
    if offset is not None and offset + stored > length:
        raise InputError(f"{name}: ends beyond the end of the file, which is incomplete")


def _check_virtual(file: h5py.File, data: Any, name: str, length: int, depth: int) -> None:
    """Check every source of a virtual dataset."""
    if depth > _DEEPEST:
        raise InputError(f"{name}: is a virtual dataset of virtual datasets without end")
    sources = data.virtual_sources()
    mapped = 0
    for source in sources:
        if source.file_name != ".":
            raise InputError(
                f"{name}: is a virtual dataset over another file, {source.file_name}, which is "
                "not read; copy the numbers into one file"
            )
        inner = resolve(file, source.dset_name, name)
        if not isinstance(inner, h5py.Dataset):
            raise InputError(f"{name}: is a virtual dataset over {source.dset_name!r}: not there")
        _check_inside(file, inner, f"{name} over {source.dset_name}", length, depth + 1)
        mapped += source.vspace.get_select_npoints()
    if mapped < math.prod(data.shape):
        raise InputError(f"{name}: is a virtual dataset with holes; copy it into a plain dataset")


def _check_filters(creation: Any, name: str) -> None:
    for index in range(creation.get_nfilters()):
        code, _, _, label = creation.get_filter(index)
        if not h5py.h5z.filter_avail(code):
            said = label.decode(errors="replace") or f"number {code}"
            raise InputError(
                f"{name}: is compressed by the filter {said}, which h5py lacks here; "
                "write it again with gzip"
            )
