"""Axes: compared, and signals brought from one to another and back."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from ikpca_cli.data.axes import Resampling, axis_of
from ikpca_cli.data.matching import match_names
from ikpca_cli.errors import InputError

AXIS = np.linspace(400.0, 700.0, 61)


def names(axis):
    return [f"{value:.4f}" for value in axis]


def test_an_axis_rises_or_falls():
    assert_array_equal(axis_of(names(AXIS)), AXIS)
    assert_array_equal(axis_of(names(AXIS[::-1])), AXIS[::-1])
    assert axis_of(["1", "2", "x", *names(AXIS)]) is None
    assert axis_of(names(np.roll(AXIS, 1))) is None
    assert axis_of(names(AXIS[:5])) is None


@pytest.mark.parametrize("turned", [False, True])
def test_nearly_equal_axes_are_taken_for_the_same_with_a_word(turned):
    own = (AXIS + 0.5)[:: -1 if turned else 1]
    found = match_names(names(own), names(AXIS), "rows")
    assert "up to 0.1 of a step" in found.warning
    rows = np.arange(2.0 * 61).reshape(2, 61)
    read = found.forward(rows)
    assert_array_equal(read, rows[:, ::-1] if turned else rows)
    assert_array_equal(found.back(read), rows)


@pytest.mark.parametrize("own", [AXIS + 2.0, AXIS[:-1], np.linspace(390.0, 710.0, 80)])
def test_other_axes_are_refused_unless_resampling_is_asked_for(own):
    with pytest.raises(InputError, match="rows: its axis, .* --resample"):
        match_names(names(own), names(AXIS), "rows")


def test_an_axis_may_be_written_by_fortran_or_with_decimal_commas():
    numbers = [400.0, 401.5, 403.0, 404.5, 406.0, 407.5, 409.0, 410.5]
    assert axis_of([f"{x:.4E}".replace("E", "D") for x in numbers]).tolist() == numbers
    assert axis_of([f"{x:.1f}".replace(".", ",") for x in numbers]).tolist() == numbers
    assert axis_of([f"1D{i}" for i in range(1, 10)]) is None  # names, without a decimal mark


def test_an_axis_that_does_not_reach_is_never_resampled():
    with pytest.raises(InputError, match="does not reach"):
        match_names(names(AXIS + 50.0), names(AXIS), "rows", resample=True)


def test_a_count_says_nothing():
    counted = [str(place) for place in range(61)]
    assert "taken by place" in match_names(counted, names(AXIS), "rows").warning


@pytest.mark.parametrize("turned", [False, True])
def test_smooth_signals_come_back_from_another_axis(turned):
    own = np.linspace(390.0, 710.0, 200)[:: -1 if turned else 1]
    there = Resampling(own, AXIS)

    def curve(x):
        return np.sin(x / 30.0)[None]

    assert_allclose(there.forward(curve(own)), curve(AXIS), atol=1e-6)
    inside = ~there.outside
    assert_array_equal(inside, (own >= 398.75) & (own <= 701.25))
    reached = (own >= 400.0) & (own <= 700.0)
    assert_allclose(there.back(curve(AXIS))[:, reached], curve(own)[:, reached], atol=1e-4)


def test_beyond_the_known_axis_values_stay_as_they_are():
    own = np.linspace(300.0, 800.0, 251)
    found = match_names(names(own), names(AXIS), "rows", resample=True)
    rows = np.random.default_rng(0).normal(size=(3, 251))
    back = found.back(found.forward(rows), rows)
    outside = found.resampling.outside
    assert 90 < outside.sum() < 110
    assert_array_equal(back[:, outside], rows[:, outside])
    assert_array_equal(found.back(np.ones((3, 61)))[:, outside], 0.0)
