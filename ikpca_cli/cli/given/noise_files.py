"""What files say of the noise: a level for each column, or rows that hold noise alone."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ikpca_cli.cli.given.gathered import gathered
from ikpca_cli.cli.given.values import is_file
from ikpca_cli.cli.several import open_all
from ikpca_cli.cli.sources import open_rows
from ikpca_cli.data.row_source import read_all
from ikpca_cli.errors import InputError, UsageError
from ikpca_cli.formats.read_options import ReadOptions
from ikpca_cli.noise.models.given import covariance_of
from ikpca_cli.transforms.column_scale import ColumnScale
from ikpca_cli.transforms.whiten import Whitening

if TYPE_CHECKING:
    from ikpca_cli.transforms.protocol import Transform


def noise_of_files(
    noise_std: str | None, noise_rows: str | None, model: str | None, reading: ReadOptions
) -> Transform | None:
    """Return what makes noise white, by a file of levels or of noise alone; None without one.

    Parameters
    ----------
    noise_std
        File with one noise level for each column, or what else was given for one.
    noise_rows
        File, folder or list with rows of noise.
    model
        The noise model that was asked for, if any.
    reading
        How the training rows are read; noise rows are read alike.

    Raises
    ------
    InputError
        If the file does not hold levels, or too few rows.
    UsageError
        If both are given, or the noise model says something else.
    """
    levels_there = noise_std is not None and is_file(noise_std)
    if noise_rows is None and not levels_there:
        return None
    if noise_std not in (None, "auto") and noise_rows is not None:
        raise UsageError("--noise-std and --noise-rows both say what the noise is: give one")
    if noise_rows is None:
        if model not in (None, "auto", "columns"):
            raise UsageError(
                "--noise-std FILE has a level for each column: give --noise-model columns"
            )
        # Numbers in a column, a row or an array of one axis; the form of the rows says nothing.
        assert noise_std is not None
        with open_rows(noise_std, ReadOptions(recording=True, orientation="rows")) as rows:
            levels = read_all(rows)
        if min(levels.shape) > 1:
            raise InputError(
                f"{noise_std}: holds {len(levels)} rows of {levels.shape[1]} levels, and one for "
                "each column is taken: give their root mean square by column, or where they follow "
                "from the counts leave the file out and give --noise-model counts"
            )
        stds = levels.ravel()
        if not np.all(stds > 0.0):
            raise InputError(
                f"{noise_std}: a noise level is not positive; give one for each column"
            )
        return ColumnScale(stds)
    if reading.missing in ("fill", "keep"):  # by the model, which is yet to be learned
        reading = replace(reading, missing="error")
    with open_all(gathered([noise_rows]), reading) as rows:
        noise = read_all(rows)
    if len(noise) < 2:
        raise InputError(
            f"{noise_rows}: one row of noise tells no covariance: give several rows or their "
            f"folder, or, if neighbours in it are not alike, its level: --noise-std "
            f"{noise.std():.4g}"
        )
    noise = noise - noise.mean(axis=0)
    if model == "columns":
        return ColumnScale(np.maximum(noise.std(axis=0, ddof=1), 1e-6 * noise.std()))
    if model not in (None, "auto", "correlated"):
        raise UsageError(f"--noise-rows is for --noise-model correlated, not {model}")
    return Whitening(covariance_of(noise))
