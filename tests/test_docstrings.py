"""Public Python classes have examples, and what these show is what comes out."""

from __future__ import annotations

import doctest

import pytest

import ikpca_cli

CLASSES = [name for name in ikpca_cli.__all__ if isinstance(getattr(ikpca_cli, name), type)]


@pytest.mark.parametrize("name", CLASSES)
def test_examples_of_public_classes(name):
    public = getattr(ikpca_cli, name)
    finder = doctest.DocTestFinder(recurse=False)
    (examples,) = finder.find(public, name, globs={})
    assert len(examples.examples) >= 3
    found = doctest.DocTestRunner().run(examples)
    assert found.failed == 0
