"""Columns that number the rows of a table by their names: id, obs, patient, No."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from ikpca_cli.data.axes import counts
from ikpca_cli.formats.csv.columns import columns_named
from ikpca_cli.formats.csv.form.axis import Matrix, beside_axis, rises
from ikpca_cli.formats.csv.form.table_form import TableForm

FEWEST = 16
"""Rows that tell whether a column numbers them."""

_WORDS = (
    "id|ids|uid|idx|index|no|nr|nos|num|number|numero|nummer|obs|obsno|observation|case|caseno"
    "|patient|pat|subject|subj|participant|respondent|person|pid|sid|hid|household|family|pair"
    "|litter|animal|specimen|site|plot|record|recno|row|rowid|rowno|rownum|rowname|rownames"
    "|item|entry|document|docno|idcase"
)
_CALLED = re.compile(rf"(?:.*[^a-z])?(?:{_WORDS})(?:[^a-z](?:{_WORDS}))?\W*", re.DOTALL)
_UNCERTAIN = re.compile(
    r"(.*[\W_])?((std|standard)?[\W_]?(err(or)?|dev(iation)?)s?|unc(ert(aint(y|ies))?)?"
    r"|sd|sem?|esd|ivar)(\W.*)?|sigma\W.*|.*[\W_]sigma",
    re.IGNORECASE | re.DOTALL,
)
_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")


def is_called_a_number(name: str) -> bool:
    """Tell whether a column has a name that numbers of cases have, and times and samples do not."""
    words = _CAPITAL.sub(" ", name.strip().strip("\"'")).lower()
    return _CALLED.fullmatch(words) is not None


def numbers_in_order(values: Matrix) -> bool:
    """Tell whether whole numbers (n,) rise from row to row, some of which may come again."""
    if len(values) < 2 or not np.isfinite(values).all() or (values != np.rint(values)).any():
        return False
    steps = np.diff(values)
    return bool((steps >= 0.0).all() and values[-1] > values[0])


def is_number_of_rows(name: str, cells: Sequence[str]) -> bool:
    """Tell whether labels number the rows: whole numbers in order, without a name or with its."""
    if name.strip().strip("\"'") and not is_called_a_number(name):
        return False
    try:
        values = np.array([int(cell) for cell in cells], dtype=np.float64)
    except ValueError:
        return False
    return numbers_in_order(values)


def _row_numbers(rows: TableForm, columns: Sequence[int]) -> tuple[int, ...]:
    """Return the columns of data that number the rows, and are none; empty if none does."""
    width = rows.options.width
    if rows.head.names is None or width == len(columns):
        return ()
    found = tuple(c for c in columns if is_called_a_number(rows.head.names[c]))
    if width is not None:  # as the fit had it, in whatever order
        return found if width == len(columns) - len(found) else ()
    few = len(rows.cells) < FEWEST
    found = () if few else tuple(c for c in found if numbers_in_order(rows.numbers(c)))
    return found if len(columns) - len(found) > 1 else ()


def count_of_rows(rows: TableForm, columns: Sequence[int]) -> tuple[int, ...]:
    """Return the first column if it counts the rows, without a name or with that of a number."""
    name = rows.called(columns[0])
    called = name is not None and (not name or is_called_a_number(name))
    known = rows.options.width == len(columns) or len(columns) < 3
    return (columns[0],) if called and not known and counts(rows.numbers(columns[0])) else ()


def uncertainties(rows: TableForm, columns: Sequence[int]) -> tuple[int, ...]:
    """Return the columns behind an axis and signals that are called uncertainties of these.

    The third of a file of X, Y and E (a diffraction pattern) is one. None are columns that were
    chosen, or more than there are signals.
    """
    names = dict(enumerate(rows.head.names or ()))
    if len(columns) == 3 and rows.name.lower().removesuffix(".gz").endswith(".xye"):
        names = {columns[2]: "error"}
    called = [c for c in columns[1:] if _UNCERTAIN.fullmatch(names.get(c, "").strip("\"' "))]
    found = tuple(column for column in called if (rows.numbers(column) >= 0.0).all())
    known = rows.options.columns is not None or rows.options.width == len(columns)
    return () if known or 2 * len(found) >= len(columns) else found


def beside_numbers(rows: TableForm, columns: Sequence[int]) -> tuple[int, ...]:
    """Return columns that number the rows, or stand beside numbered ones, and say so."""
    head, numbered = rows.head, _row_numbers(rows, columns)
    beside: tuple[int, ...] = ()
    if rows.options.width != len(columns) - len(numbered):
        found = [c for c in beside_axis(head.names) if c in columns and c not in numbered]
        first = min({*columns} - {*found, *numbered}, default=0)
        # What rises before the others may be times.
        beside = tuple(c for c in found if c > first or not rises(rows.numbers(c)))
    if numbered:
        head.guesses.append(f"{columns_named(numbered)} for labels, as numbers of the rows")
    if beside:
        named = columns_named(beside, head.names)
        head.guesses.append(f"{named} for labels, as the others are numbered")
    return (*numbered, *beside)
