"""The few errors that a user can meet: each is one plain line that says what to do."""

from __future__ import annotations


class IkpcaError(Exception):
    """Something a user can mend; its text is one plain line for stderr."""

    exit_code = 1


class IkpcaWarning(UserWarning):
    """Something a user should know; its text is one plain line for stderr."""


class InputError(IkpcaError, ValueError):
    """An array cannot be used; the text names the file (or array), the place and the remedy."""


class ModelError(IkpcaError, ValueError):
    """A model file cannot be used, or does not fit the data."""


class OutputError(IkpcaError, OSError):
    """A result cannot be written where it was asked for."""


class UsageError(IkpcaError, ValueError):
    """Options that contradict each other, or a value that no data could make right."""

    exit_code = 2
