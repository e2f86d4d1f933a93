"""``ikpca beats``: cut a recording into its beats, or put cleaned ones back."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from ikpca_cli.cli import options as opt
from ikpca_cli.cli.given.composed import composed
from ikpca_cli.cli.given.reading_options import Reading
from ikpca_cli.cli.given.window_options import of_recording
from ikpca_cli.cli.streams import standard
from ikpca_cli.errors import InputError, UsageError, tell

if TYPE_CHECKING:
    from ikpca_cli.formats.arrays import Rows

CUT_AT = "cut_at_samples_per_second"
"""Attribute of beats in HDF5: the rate that they were cut with, 0 for other events."""

SAME_RATE = 1e-3
"""Relative difference of two rates that are the same."""


class Align(StrEnum):
    """What rows are aligned by."""

    r = "r"
    peak = "peak"


@composed
def beats(
    recording: Annotated[
        str,
        typer.Argument(metavar="RECORDING", help="Samples by channels; a column of times is none."),
    ],
    output: Annotated[
        str,
        typer.Option(
            "--output", "-o", metavar="FILE", callback=standard, help="Where the beats go."
        ),
    ],
    fs: opt.Rate = None,
    align: Annotated[
        Align, typer.Option(help="R peaks of an ECG, or peaks of whatever comes again.")
    ] = Align.r,
    apart: Annotated[
        int,
        typer.Option(
            min=0,
            metavar="N",
            show_default="as the recording tells",
            help="Samples from one event to the next, about, for --align peak.",
        ),
    ] = 0,
    restore: Annotated[
        str | None,
        typer.Option(
            metavar="BEATS", help="Put these beats, cleaned, back into the recording instead."
        ),
    ] = None,
    force: opt.Force = False,
    *,
    reading: Reading,
    printing: opt.Printing,
) -> None:
    """Cut a recording into its beats, one a row, or put cleaned ones back.

    The baseline that wanders is taken off, R peaks are found, and each R-R interval is resampled
    to 512 samples with its peak at sample 150; of several channels it is 512 by so many numbers.

    Examples:

        ikpca beats recording.csv --fs 360 -o beats.h5
        ikpca fit beats.h5 && ikpca denoise model.joblib beats.h5
        ikpca beats recording.csv --fs 360 --restore beats.denoised.h5 -o clean.csv
    """
    if fs is not None and align is not Align.r:
        raise UsageError("--fs is the rate of an ECG, and --align peak for other recordings")
    if apart and align is Align.r:
        raise UsageError("--apart is for --align peak: give that, too")

    import numpy as np

    from ikpca_cli.cli.sources import open_rows, split_source
    from ikpca_cli.cli.words.next_steps import after_cutting, anew
    from ikpca_cli.cli.words.report import print_lines, print_record
    from ikpca_cli.data.row_source import read_all
    from ikpca_cli.formats.arrays import check_target, write_rows
    from ikpca_cli.formats.hdf5.attributes import Attached, Attachments
    from ikpca_cli.formats.layout import Layout
    from ikpca_cli.recordings.beats.cut import cut_stretches, put_back
    from ikpca_cli.recordings.beats.events import LENGTH
    from ikpca_cli.recordings.cutting import Cutting
    from ikpca_cli.recordings.recording import recording_of

    inputs = [split_source(name)[0] for name in (recording, restore) if name is not None]
    check_target(output, inputs=inputs, force=force)
    options = reading.options(fills=True)
    if options.missing == "drop":
        raise UsageError(
            "--missing drop would shorten the recording, and intervals between beats: give fill, "
            "for a line through what is missing, or keep"
        )
    with open_rows(recording, of_recording(options)) as rows:
        found = recording_of(rows, "beats")
        if found.by_rows and len(found.canvases) > 1:
            raise InputError(f"{recording}: holds several recordings, one a row; give one a file")
        for line in found.remarks(Cutting("beats", LENGTH, found.width)):
            tell(line)
        rate = found.rate_or(fs) if align is Align.r else 0.0
        stretches = [(read_all(canvas), found.name) for canvas in found.canvases]
        parts = cut_stretches(stretches, rate, apart)
        count, channels = sum(part.count for part in parts), found.width
        width = LENGTH * channels
        if restore is None:
            shape = (width,) if channels == 1 else (LENGTH, channels)
            layout = Layout(
                format="npy",
                dtype=np.dtype(np.float64),
                sample_shape=shape,
                dataset="beats",
                beside=Attachments({"beats": Attached({CUT_AT: (rate, np.dtype(np.float64))})}),
            )
            write_rows(output, np.concatenate([part.rows() for part in parts]), layout, force=force)
        else:
            with open_rows(restore, replace(options, missing="error")) as cleaned:
                _check_rate(cleaned, restore, rate)
                if cleaned.shape != (count, width):
                    raise InputError(
                        f"{restore}: has shape {cleaned.shape}, but the beats of {recording} have "
                        f"{(count, width)}: give those that were cut from it"
                    )
                new = np.asarray(cleaned[:], dtype=np.float64)
            own = np.concatenate([part.rows() for part in parts])
            if np.mean((new - own) ** 2) > np.mean(own**2):
                raise InputError(
                    f"{restore}: is unlike the beats that are cut from {recording} in this way: "
                    "give those that were, and the options that they were cut with (--fs, --align, "
                    "--apart)"
                )
            wholes = iter(put_back(parts, new))
            blocks = found.cleaned(
                lambda canvas: iter([(slice(0, int(canvas.shape[0])), next(wholes))])
            )
            values = np.concatenate([block for _, block in blocks]).astype(rows.dtype)
            keeps = rows.has_holes and options.missing == "keep"
            if keeps:
                values[rows.holes(slice(0, len(values)))] = np.nan
            write_rows(output, values, rows.layout, force=force, with_missing=keeps)
    record = {"recording": recording, "output": output, "n_beats": count}
    print_record(record | {"n_features": width, "n_channels": channels}, printing.form)
    if restore is None and printing.output_format is opt.Format.table:
        is_heart = align is Align.r
        print_lines([after_cutting(output, recording, anew(options), is_heart=is_heart, fs=fs)])


def _check_rate(beats: Rows, source: str, rate: float) -> None:
    """Refuse beats that say that they were cut at another rate than that of the recording now."""
    number = getattr(beats.layout.beside, "number", None)
    cut_at = None if number is None else number(beats.layout.dataset or "", CUT_AT)
    if cut_at is not None and abs(cut_at - rate) > SAME_RATE * rate:
        was, now = (
            f"{one:g} samples a second" if one else "other events" for one in (cut_at, rate)
        )
        raise InputError(
            f"{source}: was cut as beats of {was}, not of {now}: give the options that it was cut "
            "with (--fs, --align, --apart)"
        )
