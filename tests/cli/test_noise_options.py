"""What is known of the noise, given on the command line."""

from __future__ import annotations

import json

import numpy as np
import pytest

COLUMNS = 40


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Write rows with a level for each column, those levels, and rows of noise alone."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(np.random.SeedSequence([91]))
    levels = np.linspace(0.1, 0.6, COLUMNS)
    clean = np.sin(np.linspace(0, 6, COLUMNS) + rng.uniform(0, 6, (120, 1)))
    np.save("rows.npy", clean + levels * rng.normal(size=clean.shape))
    np.save("noise.npy", levels * rng.normal(size=(200, COLUMNS)))
    np.save("levels.npy", levels[None])
    np.save("short.npy", levels[None, :5])
    return tmp_path


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        (["--noise-std", "levels.npy"], "columns"),
        (["--noise-rows", "noise.npy"], "correlated"),
        (["--noise-rows", "noise.npy", "--noise-model", "columns"], "columns"),
        (["--noise-model", "white"], "white"),
    ],
)
def test_what_is_given_is_kept_in_the_model(cli, files, given, kind):
    result = cli("fit", "rows.npy", "--method", "pca", "--format", "json", "-q", *given)
    assert json.loads(result.stdout)["noise_model"] == kind
    again = cli("info", "model.joblib", "--format", "json")
    assert json.loads(again.stdout)["noise_model"] == kind
    if kind != "white":
        assert json.loads(again.stdout)["noise_std"] == pytest.approx(0.38, rel=0.15)


def test_what_contradicts_itself_is_refused(cli, files):
    both = cli("fit", "rows.npy", "--noise-std", "levels.npy", "--noise-rows", "noise.npy", code=2)
    assert "give one" in both.stderr
    cli("fit", "rows.npy", "--noise-rows", "noise.npy", "--noise-model", "counts", code=2)
    short = cli("fit", "rows.npy", "--noise-std", "short.npy", code=1)
    assert "5" in short.stderr
