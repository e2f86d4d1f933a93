"""Names of features: kept with a model, and compared with those of other rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ikpca_cli.data.row_source import RowSource, check_width, row_name
from ikpca_cli.errors import InputError, tell

_LONGEST = 200
_LISTED = 5


def encode(names: Sequence[str] | None) -> npt.NDArray[np.float32] | None:
    """Return names as an array of the bytes of their lines, for files that hold only numbers.

    Parameters
    ----------
    names : sequence of str or None
        Blanks in them become single spaces, and what cannot be printed a question mark; what is
        beyond 200 characters is left out.

    Returns
    -------
    ndarray of shape (n_bytes,) or None
        None where there are no names, or all are empty.
    """
    if names is None or not any(names):
        return None
    lines = (_printable(name) for name in names)
    return np.frombuffer("\n".join(lines).encode(), np.uint8).astype(np.float32)


def decode(codes: npt.NDArray[np.floating]) -> tuple[str, ...]:
    """Return the names in an array that `encode` made.

    Raises
    ------
    ValueError
        If it did not.
    """
    if not ((codes >= 0) & (codes <= 255) & (codes == np.rint(codes))).all():
        raise ValueError("the names of its features are no text")
    names = tuple(codes.astype(np.uint8).tobytes().decode().split("\n"))
    if not all(name.isprintable() for name in names):
        raise ValueError("the names of its features cannot be printed")
    return names


def names_of(X: Any) -> tuple[str, ...] | None:
    """Return the names that rows, or the columns of a data frame, have; None if they have none."""
    names = getattr(X, "feature_names", None)
    if names is None:
        columns = list(getattr(X, "columns", ()))
        names = tuple(columns) if columns and all(isinstance(one, str) for one in columns) else None
    return names


TRAINING = "the training data"


def check_features(X: RowSource, n_features: int, known: Sequence[str] | None) -> None:
    """Refuse rows of another width than a model's, and data frames of other or moved columns.

    Raises
    ------
    InputError
    """
    check_width(X, n_features)
    names = names_of(X) if hasattr(X, "columns") else None
    if names is None or known is None:
        return
    order, line = order_of(names, known, row_name(X))
    if order is not None:
        raise InputError(
            f"{row_name(X)}: its columns are those of {TRAINING} in another order: give them as "
            f"{_listed(known)}"
        )
    if line is not None:
        tell(line, stacklevel=2)


def order_of(
    names: Sequence[str], known: Sequence[str], what: str, whose: str = TRAINING
) -> tuple[list[int] | None, str | None]:
    """Compare the names of some rows' features with those of a model.

    Names that are numbers are compared as numbers: 400 and 400.0 are one wavelength.

    Parameters
    ----------
    names
        Those of the rows.
    known
        Those of the model.
    what, whose
        What messages call the rows, and what has the known names.

    Returns
    -------
    order : list of int or None
        The place of each of the model's features among those of the rows; None if they are in the
        same order, or nothing can be said.
    warning : str or None
        What the user should know.

    Raises
    ------
    InputError
        If the same names stand at other places, but not all of them, or some twice.
    """
    if tuple(names) == tuple(known):
        return None, None
    mine, theirs = [_key(name) for name in names], [_key(name) for name in known]
    if mine == theirs or not any(names) or not any(known):
        return None, None
    unique = len(set(mine)) == len(mine)
    if unique and Counter(mine) == Counter(theirs):
        places = {key: place for place, key in enumerate(mine)}
        line = f"{what}: its columns are those of {whose} in another order: taken by name"
        return [places[key] for key in theirs], line
    if len(mine) != len(theirs):
        if set(theirs) <= set(mine):
            raise InputError(
                f"{what}: has {len(mine)} columns, with those of {whose} among them; "
                f"choose these {_chosen(known)}"
            )
        return None, None
    first = {key: place for place, key in reversed([*enumerate(theirs)]) if key != ""}
    for place, key in enumerate(mine):
        if key != theirs[place] and key in first:
            raise InputError(
                f"{what}: column {place + 1} is {names[place]!r}, which is column "
                f"{first[key] + 1} of {whose}: {_listed(known)}; give the same columns, "
                "or rows without names to take them by place"
            )
    other = [place for place, key in enumerate(mine) if key != theirs[place]]
    place = other[0]
    more = "" if len(other) == 1 else f", and {len(other) - 1} more differ"
    return None, (
        f"{what}: column {place + 1} is {_printable(names[place])!r} but was "
        f"{known[place]!r} in {whose}{more}: taken by place"
    )


def _key(name: str) -> str | float:
    """Return what two names have in common if they mean the same."""
    text = _printable(name)
    if "_" in text:  # which float reads over: 1_1 is not 11
        return text
    try:
        return float(text.replace(",", ".")) if text[:1] in "+-.0123456789" and text else text
    except ValueError:
        return text


def _printable(name: str) -> str:
    text = " ".join(name[:_LONGEST].split())
    if text.isprintable():
        return text
    return "".join(sign if sign.isprintable() else "?" for sign in text)


def _listed(names: Sequence[str]) -> str:
    return ",".join(names[:_LISTED]) + (",..." if len(names) > _LISTED else "")


def _chosen(names: Sequence[str]) -> str:
    """Say how columns of these names are chosen; a number is always a place."""
    if any(isinstance(_key(name), float) for name in names):
        return f"by their places with --columns; they are called {_listed(names)}"
    marked = [
        '"' + name.replace('"', '""') + '"' if set(name) & set(',"') else name for name in names
    ]
    return f"with --columns: {_listed(marked)}"
