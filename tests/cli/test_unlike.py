"""Rows unlike the training rows, on the command line."""

from __future__ import annotations

import json

import numpy as np
from numpy.testing import assert_allclose

TRAIN = np.random.default_rng(np.random.SeedSequence([61])).normal(size=(100, 6))


def test_denoise_names_unlike_rows_and_leaves_them_on_request(cli):
    np.save("train.npy", TRAIN)
    rows = np.concatenate([TRAIN[:5], TRAIN[:1] + 9.0])
    np.save("noisy.npy", rows)
    cli("fit", "train.npy", "--method", "pca")
    result = cli("denoise", "model.joblib", "noisy.npy", "--format", "json")
    (record,) = json.loads(result.stdout)
    assert (record["unlike"], record["unlike_rows"]) == (1, [6])
    assert "noisy.npy: 1 of 6 rows are unlike" in result.stderr
    assert not np.allclose(np.load("noisy.denoised.npy")[5], rows[5])
    result = cli("denoise", "model.joblib", "noisy.npy", "--force", "--keep-unlike")
    assert "unlike" in result.stdout
    assert_allclose(np.load("noisy.denoised.npy")[5], rows[5], rtol=1e-15)


def test_spikes_are_counted_where_a_file_has_some(cli):
    rng = np.random.default_rng(np.random.SeedSequence([62]))
    x = np.linspace(0.0, 4.0, 60)
    rows = rng.lognormal(0.0, 0.4, (90, 1)) * np.exp(-x * rng.lognormal(0.0, 0.4, (90, 1)))
    rows += 0.05 * rng.normal(size=rows.shape)
    struck = rows.copy()
    struck.flat[rng.permutation(rows.size)[:54]] += 1.5
    np.save("struck.npy", struck)
    np.save("noisy.npy", rows)
    assert "1 % of the values are taken for spikes" in cli("fit", "struck.npy").stdout
    said = cli("denoise", "model.joblib", "struck.npy", "noisy.npy").stdout
    assert " spikes " in said
    assert "; 54 values left out as spikes. " in said
    alone = cli("denoise", "model.joblib", "noisy.npy", "--force").stdout
    assert "spikes" not in alone
