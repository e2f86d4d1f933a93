"""What the file formats are called, for what must not load them."""

from __future__ import annotations

from typing import Final

TITLES: Final = {
    "npy": "npy",
    "npz": "npz",
    "mat73": "MATLAB 7.3",
    "hdf5": "HDF5",
    "mat": "MATLAB",
    "tiff": "TIFF",
    "png": "PNG",
    "edf": "EDF",
    "wfdb": "WFDB",
    "ts": "ts",
    "csv": "text table",
}
"""By the names that the registry has for them, in the order in which a file is tried."""


def read_formats() -> str:
    """Name in a phrase what is read."""
    names = [title for name, title in TITLES.items() if name not in ("mat73", "csv")]
    return f"{', '.join(names)} or {TITLES['csv']}s (csv, tsv, txt)"
