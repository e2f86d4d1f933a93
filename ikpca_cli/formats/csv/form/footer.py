"""The end of a table: lines that are no rows, as totals are, and a number that is cut off."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ikpca_cli.formats.csv.form.cells import are_text, is_comment
from ikpca_cli.formats.csv.form.dialect import Dialect

LINES = 64
"""Lines at the end that are looked at."""

_SUMMARIES = frozenset(
    word
    for words in (
        "mean means avg average averages total totals subtotal sum sums std stdev stddev sd sem se",
        "cv rsd %rsd var variance min minimum max maximum median count n mode range 25% 50% 75%",
        "mittel mittelwert mittelwerte summe gesamt stabw standardabweichung varianz anzahl",
        "moyenne moyennes somme médiane ecart-type écart-type écarttype nombre",
        "media promedio suma mediana desviación somma totale média soma totaal gemiddelde",
    )
    for word in words.split()
) | {"grand total", "std dev", "std. dev.", "standard deviation", "standard error", "% rsd"}

_ALSO_NAMES = frozenset({"n", "cv", "se", "count", "mode", "range", "min", "max", "total", "sum"})
"""Those that may also name a sample."""

_ROWS, _LOOKED_AT = 30, 100
"""Rows that must end alike, and those that are looked at: of numbers that are written without
zeros at their end, one in ten has a decimal less, and thirty that have not are seldom."""

_PARTS = re.compile(r"[+-]?+\d*+(?:[.,](?P<behind>\d*+))?+(?P<exponent>[eEdD][+-]?+\d*+)?+")


def tells_no_numbers(lines: Sequence[str], dialect: Dialect) -> bool:
    """Tell whether lines below a table sum nothing up: none of their cells is a number."""
    cells = (cell for line in lines for cell in dialect.cells(line))
    return all(dialect.grammar.number(cell) is None for cell in cells)


def footer(lines: Sequence[str], dialect: Dialect, labels: Sequence[int]) -> int:
    """Return how many of the last lines of a table are no rows.

    Parameters
    ----------
    lines
        The last lines, in their order.
    dialect
        The form of the rows.
    labels
        Columns that hold text.

    Returns
    -------
    int
        Lines to leave out: comments, blank rows, those that a word such as ``Mean`` or ``Total``
        begins, and shorter ones without a number; also lines of words below such a shorter one,
        and all that a blank line and then such a shorter one begin, if no row is among them.
    """
    apart = _apart(lines, dialect, labels)
    if apart:
        return apart
    count = words = 0
    for number, line in enumerate(reversed(lines), start=1):
        if is_comment(line, dialect.comment):
            count += count + words == number - 1
            words += words > 0
            continue
        cells = dialect.cells(line)
        if _is_footer(cells, dialect, labels):
            count, words = number, 0
        elif len(cells) == dialect.width and all(are_text(filter(None, cells), dialect.grammar)):
            words = number - count
        else:
            break
    return count


def _apart(lines: Sequence[str], dialect: Dialect, labels: Sequence[int]) -> int:
    """Return how many of the last lines are remarks below a blank line, as JASCO's are."""
    cells = [dialect.cells(line) for line in lines]
    rows = [place for place, row in enumerate(cells) if _is_row(row, dialect, labels)]
    start = rows[-1] + 1 if rows else len(lines)
    if start >= len(lines) or lines[start].strip():
        return 0
    tail = zip(lines[start:], cells[start:], strict=True)
    first = next((row for line, row in tail if not is_comment(line, dialect.comment)), None)
    is_tail = first is not None and _is_footer(first, dialect, labels)
    return len(lines) - start if is_tail else 0


def _is_row(cells: Sequence[str], dialect: Dialect, labels: Sequence[int]) -> bool:
    data = [cell for place, cell in enumerate(cells) if place not in labels]
    return len(cells) == dialect.width and any(data) and not any(are_text(data, dialect.grammar))


def _is_footer(cells: Sequence[str], dialect: Dialect, labels: Sequence[int]) -> bool:
    full = [cell for cell in cells if cell]
    if not full:
        return len(cells) > 1
    text = are_text(cells, dialect.grammar)
    first = next((place for place, cell in enumerate(cells) if cell and text[place]), None)
    if first is None:
        return False
    others = [place for place in range(len(cells)) if cells[place] and place not in labels]
    words = [place for place in others if text[place]]
    summary = cells[first].casefold().rstrip(":= ") in _SUMMARIES
    if summary and len(cells) <= dialect.width and set(words) <= {first}:
        return True
    return len(cells) != dialect.width and len(full) == sum(text)


def summary_among(labels: Sequence[tuple[str, ...]]) -> int | None:
    """Return the first row, from 0, that its label says sums up others; None if none does.

    Parameters
    ----------
    labels
        The cells of the label columns, by row. A word that comes often is the name of a kind.
    """
    names = [_word(cells) for cells in labels]
    found = [place for place, name in enumerate(names) if name in _SUMMARIES - _ALSO_NAMES]
    return found[0] if found and len(found) == len({names[place] for place in found}) else None


def _word(cells: Sequence[str]) -> str:
    return cells[0].strip().strip('"').casefold().rstrip(":= ") if cells else ""


def cut_off(lines: Sequence[str], dialect: Dialect) -> str | None:
    """Return the last number of a text that has no line end, if it lacks digits; None otherwise.

    `lines` are the last rows, in their order.
    """
    rows = [dialect.cells(line) for line in lines[-_LOOKED_AT:]]
    shapes = [_shape(row[-1]) for row in rows if len(row) == dialect.width]
    if len(shapes) <= _ROWS or len(rows[-1]) != dialect.width:
        return None
    *others, last = shapes
    if last is None or len(set(others)) != 1 or others[0] is None:
        return None
    decimals, exponent = others[0]
    is_cut = last[1] < exponent or (last[1] == exponent and 0 <= last[0] < decimals)
    return rows[-1][-1] if is_cut else None


def _shape(cell: str) -> tuple[int, int] | None:
    """Return decimals and the length of the exponent of a number; None if it is none."""
    found = _PARTS.fullmatch(cell)
    if found is None or not cell:
        return None
    return len(found["behind"] or ""), len(found["exponent"] or "")
