"""One file as a model cleans it: rows, or a recording by its windows, and what is told of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ikpca_cli.cli.batch.removed import Removed, unlike_lines
from ikpca_cli.errors import about
from ikpca_cli.formats.csv.table_style import as_written
from ikpca_cli.recordings.suitability import flaw as flaw_of
from ikpca_cli.recordings.suitability import remarks
from ikpca_cli.recordings.windowed import Windowed

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from ikpca_cli.cli.batch.job import Job
    from ikpca_cli.estimators.denoiser import Denoiser
    from ikpca_cli.formats.arrays import Rows
    from ikpca_cli.noise.treatment import CleanedBlock


class RowsAtWork:
    """Rows that are cleaned.

    Attributes
    ----------
    blocks
        Of rows before and after, one by one.
    layout
        That of the output.
    columns
        Those that are cleaned, None for all.
    remarks
        What there is to tell before they are cleaned.
    counted
        How many of what are cleaned, where these are not rows.
    """

    columns: NDArray[np.intp] | None = None
    remarks: tuple[str, ...] = ()
    counted: tuple[int, str] | None = None

    def __init__(self, model: Denoiser, rows: Rows, job: Job) -> None:
        self._rows, self._job = rows, job
        self._treatment = model.treatment(rows)
        # Replicates differ in more than noise, so that what is removed need not look like it.
        self._is_looked_at = job.residual is not None or not model.replicates_
        self._removed = Removed(rows, self._treatment)
        self.blocks = model.flagged_blocks(
            rows, keep_unlike=job.keep_unlike, treatment=self._treatment
        )
        self.layout = rows.layout.with_digits(job.digits)

    def look_at(self, block: CleanedBlock) -> None:
        """Take in a block for `verdict`."""
        kind = self._rows.dtype
        noisy, cleaned = (some.astype(kind, copy=False) for some in (block.rows, block.cleaned))
        self._removed.add(block.part, noisy, cleaned)

    def verdict(self, _removed_rms: float, unlike: Sequence[int]) -> tuple[str, ...]:
        """Return what there is to tell once all are cleaned, with the numbers of unlike rows."""
        remark = self._treatment.caution.remark()
        lines: tuple[str, ...] = (about(self._rows.name, remark),) if remark else ()
        if self._is_looked_at:
            lines += self._removed.flaws(self._job.residual)
        kept = self._job.keep_unlike
        return lines + unlike_lines(self._rows, unlike, self._treatment, kept=kept)


class RecordingAtWork:
    """A recording, or pictures, whose windows are cleaned; attributes as for `RowsAtWork`."""

    def __init__(self, model: Windowed, rows: Rows, job: Job) -> None:
        self._model, self._recording = model, model.recording(rows, rows.layout.sample_shape)
        self.remarks = remarks(model, self._recording)
        self.counted = self._recording.counted
        self.columns = self._recording.columns
        self.blocks = model.flagged_blocks(self._recording)
        self.layout = rows.layout.with_digits(job.digits)
        if not (self._recording.is_picture or self._recording.by_rows):
            others = set(range(rows.shape[1])).difference(self._recording.columns)
            self.layout = as_written(self.layout, others)

    def look_at(self, block: CleanedBlock) -> None:
        """Do nothing: the rows of a recording are no samples, whose noise could be looked at."""

    def verdict(self, removed_rms: float, _unlike: Sequence[int]) -> tuple[str, ...]:
        """Return what there is to tell once all is cleaned."""
        flaw = flaw_of(self._model, self._recording, removed_rms) if removed_rms else None
        return () if flaw is None else (flaw,)


def work_on(model: Denoiser | Windowed, rows: Rows, job: Job) -> RowsAtWork | RecordingAtWork:
    """Begin to clean a file."""
    if isinstance(model, Windowed):
        return RecordingAtWork(model, rows, job)
    return RowsAtWork(model, rows, job)
