"""Which columns of a table are read, and which are kept as they are."""

from __future__ import annotations

from ikpca_cli.errors import UsageError
from ikpca_cli.formats.csv.columns import select
from ikpca_cli.formats.csv.form.head import Head
from ikpca_cli.formats.read_options import ReadOptions


def choose_columns(options: ReadOptions, head: Head, width: int) -> tuple[list[int], list[int]]:
    """Return the places of the data, and of the columns that are kept as they are.

    Columns of text are labels, unless they are chosen. So is the first column if it is the only one
    that is left out, or has no name: then it numbers the rows.

    Raises
    ------
    UsageError
        If `options` name what is not there, or one column twice.
    """
    names = head.names
    if options.labels is None:
        # A model knows how many columns are data; one of them may be empty here.
        spare = head.spare if options.width != width - len(head.texts) else ()
        labels = sorted({*head.texts, *spare})
    else:
        labels = select(options.labels, names, width, "--labels")
    if options.columns is None:
        columns = [column for column in range(width) if column not in labels]
        if not columns:
            raise UsageError(f"--labels {options.labels}: leaves no column of data; name fewer")
        return columns, labels
    columns = select(options.columns, names, width)
    if options.labels is None:  # what is left out by name is not in the output
        labels = [label for label in labels if label in columns or label in head.texts]
    if options.labels is None and all(part[:1] == "^" for part in options.columns.split(",")):
        columns = [column for column in columns if column not in labels] or columns
    twice = [column for column in columns if column in labels]
    if twice and options.labels is not None:
        raise UsageError(
            f"--columns {options.columns}: column {twice[0] + 1} is named by --labels, too"
        )
    labels = [column for column in labels if column not in columns]
    unnamed = names is not None and names[0] == ""
    if not {0} & {*columns, *labels} and (unnamed or len(columns) == width - 1):
        labels = [0]
    return columns, labels
