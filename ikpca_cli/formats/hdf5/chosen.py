"""Which datasets of an HDF5 file are meant, and what to say of those that cannot be."""

from __future__ import annotations

import fnmatch
import math
import posixpath
from collections.abc import Sequence
from typing import Any

import h5py

from ikpca_cli.errors import InputError
from ikpca_cli.formats.array_checks import check_numbers, only_vector, refuse_sparse
from ikpca_cli.formats.hdf5.hdf5_trust import outward_links, resolve

_LISTED = 20
_MANY = 6  # datasets of one width, more than train, noisy and clean


def choose(file: Any, name: str, asked: str | None, found: list[str]) -> tuple[list[str], bool]:
    """Return the paths of the datasets asked for, and whether they are read as several.

    Without a request it is the only one that could be meant.
    """

    def listed() -> str:
        said = ", ".join(f"{key} {_describe(file[key])}" for key in found[:_LISTED])
        return said + (f" and {len(found) - _LISTED} more" if len(found) > _LISTED else "")

    if asked is not None:
        item = resolve(file, asked, name)
        if item is None and any(mark in asked for mark in "*?["):
            like = [key for key in _like(asked.strip("/"), found) if file[key].shape is not None]
            if not like:
                raise InputError(
                    f"{name}: no dataset is like {asked}; it holds {listed() or 'none'}"
                )
            return like, True
        if item is None:
            raise InputError(f"{name}: has no dataset {asked!r}; it holds {listed() or 'none'}")
        if not isinstance(item, h5py.Dataset):
            raise InputError(
                f"{name}: {asked!r} is a group; its file holds {listed() or 'none'}; "
                f"{asked.strip('/')}/* names all datasets in it"
            )
        if item.shape is None:
            raise InputError(f"{name}: {asked} is a null dataset; name another (--dataset)")
        return [str(item.name).strip("/")], False
    if not found:
        links = ", ".join(outward_links(file))
        said = f"links to other files are not followed: {links}" if links else "it is empty"
        raise InputError(f"{name}: holds no dataset ({said}); write one into it")
    usable = [key for key in found if _usable(file[key])]
    if not usable:
        items = {key: file[key] for key in found if not file[key].is_scale}
        usable = only_vector({k: one.shape or () for k, one in items.items() if _has_numbers(one)})
    if len(usable) == 1:
        return usable, False
    if len(found) == 1 and file[found[0]].shape is not None:
        return found, False  # to be refused with its own reason
    if not usable:
        refuse_sparse(name, found)
    if usable:
        alike = _pattern(usable) if len({file[key].shape[1:] for key in usable}) == 1 else None
        whole = alike is not None and _like(alike, found) == usable
        whole = whole and ("*" not in str(alike).split("/") or len(usable) >= _MANY)
        every = f", or all with --dataset '{alike}'" if whole else ""
        raise InputError(
            f"{name}: holds several datasets; name one with --dataset{every}: {listed()}"
        )
    pattern = _pattern([key for key in found if _is_vector(file[key])])
    if pattern is not None:
        raise InputError(
            f"{name}: holds datasets of one axis; if each is a sample, give --dataset '{pattern}', "
            f"which reads all of them: {listed()}"
        )
    raise InputError(f"{name}: no dataset is a table of numbers: {listed()}")


def _like(pattern: str, found: list[str]) -> list[str]:
    """Return the paths that a pattern fits, part by part."""
    wanted = pattern.split("/")

    def fits(path: str) -> bool:
        parts = path.split("/")
        pairs = zip(parts, wanted, strict=False)
        return len(parts) == len(wanted) and all(fnmatch.fnmatchcase(*pair) for pair in pairs)

    return [path for path in found if fits(path)]


def _pattern(paths: Sequence[str]) -> str | None:
    """Return the pattern of paths that differ in one part, at least two of them, or None."""
    parts = [path.split("/") for path in paths]
    if len(parts) < 2 or len(set(map(len, parts))) > 1:
        return None
    columns = list(zip(*parts, strict=True))
    different = [place for place, column in enumerate(columns) if len(set(column)) > 1]
    if len(different) != 1:
        return None
    names = columns[different[0]]
    start = posixpath.commonprefix(names)
    end = posixpath.commonprefix([name[len(start) :][::-1] for name in names])[::-1]
    return "/".join([*parts[0][: different[0]], f"{start}*{end}", *parts[0][different[0] + 1 :]])


def _is_vector(item: Any) -> bool:
    """Tell whether a dataset is one axis of numbers, and may be a sample."""
    return item.shape is not None and len(item.shape) == 1 and _has_numbers(item)


def _usable(item: Any) -> bool:
    """Tell whether a dataset could be a stack of samples."""
    shape = item.shape
    return (
        shape is not None
        and len(shape) > 1
        and math.prod(shape) > 0
        and (min(shape) > 1 or "MATLAB_class" not in item.attrs)  # whose single numbers are 1 x 1
        and _has_numbers(item)
        and not item.is_scale
    )


def _has_numbers(item: Any) -> bool:
    return item.dtype.kind in "biuf" and _names_of_values(item) is None and not _is_text(item)


def _is_text(item: Any) -> bool:
    """Tell whether whole numbers are the letters of a MATLAB text."""
    return item.attrs.get("MATLAB_class") in (b"char", "char")


def _names_of_values(item: Any) -> list[str] | None:
    """Return what the numbers of an enumeration are called; None if they are numbers."""
    names = h5py.check_enum_dtype(item.dtype)
    return None if names is None else list(names)


def check_kind(name: str, item: Any) -> None:
    """Refuse a dataset that does not hold real numbers."""
    if h5py.check_ref_dtype(item.dtype) is not None:
        raise InputError(
            f"{name}: holds references to other datasets, not numbers, as MATLAB's cells do; name "
            "one that holds numbers (--dataset)"
        )
    if h5py.check_string_dtype(item.dtype) is not None or _is_text(item):
        raise InputError(f"{name}: holds text, not numbers; name another dataset (--dataset)")
    if h5py.check_vlen_dtype(item.dtype) is not None:
        raise InputError(
            f"{name}: holds lists of any length, not rows; save rows of one length as a table"
        )
    check_numbers(name, item.dtype)
    names = _names_of_values(item)
    if names is not None:
        raise InputError(
            f"{name}: holds names, not numbers ({', '.join(names[:5])}); save what they stand for "
            "as numbers"
        )


def _describe(item: Any) -> str:
    """Say what a dataset is, in few words."""
    if item.shape is None:
        return "(null)"
    shape = item.shape[::-1] if "MATLAB_class" in item.attrs else item.shape
    if item.dtype.kind in "SUO" or _is_text(item):
        return f"{shape} text"
    return str(shape) if item.dtype.kind in "biuf" else f"{shape} {item.dtype.kind}"
