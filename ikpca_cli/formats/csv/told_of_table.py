"""What is told of a text table that was read: what was taken for what, and what is in doubt."""

from __future__ import annotations

from dataclasses import replace

from ikpca_cli.errors import Note
from ikpca_cli.formats.csv.columns import columns_named
from ikpca_cli.formats.csv.form.cells import is_comment
from ikpca_cli.formats.csv.form.doubts import doubts_about, row_left_out
from ikpca_cli.formats.csv.form.footer import summary_among
from ikpca_cli.formats.csv.form.table_form import TableForm
from ikpca_cli.formats.csv.parsing.parse import Parsed


def told_of(found: TableForm, parsed: Parsed, *, footer_kept: bool) -> list[str]:
    """Return lines for the user about a table, and whether its output has the lines below."""
    options = found.options
    kept = options.from_model()
    lines: list[str] = [] if kept is None else [Note(kept)]
    lines += [*_statement(found, parsed, footer_kept=footer_kept), *found.head.doubts]
    if parsed.cut_off is not None:
        lines.append(
            f"the file ends in {parsed.cut_off}, with fewer digits than all above it and without a "
            "line end, as one that was cut off: copy it again, if it was"
        )
    summary = summary_among(parsed.labels)
    if summary is not None:
        lines.append(
            f"row {summary + 1} is called {parsed.labels[summary][0].strip()}, and was read as a "
            "sample; if it sums up others, take it out"
        )
    lines += parsed.left_out.said(0 if found.arranged.stacked else len(parsed.values))
    if "skip_rows" in options.kept:  # told of another file
        lines += row_left_out(found.above[: found.skipped], found, found.columns)
    known = replace(found, options=replace(options, transpose=found.arranged.turned))
    return lines + doubts_about(known, parsed.values, parsed.digits, found.columns)


def _statement(found: TableForm, parsed: Parsed, *, footer_kept: bool) -> list[str]:
    """Return the line that says what was taken for what, where anything was guessed."""
    options = found.options
    head = found.head
    guesses = list(head.guesses)
    texts = found.texts
    if texts and options.labels is None and options.columns is None:
        guesses.append(columns_named(texts, head.names) + " for labels")
    spare = [label for label in found.labels if label in head.spare]
    if spare and options.columns is None:
        guesses.append(columns_named(spare, head.names) + " for no data (empty, or remarks)")
    for row, remark in [*parsed.remarks.items()][:1]:
        said = remark.strip(" \t,;|")[:20]
        guesses.append(
            f"{said!r} behind row {row + 1} for a remark (of {len(parsed.remarks)}), kept"
        )
    footer = [line for line in parsed.footer if line.strip(" \t,;|")]
    footer = [line for line in footer if not is_comment(line, found.dialect.comment)]
    if footer:
        first = found.dialect.cells(footer[0])[0] or footer[0]
        left = "" if footer_kept else ", left out"
        guesses.append(f"{_count(len(footer))} from {first[:20]!r} on for no rows{left}")
    if not guesses:
        return []
    mended_by = "--columns, --labels, --header, --skip-rows, --thousands; --window none: rows"
    return [Note(f"took {', '.join(guesses)} (if that is wrong: {mended_by})")]


def _count(lines: int) -> str:
    return "the last line" if lines == 1 else f"the last {lines} lines"
