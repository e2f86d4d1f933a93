"""Rows before and after cleaning, in a terminal, on standard error: output never mixes with it."""

from __future__ import annotations

import shutil
import sys

import numpy as np

from ikpca_cli.cli.streams import escaped
from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.plots.shown import Shown, evenly

ROWS = 3
"""Rows in a preview."""

_WIDEST = 100
_BARS, _PLAIN_BARS = "▁▂▃▄▅▆▇█", "_.-~=+*#"
_SHADES, _PLAIN_SHADES = " ░▒▓█", " .:*#"


def print_preview(shown: Shown) -> None:
    """Print some rows before and after cleaning, as lines of bars or as images side by side.

    Wide rows are thinned out, not averaged, which would hide their noise.
    """
    shown = shown.some(ROWS)
    unicode = (getattr(sys.stderr, "encoding", None) or "").lower().startswith("utf")
    width = min(_WIDEST, shutil.get_terminal_size().columns - 1)
    lines = [f"{escaped(shown.name)}:"]
    for index in range(len(shown)):
        if shown.is_image:
            lines += _image(shown, index, width, _SHADES if unicode else _PLAIN_SHADES)
        else:
            lines += _bars(shown, index, width, _BARS if unicode else _PLAIN_BARS)
    sys.stderr.write("\n".join(lines) + "\n")


def _bars(shown: Shown, index: int, width: int, signs: str) -> list[str]:
    """Return the lines of one row: noisy above denoised, on one scale."""
    pair = np.stack([shown.noisy[index], shown.cleaned[index]])
    names = (f"{shown.label(index)} noisy", "denoised")
    side = max(len(shown.label(i)) for i in range(len(shown))) + len(" noisy")
    room = max(8, width - side - 1)
    pair = pair[:, evenly(pair.shape[1], room)]
    texts = _levels(pair, float(pair.min()), float(pair.max()), signs)
    return [f"{name:>{side}} {''.join(text)}" for name, text in zip(names, texts, strict=True)]


def _image(shown: Shown, index: int, width: int, signs: str) -> list[str]:
    """Return the lines of one image: noisy left of denoised, two signs a pixel."""
    images = [rows[index].reshape(shown.sample_shape) for rows in (shown.noisy, shown.cleaned)]
    height, across = shown.sample_shape
    room = max(4, (width - 2) // 4)
    step = max(1.0, across / room)
    rows, columns = evenly(height, int(height / step)), evenly(across, int(across / step))
    small = [image[np.ix_(rows, columns)] for image in images]
    low, high = float(small[1].min()), float(small[1].max())
    noisy, cleaned = (_levels(image, low, high, signs) for image in small)
    side = 2 * len(columns)
    lines = [f"{shown.label(index) + ' noisy':<{side}}  denoised"]
    for left, right in zip(noisy, cleaned, strict=True):
        lines.append(
            "".join(sign * 2 for sign in left) + "  " + "".join(sign * 2 for sign in right)
        )
    return [line.rstrip() for line in lines]


def _levels(values: FloatArray, low: float, high: float, signs: str) -> list[list[str]]:
    """Return a sign for each number of (a, b), the first for `low` and the last for `high`."""
    scale = high - low
    shares = np.clip((values - low) / scale, 0.0, 1.0) if scale > 0.0 else np.zeros_like(values)
    places = np.minimum((shares * len(signs)).astype(int), len(signs) - 1)
    return [[signs[place] for place in row] for row in places]
