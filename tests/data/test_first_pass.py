"""A fit reads its rows at most twice, whatever it has to choose, and few rows once."""

from __future__ import annotations

import re

import h5py
import numpy as np
import pytest
from numpy.testing import assert_array_equal

from ikpca_cli import IKPCA, PCA, KernelPCA
from ikpca_cli.data.first_pass import SAMPLE_ROWS, FirstPass, selection_rows
from ikpca_cli.data.row_source import sample_rows
from ikpca_cli.errors import InputError
from ikpca_cli.estimators.denoiser import load_method
from ikpca_cli.estimators.methods import METHODS
from ikpca_cli.evaluation.diagnostics import noise_flaw
from ikpca_cli.formats.arrays import read_rows


class Counted:
    """Rows that count how often each is read."""

    def __init__(self, rows):
        self.rows = rows
        self.shape = rows.shape
        self.reads = np.zeros(len(rows), int)

    def __getitem__(self, rows):
        self.reads[rows] += 1
        return self.rows[rows]


def ring(n_samples):
    rng = np.random.default_rng(4)
    angle = rng.uniform(0.0, 2.0 * np.pi, n_samples)
    clean = np.stack([np.cos(angle), np.sin(angle)], axis=1) @ rng.normal(size=(2, 12))
    return clean + rng.normal(scale=0.2, size=clean.shape) + 3.0


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n_samples", [300, SAMPLE_ROWS + 100])
def test_rows_are_read_at_most_twice(method, n_samples):
    many = n_samples > SAMPLE_ROWS
    most = 2 if many and method != "pca" else 1  # the features of pca are the rows
    source = Counted(ring(n_samples))
    params = {"n_components": 3} if method == "kpca" and many else {}
    params |= {"gamma": 0.1, "ridge": 0.1} if params else {}
    params |= {"n_rff": 100} if method == "ikpca" else {}
    model = load_method(method)(**params)
    first_pass = FirstPass(source, model.seed)
    model.fit(first_pass)
    noise_flaw(model, first_pass)
    assert source.reads.max() == source.reads.min() == most
    assert model.noise_std_ == pytest.approx(0.2, rel=0.1)


def test_rows_are_read_at_most_twice_with_landmarks_but_for_those_drawn():
    source = Counted(ring(4 * SAMPLE_ROWS))
    given = {"gamma": 0.1, "ridge": 0.1, "noise_std": 0.2}
    KernelPCA(3, landmarks=50, **given).fit(source)
    assert source.reads.min() == 2
    assert source.reads.max() == 3
    assert np.sum(source.reads == 3) == SAMPLE_ROWS


def test_a_sample_read_alone_is_the_same_and_does_not_change_a_fit(monkeypatch):
    rows = ring(SAMPLE_ROWS + 500)
    sampled, whole = FirstPass(rows, 5), FirstPass(rows, 5)
    sampled.read_sample()
    whole.read()
    assert_array_equal(sampled.sample(300), whole.sample(300))
    np.testing.assert_allclose(sampled.mean, whole.sample(10**6).mean(axis=0), rtol=1e-12)
    model = KernelPCA(3, landmarks=50, gamma=0.1, ridge=0.1, noise_std=0.2)
    cleaned = model.fit(rows).denoise(rows)
    np.testing.assert_allclose(model.mean_, whole.mean, rtol=1e-12)
    monkeypatch.setattr(KernelPCA, "_read", lambda self, rows, progress: rows.read(progress))
    np.testing.assert_allclose(model.fit(rows).denoise(rows), cleaned, rtol=1e-9)


def test_rows_that_differ_outside_the_sample_alone(monkeypatch):
    rows = np.zeros((500, 4))
    rows[~np.isin(np.arange(500), drawn(monkeypatch, rows, 20))] = ring(480)[:, :4]
    first_pass = FirstPass(rows, 0)
    first_pass.read_sample()
    assert first_pass.is_read
    np.testing.assert_allclose(first_pass.mean, rows.mean(axis=0), rtol=1e-12)


def drawn(monkeypatch, rows, count):
    """Return the places of the sample, of that many rows from now on."""
    monkeypatch.setattr("ikpca_cli.data.first_pass.SAMPLE_ROWS", count)
    return FirstPass(rows, 0)._drawn()


@pytest.mark.parametrize("inside", [False, True])
def test_a_bad_number_is_named_by_its_row_with_landmarks_too(monkeypatch, inside):
    rows = ring(500)
    places = drawn(monkeypatch, rows, 20)
    row = places[7] if inside else np.setdiff1d(np.arange(500), places)[99]
    rows[row, 4] = np.inf
    with pytest.raises(InputError, match=f"row {row + 1}, column 5 is inf"):
        KernelPCA(3, landmarks=10, gamma=0.1, ridge=0.1, noise_std=0.2).fit(rows)


@pytest.mark.parametrize("value", [1e80, 1e200, -1e300])
def test_a_number_that_cannot_be_reckoned_with_is_named_wherever_it_is(monkeypatch, value):
    rows = ring(500)
    row = np.setdiff1d(np.arange(500), drawn(monkeypatch, rows, 20))[99]
    model = KernelPCA(3, landmarks=10, gamma=0.1, ridge=0.1, noise_std=0.2)
    fitted = PCA(2).fit(rows)
    rows[row, 3] = value
    place = re.escape(f"row {row + 1}, column 4 is {value}: such numbers cannot be reckoned with")
    for work in (model.fit, PCA(2).fit, fitted.denoise, fitted.transform):
        with pytest.raises(InputError, match=place):
            work(rows)


def test_a_spread_beyond_double_precision_is_refused_by_column():
    rows = ring(500)
    rows[:, 1] = 9e75 * (-1.0) ** np.arange(500)
    with pytest.raises(InputError, match=r"that of column 2, is beyond double precision"):
        KernelPCA(3, landmarks=10, gamma=0.1, ridge=0.1, noise_std=0.2).fit(rows)


def test_means_and_sample_are_those_of_the_rows():
    rows = ring(3 * SAMPLE_ROWS)
    first_pass = FirstPass(rows, seed=5)
    first_pass.read()
    np.testing.assert_allclose(first_pass.mean, rows.mean(axis=0), rtol=1e-14)
    known = {row.tobytes() for row in rows}
    sample = first_pass.sample(10**6)
    assert sample.shape == (SAMPLE_ROWS, 12)
    assert len({row.tobytes() for row in sample} & known) == SAMPLE_ROWS
    assert_array_equal(sample[:600], first_pass.sample(600))
    other = FirstPass(rows, seed=6)
    assert not np.array_equal(other.sample(600), first_pass.sample(600))


def test_few_rows_are_sampled_as_any_array_is():
    rows = ring(400)
    for most in (100, 400, 1000):
        assert_array_equal(FirstPass(rows, 7).sample(most), selection_rows(rows, most, 7))


@pytest.mark.parametrize("row", [3, SAMPLE_ROWS + 50])
def test_a_bad_number_anywhere_is_named(row):
    rows = ring(SAMPLE_ROWS + 100)
    rows[row, 4] = np.inf
    with pytest.raises(InputError, match=f"row {row + 1}, column 5 is inf"):
        IKPCA(3, n_rff=50, gamma=0.1, ridge=0.1).fit(rows)


@pytest.mark.parametrize("suffix", ["h5", "npy"])
@pytest.mark.parametrize("transpose", [False, True])
def test_rows_of_a_file_are_picked_without_reading_it(tmp_path, monkeypatch, suffix, transpose):
    from ikpca_cli.formats.read_options import ReadOptions
    from ikpca_cli.formats.rows.window import Window

    rows = ring(5000)
    stored = rows.T if transpose else rows
    path = tmp_path / f"rows.{suffix}"
    if suffix == "npy":
        np.save(path, stored)
    else:
        with h5py.File(path, "w") as file:
            file.create_dataset(
                "rows", data=stored, chunks=tuple(min(s, 100) for s in stored.shape)
            )
    read = []
    whole = Window._read
    monkeypatch.setattr(
        Window,
        "_read",
        lambda self, start, stop: read.append(stop - start) or whole(self, start, stop),
    )
    with read_rows(str(path), ReadOptions(transpose=transpose)) as source:
        picked = sample_rows(source, 20, np.random.default_rng(1))
    assert sum(read) < 2500
    expected = sample_rows(Counted(rows), 20, np.random.default_rng(1))
    assert_array_equal(picked, expected)
