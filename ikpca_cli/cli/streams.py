"""The standard streams: there, or said to be closed; results alone on one, lines on the other.

What a file says of itself (names, versions, a library's words about its bytes) may hold escape
sequences that a terminal obeys, or marks that turn its text round. It is printed escaped.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout, suppress

_SEEN_AS_IS = re.compile(
    "[\x00-\x1f\x7f-\x9f\ud800-\udfff\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f]"
)

_STANDARD = frozenset(
    f"/{folder}/{number}" for number in (0, 1) for folder in ("dev/fd", "proc/self/fd")
) | {"/dev/stdin", "/dev/stdout"}


def escaped(text: str) -> str:
    """Return text that a terminal shows and does not obey, on one line."""
    return _SEEN_AS_IS.sub(lambda sign: repr(sign[0])[1:-1], " ".join(text.splitlines()))


def standard(path: str | None) -> str | None:
    """Return "-" for what the system calls a standard stream, and any other path as it is.

    As a path of its own it would be a file to make anew where the shell redirects it into one.
    """
    return "-" if path in _STANDARD else path


def say(text: str) -> None:
    """Print a line to standard error, where that is possible."""
    with suppress(OSError):
        sys.stderr.write(escaped(text) + "\n")
        sys.stderr.flush()


def unprintable(error: OSError) -> str:
    """Return the line for a standard output that does not take results."""
    reason = os.strerror(error.errno or 0).lower()
    return f"error: standard output: {reason}; files that were written are complete"


@contextmanager
def results_beside(*targets: str | None) -> Iterator[None]:
    """Let results be printed to standard error if one of the outputs goes to standard output."""
    if "-" not in targets:
        yield
        return
    with redirect_stdout(sys.stderr):
        yield


def open_standard_streams() -> None:
    """Put something in the place of streams that the shell closed (``<&-``, ``>&-``).

    Their descriptors would otherwise go to the next files that are opened, and what is printed
    into an output. A standard output that is closed refuses what is written, as a full disk does.
    """
    for descriptor, name in enumerate(("stdin", "stdout", "stderr")):
        if not _is_open(descriptor):
            # For writing, /dev/null open for reading is as good as closed.
            mode = os.O_WRONLY if name == "stderr" else os.O_RDONLY
            opened = os.open(os.devnull, mode)
            if opened != descriptor:
                os.dup2(opened, descriptor)
                os.close(opened)
        if getattr(sys, name) is None and name != "stdin":  # a closed stdin is refused by name
            setattr(sys, name, open(descriptor, "w", encoding="utf-8", closefd=False))  # noqa: SIM115
    if os.environ.get("COLUMNS") == "0":  # a terminal that does not know its width
        del os.environ["COLUMNS"]
    for stream in (sys.stdout, sys.stderr):
        # A file name that the terminal's encoding does not know must not stop a batch.
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]


def flush_results(*, told: bool) -> bool:
    """Write out what is buffered for standard output; tell whether that worked.

    A reader that has seen enough is no failure. With `told` the user knows of one already.
    """
    try:
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # the interpreter flushes once more
        if not isinstance(error, BrokenPipeError):
            if not told:
                say(unprintable(error))
            return False
    return True


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True
