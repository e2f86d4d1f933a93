"""Text that looks like a table and is none: numbers packed several to a line."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ikpca_cli.errors import InputError

_PACKED = re.compile(r"##\s*\w[\w ]*=\s*\(X\+\+\(", re.I)


def refuse_packed(lines: Sequence[str], name: str) -> None:
    """Refuse spectra of JCAMP-DX, whose lines are a number of the axis and the values from there.

    Raises
    ------
    InputError
    """
    if lines[0].lstrip().startswith("##") and any(map(_PACKED.match, lines)):
        raise InputError(
            f"{name}: is a JCAMP-DX file with several values to a line, (X++(Y..Y)), which is not "
            "read; export it as two columns, axis and value"
        )
