"""Files that stand on the command line by themselves, as a folder, or in a list."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from ikpca_cli.cli.sources import split_source
from ikpca_cli.cli.streams import standard
from ikpca_cli.errors import InputError, Note, UsageError, tell

TEXT = (".asc", ".dat", ".dpt", ".dx", ".ecsv", ".jdx", ".lvm", ".prn", ".tab", ".xy", ".xye")
"""Suffixes of text that instruments write, beside those that outputs are known by."""

ABOUT = ("readme", "read_me", "license", "licence", "changelog")
"""Names, without their suffix, of text about the other files of a folder."""


def gathered(sources: Sequence[str], *, apart: bool = False) -> list[str]:
    """Return the files that some words name.

    A folder stands for the array files in it and in its folders, by name, without hidden ones, a
    README and outputs of `denoise`; the root of all folders for those in itself alone. A word
    ``@list.txt`` stands for the files, folders and lists in a text file, one a line, or with a zero
    byte behind each, as ``find -print0`` has them; remarks begin with #. What is the output of
    another of the files is left out, as a pattern such as ``*.npy`` finds those of an earlier run,
    too. Where files are worked on `apart`, a folder in a folder that cannot be read stands among
    them, to fail by itself.

    Raises
    ------
    InputError
        If a folder or a list names no file, or a list cannot be read.
    UsageError
        If a file is named twice: its noise would be taken for what rows have in common.
    """
    found = _named(sources, (), apart)
    seen: set[str] = set()
    for source in found:
        path = os.path.abspath(source)
        if path in seen:
            raise UsageError(f"{source} is named twice: name it once")
        seen.add(path)
    return _without_outputs(found)


def folder_below(source: str, named: Sequence[str]) -> str:
    """Return where a file lies in the folder that it was found in, "" for one that was named."""
    path = Path(source).parent
    for folder in named:
        if Path(folder).is_dir() and path.is_relative_to(folder):
            return str(path.relative_to(folder))
    return ""


def _named(sources: Sequence[str], lists: tuple[str, ...], apart: bool) -> list[str]:
    """Return the files that words name, some of them in lists that are being read."""
    found: list[str] = []
    for word in sources:
        source = standard(word) or ""
        if source in ("", "@"):
            what = "a list" if source else "an input"
            raise InputError(f"{what} has an empty name; name a file")
        if source.startswith("@") and not Path(source).exists():
            path = os.path.realpath(source[1:])
            if path in lists:
                raise InputError(f"{source[1:]}: is a list that names itself; take that line out")
            found += _named(_listed(source[1:]), (*lists, path), apart)
        elif Path(source).is_dir():
            found += _inside(Path(source), apart)
        else:
            found.append(source)
    return found


def _without_outputs(found: list[str]) -> list[str]:
    """Return files without those that are the cleaned version of another one."""
    from ikpca_cli.formats.arrays import STDIN, default_output

    if len(found) < 2:
        return found
    paths = [split_source(source)[0] for source in found]
    outputs = {os.path.abspath(default_output(path)) for path in paths if path != STDIN}
    kept = [
        source
        for source, path in zip(found, paths, strict=True)
        if path == STDIN or os.path.abspath(path) not in outputs
    ]
    if len(kept) < len(found):
        left = next(source for source in found if source not in kept)
        count = len(found) - len(kept)
        more = f" and {count - 1} more: are" if count > 1 else ": is"
        tell(Note(f"{left}{more} left out, as what denoise made of another file"))
    return kept


def _listed(path: str) -> list[str]:
    try:
        lines = Path(path).read_text(encoding="utf-8-sig").replace("\0", "\n").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "is no text"
        raise InputError(
            f"{path}: the list cannot be read: {reason.lower()}; give a text file of paths"
        ) from error
    full = [line.strip() for line in lines if line.strip()]
    names = [name for name in full if name[0] != "#" or Path(name).exists()]
    if not names:
        raise InputError(f"{path}: lists no file; give one a line")
    return names


def _inside(folder: Path, apart: bool) -> list[str]:
    from ikpca_cli.formats.arrays import is_default_output
    from ikpca_cli.formats.format_registry import FORMATS, format_named

    suffixes = (
        tuple(suffix for kind in map(format_named, FORMATS) for suffix in kind.suffixes) + TEXT
    )
    found: list[Path] = []
    closed: list[Path] = []

    def refuse(error: OSError) -> None:
        if apart and Path(error.filename) != folder:
            closed.append(Path(error.filename))
            return
        reason = os.strerror(error.errno or 0).lower()
        raise InputError(f"{error.filename}: cannot be read: {reason}; name other folders")

    for place, folders, names in os.walk(folder, onerror=refuse):
        is_root = os.path.realpath(place) == os.sep
        folders[:] = [name for name in folders if not (is_root or name.startswith("."))]
        found += [
            Path(place, name)
            for name in names
            if not name.startswith(".")
            and Path(name).stem.lower() not in ABOUT
            and name.lower().removesuffix(".gz").endswith(suffixes)
            and (name.endswith(".hea") or f"{Path(name).stem}.hea" not in names)
        ]
    noisy = sorted(path for path in found if not is_default_output(path.name) and path.is_file())
    noisy += closed
    if not noisy:
        kinds = "array files but those that denoise wrote" if found else "array files"
        raise InputError(f"{folder}: is a folder without {kinds}; name the files")
    return [str(path) for path in noisy]
