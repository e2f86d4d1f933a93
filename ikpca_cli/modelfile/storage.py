"""Model files: a fitted method to a joblib file of plain values, and back.

A model file is what `joblib.dump`, uncompressed and in pickle protocol 4, writes for the dict

    {"ikpca_format": 3, "method": "ikpca", "params": {…}, "state": {…}, "versions": {…}}

`params` holds the constructor's arguments, the seed among them; `state` the fitted values, which
the method's `STATE` lists with their dimensions; `versions` those of ikpca, numpy, scipy and joblib
that wrote the file. That of a recording or picture has `windows` as well: how its rows are cut from
it, in plain values, and maybe the weights of wavelets beside them; that of text tables may have
`reading`, the options that they were read with.
`checksum` tells whether what it holds is what was written; older files have none.
The same fit gives the same bytes. Reading never unpickles (see
`plain_joblib`); what comes out is checked here against what the method expects.

Changing the format:

1. A new constructor parameter whose default is what older models did needs no new number: a
   parameter that a file lacks keeps its default, and one that this version does not know is
   refused with the version that does.
2. Any other change of the names, shapes or meaning of what a file holds raises `FORMAT` by one. The
   file must remain one that `plain_joblib` reads, with `ikpca_format` and `versions` where they
   are, so that an older ikpca can say which version the file needs.
3. `upgrades.upgrade` then turns the format before it into the new one, or refuses it and names the
   last version that reads it. A small file of each old format stays among the tests.

Format 2 added the sums of ikpca's features, which may be absent (None), and kpca's weights.
Format 3 renamed the weights of an expansion, and the parameter for replicates. It added what may be
absent: the names of the features, how far rows may be moved, what the exact kernel of ikpca knows
of noise, and what is beside ikpca's main model, smoothers and a model of low frequencies. It added
the weights of the mean in the exact model, which are equal where all rows are in it.
"""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from ikpca_cli.errors import ModelError, UsageError
from ikpca_cli.formats.output import ExistsError, Identity, atomic_write
from ikpca_cli.modelfile.checksum import checksum
from ikpca_cli.modelfile.model_checks import (
    FlawError,
    check_params,
    check_reading,
    check_state,
    check_windows,
)
from ikpca_cli.modelfile.model_file import FORMAT, read_model
from ikpca_cli.recordings.windowed import Windowed
from ikpca_cli.version import __version__

if TYPE_CHECKING:
    from ikpca_cli.estimators.denoiser import Denoiser

_PROTOCOL = 4  # fixed: Python's default changes, and the same fit has to give the same bytes


def save_model(
    path: str | os.PathLike[str],
    model: Denoiser | Windowed,
    *,
    force: bool = False,
    replaces: Identity | None = None,
) -> None:
    """Write a fitted model, whole or not at all.

    Parameters
    ----------
    path : str or path-like
        The file to write.
    model : Denoiser or Windowed
        A fitted method.
    force : bool
        Whether an existing file may be replaced.
    replaces : Identity, optional
        The one file that may be replaced, as `ikpca_cli.formats.output.identity` saw it.

    Raises
    ------
    UsageError
        If the model stands in the place of the path, or is not fitted.
    ModelError
        If the fitted values are such that `load_model` would refuse them: not finite, say.
    OutputError
        If the file exists without `force`, is no longer the one that it replaces, or cannot be
        written.
    """
    import joblib  # imported late: reading a model does not need them
    import scipy

    if hasattr(path, "get_params"):
        raise UsageError("the path comes first: save_model(path, model)")
    path = os.fspath(path)
    windows = None
    if isinstance(model, Windowed):
        windows = {sys.intern(key): _plain(value) for key, value in model.to_plain().items()}
        model = model.model
    cls = type(model)
    state = {sys.intern(key): _plain(value) for key, value in sorted(model.get_state().items())}
    params = {sys.intern(key): _plain(value) for key, value in sorted(model.fitted_params_.items())}
    reading = {sys.intern(key): _plain(value) for key, value in sorted(model.reading_.items())}
    try:
        check_params(cls, params)
        check_state(cls, state)
        check_windows(windows)
        check_reading(reading)
    except FlawError as flaw:
        raise ModelError(
            f"{path}: the model was not written: {flaw}; fit it with other data or parameters"
        ) from None
    envelope = {
        "ikpca_format": FORMAT,
        "method": sys.intern(cls.method),
        "params": params,
        "state": state,
        "versions": {
            "ikpca": __version__,
            "joblib": joblib.__version__,
            "numpy": np.__version__,
            "scipy": scipy.__version__,
        },
    }
    if windows is not None:
        envelope["windows"] = windows
    if reading:
        envelope["reading"] = reading
    envelope["checksum"] = checksum(envelope)
    try:
        with atomic_write(path, force=force, replaces=replaces) as handle:
            if handle.seekable():
                joblib.dump(envelope, handle, compress=0, protocol=_PROTOCOL)
            else:  # joblib aligns arrays by the position in the file, which a pipe does not tell
                buffer = io.BytesIO()
                joblib.dump(envelope, buffer, compress=0, protocol=_PROTOCOL)
                handle.write(buffer.getbuffer())
    except ExistsError as error:
        raise ExistsError(str(error).replace("use --force", "use force=True (--force)")) from error


def load_model(path: str | os.PathLike[str]) -> Denoiser | Windowed:
    """Read a fitted model; nothing in the file is run.

    Arrays of a large file are read-only views of a memory map, which processes share and which
    takes no memory of its own. Such a file may be replaced or deleted while the model is in use
    (as `save_model` does), but not shortened in place.

    Parameters
    ----------
    path : str or path-like
        A file that `save_model` wrote.

    Returns
    -------
    Denoiser or Windowed
        The fitted method.

    Raises
    ------
    ModelError
        If the file cannot be read or is not a sound model; see `read_model`.
    """
    return read_model(os.fspath(path)).build()


def _plain(value: Any) -> Any:
    """Return a value as the file holds it, so that equal values give equal bytes.

    joblib writes an object that it has seen before as a reference, hence one dtype and one text.
    """
    if isinstance(value, np.ndarray):
        dtype = np.dtype("<f4" if value.dtype == np.float32 else "<f8")
        return np.ascontiguousarray(value, dtype=dtype)
    if isinstance(value, np.generic):
        return value.item()
    return sys.intern(value) if type(value) is str else value
