"""``ikpca beats``: cut a recording into its beats, or put cleaned ones back."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from typing import Annotated

import typer

from ikpca_cli.cli import options as opt
from ikpca_cli.cli.given.reading_options import Reading
from ikpca_cli.cli.given.window_options import of_recording
from ikpca_cli.cli.streams import standard
from ikpca_cli.errors import UsageError, tell


class Align(StrEnum):
    """What rows are aligned by."""

    r = "r"
    peak = "peak"


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
    from ikpca_cli.formats.arrays import check_target, write_rows
    from ikpca_cli.recordings.beats.cut_file import CutFile

    inputs = [split_source(name)[0] for name in (recording, restore) if name is not None]
    check_target(output, inputs=inputs, force=force)
    options = reading.options(fills=True)
    if options.missing == "drop":
        raise UsageError(
            "--missing drop would shorten the recording, and intervals between beats: give fill, "
            "for a line through what is missing, or keep"
        )
    is_heart = align is Align.r
    with open_rows(recording, of_recording(options)) as rows:
        cut = CutFile.of(rows, recording, fs, apart, is_heart=is_heart)
        for line in cut.remarks:
            tell(line)
        if restore is None:
            write_rows(output, cut.rows(), cut.layout, force=force)
        else:
            with open_rows(restore, replace(options, missing="error")) as cleaned:
                values = cut.with_beats(cleaned, restore).astype(rows.dtype)
            keeps = rows.has_holes and options.missing == "keep"
            if keeps:
                values[rows.holes(slice(0, len(values)))] = np.nan
            write_rows(output, values, rows.layout, force=force, with_missing=keeps)
    record = {"recording": recording, "output": output, "n_beats": cut.shape[0]}
    more = {"n_features": cut.shape[1], "n_channels": cut.recording.width}
    print_record(record | more, printing.form)
    if restore is None and printing.output_format is opt.Format.table:
        print_lines([after_cutting(output, recording, anew(options), is_heart=is_heart, fs=fs)])
