"""Options of ``ikpca fit`` that exclude one another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ikpca_cli.cli.given.values import MEAN, is_file, method_params
from ikpca_cli.cli.given.window_options import check_windows, default_method, window_size
from ikpca_cli.cli.sources import split_source
from ikpca_cli.errors import UsageError

if TYPE_CHECKING:
    from ikpca_cli.cli.given.fit_options import ModelFile, Parameters, Windows
    from ikpca_cli.cli.given.reading_options import Reading
    from ikpca_cli.cli.options import Model


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


def check_several(sources: Sequence[str], cluster: str | None) -> None:
    """Refuse what takes a single file where several are to be one training set."""
    if len(sources) > 1 and cluster is not None:
        raise UsageError("--cluster takes a single file: give one, or leave --cluster out")


def check_fit(
    given: Mapping[str, Any],
    file: ModelFile,
    windows: Windows,
    method: str | None,
    parameters: Parameters,
    common: Model,
    reading: Reading,
    cluster: str | None,
) -> None:
    """Refuse options of ``ikpca fit`` that exclude one another, or that its method does not have.

    Raises
    ------
    UsageError
        That names one of them.
    """
    clean, levels = parameters.clean, common.noise_std if is_file(common.noise_std) else None
    noise_file = levels or parameters.noise_rows
    if clean not in (None, MEAN):
        raise UsageError(
            f"--clean {clean}: a model is learned from noisy rows alone: leave it out, and give "
            "clean rows to evaluate (--clean mean: all rows show one signal)"
        )
    if file.update is not None:
        other = None if method == "ikpca" else method
        cut = {"--window": windows.window, "--hop": windows.hop, "--fs": windows.fs}
        _check_update({**given, "--method": other, **cut}, noise_file)
    window_size(windows.window, windows.hop, windows.fs)
    if windows.are_asked:
        rows_alone = {"--clean mean": clean == MEAN, "--keep-sums": file.keep_sums}
        check_windows(common.noise_model, noise_file, rows_alone)
    if method == "auto" and noise_file is not None:
        raise UsageError(
            f"--method auto ranks methods by one level of white noise, and not by {noise_file}: "
            "name a method"
        )
    if reading.left_to_model and cluster is not None:
        missing = reading.missing.value
        raise UsageError(f"--missing {missing} does not go with --cluster: give --missing mean")
    name = default_method(method, windows.window)
    if name != "auto":
        method_params(name, given)


def _check_update(given: Mapping[str, Any], noise_file: str | None) -> None:
    """Refuse options of a new fit where a model is only to take in more rows."""
    unused = {None, "auto", 0}
    for option, value in given.items():
        if value not in unused:
            raise UsageError(f"--update keeps the model's parameters: leave {option} out")
    if noise_file is not None:
        raise UsageError("--update keeps what the model knows of noise: leave it out")
