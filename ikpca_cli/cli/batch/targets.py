"""Where the outputs of a batch go, settled before any work."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from ikpca_cli.cli.given.gathered import folder_below
from ikpca_cli.cli.sources import split_source
from ikpca_cli.errors import OutputError, UsageError

FOREIGN = (
    *(".parquet", ".feather", ".arrow", ".zarr", ".json", ".pkl", ".pickle"),
    *(".bz2", ".xz", ".zst", ".7z"),
    *(".xlsx", ".xls", ".ods", ".docx", ".pdf"),
    *(".jpg", ".jpeg", ".gif", ".bmp", ".zip", ".tar"),
)
"""Suffixes of what outputs are never written as, though they could be taken for it."""


def targets_of(
    noisy: list[str],
    output: str | None,
    output_dir: str | None,
    model: str,
    named: Sequence[str] = (),
) -> list[str]:
    """Return where each input's output goes; refuse before any work what cannot be right.

    In `output_dir` the files of a folder that was named lie as they do in that folder.
    """
    from ikpca_cli.formats.arrays import default_output

    if output is not None and output_dir is not None:
        raise UsageError("--output and --output-dir exclude each other: give one of them")
    if output is not None:
        if len(noisy) > 1:
            raise UsageError(
                f"--output names one file but there are {len(noisy)} inputs: use --output-dir"
            )
        if os.path.realpath(output) != os.path.realpath(model):
            _check_name(output)  # the model is an input, which is refused as that
        return [output]
    if output_dir == "":
        raise UsageError("--output-dir has an empty name: name a folder")
    targets = []
    for source in noisy:
        path = split_source(source)[0]
        below = None if output_dir is None else os.path.join(output_dir, folder_below(path, named))
        targets.append(default_output(path, below))
    seen: dict[str, str] = {}
    for source, target in zip(noisy, targets, strict=True):
        if target in seen:
            raise UsageError(
                f"{seen[target]} and {source} would both be written to {target}: "
                "give --output-dir and the folder that both lie in, whose folders it keeps, or "
                "clean one of them by a call of its own"
            )
        seen[target] = source
    return targets


def _check_name(output: str) -> None:
    """Refuse an output whose name asks for what is not written."""
    if "::" in output:
        file, _, dataset = output.partition("::")
        raise UsageError(
            f"{output}: an output has the dataset of its input: leave out ::{dataset} (--output "
            f"{file})"
        )
    if output.lower().endswith(FOREIGN):
        raise UsageError(
            f"{output}: such files are not written: end it in .npy, .npz, .csv, .h5 or .mat"
        )


def check_residual(residual: str | None, targets: Sequence[str]) -> None:
    """Refuse a residual of several files, or one in place of what is cleaned."""
    if residual is not None and len(targets) > 1:
        raise UsageError(f"--residual is for one input, not {len(targets)}: clean it by itself")
    if residual is not None and os.path.realpath(residual) == os.path.realpath(targets[0]):
        raise UsageError(f"--residual and the output are both {residual}: give two files")


def check_plot(plot: str, inputs: list[str], outputs: list[str], force: bool) -> None:
    """Refuse a picture that cannot be, before any work."""
    from ikpca_cli.plots.picture_file import check_picture

    if len(inputs) > 2:
        raise UsageError(f"--plot is for one input, not {len(inputs) - 1}: give one of them")
    files = [split_source(source)[0] for source in inputs]
    check_picture(plot, inputs=files, outputs=outputs, force=force)


def make_folders(folders: Iterable[str]) -> None:
    """Make the folders for outputs that are not there."""
    for folder in dict.fromkeys(folders):
        try:
            Path(folder).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            reason = os.strerror(error.errno or 0).lower()
            raise OutputError(f"{folder}: cannot be made: {reason}; name another folder") from error
