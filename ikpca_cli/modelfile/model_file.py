"""What a model file holds: read without running anything, and checked before it is used.

See `ikpca_cli.modelfile.storage` for the format.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ikpca_cli.errors import ModelError
from ikpca_cli.estimators.denoiser import load_method
from ikpca_cli.estimators.methods import METHODS, WINDOW_METHODS
from ikpca_cli.modelfile.checksum import checksum
from ikpca_cli.modelfile.joblib_arrays import NotPlainError, TruncatedError
from ikpca_cli.modelfile.model_bytes import looks_like, read_bytes
from ikpca_cli.modelfile.model_checks import (
    FlawError,
    check_params,
    check_reading,
    check_state,
    check_text,
    check_windows,
)
from ikpca_cli.modelfile.plain_joblib import loads
from ikpca_cli.modelfile.upgrades import upgrade
from ikpca_cli.recordings.windowed import Windowed
from ikpca_cli.version import __version__

if TYPE_CHECKING:
    from ikpca_cli.estimators.denoiser import Denoiser

FORMAT = 3
"""The format that this version writes, and the newest that it reads."""

_OPTIONAL_KEYS = {"checksum", "reading", "windows"}
_KEYS = {"ikpca_format", "method", "params", "state", "versions"}
_REMEDY = "give the file that `ikpca fit`, or save_model, wrote"
_REFIT = "fit the model again or get an intact copy"


@dataclass(frozen=True)
class ModelFile:
    """What a model file holds, checked.

    Attributes
    ----------
    path : str
        Where it was read from.
    size : int
        Bytes of the file.
    format : int
        Number of its format.
    method : str
        Name of the method, one of `METHODS`.
    params : dict
        The method's parameters by name: numbers, text or None.
    state : dict
        The fitted values by name: numbers, text, None or read-only float arrays.
    versions : dict
        Versions of the software that wrote the file, by name.
    windows : dict or None
        How rows are cut from a recording or picture, see `ikpca_cli.recordings.cutting`.
    reading : dict or None
        How the training tables were read, see `ikpca_cli.formats.read_options`.
    """

    path: str
    size: int
    format: int
    method: str
    params: dict[str, float | int | str | None]
    state: dict[str, np.ndarray[Any, Any] | float | int | str | None]
    versions: dict[str, str]
    windows: dict[str, float | int | str] | None = None
    reading: dict[str, str | int] | None = None

    def build(self) -> Denoiser | Windowed:
        """Return the fitted method, as one of recordings or pictures where it is for their windows.

        Raises
        ------
        ModelError
            If the values, sound one by one, do not make a model together.
        """
        try:
            model = load_method(self.method).from_state(self.params, self.state)
            model.reading_ = self.reading or {}
            return model if self.windows is None else Windowed.from_plain(model, self.windows)
        except (TypeError, ValueError) as error:
            reason = " ".join(str(error).split())
            raise ModelError(f"{self.path}: is damaged: {reason}; {_REFIT}") from error


def read_model(path: str) -> ModelFile:
    """Read and check what a model file holds, without making a model of it.

    Whatever the file says, memory stays below twice its size plus `plain_joblib.OVERHEAD`.

    Parameters
    ----------
    path : str
        A file that `save_model` wrote.

    Returns
    -------
    ModelFile
        Its content; names, dimensions, types and finiteness are as the method expects.

    Raises
    ------
    ModelError
        If the file cannot be read, is no model, is incomplete or damaged, or needs a newer ikpca.
    """
    data = read_bytes(path)
    try:
        content = _envelope(path, data)
        cls = load_method(content["method"])
        check_params(cls, content["params"])
        check_state(cls, content["state"])
        check_windows(content.get("windows"))
        check_reading(content.get("reading"))
    except FlawError as flaw:
        raise ModelError(f"{path}: is damaged: {flaw}; {_REFIT}") from None
    return ModelFile(
        path=path,
        size=len(data),
        format=content["ikpca_format"],
        method=content["method"],
        params=content["params"],
        state=content["state"],
        versions=content["versions"],
        windows=content.get("windows"),
        reading=content.get("reading"),
    )


def _envelope(path: str, data: memoryview) -> dict[str, Any]:
    """Return the dict of a model file of a format and method that are known here."""
    try:
        content = loads(data)
    except TruncatedError:
        raise ModelError(f"{path}: is incomplete (truncated); {_REFIT}") from None
    except NotPlainError as reason:
        kind = looks_like(data) or f"a foreign or damaged joblib file ({reason})"
        raise ModelError(f"{path}: is not an ikpca model but {kind}; {_REMEDY}") from None
    number = content.get("ikpca_format") if type(content) is dict else None
    if type(content) is not dict or type(number) is not int or number < 1:
        raise ModelError(
            f"{path}: is not an ikpca model but a joblib file of something else; {_REMEDY}"
        )
    versions = content.get("versions")
    if type(versions) is not dict or "ikpca" not in versions:
        raise FlawError("it does not say which versions wrote it")
    for name, version in versions.items():
        check_text(f"the version of {name!r}", version)
    if number > FORMAT:
        raise ModelError(
            f"{path}: was written by a newer ikpca (format {number}, this one reads {FORMAT}); "
            f"it needs ikpca >= {versions['ikpca']}: upgrade ikpca"
        )
    if content.keys() - _OPTIONAL_KEYS != _KEYS:
        raise FlawError(f"its parts are not {', '.join(sorted(_KEYS))}")
    method = content["method"]
    check_text("its method", method)
    if method not in METHODS | WINDOW_METHODS:
        raise ModelError(
            f"{path}: its method {method!r} is not known to ikpca {__version__}; "
            f"it needs ikpca >= {versions['ikpca']}: upgrade ikpca"
        )
    if "checksum" in content:
        told = content["checksum"]
        if type(told) is not int or told != checksum(content):
            raise FlawError("its numbers are not those that were written")
    upgrade(content)  # which changes what the sum is of
    return content
