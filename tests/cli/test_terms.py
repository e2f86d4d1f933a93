"""Every number that is printed is explained by ``ikpca info --explain``."""

from __future__ import annotations

import json

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


def test_terms_stand_beside_the_numbers_of_a_model(cli, samples):
    cli("fit", "ecg_train.npy", "--method", "pca")
    lines = cli("info", "model.joblib", "--explain").stdout.splitlines()
    line = next(line for line in lines if "noise_std" in line)
    assert line.rstrip().endswith(TERMS["noise_std"])


def test_terms_without_a_model(cli):
    assert json.loads(cli("info", "--explain", "--format", "json").stdout) == TERMS
    assert "--explain" in cli("info", code=2).stderr
