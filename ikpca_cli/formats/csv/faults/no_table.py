"""Text whose lines look like those of a table, and whose numbers mean something else."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ikpca_cli.errors import InputError

_LINES = 40
"""Lines that tell what a text is."""

_LABEL = re.compile(r"\s*##\s*([\w .-]+?)\s*=\s*(.*)")
_SEVERAL = re.compile(r"\(\w+\+\+\(", re.I)
_NUMBERS = re.compile(
    r"\s*[-+.\d]+(?:[eE][-+]?\d+)?(?:[\s,;]+[-+.\d]+(?:[eE][-+]?\d+)?){2,}[\s,;]*"
)
"""A line of more than two numbers."""

_INDEXED = re.compile(
    r"[+-]?\d++(?:\.\d*+)?+(?:,\d++)*+(?:\s++\d++:[+-]?+[\d.]\S*+){2,}+\s*+(?:#.*)?+"
)
_MARKUP = re.compile(r"<(?:\?xml|!--|!doctype|html|table|svg)|<[a-z][^<>]*>\s*(?:<|$)")
_PEAKS = ("begin ions", "num peaks:", "numpeaks:")
_JSON = re.compile(r"\s*(?:\{\s*(?:\"|$)|\[\s*(?:[\[{\"]|[-+.\d][^\]]*[,\]]|$))")
_BEGINNINGS = (("%%matrixmarket", "a MatrixMarket file", "save the matrix as npy"),)


def refuse_other_text(lines: Sequence[str], name: str) -> None:
    """Refuse text that is known to be no table.

    Parameters
    ----------
    lines
        The first lines.
    name
        What messages call the file.

    Raises
    ------
    InputError
    """
    full = [line for line in lines[:_LINES] if line.strip()]
    first = full[0].lstrip().lower() if full else ""
    begun = [line.lstrip().lower() for line in full if line.lstrip()[:1] in ("@", "%")]
    for beginning, kind, remedy in _BEGINNINGS:
        if any(line.startswith(beginning) for line in begun):
            raise InputError(f"{name}: is {kind}, which is not read; {remedy}")
    if first.startswith("brain vision data exchange"):
        raise InputError(
            f"{name}: is a header of BrainVision, whose numbers are in another file; export them "
            "as a text table"
        )
    if "vamas surface chemical analysis" in first:
        raise InputError(
            f"{name}: is a VAMAS file, whose numbers stand one a line below their settings; export "
            "axis and signal as a text table"
        )
    if any(line.lower().startswith(_PEAKS) for line in full):
        raise InputError(
            f"{name}: holds peaks of mass spectra, each with places of its own, which is not read; "
            "save intensities in equal bins, one spectrum a row"
        )
    if _MARKUP.match(first):
        raise InputError(f"{name}: is XML or HTML, and no table; save its numbers as CSV")
    if full and _JSON.match(full[0]):
        raise InputError(
            f"{name}: is JSON, or a printed array, and no table; save its numbers as CSV or npy"
        )
    if sum(line.startswith("# name: ") for line in lines) > 1:
        raise InputError(
            f"{name}: holds several variables, as Octave saves them; save one a file, or all of "
            "them by save -v6 as .mat"
        )
    if len(full) > 1 and all(map(_INDEXED.fullmatch, full)):
        raise InputError(
            f"{name}: has numbers as index:value, as LIBSVM writes them, which is not read; save "
            "all of them as CSV or npy"
        )
    if any(line.lstrip().startswith("##") for line in full):
        _refuse_jcamp(lines, name)


def _refuse_jcamp(lines: Sequence[str], name: str) -> None:
    """Refuse JCAMP-DX, but for one spectrum in pairs of axis and value as they are."""
    found = [match.groups() for match in map(_LABEL.match, lines) if match]
    labels = {label.upper().replace(" ", ""): value.strip() for label, value in found}
    if not {"TITLE", "JCAMPDX", "JCAMP-DX"} & set(labels):
        return
    said = f"{name}: is a JCAMP-DX file"
    remedy = "export it as two columns, axis and value"
    if any(_SEVERAL.search(value) for _, value in found):
        raise InputError(
            f"{said} with several values to a line, (X++(Y..Y)), which is not read; {remedy}"
        )
    if "(XY..XY)" in labels.values() and any(map(_NUMBERS.fullmatch, lines)):
        raise InputError(f"{said} with several pairs to a line, which is not read; {remedy}")
    titles = sum(label.upper() == "TITLE" for label, _ in found)
    if "NTUPLES" in labels or titles > 1:
        raise InputError(f"{said} with several tables, which is not read; {remedy}, each by itself")
    for label in ("XFACTOR", "YFACTOR"):
        if not re.fullmatch(r"\+?1(\.0*)?([eE][+-]?0+)?", labels.get(label, "1")):
            raise InputError(
                f"{said} whose numbers are to be multiplied by its {label}, {labels[label]}, "
                f"which is not done; {remedy}"
            )
