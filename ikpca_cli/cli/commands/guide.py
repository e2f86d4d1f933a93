"""``ikpca guide``: the pages that come with the package."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from ikpca_cli.guide import TOPICS


def guide(
    topic: Annotated[
        str | None,
        typer.Argument(
            metavar="TOPIC",
            help=f"One of {', '.join(TOPICS)}; without it they are listed.",
            autocompletion=lambda: list(TOPICS),
        ),
    ] = None,
) -> None:
    """Show a page of the guide: files, noise, batches, clusters, tuning and more.

    In a terminal it is laid out; in a pipe it is the plain text.

    Examples:

        ikpca guide
        ikpca guide batches
        ikpca guide files | less
    """
    from rich.console import Console
    from rich.markdown import Markdown

    from ikpca_cli.guide import page, title

    if topic is None:
        width = max(map(len, TOPICS))
        lines = [f"{name:<{width}}  {title(name)}" for name in TOPICS]
        sys.stdout.write("\n".join([*lines, "", "ikpca guide TOPIC shows a page."]) + "\n")
        return
    text = page(topic)
    if sys.stdout.isatty():
        Console(file=sys.stdout).print(Markdown(text, hyperlinks=False))
    else:
        sys.stdout.write(text)
