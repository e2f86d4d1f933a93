"""Missing values of rows: where they are, and what takes their place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ikpca_cli.errors import InputError
from ikpca_cli.formats.layout import Layout
from ikpca_cli.formats.rows.row_slices import BLOCK, Array

MISSING = ("error", "drop", "mean", "fill", "keep")
"""What is done with missing values."""

TO_MODEL = MISSING[3:]
"""What leaves missing values to a model, so that rows come with NaN."""

UNTREATED = "untreated"
"""What leaves them to whoever joins the rows of several files."""


@dataclass(frozen=True)
class Missing:
    """What is missing of n rows of p columns.

    Attributes
    ----------
    whole : ndarray of bool, shape (n,)
        Rows of which nothing is missing.
    total, present : ndarray, shape (p,)
        The sum of the values of a column, and how many there are.
    """

    whole: npt.NDArray[np.bool_]
    total: npt.NDArray[np.float64]
    present: npt.NDArray[np.intp]

    @classmethod
    def of(cls, load: Callable[[int, int], Array], shape: tuple[int, int]) -> Missing:
        """Look at rows, which `load` returns from one place to another, with NaN."""
        n, p = shape
        whole = np.empty(n, bool)
        total, present = np.zeros(p), np.zeros(p, np.intp)
        size = max(1, BLOCK // p)
        for start in range(0, n, size):
            block = load(start, min(n, start + size))
            there = ~np.isnan(block)
            whole[start : start + size] = there.all(axis=1)
            total += np.where(there, block, 0).sum(axis=0, dtype=np.float64)
            present += there.sum(axis=0)
        return cls(whole, total, present)

    def means(self, name: str) -> npt.NDArray[np.float64]:
        """Return the mean of each column, (p,).

        Raises
        ------
        InputError
            If there is a column without values.
        """
        self._refuse_empty(name)
        return self.total / self.present

    def kept(self, name: str) -> npt.NDArray[np.intp]:
        """Return the places of the rows that are whole.

        Raises
        ------
        InputError
            If there is none.
        """
        kept = np.flatnonzero(self.whole)
        if kept.size == 0:
            self._refuse_empty(name)
            raise InputError(
                f"{name}: every sample has a missing value; give --missing mean or fill"
            )
        return kept

    def _refuse_empty(self, name: str) -> None:
        """Refuse columns without a value."""
        empty = np.flatnonzero(self.present == 0)
        if empty.size:
            raise InputError(f"{name}: feature {empty[0] + 1} has no value at all; leave it out")

    def replaced(self, missing: str) -> str:
        """Say what is done with values for which something is put."""
        count = len(self.whole) * len(self.present) - int(self.present.sum())
        done = "replaced by the feature's mean"
        if missing in TO_MODEL:
            done = "filled in" + ", missing in the output" * (missing == "keep")
        return f"{count} missing value{'s' * (count != 1)} {done}"

    def dropped(self, layout: Layout) -> str:
        """Say which rows, or columns, are left out of what has the form `layout`."""
        gone = np.flatnonzero(~self.whole) + 1
        listed = ", ".join(map(str, gone[:10])) + (", ..." if gone.size > 10 else "")
        said = (
            f"{gone.size} of {len(self.whole)} samples dropped for missing values, and not in the "
            f"output: {'column' if layout.transposed else 'row'} {listed}"
        )
        whole = layout.others and layout.beside is not None and not hasattr(layout.beside, "keep")
        return said + "; its other arrays are left as they are" if whole else said
