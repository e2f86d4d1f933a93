"""A file to clean, and what became of it, in a few words that can travel to another process."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ikpca_cli.errors import IkpcaError

if TYPE_CHECKING:
    from ikpca_cli.formats.read_options import ReadOptions
    from ikpca_cli.plots.shown import Shown
    from ikpca_cli.plots.stretch import Stretch


@dataclass(frozen=True)
class Job:
    """One file to clean, in a few words that can travel to another process.

    Attributes
    ----------
    model, source, target
        Paths.
    reading
        How to read the source.
    residual
        Where to write what was removed, if anywhere.
    keep_unlike
        Whether rows unlike the training rows stay as they are.
    force, round_to_input
        As for `ikpca_cli.formats.arrays.open_output`.
    digits
        Digits behind the decimal mark in text tables, None for about as many as the input's.
    shows
        Whether some rows are wanted for a picture or a preview.
    image
        Height and width of the image that a row is, where the file does not say.
    skip_existing
        Whether nothing is done if the target exists when the job's turn comes, or when it is done.
    """

    model: str
    source: str
    target: str
    reading: ReadOptions
    residual: str | None = None
    force: bool = False
    round_to_input: bool = False
    keep_unlike: bool = False
    digits: int | None = None
    shows: bool = False
    image: tuple[int, int] | None = None
    skip_existing: bool = False


@dataclass
class Outcome:
    """What became of a job.

    Attributes
    ----------
    job
        The job.
    record
        What was done; None if it failed.
    error
        Why it failed.
    told
        Lines for the user: warnings, and notes.
    shown
        Some rows before and after, if the job asked for them.
    skipped
        Whether there was nothing to do.
    cleaned
        How many of what were cleaned, where these are not rows.
    """

    job: Job
    record: dict[str, Any] | None = None
    error: IkpcaError | None = None
    told: tuple[str, ...] = ()
    shown: Shown | Stretch | None = None
    skipped: bool = False
    cleaned: tuple[int, str] | None = None


class Stopped(Exception):
    """Raised by what is told of the progress, to end the cleaning of a batch that is over."""
