"""The weights of wavelets beside windows, by the estimated risk of the recordings themselves."""

from __future__ import annotations

from typing import Any

import numpy as np

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.recordings.wavelets.combination import Combination
from ikpca_cli.recordings.window_risk import Measured

MANY, FEW, SHORT = 3, 2, 1 << 12
"""Random directions that their risk is known by, for up to so many numbers, or for more."""

_CAUTION, _RIDGE = 1.0, 0.1  # standard errors of its gain, and share of its square, against a term
_BOUND = 1e3  # how strictly weights add up to 1 at most


def combine(model: Any, measured: Measured) -> Measured:
    """Give a fitted `Windowed` of signals wavelets beside its windows, where that pays.

    Stein's estimate is quadratic in the weights (SURE-LET, Blu and Luisier 2007). Those of least
    risk are kept if it falls by more than its own error, and not to where no error can be: a noise
    level that is too high would have signal removed.

    Parameters
    ----------
    model : Windowed
        It is changed.
    measured : Measured
        What its windows did to the recordings.

    Returns
    -------
    Measured
        What is done to them now.
    """
    if _is_impossible(measured):
        return measured
    longest = max(len(part) for part in measured.parts)
    every = Combination.for_length(longest, model.cutting.height)
    weights = _weights(measured, _terms(every, model, measured))
    if not weights.any():
        return measured
    # More directions are worth their time only where something may come of it.
    numbers = sum(part.size for part in measured.parts)
    measured.look(model, MANY if numbers <= SHORT else FEW)
    terms = _terms(every, model, measured)
    weights = _weights(measured, terms)
    found = measured.moved_by(
        [[(weights[:, None] * some).sum(axis=0) for some in versions] for versions in terms]
    )
    before, after = (np.concatenate(one.shares(scaled=True)) for one in (measured, found))
    falls = before - after
    if not falls.mean() > falls.std() / np.sqrt(len(falls)) or _is_impossible(found):
        return measured
    model.combination = every.weighted(weights)
    return found


def _is_impossible(measured: Measured) -> bool:
    risk = measured.risk(scaled=True)
    return risk.mse < -risk.error


def _terms(every: Combination, model: Any, measured: Measured) -> list[list[FloatArray]]:
    """Return what each weight adds, (4, n, c): to each part, as it came and as it was moved."""
    return [
        [
            np.stack([*every.terms(rows, 0, cleaned, measured.stds, model.colour)])
            for rows, cleaned in measured.versions(place)
        ]
        for place in range(len(measured.parts))
    ]


def _weights(measured: Measured, terms: list[list[FloatArray]]) -> FloatArray:
    """Return the weights (4, c) of least estimated risk, in which no noise is trusted."""
    size, _, width = terms[0][0].shape
    count = sum(len(part) for part in measured.parts)
    products, gains = np.zeros((width, size, size)), np.zeros((width, size))
    for place, (own, *moved) in enumerate(terms):
        scaled = own / measured.stds
        removed = (measured.parts[place] - measured.cleaned[place]) / measured.stds
        products += np.einsum("inc,jnc->cij", scaled, scaled, optimize=True) / count
        gains += np.einsum("inc,nc->ci", scaled, removed) / count
        for probe, step, other in zip(measured.probes[place], measured.steps, moved, strict=True):
            slope = np.einsum("inc,nc->ci", (other - own) / measured.stds, probe) / step
            gains -= slope / (count * len(moved))
    lengths = np.diagonal(products, axis1=1, axis2=2)
    gains -= _CAUTION * np.sqrt(lengths / count)
    ridges = _RIDGE * lengths[:, :, None] * np.eye(size)
    return np.stack([_least(*one) for one in zip(products + ridges, gains, strict=True)], axis=1)


def _least(products: FloatArray, gains: FloatArray) -> FloatArray:
    """Return the a >= 0, in all at most 1, that minimises a'Qa - 2 c'a."""
    from scipy.linalg import solve_triangular
    from scipy.optimize import nnls

    found = np.zeros(len(gains))
    on = np.diag(products) > 0.0
    if not on.any():
        return found
    root = np.linalg.cholesky(products[np.ix_(on, on)])
    target = solve_triangular(root, gains[on], lower=True)
    found[on] = nnls(root.T, target)[0]
    if found.sum() > 1.0:
        bound = _BOUND * float(np.sqrt(products.max()))
        rows = np.vstack([root.T, np.full((1, int(on.sum())), bound)])
        found[on] = nnls(rows, np.append(target, bound))[0]
        found /= max(1.0, float(found.sum()))
    return found
