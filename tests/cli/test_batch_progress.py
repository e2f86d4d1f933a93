"""What a batch reports while it runs: files, not the rows of each."""

from __future__ import annotations

import numpy as np
import pytest

from ikpca_cli import PCA, save_model
from ikpca_cli.cli.batch.job import Job
from ikpca_cli.cli.batch.parallel import clean_all
from ikpca_cli.formats.read_options import ReadOptions


@pytest.mark.parametrize(("count", "stage"), [(1, "denoise"), (3, "files")])
def test_one_file_at_a_time_tells_files(tmp_path, count, stage):
    rows = np.random.default_rng(1).normal(size=(40, 5))
    model = str(tmp_path / "model.joblib")
    save_model(model, PCA(2, noise_std=0.1).fit(rows))
    jobs = []
    for place in range(count):
        source, target = (str(tmp_path / f"{place}{end}") for end in (".npy", ".denoised.npy"))
        np.save(source, rows)
        jobs.append(Job(model, source, target, ReadOptions(), None, False, False, False))
    seen = []
    assert len(list(clean_all(jobs, 1, lambda *words: seen.append(words)))) == count
    assert {words[0] for words in seen} == {stage}
    if count > 1:
        assert seen == [("files", done, count) for done in range(1, count + 1)]
