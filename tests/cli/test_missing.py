"""Missing values on the command line: filled in by the model, kept, or refused."""

from __future__ import annotations

import h5py
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

FIT = "fit rows.npy --method pca --missing fill"


@pytest.fixture
def rows(cli, tmp_path):
    """Noisy rows with missing values in rows.npy, rows.csv and rows.h5, and clean ones."""
    rng = np.random.default_rng(7)
    clean = np.sin(np.linspace(0.0, 6.0, 30) + rng.uniform(0.0, 6.0, (60, 1)))
    values = clean + 0.2 * rng.normal(size=clean.shape)
    values[rng.random(values.shape) < 0.1] = np.nan
    np.save(tmp_path / "rows.npy", values)
    np.save(tmp_path / "clean.npy", clean)
    with h5py.File(tmp_path / "rows.h5", "w") as file:
        file["rows"] = values
    lines = [",".join("" if np.isnan(x) else repr(float(x)) for x in row) for row in values]
    (tmp_path / "rows.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return values


def read(path):
    if path.suffix == ".npy":
        return np.load(path)
    if path.suffix == ".csv":
        return np.genfromtxt(path, delimiter=",")
    with h5py.File(path) as file:
        return file["rows"][:]


@pytest.mark.parametrize("suffix", ["npy", "csv", "h5"])
def test_filled_or_kept_in_the_output(cli, rows, tmp_path, suffix):
    cli(f"fit rows.{suffix} --method pca --missing fill")
    shown = cli(f"denoise model.joblib rows.{suffix} --missing fill -o filled.{suffix}")
    assert f"{np.isnan(rows).sum()} missing values filled in" in shown.output
    cli(f"denoise model.joblib rows.{suffix} --missing keep -o kept.{suffix} --residual r.{suffix}")
    filled, kept = read(tmp_path / f"filled.{suffix}"), read(tmp_path / f"kept.{suffix}")
    there = ~np.isnan(rows)
    assert np.isfinite(filled).all()
    assert_array_equal(np.isnan(kept), ~there)
    assert_allclose(kept[there], filled[there], atol=1e-12)
    assert_allclose((read(tmp_path / f"r.{suffix}") + kept)[there], rows[there], atol=1e-4)
    clean = np.load(tmp_path / "clean.npy")
    assert np.mean((filled - clean) ** 2) < 0.04 / 4


def test_evaluate_fills_noisy_rows_alone(cli, rows):
    cli(FIT)
    cli("evaluate model.joblib rows.npy --clean clean.npy --missing fill")
    shown = cli("evaluate model.joblib rows.npy --clean rows.npy --missing fill", code=1)
    assert "missing" in shown.output


def test_update_fills_new_rows(cli, rows):
    cli(
        "fit rows.npy --missing fill --inverse paper --rff 50 --gamma 0.05 --components 5 "
        "--ridge 0.1 --order none --keep-sums -o old.joblib"
    )
    cli("fit rows.npy --update old.joblib --missing fill -o new.joblib")


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("compare rows.npy --missing fill", "--missing fill"),
        ("fit rows.npy --method auto --missing keep", "--missing keep"),
        ("beats rows.npy --fs 100 -o beats.h5 --missing mean", "--missing mean"),
    ],
)
def test_refused_where_no_model_of_rows_fills_in(cli, rows, line, named):
    shown = cli(line, code=2)
    assert named in shown.output
    assert "--missing" in shown.output


def test_infinite_values_are_still_refused(cli, rows, tmp_path):
    rows[3, 4] = np.inf
    np.save(tmp_path / "rows.npy", rows)
    assert "row 4, column 5 is infinite" in cli(FIT, code=1).output
