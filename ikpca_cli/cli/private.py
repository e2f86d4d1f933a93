"""Models that hold the rows they were fitted on, where others can read them."""

from __future__ import annotations

import os
import stat
import warnings
from typing import TYPE_CHECKING

from ikpca_cli.cli.sources import split_source
from ikpca_cli.errors import IkpcaWarning

if TYPE_CHECKING:
    from ikpca_cli.estimators.denoiser import Denoiser

_OTHERS = stat.S_IRGRP | stat.S_IROTH


def holds_rows(model: Denoiser) -> bool:
    """Tell whether a model carries the rows it was fitted on, which may be private."""
    state = model.get_state()
    return any(
        "n" in dims and "p" in dims and state[name] is not None
        for name, dims in model.STATE.items()
    )


def warn_of_open_rows(target: str, model: Denoiser, train: str) -> None:
    """Warn if a model's file shows its training rows to people who could not read theirs."""
    try:
        opened = os.stat(target).st_mode & _OTHERS
        hidden = ~os.stat(split_source(train)[0]).st_mode
    except OSError:  # standard input or output, which have no permissions to compare
        return
    if opened & hidden and holds_rows(model):
        warnings.warn(
            f"{target}: holds rows of {train}, and can be read by others than that file: make it "
            "private with chmod go-r",
            IkpcaWarning,
            stacklevel=2,
        )
