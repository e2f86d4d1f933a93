"""Public Python names say what they take and give; what their examples show is what comes out."""

from __future__ import annotations

import doctest
import inspect
import re

import pytest

import ikpca_cli
from ikpca_cli.estimators.mixture import Mixture
from ikpca_cli.recordings.fitting import fit_windows
from ikpca_cli.recordings.windowed import Windowed

FUNCTIONS = {"fit_windows": fit_windows, "Windowed.denoise": Windowed.denoise}
CLASSES = {"Mixture": Mixture}
for name in ikpca_cli.__all__:
    public = getattr(ikpca_cli, name)
    (CLASSES if isinstance(public, type) else FUNCTIONS)[name] = public
METHODS = ("fit", "denoise", "transform", "fit_transform", "get_params", "set_params")
for name, public in CLASSES.items():
    FUNCTIONS |= {f"{name}.{method}": getattr(public, method) for method in METHODS}
FUNCTIONS["IKPCA.partial_fit"] = ikpca_cli.IKPCA.partial_fit


def sections(text):
    """Return the sections of a numpydoc docstring by title."""
    found = re.split(r"^(\w+)\n-+$", inspect.cleandoc(text), flags=re.MULTILINE)
    return dict(zip(found[1::2], found[2::2], strict=True))


def assert_named(function, text):
    """Check that every parameter has a line of its own, or shares one."""
    heads = re.findall(r"^([\w*].*)$", text, re.MULTILINE)
    named = {name.strip(" *") for head in heads for name in head.partition(" :")[0].split(",")}
    assert set(inspect.signature(function).parameters) - {"self"} == named


@pytest.mark.parametrize("name", FUNCTIONS)
def test_public_functions_say_what_they_take_give_and_refuse(name):
    function = FUNCTIONS[name]
    found = sections(function.__doc__)
    assert_named(function, found["Parameters"])
    result = inspect.signature(function).return_annotation
    assert ("Returns" in found) == (result != "None")
    assert "Raises" in found or name.endswith("get_params")


@pytest.mark.parametrize("name", CLASSES)
def test_public_classes_name_every_parameter_and_their_source(name):
    found = sections(CLASSES[name].__doc__)
    assert_named(CLASSES[name].__init__, found["Parameters"])
    assert found["Attributes"]
    assert re.search(r"\b(19|20)\d\d\b", found["References"])


@pytest.mark.parametrize("name", ["Windowed", *CLASSES])
def test_examples_of_public_classes(name):
    public = Windowed if name == "Windowed" else CLASSES[name]
    finder = doctest.DocTestFinder(recurse=False)
    (examples,) = finder.find(public, name, globs={})
    assert len(examples.examples) >= 3
    found = doctest.DocTestRunner().run(examples)
    assert found.failed == 0
