"""Every number that is printed is explained by ``ikpca info --explain``."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ikpca_cli.cli.words.terms import TERMS

COMMANDS = {
    "fit": "fit ecg_train.npy --method pca --force",
    "evaluate": "evaluate model.joblib ecg_noisy.npy --clean ecg_clean.npy",
    "estimate": "evaluate model.joblib ecg_noisy.npy",
    "denoise": "denoise model.joblib ecg_noisy.npy",
}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_number_is_explained(cli, samples, command):
    cli("fit", "ecg_train.npy", "--method", "pca")
    found = json.loads(cli(*COMMANDS[command].split(), "--format", "json").stdout)
    record = found[0] if isinstance(found, list) else found
    assert record.keys() - TERMS.keys() - {"input", "output", "unlike_rows"} == set()


def test_every_number_of_windows_is_explained(cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(np.random.SeedSequence([311]))
    wave = np.sin(np.arange(600) / 7.0)[:, None] * [1.0, 2.0]
    np.savetxt("r.csv", wave + 0.1 * rng.normal(size=wave.shape), delimiter=",")
    found = json.loads(cli("fit", "r.csv", "--window", "16", "--format", "json").stdout)
    assert found.keys() - TERMS.keys() == set()
    shown = cli("info", "model.joblib").stdout
    assert "share of variance by kind of window" in shown


def test_terms_stand_beside_the_numbers_of_a_model(cli, samples):
    cli("fit", "ecg_train.npy", "--method", "pca")
    lines = cli("info", "model.joblib", "--explain").stdout.splitlines()
    line = next(line for line in lines if "noise_std" in line)
    assert line.rstrip().endswith(TERMS["noise_std"])


def test_terms_without_a_model(cli):
    assert json.loads(cli("info", "--explain", "--format", "json").stdout) == TERMS
    assert "--explain" in cli("info", code=2).stderr
