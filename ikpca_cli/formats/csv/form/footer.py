"""Lines at the end of a table that are no rows: totals, means, remarks."""

from __future__ import annotations

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
        begins, and shorter ones without a number; also lines of words below such a shorter one.
    """
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
