"""Matrices that look the same upside down are functions of their halves."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.linalg import toeplitz

from ikpca_cli.linalg.centrosymmetric import halves, joined
from ikpca_cli.transforms.whiten import Whitening


@pytest.mark.parametrize("size", [1, 2, 3, 8, 41])
def test_roots_by_halves_are_those_of_the_whole(size):
    covariance = toeplitz(0.8 ** np.arange(size))
    parts = halves(covariance)
    assert len(parts) == 1 + (size > 1)
    assert_allclose(joined(parts), covariance, atol=1e-15)
    found = np.sort(np.concatenate([np.linalg.eigvalsh(part) for part in parts]))
    assert_allclose(found, np.linalg.eigvalsh(covariance), rtol=1e-12)
    whitening, rows = Whitening(covariance), np.eye(size)
    root = whitening.inverse(rows)
    assert_allclose(root @ root, covariance, atol=1e-13)
    assert_allclose(whitening.forward(root), rows, atol=1e-12)


def test_any_other_matrix_is_left_whole():
    matrix = np.diag([1.0, 2.0, 3.0])
    (part,) = halves(matrix)
    assert_array_equal(part, matrix)
    assert_array_equal(joined([part]), matrix)
    root = Whitening(matrix).inverse(np.eye(3))
    assert_allclose(root, np.diag(np.sqrt([1.0, 2.0, 3.0])), atol=1e-15)
