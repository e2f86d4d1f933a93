"""The few errors that a user can meet, each one plain line that says what to do, and what is told.

What is told is of two kinds. A warning says that something may be wrong with what the user got,
what was measured, and what to do. A note says what was decided, and why.
"""

from __future__ import annotations

import warnings


class IkpcaError(Exception):
    """Something a user can mend; its text is one plain line for stderr."""

    exit_code = 1


class IkpcaWarning(UserWarning):
    """Something may be wrong with a result; its text is one plain line for stderr."""


class IkpcaNote(IkpcaWarning):
    """What was decided, of which a user need not think ill."""


class Note(str):
    """A line that tells what was decided; any other line that is told is a warning."""

    __slots__ = ()

    def removeprefix(self, prefix: str, /) -> Note:
        """Return the note without the name of a file, say."""
        return Note(super().removeprefix(prefix))


def about(name: str, line: str) -> str:
    """Return a line, of the same kind, that begins with what it is about."""
    return type(line)(f"{name}: {line}")


def tell(line: str, *, stacklevel: int = 1) -> None:
    """Warn of a line, or note it, by its kind; the caller is at level 1."""
    kind = IkpcaNote if isinstance(line, Note) else IkpcaWarning
    warnings.warn(line, kind, stacklevel=stacklevel + 1)


class InputError(IkpcaError, ValueError):
    """An array cannot be used; the text names the file (or array), the place and the remedy."""


class ModelError(IkpcaError, ValueError):
    """A model file cannot be used, or does not fit the data."""


class OutputError(IkpcaError, OSError):
    """A result cannot be written where it was asked for."""


class UsageError(IkpcaError, ValueError):
    """Options that contradict each other, or a value that no data could make right."""

    exit_code = 2
