"""What to type: after a fit and after cutting, and in words that a shell takes as they are."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ikpca_cli.cli.streams import escaped
from ikpca_cli.formats.read_options import OF_TABLES, option_of, told_of

if TYPE_CHECKING:
    from ikpca_cli.formats.read_options import ReadOptions


def no_option(path: str) -> str:
    """Return a path that a command does not take for an option."""
    return f"./{path}" if path.startswith("-") else path


def quoted(word: str) -> str:
    """Return a word as a shell takes it for one, on one line of signs that a terminal shows."""
    if escaped(word) == word:
        return shlex.quote(word)
    signs = (chr(byte) if _is_plain(byte) else f"\\{byte:03o}" for byte in os.fsencode(word))
    return f"$'{''.join(signs)}'"


def _is_plain(byte: int) -> bool:
    return 0x20 <= byte < 0x7F and byte not in b"'\\"


def shell_word(path: str) -> str:
    """Return a path as a shell and a command take it."""
    return quoted(no_option(path))


def again(reading: ReadOptions) -> str:
    """Return the options of reading that no model keeps, as they stand on the command line."""
    words = ["--transpose"] if reading.transpose else []
    words += [f"--dataset {shell_word(reading.dataset)}"] if reading.dataset else []
    words += [f"--missing {reading.missing}"] if reading.missing != "error" else []
    words += ["--resample"] if reading.resample else []
    return "".join(f" {word}" for word in words)


def anew(reading: ReadOptions) -> str:
    """Return all options of reading, for a fit, as they stand on the command line."""
    given = [name for name in OF_TABLES if option_of(name) in reading.of_tables()]
    words = [told_of({name: getattr(reading, name) for name in given})] if given else []
    words += ["--window none"] if reading.orientation == "rows" else []
    return "".join(f" {word}" for word in words) + again(reading)


def after_fit(record: Mapping[str, Any], sources: Sequence[str], options: str = "") -> str:
    """Return the command that comes next: cleaning, or a fit where nothing would be cleaned."""
    model = str(record["model"])
    if record["noise_std"] is None and record.get("strength") == 0.0:
        force = "" if model == "-" else " and --force"
        return (
            f"Next: the same command with --noise-std LEVEL{force}, if you know the level (in a "
            "file one for each column); until then the model leaves rows as they are"
        )
    one = shell_word(sources[0]) if len(sources) == 1 and sources[0] != "-" else None
    written = "MODEL" if model == "-" else shell_word(model)  # to wherever standard output went
    many = len(sources) > 1 or (one is not None and Path(sources[0]).is_dir())
    files = f"{one or 'FILE...'} --output-dir clean" if many else one or "FILE"
    return f"Next: ikpca denoise {written} {files}{options}"


def after_cutting(
    output: str, recording: str, options: str = "", *, is_heart: bool, fs: float | None
) -> str:
    """Say what comes after cutting a recording into beats, or other events, read by options."""
    text = f"Next: ikpca fit {shell_word(output)}"
    if is_heart:
        text += "; or, better where the recording is what is to be cleaned, "
        text += f"ikpca fit {shell_word(recording)}{options} --window beats"
        text += "" if fs is None else f" --fs {fs:g}"
    return text
