"""What parameters, or parameters and rows, cannot be together."""

from __future__ import annotations

import warnings

from ikpca_cli.data.memory import available_bytes, readable_bytes
from ikpca_cli.errors import IkpcaWarning, InputError, UsageError
from ikpca_cli.models.kernels.kernel import is_smooth
from ikpca_cli.selection.choice import Auto


def too_many_components(asked: int, most: int) -> UsageError:
    """Return the error for more components than the data or the fit has."""
    return UsageError(
        f"{asked} components are too many: the rows have at most {most} with this method; "
        "keep fewer, or use 'auto'"
    )


def check_spectrum(found: int, asked: int, *, exact: bool, by_gamma: bool = True) -> None:
    """Refuse a fit that found no components, or with `exact` fewer than were asked for.

    Raises
    ------
    InputError
        If there are none.
    UsageError
        If there are too few.
    """
    if found == 0 and not by_gamma:
        raise InputError(
            "nothing is left of the rows beside rounding: are some of them far beyond all others? "
            "Mend these, or leave them out"
        )
    if found == 0:
        raise InputError(
            "the features of all rows are alike with this gamma, there is nothing to learn "
            "from them; use another gamma, or 'auto'"
        )
    if exact and found < asked:
        raise too_many_components(asked, found)


def check_shrink(shrink: str, n_components: int | Auto) -> None:
    """Refuse a way of shrinking that a number of components contradicts.

    Raises
    ------
    UsageError
    """
    if shrink == "optimal" and n_components != "auto":
        raise UsageError(
            "optimal shrinkage weighs all components: leave their number out, or use a cut"
        )


def check_second_gamma(second_gamma: float | str) -> None:
    """Refuse a second gamma for random features.

    Raises
    ------
    UsageError
    """
    if second_gamma not in ("auto", "none"):
        raise UsageError("a second gamma is for infinitely many features: leave it out")


def no_sums() -> UsageError:
    """Return the error for sums that a fit cannot keep."""
    return UsageError(
        "sums are kept for random features with the paper's inverse alone: give their "
        "number n_rff (--rff) and a ridge (--ridge), and not the dual solver"
    )


def check_sine(activation: str) -> None:
    """Refuse for the refined pre-image all activations but the sine.

    Raises
    ------
    UsageError
    """
    if activation != "sine":
        raise UsageError(
            f"the {activation} activation is for random features with the paper's "
            "inverse: use the paper's inverse (--inverse paper), and not infinitely many features"
        )


def check_smooth(what: str, kernel: str, ridge: float | Auto, inverse: str) -> None:
    """Refuse for the refined pre-image what only the published one has.

    Raises
    ------
    UsageError
    """
    if not is_smooth(kernel):
        raise UsageError(
            f"{what} needs a smooth kernel, which the {kernel} one is not: use the "
            "paper's inverse with a number of random features"
        )
    if ridge != "auto" or inverse == "paper":
        raise UsageError(
            "neither a ridge (--ridge) nor the paper's inverse (--inverse paper) goes with "
            f"{what}: leave these out, or give n_rff, a number of them (--rff)"
        )


def check_feature_count(n_rff: int, n_features: int, *, drawn: bool) -> None:
    """Refuse too many random features for the memory, or too few for the columns.

    Parameters
    ----------
    n_rff, n_features : int
        Random features, and columns of the rows.
    drawn : bool
        Whether they are drawn, rather than given.

    Raises
    ------
    InputError
        If they do not fit in memory.
    UsageError
        If rows cannot be told from their features.
    """
    needed = 8 * n_rff * n_features
    if needed > available_bytes():
        raise InputError(
            f"{n_rff} random features of {n_features} columns take {readable_bytes(needed)}, which "
            "is more memory than is free: use fewer"
        )
    if n_rff < n_features:
        raise UsageError(
            f"{n_rff} random features are fewer than the {n_features} columns, so rows cannot "
            f"be reconstructed: use {4 * n_features} or more, or 'auto'"
        )
    if n_rff < 2 * n_features and drawn:
        warnings.warn(
            f"{n_rff} random features are close to the {n_features} columns, which makes rows "
            f"worse than they need be: use {4 * n_features} or more",
            IkpcaWarning,
            stacklevel=7,  # where IKPCA.fit was called
        )
