"""Files that stand on the command line by themselves, as a folder, or in a list."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from ikpca_cli.errors import InputError, UsageError

TEXT = (".asc", ".dat", ".dpt", ".dx", ".jdx", ".prn", ".xy")
"""Suffixes of text that instruments write, beside those that outputs are known by."""

ABOUT = ("readme", "read_me", "license", "licence", "changelog")
"""Names, without their suffix, of text about the other files of a folder."""


def gathered(sources: Sequence[str]) -> list[str]:
    """Return the files that some words name.

    A folder stands for the array files in it, by name, without hidden ones, a README and outputs of
    `denoise`; ``@list.txt`` for the files in a text file, one a line, where remarks begin with #.

    Raises
    ------
    InputError
        If a folder or a list names no file, or a list cannot be read.
    UsageError
        If a file is named twice: its noise would be taken for what rows have in common.
    """
    found: list[str] = []
    for source in sources:
        if not source:
            raise InputError("an input has an empty name; name a file")
        if source.startswith("@") and not Path(source).exists():
            found += _listed(source[1:])
        elif Path(source).is_dir():
            found += _inside(Path(source))
        else:
            found.append(source)
    seen: set[str] = set()
    for source in found:
        path = os.path.abspath(source)
        if path in seen:
            raise UsageError(f"{source} is named twice: name it once")
        seen.add(path)
    return found


def _listed(path: str) -> list[str]:
    try:
        lines = Path(path).read_text(encoding="utf-8-sig").splitlines()
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


def _inside(folder: Path) -> list[str]:
    from ikpca_cli.formats.format_registry import FORMATS, format_named

    suffixes = (
        tuple(suffix for kind in map(format_named, FORMATS) for suffix in kind.suffixes) + TEXT
    )
    names = [
        str(path)
        for path in sorted(folder.iterdir())
        if path.is_file()
        and not path.name.startswith(".")
        and ".denoised." not in path.name
        and path.stem.lower() not in ABOUT
        and path.name.lower().removesuffix(".gz").endswith(suffixes)
    ]
    if not names:
        cleaned = any(".denoised." in path.name for path in folder.iterdir())
        kinds = "array files but those that denoise wrote" if cleaned else "array files"
        raise InputError(f"{folder}: is a folder without {kinds}; name the files")
    return names
