"""Refusals of parameters that no data could make right, one for each kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ikpca_cli.errors import UsageError

if TYPE_CHECKING:
    from ikpca_cli.core.estimator import Auto

DTYPES = ("float64", "float32")
"""Types that a model can be kept in."""


def check_dtype(dtype: object) -> None:
    """Refuse a type that models cannot be kept in."""
    if dtype not in DTYPES:
        raise UsageError(f"dtype {dtype!r} is unknown: use {' or '.join(DTYPES)}")


def too_many_components(asked: int, most: int) -> UsageError:
    """Return the error for more components than the data or the fit has."""
    return UsageError(
        f"{asked} components are too many: the rows have at most {most} with this method; "
        "keep fewer, or use 'auto'"
    )


def check_shrink(shrink: str, n_components: int | Auto) -> None:
    """Refuse a way of shrinking that there is not, or that a number of components contradicts.

    Raises
    ------
    UsageError
    """
    if shrink not in ("auto", "cut", "optimal"):
        raise UsageError(f"shrink {shrink!r} is unknown: use auto, cut or optimal")
    if shrink == "optimal" and n_components != "auto":
        raise UsageError(
            "optimal shrinkage weighs all components: leave their number out, or use a cut"
        )
