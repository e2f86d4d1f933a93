"""What is no table of numbers in files that may hold some: what to do is said in MATLAB's words."""

from __future__ import annotations

import h5py
import numpy as np
import pytest
import scipy.io
import scipy.sparse

from ikpca_cli.errors import InputError
from ikpca_cli.formats.arrays import ReadOptions, read_rows

ROWS = np.random.default_rng(5).normal(size=(12, 4))


def refused(path):
    with pytest.raises(InputError) as caught:
        read_rows(str(path))
    assert "\n" not in str(caught.value)
    return str(caught.value).removeprefix(f"{path}: ")


@pytest.mark.parametrize(
    ("value", "remedy"),
    [
        ({"x": ROWS, "fs": 250.0}, "class struct, and no matrix; save its field as a variable"),
        (np.array([ROWS, ROWS[:3]], dtype=object), "x = cell2mat(a(:))"),
        (scipy.sparse.csc_matrix(ROWS), "save x = full(a)"),
        ("words", "name another variable"),
    ],
)
def test_classes_of_matlab_that_are_no_matrix(tmp_path, value, remedy):
    scipy.io.savemat(tmp_path / "a.mat", {"a": value})
    assert remedy in refused(tmp_path / "a.mat")


def test_a_sparse_matrix_is_not_taken_apart(tmp_path):
    matrix = scipy.sparse.csr_matrix(np.where(ROWS > 0.0, ROWS, 0.0))
    scipy.sparse.save_npz(tmp_path / "a.npz", matrix)
    assert refused(tmp_path / "a.npz").startswith("is a sparse matrix, in parts; save it with all")
    with h5py.File(tmp_path / "a.h5", "w") as file:
        for part in ("data", "indices", "indptr"):
            file[f"X/{part}"] = getattr(matrix, part)
    assert refused(tmp_path / "a.h5").startswith("X: is a sparse matrix")
    np.savez(tmp_path / "b.npz", data=ROWS, other=ROWS)
    assert "name one with --dataset" in refused(tmp_path / "b.npz")


def test_references_and_lists_are_no_pickle(tmp_path):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("r", data=np.array([file.ref] * 3, dtype=h5py.ref_dtype))
    assert "references to other datasets" in refused(tmp_path / "a.h5")
    with h5py.File(tmp_path / "b.h5", "w") as file:
        file.create_dataset("v", shape=(12,), dtype=h5py.vlen_dtype("f8"))
    assert "lists of any length" in refused(tmp_path / "b.h5")
    for name, value in (("c.h5", "a text"), ("d.h5", [b"two", b"texts"])):
        with h5py.File(tmp_path / name, "w") as file:
            file["t"] = value
        assert refused(tmp_path / name).startswith("t: holds text, not numbers")


@pytest.mark.parametrize(
    ("names", "pattern"),
    [
        (["s1", "s2", "fs"], "s*"),
        ([f"{place}/x" for place in range(7)], "*/x"),
        (["train", "noisy", "clean"], None),
        (["a/x", "b/x"], None),
        (["s1", "s2", "sr"], None),
    ],
)
def test_datasets_that_are_alike_may_be_read_together(tmp_path, names, pattern):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        for name in names:
            file[name] = 250.0 if name in ("fs", "sr") else ROWS
    told = refused(tmp_path / "a.h5")
    assert told.startswith("holds several datasets; name one with --dataset")
    assert ("or all with" in told) == (pattern is not None)
    if pattern:
        assert f"or all with --dataset '{pattern}'" in told
        read = read_rows(str(tmp_path / "a.h5"), ReadOptions(dataset=pattern))
        assert read.shape == (len(ROWS) * sum(name != "fs" for name in names), ROWS.shape[1])
