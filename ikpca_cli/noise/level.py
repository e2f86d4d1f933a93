"""The standard deviation of white noise, estimated from noisy rows alone.

Signal only ever adds variance, so each of several readings is an upper bound. The most precise one
comes first, and a less precise one is believed only where it is clearly lower.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from ikpca_cli.data.duplicates import without_duplicates
from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.noise.eigenvalues import SHARES, Eigenvalues
from ikpca_cli.noise.estimate import MANY_COLUMNS, NoiseLevel, Reading, lowest_of
from ikpca_cli.noise.evidence.edges import level_beside_edges, most_normal_noise
from ikpca_cli.noise.evidence.neighbours import have_order, neighbour_correlation
from ikpca_cli.noise.evidence.normal_part import has_normal_rows, is_more_than_noise
from ikpca_cli.noise.evidence.one_process import is_one_process
from ikpca_cli.noise.evidence.power_law import WhiteShare
from ikpca_cli.noise.evidence.rounding import is_rounded
from ikpca_cli.noise.evidence.texture import is_texture
from ikpca_cli.noise.evidence.two_readings import beside_a_process, checked_by, unsure, unsure_by
from ikpca_cli.noise.evidence.uneven_columns import show_their_noise
from ikpca_cli.noise.few_columns import (
    FEW_COLUMNS,
    FEW_OF_LAWS,
    FEWEST,
    FEWEST_COLUMNS,
    WIDE_GAP,
    are_by_chance,
    bound_by_evenness,
    bound_by_laws,
    by_third_moments,
)
from ikpca_cli.noise.high_frequencies import PART, high_reading, most_white
from ikpca_cli.noise.local import thickness
from ikpca_cli.noise.low_rank import LowRank
from ikpca_cli.noise.quiet_columns import (
    CLIPPED,
    clipped_share,
    is_gap_at_limit,
    level_between_limits,
    quiet_reading,
)
from ikpca_cli.noise.row_lengths import LOW, RowLengths

FEW_ROWS = 8
"""Fewer different rows than this tell nothing."""

FEW_TO_SEE = 120
"""Fewer rows that fill so few columns may lie on any surface: their least variance is a bound."""

FEW_OF_WHITE = 200
"""The same for rows that vary as much in all directions: nothing that lies on a line tells more."""

_HALF_FULL = 6.0  # times the rows of a window
_PRECISE = 0.065  # doubt above which quiet columns say nothing against the spectrum
_CLEARLY_LOWER = 0.8
_CLEARLY_HIGHER = 1.1  # than the level of the highest frequencies
_BESIDE_EDGES = 1.05  # the same for one beside edges
_LOCAL_DOUBT = 1.1  # relative error of a level read across a surface, times the root of the rows
_SATURATED, _HALF_SATURATED = 0.7, 0.3  # variance across a neighbourhood, over its window's
_SHARE = 8  # of the directions that are enough
_EVEN = 0.5  # share of the directions that tell how much signal can be among them
_GAP, _BLURRED = 1.2, 0.03  # less of it: signal goes on within noise, by which a level is too high
_ALIKE = 0.05  # correlation of neighbours from which rows that are one process may be all signal
_MOST_BEYOND = 0.05  # of a level, that it is lowered by where the spectrum of noise slopes
_NARROW = 2.0  # scatter of noise variances that leaves a slope no room


def estimate_noise(X: FloatArray) -> NoiseLevel:
    """Estimate the standard deviation of white noise on rows.

    Parameters
    ----------
    X : ndarray, shape (n_samples, n_features)
        Centred rows in random order.

    Returns
    -------
    NoiseLevel
    """
    X = X[:, np.ptp(X, axis=0) > 0.0]  # a constant column has no noise
    if X.shape[1] < 2:
        return NoiseLevel(None, certain=False)
    X = without_duplicates(X)  # nor has a row beside its duplicate
    if len(X) < FEW_ROWS:
        return NoiseLevel(None, certain=False)
    spectrum = Eigenvalues.of(X)
    level = _without_edges(X, _estimated(X, spectrum))
    if level.std is None or level.is_bound:
        return level
    is_guess = not level.certain and is_rounded(X, level.std)  # with no noise, for all it tells
    if is_guess or (X.shape[1] > MANY_COLUMNS and _is_of_unlike_columns(X, level, spectrum)):
        return replace(level, certain=False, is_bound=True)
    return level


def _without_edges(X: FloatArray, level: NoiseLevel) -> NoiseLevel:
    """Return the level of rows (n, p) below what signal at the highest frequencies adds to it."""
    if not level.remark:
        beside = level_beside_edges(X)
        if beside is not None and beside.std is not None:
            usual = level.std or math.inf
            if usual > _BESIDE_EDGES * beside.std or (level.is_bound and not beside.is_bound):
                return beside
    most = most_white(X)
    if level.std is None or level.std <= _CLEARLY_HIGHER * most:
        return level
    # Signal that goes on so far has a part in what is left there, too, unless that is even.
    high = high_reading(X)
    std = min(PART * most, most_normal_noise(X)) if high is None else min(high.std, most)
    return replace(level, std=std or None, certain=False, hidden=1.0)


def _is_of_unlike_columns(X: FloatArray, level: NoiseLevel, spectrum: Eigenvalues) -> bool:
    """Tell whether a level is above the normal noise in rows (n, p), and no other noise is likely.

    Of many columns in an order, which their signal follows, some may have other noise, unless they
    are on steps; and so may others, where some have nothing else. What numbers of unlike columns
    have of their own is signal, too, which few of them are as normal as noise in. What a limit
    leaves of normal columns is not normal.
    """
    if not level.remark and is_more_than_noise(X, level.std or 0.0):
        return True
    found = LowRank.of(X, spectrum=spectrum)
    return not (have_order(found) or show_their_noise(found) or has_normal_rows(found))


def _estimated(X: FloatArray, spectrum: Eigenvalues) -> NoiseLevel:
    """Return the level of centred rows (n, p) that all differ."""
    level = _of_directions(X, spectrum)
    if X.shape[1] <= MANY_COLUMNS and not level.remark:
        level = bound_by_laws(bound_by_evenness(level, X, spectrum), X, spectrum)
    high = high_reading(X)
    white = None if high is None else WhiteShare.of(X)
    if white is None or (white.fits and not white.is_mostly_noise):
        # Both have directions that are equal in variance as those of noise are.
        alike = neighbour_correlation(X, spectrum)
        if is_texture(X, alike) or (alike > _ALIKE and is_one_process(X)):
            return beside_a_process(X, level, high, white)
    if level.remark:
        return level
    checked = level if high is None else checked_by(level, high)
    if checked == level:
        return level
    return unsure_by(checked, white) if white is not None and white.fits else checked


def _of_directions(X: FloatArray, spectrum: Eigenvalues) -> NoiseLevel:
    """Return the level by directions without signal, or across the surface of centred rows."""
    (first, signal), *others = (spectrum.reading(share) for share in SHARES)
    clipped = clipped_share(X)
    if clipped > CLIPPED and X.shape[1] > FEW_COLUMNS:
        # What a limit takes off the noise in some columns makes every lower reading too low.
        remark = f"{clipped:.0%} of the values are at a limit, as if they were clipped"
        if is_gap_at_limit(X, first.std):
            remark = f"{clipped:.0%} of the values are at a limit, and hardly any are near it"
            return NoiseLevel(first.std or None, certain=False, is_bound=True, remark=remark)
        few = 2 * spectrum.plateau() < X.shape[1] or len(X) < FEW_OF_LAWS
        # Edges, anywhere, are in all directions, but in few neighbours.
        between = level_between_limits(X)
        std = between if between < _CLEARLY_LOWER * first.std else first.std
        found = NoiseLevel(std or None, certain=False, error=first.doubt, remark=remark)
        # By signal in most directions, or in as many as so few rows show.
        return replace(found, is_bound=few and X.shape[1] <= MANY_COLUMNS)
    best = lowest_of([first, *(reading for reading, _ in others)])
    if X.shape[1] <= FEW_COLUMNS:
        white = signal == 0
        surface = thickness(X, white=white)
        # Where the rows as a whole have more directions without signal than were seen across the
        # surface, the variance across it is the smallest of several.
        more = 0 if white else X.shape[1] - signal - surface.across
        lowest = 1.0 - (max(more, 0) / surface.count) ** 0.5
        if 0.0 < surface.std < _CLEARLY_LOWER * lowest * best.std:
            # In four columns or more loose relations look like a surface with thick noise.
            most = _SATURATED if X.shape[1] < FEWEST_COLUMNS else _HALF_SATURATED
            certain = surface.saturation < most and surface.is_steady
            # A window bends with the surface, and any may be one of few rows.
            few = len(X) < _HALF_FULL * surface.count or len(X) < FEW_TO_SEE
            # Rows of one length are on a shell, which one direction is across: more are its bend.
            bends = surface.across > 1 and not surface.is_steady
            is_bent = bends and RowLengths.of(X, spectrum, signal).are_too_even()
            is_bound = few or surface.is_bound or is_bent
            error = _LOCAL_DOUBT / len(X) ** 0.5
            return NoiseLevel(surface.std, certain and not is_bound, is_bound, error)
    quiet = quiet_reading(X)
    if quiet is not None and quiet.doubt < _PRECISE and lowest_of([best, quiet]) is quiet:
        return NoiseLevel(quiet.std, certain=True, error=quiet.doubt / 2.0)
    if best.std == 0.0:
        return NoiseLevel(None, certain=False)
    level, below = _judged(X, spectrum, signal, best, part=best is not first), 0.0
    if level.std == best.std:
        # What lower eigenvalues tell less of noise may be chance, but not more than twice a doubt.
        apart = min((first.std / best.std - 1.0) / 2.0, best.doubt)
        likely, below = np.array(spectrum.signal_beyond(signal, first.std)) / 2.0
        hidden = likely / 2.0 if best is first else 0.0
        level = replace(
            level,
            std=float(best.std * (1.0 - hidden)),
            error=float(np.linalg.norm([level.error, apart, hidden])),
        )
    if FEWEST_COLUMNS < X.shape[1] <= MANY_COLUMNS:
        level = by_third_moments(level, X, spectrum)
    if level.certain and level.std == best.std and X.shape[1] <= MANY_COLUMNS:
        level = replace(level, std=_beyond(first, best))
    in_all_directions = signal == 0 or not level.certain
    enough = FEW_TO_SEE if signal else FEW_OF_WHITE
    if X.shape[1] <= FEWEST_COLUMNS and len(X) < enough and in_all_directions:
        level = replace(level, certain=False, is_bound=True)
    return unsure(level, below)  # by signal that may be below the edge of noise


def _beyond(whole: Reading, part: Reading) -> float:
    """Return the level below what a part of the noise spectrum reads, where it slopes.

    Signal in all of a few directions makes the whole read higher than its lower part, and that part
    higher than noise, by about as much again.
    """
    return part.std * (1.0 - min(max(whole.std / part.std - 1.0, 0.0), _MOST_BEYOND))


def _judged(
    X: FloatArray, spectrum: Eigenvalues, signal: int, best: Reading, *, part: bool
) -> NoiseLevel:
    """Return the level with how far it can be believed.

    It is certain where at least three directions are equal in variance, there is a gap above them
    or enough rows or directions to tell a plateau from a slope, and rows have the lengths of noise.
    """
    plateau = spectrum.plateau()
    short = len(spectrum.variances)
    lengths = RowLengths.of(X, spectrum, short - plateau)
    # In few columns rows of heavy tails look mixed, too.
    mixed = plateau >= FEWEST and X.shape[1] > MANY_COLUMNS and lengths.are_mixed()
    low = lengths.low_reading(LOW)
    if mixed and low.std < best.std * (1.0 - low.doubt):
        best = low
    fewest = max(FEWEST, short / _SHARE)
    many = X.shape[1] > MANY_COLUMNS and plateau > fewest
    few = X.shape[1] > MANY_COLUMNS and plateau < fewest
    gap = spectrum.gap(plateau)
    resolved = many or gap >= WIDE_GAP or spectrum.scatter(plateau) <= _NARROW
    steep = X.shape[1] > MANY_COLUMNS or spectrum.would_show_a_slope(plateau)
    usual = RowLengths.of(X, spectrum, signal)
    is_noise = mixed or usual.vary_as_noise()
    by_chance = X.shape[1] <= FEW_COLUMNS and are_by_chance(spectrum)
    # Half of all directions are equal by chance only if they are noise, or signal in doses.
    even = resolved and plateau >= _EVEN * short
    hidden = 1.0
    if even and not is_noise:
        # Signal in directions above has no part in a level that is read below them.
        beside = part and X.shape[1] > MANY_COLUMNS and lengths.vary_as_noise()
        hidden = max(0.0 if beside else usual.hidden_share(), lengths.hidden_share())
    return NoiseLevel(
        best.std,
        certain=plateau >= fewest and resolved and steep and is_noise and not by_chance,
        is_bound=plateau == 1
        or by_chance
        or (plateau >= FEWEST and not resolved)
        or not steep
        or few
        or (not is_noise and usual.are_too_even()),
        error=float(np.hypot(best.doubt / 2.0, _BLURRED if gap < _GAP else 0.0)),
        hidden=hidden,
    )
