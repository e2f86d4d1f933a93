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


def datasets(file: h5py.File, name: str) -> list[str]:
    """Find the datasets of a file, by hard links alone: those never leave it.

    None of them is opened: damage in one that nobody asked for does no harm.

    Parameters
    ----------
    file
        An open file.
    name
        What messages call it.

    Returns
    -------
    list of str
        Their paths, without the leading slash, each dataset once.

    Raises
    ------
    InputError
        If the file holds more objects than any real one, or groups nested without end.
    """
    found: list[str] = []
    seen = {h5py.h5o.get_info(file.id).addr}
    pending: list[tuple[str, h5py.Group]] = [("", file)]
    while pending:
        path, group = pending.pop()
        for key in group:
            if not isinstance(group.get(key, getlink=True), h5py.HardLink):
                continue
            about = h5py.h5o.get_info(group.id, key.encode(errors="surrogateescape"))
            if about.addr in seen:
                continue
            seen.add(about.addr)
            if len(seen) > _MOST_OBJECTS or path.count("/") > _DEEPEST:
                raise InputError(f"{name}: holds too many datasets to list; name one (--dataset)")
            if about.type == h5py.h5o.TYPE_DATASET:
                found.append(path + key)
            elif about.type == h5py.h5o.TYPE_GROUP:
                pending.append((f"{path}{key}/", group[key]))
    return sorted(found)


def outward_links(file: h5py.File) -> list[str]:
    """Return the external links at the root of a file, as ``name -> other file``."""
    links = ((key, file.get(key, getlink=True)) for key in file)
    return [
        f"{key} -> {link.filename}" for key, link in links if isinstance(link, h5py.ExternalLink)
    ]


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
        raise InputError(f"{name}: {path!r} is a circle of links; name another dataset")
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


class Contents:
    """Refuses datasets whose numbers are not all in their file; each is looked at once.

    Parameters
    ----------
    file
        The open file.
    length
        Its length in bytes.

    Attributes
    ----------
    doubts : list of str
        What the user should know of datasets that were not refused.
    """

    def __init__(self, file: h5py.File, length: int) -> None:
        self.doubts: list[str] = []
        self._file = file
        self._length = length
        self._reads: dict[object, int] = {}

    def check(self, data: h5py.Dataset, name: str, depth: int = 0) -> int:
        """Check a dataset, not empty.

        Parameters
        ----------
        data
            The dataset.
        name
            What messages call it.
        depth
            How many virtual datasets it is under.

        Returns
        -------
        int
            How many stretches of stored datasets it takes to read it.

        Raises
        ------
        InputError
            If the numbers lie in other files, or the declared size is beyond what the file holds.
        """
        address = h5py.h5o.get_info(data.id).addr
        if address not in self._reads:
            creation = data.id.get_create_plist()
            if creation.get_external_count():
                other = creation.get_external(0)[0].decode(errors="replace")
                raise InputError(
                    f"{name}: keeps its numbers in another file, {other}, which is not read; copy "
                    "them into this one"
                )
            if creation.get_layout() == h5py.h5d.VIRTUAL:
                self._reads[address] = self._virtual(data, name, depth)
            else:
                self._stored(data, creation, name)
                self._reads[address] = 1
        return self._reads[address]

    def _stored(self, data: Any, creation: Any, name: str) -> None:
        """Check a dataset that holds its numbers itself."""
        _check_filters(creation, name)
        kind = creation.get_layout()
        declared = math.prod(data.shape) * data.dtype.itemsize
        stored = data.id.get_storage_size()
        sparse = creation.get_nfilters() or kind == h5py.h5d.CHUNKED
        fits = stored * _BEST_COMPRESSION if sparse else stored
        if declared > fits or (stored > self._length and kind != h5py.h5d.COMPACT):
            raise InputError(
                f"{name}: declares shape {data.shape}, {declared} bytes, but the file holds "
                f"{min(stored, self._length)} of them; it is incomplete, write it again"
            )
        offset = data.id.get_offset() if kind == h5py.h5d.CONTIGUOUS else None
        if offset is not None and offset + stored > self._length:
            raise InputError(f"{name}: ends beyond the end of the file; copy it again, whole")
        if kind != h5py.h5d.CHUNKED:
            return
        needed = math.prod(-(-n // c) for n, c in zip(data.shape, data.chunks, strict=True))
        chunks = data.id.get_num_chunks() if needed > 1 else int(stored > 0)
        if chunks < needed:
            self.doubts.append(
                f"{name}: {needed - chunks} of its {needed} chunks were never written, and are "
                f"read as the fill value {data.fillvalue}"
            )

    def _virtual(self, data: Any, name: str, depth: int) -> int:
        """Check every source of a virtual dataset."""
        if depth > _DEEPEST:
            raise InputError(
                f"{name}: is a virtual dataset of virtual datasets without end; copy it into a "
                "plain dataset"
            )
        mapped = reads = 0
        for source in data.virtual_sources():
            if source.file_name != ".":
                raise InputError(
                    f"{name}: is a virtual dataset over another file, {source.file_name}, which "
                    "is not read; copy the numbers into one file"
                )
            inner = resolve(self._file, source.dset_name, name)
            if not isinstance(inner, h5py.Dataset):
                raise InputError(
                    f"{name}: is a virtual dataset over {source.dset_name!r}, which is not there; "
                    "write it again"
                )
            reads += self.check(inner, f"{name} over {source.dset_name}", depth + 1)
            if reads > _MOST_OBJECTS:
                raise InputError(
                    f"{name}: is a virtual dataset in more than {_MOST_OBJECTS} pieces; copy it "
                    "into a plain dataset"
                )
            mapped += source.vspace.get_select_npoints()
        if mapped < math.prod(data.shape):
            raise InputError(
                f"{name}: is a virtual dataset with holes; copy it into a plain dataset"
            )
        return reads


def _check_filters(creation: Any, name: str) -> None:
    for index in range(creation.get_nfilters()):
        code, _, _, label = creation.get_filter(index)
        if not h5py.h5z.filter_avail(code):
            said = label.decode(errors="replace") or f"number {code}"
            raise InputError(
                f"{name}: is compressed by the filter {said}, which h5py lacks here; "
                "write it again with gzip"
            )
