"""What a transform is: rows whose noise is white, and the inverse to the units of the data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Protocol, Self

from ikpca_cli.data.row_source import FloatArray

State = Mapping[str, FloatArray]
"""Arrays by name, see `Transform.FIELDS`."""


class OneForAll:
    """Part of a `Transform` that is the same for all rows."""

    BY_ROW: ClassVar[bool] = False

    def of_file(self, X: FloatArray) -> Self:
        """Return the transform for a file of which X (n, p) are some rows: this one."""
        return self

    def of_rows(self, X: FloatArray) -> Self:
        """Return the transform for rows as they came, (n, p): this one."""
        return self


class Transform(Protocol):
    """Maps rows to rows whose noise is white and of variance 1, in as many columns q or in fewer.

    Attributes
    ----------
    FIELDS : dict
        Names of its arrays, which a model file keeps, and their dimensions; p is the number of
        columns.
    BY_ROW : bool
        Whether each row tells its own noise level, which a clean row has as well.
    """

    FIELDS: ClassVar[dict[str, tuple[str, ...]]]
    BY_ROW: ClassVar[bool]

    @property
    def width(self) -> int | None:
        """Number of columns that rows must have, None for any."""

    def columns(self, n_features: int) -> int:
        """Return how many columns, q, rows of so many have with white noise."""

    def forward(self, X: FloatArray) -> FloatArray:
        """Return rows with white noise (n, q) for rows as they came, (n, p)."""

    def of_file(self, X: FloatArray) -> Self:
        """Return the transform for a file of which X (n, p) are some rows."""

    def of_rows(self, X: FloatArray) -> Self:
        """Return the transform for rows as they came, (n, p): another only if it goes by them."""

    def inverse(self, Z: FloatArray) -> FloatArray:
        """Return rows (n, p) in the units of the data for clean rows (n, q)."""

    def levels(self, Z: FloatArray) -> FloatArray:
        """Return the noise level, in the units of the data, of each number of clean rows (n, q)."""

    def noise(self, Z: FloatArray, E: FloatArray) -> FloatArray:
        """Return what white noise E (n, q) on clean rows Z (n, q) is in the units of the data."""

    def state(self) -> State:
        """Return its arrays by name."""

    @classmethod
    def from_state(cls, state: State) -> Self:
        """Return the transform of some arrays.

        Raises
        ------
        ValueError
            If no transform has such arrays.
        """
