"""Sines in half turns are those of numpy."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ikpca_cli.linalg import sines as module
from ikpca_cli.linalg.sines import sines


@pytest.mark.parametrize("shape", [(1, 1), (3, 7), (513, 300), (5, 40_000)])
def test_sines(shape):
    angles = np.random.default_rng(0).normal(scale=20.0, size=shape)
    found = angles.copy()
    sines(found)
    branch = np.rint(angles)
    desired = np.cos(np.pi * branch) * np.sin(np.pi * (angles - branch))
    assert_allclose(found, desired, rtol=0, atol=5e-16)
    assert np.abs(found).max() <= 1.0 + 1e-15


def test_single_precision():
    angles = np.random.default_rng(1).normal(scale=3.0, size=(300, 70)).astype(np.float32)
    found = angles.copy()
    sines(found)
    assert found.dtype == np.float32
    assert_allclose(found, np.sin(np.pi * angles.astype(float)), rtol=0, atol=3e-6)


def test_part_of_an_array():
    whole = np.full((8, 9), 0.25)
    sines(whole[2:5, 3:7])
    assert np.count_nonzero(whole != 0.25) == 12


@pytest.mark.parametrize(
    "angle", [0.0, 0.5, -0.5, 1.0, 1.5, 2.0**51 + 0.5, -(2.0**52) - 1.0, 1e300]
)
def test_quarter_turns_and_angles_beyond_measure(angle):
    found = np.array([[angle]])
    sines(found)
    assert_allclose(found, np.sin(np.pi * np.remainder(angle, 2.0)), rtol=0, atol=1e-15)


def test_chunks_do_not_matter(monkeypatch):
    angles = np.random.default_rng(2).normal(size=(50, 30))
    whole, parts = angles.copy(), angles.copy()
    sines(whole)
    monkeypatch.setattr(module, "CHUNK", 64)
    sines(parts)
    assert np.array_equal(whole, parts)
