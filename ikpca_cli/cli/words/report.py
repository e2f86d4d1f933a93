"""Records to standard output: rich tables for people, JSON and CSV for programs.

Tables show four significant digits, JSON and CSV all. Piped tables keep the full width and carry no
escape codes, whatever the environment asks for.
"""

from __future__ import annotations

import csv
import json
import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ikpca_cli.cli.streams import escaped

Record = Mapping[str, Any]

_LONG = 30
"""Characters of what stands beside a value from which on it does not have to be beside it."""

_NAME = 20
"""Characters of a value that is not broken to make room for what stands beside it."""

_BORDERS, _NOTE = 8, 12
"""Characters that a table has around its cells, and that notes need beside them."""

_WIDE = 100_000  # rich wraps what does not fit; a pipe has no width


@dataclass(frozen=True)
class Spread:
    """A mean and its standard deviation, None for that of a single value."""

    mean: float | None
    std: float | None


def print_record(record: Record, form: str, *, notes: Mapping[str, str] | None = None) -> None:
    """Print one record: a table with a line per key, a JSON object, or a CSV header and line.

    Parameters
    ----------
    record : mapping
    form : {"table", "json", "csv"}
    notes : mapping of str to str, optional
        What a table says beside the values of some keys.
    """
    if form == "json":
        _print_json(_plain(record))
        return
    if form == "csv":
        _print_csv([record], list(record))
        return
    told = {key: value for key, value in record.items() if value is not None}
    console = _console()
    table = _pairs(told, notes or {}, console.width)
    long = max(map(len, (notes or {}).values()), default=0) > _LONG
    narrow = _room(told, console.width) < _NOTE + _whole(told)
    if notes and (narrow or (long and not _fits(table, console))):
        # A narrow column of words is hard to read.
        said = {key: (notes or {})[key] for key in told if key in (notes or {})}
        for part in (told, said):
            console.print(_pairs(part, {}, console.width))
        return
    console.print(table)


def _fits(table: Table, console: Console) -> bool:
    """Tell whether a table has the room that it needs, which is much to ask of a long one."""
    if console.width >= _WIDE:
        return True
    needed = console.measure(table, options=console.options.update_width(_WIDE))
    return needed.maximum <= console.width


def _pairs(record: Record, notes: Mapping[str, str], width: int) -> Table:
    """Return a table with a line for each key, its value, and what is said beside it."""
    table = Table(box=_box(), show_header=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold", min_width=max(1, min(_whole(record), _room(record, width))))
    if notes:
        table.add_column(style="dim")
    for key, value in record.items():
        table.add_row(Text(key), Text(_cell(value)), *([Text(notes.get(key, ""))] if notes else []))
    return table


def _whole(record: Record) -> int:
    """Return the width of the longest value that should not be broken."""
    lengths = [len(_cell(value)) for value in record.values()]
    return max((length for length in lengths if length <= _NAME), default=1)


def _room(record: Record, width: int) -> int:
    """Return the characters beside the keys."""
    return width - max(map(len, record), default=0) - _BORDERS


def print_records(
    records: Sequence[Record],
    form: str,
    *,
    columns: Mapping[str, str] | None = None,
    spare: Sequence[str] = (),
    json_value: Any = None,
    best: int | None = None,
    title: tuple[str, Any] | None = None,
) -> None:
    """Print records: a table or CSV with a line each, or a JSON array.

    Parameters
    ----------
    records : sequence of mapping
    form : {"table", "json", "csv"}
    columns : mapping, optional
        Keys that a table shows, and their headings; all by default.
    spare : sequence of str
        Keys of columns that a narrow terminal does without, the first to go first.
    json_value : optional
        What JSON holds instead of the records.
    best : int, optional
        Index of a record that a table marks.
    title : (str, value), optional
        Line above a table: words, and a value shown like those in the cells.
    """
    if form == "json":
        _print_json(_plain(records if json_value is None else json_value))
        return
    if form == "csv":
        _print_csv(records, list(dict.fromkeys(key for record in records for key in record)))
        return
    shown = dict(columns or {key: key for key in (records[0] if records else ())})
    console = _console()
    table = _table(records, shown, best, title)
    left_out = []
    for key in spare:
        if _fits(table, console):
            break
        left_out.append(shown.pop(key))
        table = _table(records, shown, best, title)
    console.print(table)
    if left_out:
        print_lines([f"Left out for want of room: {', '.join(reversed(left_out))}."])


def _table(
    records: Sequence[Record],
    shown: Mapping[str, str],
    best: int | None,
    title: tuple[str, Any] | None,
) -> Table:
    """Return a table of the columns `shown`, as `print_records` says."""
    table = Table(
        box=_box(),
        title=None if title is None else Text(f"{title[0]} {_cell(title[1])}"),
        title_justify="left",
        title_style="",
    )
    for key, heading in shown.items():
        numeric = any(isinstance(record[key], int | float) for record in records)
        table.add_column(Text(heading), justify="right" if numeric else "left", no_wrap=True)
    for index, record in enumerate(records):
        cells = [Text(_cell(record[key])) for key in shown]
        if index == best:
            cells[0].append(" *")
        table.add_row(*cells, style="bold green" if index == best else "")
    return table


def print_lines(lines: Sequence[str]) -> None:
    """Print sentences, folded between words to the width of a terminal."""
    console = _console()
    for line in lines:
        console.print(Text(escaped(line)), soft_wrap=not console.is_terminal)


def print_bars(shares: Sequence[float], title: str) -> None:
    """Print shares of a whole as horizontal bars, longest for the largest; none of nothing."""
    if not any(shares):
        return
    rows = Table(box=None, show_header=False, title=Text(title), title_justify="left")
    largest = max(shares)
    blocks = "█" if _box() is not box.ASCII else "#"
    for index, share in enumerate(shares, start=1):
        bar = blocks * max(1, round(40 * share / largest))
        rows.add_row(Text(str(index)), Text(f"{100 * share:.1f} %"), Text(bar))
    _console().print(rows)


class _Results(Console):
    """Where tables go."""

    def on_broken_pipe(self) -> NoReturn:
        """Leave a reader that is gone to the command, as of results that are no table."""
        raise BrokenPipeError


def _console() -> Console:
    terminal = sys.stdout.isatty()
    return _Results(
        file=sys.stdout,
        force_terminal=terminal,
        no_color=None if terminal else True,
        width=None if terminal else _WIDE,
        markup=False,
        highlight=False,
        emoji=False,
    )


def _box() -> box.Box:
    encoding = (getattr(sys.stdout, "encoding", None) or "").lower()
    return box.SIMPLE_HEAD if encoding.startswith("utf") else box.ASCII


def _cell(value: Any) -> str:
    """Return a value as a table shows it, with four significant digits."""
    if value is None:
        return "-"
    if isinstance(value, Spread):
        return _cell(value.mean) + ("" if value.std is None else f" ± {_cell(value.std)}")
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, list):
        return ", ".join(map(_cell, value))
    return escaped(str(value))


def _plain(value: Any) -> Any:
    """Return a value that JSON has: what is not finite becomes null."""
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _print_json(value: Any) -> None:
    sys.stdout.write(json.dumps(value, indent=2, allow_nan=False) + "\n")


def _print_csv(records: Sequence[Record], columns: Sequence[str]) -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(columns)
    for record in records:
        cells = (record.get(key) for key in columns)
        writer.writerow([_csv_cell(cell) for cell in cells])


def _csv_cell(value: Any) -> Any:
    if isinstance(value, list):
        return " ".join(map(str, value))
    if isinstance(value, str) and sys.stdout.isatty():
        return escaped(value)
    return "" if value is None else value
