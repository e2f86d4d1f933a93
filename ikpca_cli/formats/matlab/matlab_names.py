"""Names that MATLAB can have for a variable."""

from __future__ import annotations

import re

from ikpca_cli.formats.layout import Layout

_LONGEST = 63  # MATLAB's namelengthmax
_KEYWORDS = re.compile(
    "break|case|catch|classdef|continue|else|elseif|end|for|function|global|if|otherwise|parfor|"
    "persistent|return|spmd|switch|try|while"
)


def matlab_name(name: str) -> str:
    """Return a name as MATLAB can have it: letters, digits and ``_``, a letter first."""
    plain = re.sub(r"[^0-9A-Za-z_]", "_", name)
    if not plain[:1].isalpha() or _KEYWORDS.fullmatch(plain):
        plain = f"x{plain}" if plain.startswith("_") else f"x_{plain}"
    return plain[:_LONGEST]


def renaming(layout: Layout) -> tuple[str, ...]:
    """Say under which name a MATLAB file holds an array whose own is impossible there."""
    name = layout.dataset
    if name is None or layout.format == "mat73" or matlab_name(name) == name:
        return ()
    return (f"{name!r} cannot be a name in MATLAB: the output calls it {matlab_name(name)}",)
