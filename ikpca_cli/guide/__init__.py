"""Pages that come with the package: ``ikpca guide [TOPIC]`` shows them, the README links to them.

A page is a file of Markdown beside this one, called after its topic. Its first line is a heading,
``# Topic: what it is about``. A test runs every command in it, in a copy of the sample data.
"""

from __future__ import annotations

from importlib.resources import files

from ikpca_cli.errors import UsageError

TOPICS = (
    "files",
    "noise",
    "tuning",
    "comparing",
    "batches",
    "clusters",
    "recordings",
    "pictures",
    "settings",
    "python",
    "accuracy",
    "speed",
    "paper",
)
"""Topics in the order in which people need them."""


def page(topic: str) -> str:
    """Return the text of a page.

    Parameters
    ----------
    topic : str
        One of `TOPICS`, or the beginning of one of them alone.

    Returns
    -------
    str
        Markdown.

    Raises
    ------
    UsageError
        If there is no such page; the message lists those that there are.

    Examples
    --------
    >>> page("python").splitlines()[0]
    '# Python: the same models in a program'
    """
    begun = [known for known in TOPICS if topic and known.startswith(topic)]
    if len(begun) != 1:
        raise UsageError(f"there is no page {topic!r}: give one of {', '.join(TOPICS)}")
    return files(__name__).joinpath(f"{begun[0]}.md").read_text(encoding="utf-8")


def title(topic: str) -> str:
    """Return what a page is about: the part of its heading after the colon."""
    return page(topic).splitlines()[0].partition(": ")[2]
