"""Options of ``ikpca fit`` that exclude one another."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ikpca_cli.cli.sources import split_source
from ikpca_cli.errors import UsageError


def check_outputs(target: str, plot: str | None, *, inputs: Sequence[str], force: bool) -> None:
    """Refuse a file for a model that cannot be written, or is called as data are, and a picture.

    Raises
    ------
    OutputError
        As `ikpca_cli.formats.output.check_target` says.
    UsageError
        If its suffix is that of an array file, as where ``-o`` was to name the cleaned rows.
    """
    from ikpca_cli.formats.arrays import check_target
    from ikpca_cli.formats.format import suffix_of
    from ikpca_cli.formats.format_registry import FORMATS, format_named

    files = [split_source(source)[0] for source in inputs]
    check_target(target, inputs=files, force=force)
    if any(suffix_of(target) in kind.suffixes for kind in map(format_named, FORMATS)):
        name = Path(target).with_suffix(".joblib")
        raise UsageError(
            f"{target}: a model goes there, and no array: name it {name}; denoise writes clean rows"
        )
    if plot is not None:
        from ikpca_cli.plots.picture_file import check_picture

        check_picture(plot, inputs=files, outputs=[target], force=force)


def check_several(cluster: str | None) -> None:
    """Refuse what takes a single file where several are to be one training set."""
    if cluster is not None:
        raise UsageError("--cluster takes a single file: give one, or leave --cluster out")


def check_ranking(noise_file: str | None) -> None:
    """Refuse what a file says of the noise where methods are ranked by one level of white noise."""
    if noise_file is not None:
        raise UsageError(
            f"--method auto ranks methods by one level of white noise, and not by {noise_file}: "
            "name a method"
        )


def check_missing(missing: str, given: dict[str, bool]) -> None:
    """Refuse options that do not go with missing values that the model fills in."""
    for option, there in given.items():
        if there:
            raise UsageError(f"--missing {missing} does not go with {option}: give --missing mean")


def check_update(given: dict[str, Any]) -> None:
    """Refuse options of a new fit where a model is only to take in more rows."""
    unused = {None, "auto", 0}
    for option, value in given.items():
        if value not in unused:
            raise UsageError(f"--update keeps the model's parameters: leave {option} out")
