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
