"""One signal whose numbers go on from line to line, which no row of it is a sample of."""

from __future__ import annotations

import numpy as np
import pytest

from ikpca_cli.data.row_source import as_rows
from ikpca_cli.recordings.sniffing import looks_like

RNG = np.random.default_rng(np.random.SeedSequence([14, 31]))
PLACES = np.arange(2400.0)
GRID = np.linspace(0.0, 1.0, 12)

SIGNALS = {
    "slow": np.sin(PLACES / 40.0) + RNG.normal(scale=0.02, size=2400),
    "walk": np.cumsum(RNG.normal(size=2400)),
    "dying": np.sin(PLACES / 5.0) * np.exp(-PLACES / 500.0),
}

STACKS = {
    "one shape": RNG.normal(size=(200, 1)) + np.sin(6.0 * GRID) + RNG.normal(size=(200, 12)) / 20,
    "any phase": np.sin(2 * np.pi * (np.arange(12) / 12 + RNG.uniform(size=(200, 1)))),
    "quiet ends": np.exp(-((GRID - RNG.uniform(0.3, 0.7, (200, 1))) ** 2) / 0.02),
    "in common": np.sin(np.arange(200.0) / 20)[:, None] + RNG.normal(scale=0.1, size=(200, 12)),
    "levels": np.sort(RNG.normal(size=(200, 1)), axis=0) + RNG.normal(scale=0.2, size=(200, 12)),
    "noise": RNG.normal(size=(200, 12)),
    "days": np.sin(2 * np.pi * np.arange(2400) / 12).reshape(200, 12) + PLACES[:200, None] / 100,
}


@pytest.mark.parametrize("width", [5, 8, 10])
@pytest.mark.parametrize("name", SIGNALS)
def test_a_wrapped_signal_is_told(name, width):
    guess = looks_like(as_rows(SIGNALS[name].reshape(-1, width)))
    assert guess.is_wrapped
    assert f"{width} numbers" in guess.what


@pytest.mark.parametrize("name", STACKS)
def test_rows_of_their_own_are_not_wrapped(name):
    guess = looks_like(as_rows(STACKS[name]))
    assert guess is None or not guess.is_wrapped


def test_a_wrapped_signal_is_refused_with_what_to_do(cli):
    np.savetxt("quake.txt", SIGNALS["slow"].reshape(-1, 5), "%.4f")
    for window in ("", "--window auto", "--window 64"):
        said = cli(f"fit quake.txt {window}", code=1).stderr
        assert "wrapped over lines of 5 numbers: give its numbers one a line" in said
    text = " ".join(f"{value:.4f}" for value in SIGNALS["slow"][-3:])
    with open("quake.txt", "a") as file:
        file.write(f"{text}\n")
    assert "wrapped over lines: save its numbers one a line" in cli("fit quake.txt", code=1).stderr
    np.save("windows.npy", SIGNALS["slow"].reshape(-1, 8))  # which somebody cut
    assert "wrapped" not in cli("fit windows.npy --method pca").stderr
