"""What a table ends in: the sentences say what the numbers say."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ikpca_cli.cli.batch.removed import Change
from ikpca_cli.cli.words.compared import comparison_sentence, ranking_sentence
from ikpca_cli.cli.words.sentences import (
    batch_sentence,
    error_sentence,
    file_sentences,
    fit_sentences,
)

FIT = {"noise_std": 0.2, "estimated_mse": 0.004, "estimated_mse_error": 0.0004, "model": "a b.m"}


def test_a_fit_ends_in_what_to_expect_and_do():
    noise, error, following = fit_sentences(FIT, given=False, replicates=False)
    assert noise == "Noise: standard deviation 0.2 (measured from the rows; white)."
    doubted = FIT | {"no_estimate_because": "the noise is not of one kind and level"}
    noise, *_ = fit_sentences(doubted, given=False, replicates=False)
    assert noise == "Noise: standard deviation 0.2 (measured from the rows; taken for white)."
    struck, *_ = fit_sentences(FIT | {"spike_share": 0.02}, given=False, replicates=False)
    assert "2 % of the values are taken for spikes and left out; --noise-model white" in struck
    assert "RMS 0.2 before, 0.0632 after (MSE 0.04 and 0.004 ± 0.0004)" in error
    assert "10.0 ± 0.4 dB less" in error
    assert following == "Next: ikpca denoise 'a b.m' FILE"
    noise, *_ = fit_sentences(FIT | {"noise_model": "counts"}, given=True, replicates=False)
    assert "(as given; counts)" in noise


def test_a_fit_promises_nothing_that_it_does_not_know():
    unknown = FIT | {"noise_std": None, "estimated_mse": None, "estimated_mse_error": None}
    noise, error, _ = fit_sentences(unknown, given=False, replicates=False)
    assert "--noise-std" in noise
    assert error == "Expected error: not known."
    why = unknown | {"no_estimate_because": "the noise level is a guess", "removed_mse": 0.04}
    error = fit_sentences(why, given=False, replicates=False)[1]
    assert error.startswith("Expected error: not promised, for the noise level is a guess.")
    assert error.endswith("Rows that are clean already would be off by RMS 0.2.")
    assert (
        "left as they are"
        in fit_sentences(FIT | {"estimated_mse": 0.04}, given=False, replicates=False)[1]
    )
    for risk in (0.0, -0.001):  # no error below zero, and no logarithm of it, is shown
        error = fit_sentences(FIT | {"estimated_mse": risk}, given=False, replicates=False)[1]
        assert "0 after" in error
        assert "dB" not in error
    lines = fit_sentences(unknown, given=False, replicates=True)
    assert "--clean mean" in lines[0]
    assert len(lines) == 2


@pytest.mark.parametrize(
    ("sources", "end"),
    [
        (["a.csv"], "denoise 'a b.m' a.csv"),
        (["my rows.h5::x"], "denoise 'a b.m' 'my rows.h5::x'"),
        (["-"], "denoise 'a b.m' FILE"),
        (["-dash.csv"], "denoise 'a b.m' ./-dash.csv"),
        (["-a\n'\u200b9.csv"], r"denoise 'a b.m' $'./-a\012\047\342\200\2139.csv'"),
        (["."], "denoise 'a b.m' . --output-dir clean"),
        (["a.csv", "b.csv"], "denoise 'a b.m' FILE... --output-dir clean"),
    ],
)
def test_the_next_command_has_the_file_of_the_fit(sources, end):
    *_, line = fit_sentences(FIT, given=False, replicates=False, sources=sources)
    assert line == f"Next: ikpca {end}"


def test_the_next_command_reads_the_file_as_the_fit_did(cli, tmp_path):
    rng = np.random.default_rng(2)
    rows = np.outer(rng.normal(size=40), [1.0, 2.0, -1.0, 0.5])
    rows += rng.normal(scale=0.1, size=rows.shape)
    rows[3, 1] = np.nan
    np.savez(tmp_path / "x.npz", first=rows.T, other=rows)
    words = "--dataset first --transpose --missing mean --method pca --noise-std 0.1"
    line = cli(f"fit x.npz {words}").stdout.rstrip().splitlines()[-1]
    assert line.startswith("Next: ikpca denoise model.joblib x.npz --")
    cli(line.removeprefix("Next: ikpca "))
    assert np.load("x.denoised.npz")["first"].shape == (4, 40)
    np.savetxt(tmp_path / "t.csv", np.vstack([rows[0], np.nan_to_num(rows)]), "%.4f", ";")
    for words in ("x.npz --dataset first --transpose --missing mean", "t.csv --skip-rows 1"):
        line = cli(f"compare {words} --methods pca --window none").stdout.rstrip().splitlines()[-1]
        command = line.partition("Next: ikpca ")[2]
        assert command.endswith("--method pca")
        for word in words.split():
            assert word in command
        cli(f"{command} --force")


def test_where_nothing_would_be_removed_the_next_step_is_another_fit():
    unknown = FIT | {"noise_std": None, "estimated_mse": None, "strength": 0.0}
    *_, line = fit_sentences(unknown, given=False, replicates=False, sources=["a.csv"])
    assert line.startswith(
        "Next: the same command with --noise-std LEVEL and --force, if you know the level"
    )


def test_errors_in_words():
    measured = {"mse": 0.01, "rms_noisy": 1.0, "rms": 0.1, "snr_gain_db": 20.0}
    assert error_sentence(measured) == "Measured error: RMS 1 before, 0.1 after, 20.0 dB less."
    worse = error_sentence(measured | {"rms": 2.0, "snr_gain_db": -6.02})
    assert "6.0 dB more" in worse
    assert "left as they are" in worse
    estimated = {
        "estimated_mse": 0.01,
        "estimated_mse_error": 0.001,
        "estimated_rms_noisy": 1.0,
        "estimated_rms": 0.1,
        "estimated_snr_gain_db": 20.0,
    }
    assert error_sentence(estimated).endswith("20.0 ± 0.4 dB less.")
    assert "dB" not in error_sentence(estimated | {"estimated_snr_gain_db": None})


def test_files_in_words():
    record = {"n_samples": 9, "unlike_rows": [], "spikes": 0, "removed_rms": 0.2}
    record |= {"removed_db": -10.0}
    recording, still = record, record | {"removed_rms": 0.0, "removed_db": None}
    record = record | {"unlike_rows": [2, 7]}
    cleaned, odd = file_sentences(record, 0.25, kept=False)
    assert cleaned == (
        "9 rows cleaned. Removed: RMS 0.2, 10 % of the rows' variance; noise of the fit: 0.25."
    )
    assert "--keep-unlike" in odd
    (untouched,) = file_sentences(still, None, False)
    assert untouched == "9 rows left as they came: nothing was removed."
    assert "% of their variance" in file_sentences(recording, None, False, (9, "sample"))[0]
    cleaned, odd = file_sentences(record, None, kept=True)
    assert cleaned.startswith("7 rows cleaned.")
    assert odd == "2 rows unlike all rows of the fit: left as they are."
    _, odd = file_sentences(record | {"removed_rms": 0.0}, None, kept=False)
    assert odd == "2 rows unlike all rows of the fit."
    untouched, odd = file_sentences(record | {"removed_rms": 0.0}, None, kept=True)
    assert untouched == "9 rows left as they came: nothing was removed."
    assert odd == "2 rows unlike all rows of the fit."
    _, struck = file_sentences(recording | {"spikes": 3}, None, kept=False)
    assert struck == "3 values left out as spikes, and filled in."


def test_batches_in_words():
    one = {"n_samples": 1200, "unlike": 1, "removed_rms": 0.25, "output": "clean/a.npy"}
    one |= {"spikes": 0}
    records = [one, one | {"n_samples": 100, "unlike": 0, "output": "clean/b.npy"}]
    assert batch_sentence(records, 0, 0, 0, 2.0) == (
        "2 files cleaned, 1,300 rows; 1 row unlike those of the fit. Removed: RMS 0.25. "
        "Outputs: clean. 2.0 s."
    )
    other = one | {"removed_rms": 0.5, "output": "b.npy"}
    text = batch_sentence([one | {"spikes": 5}, other], 0, 0, 0, 2.0)
    assert "; 5 values left out as spikes. Removed" in text
    assert "Outputs" not in text
    assert "Outputs: this folder. " in batch_sentence([other, other], 0, 0, 0, 2.0)
    text = batch_sentence([one, other], 0, 0, 0, 2.0)
    assert text.endswith(". Removed: RMS 0.25 to 0.5, by file. 2.0 s.")
    assert batch_sentence([], 2, 0, 0, 2.0) == "0 files cleaned, 0 rows; 2 files failed. 2.0 s."
    text = batch_sentence(records, 1, 3, 2, 2.0)
    assert "2 files warned of; 3 files skipped, as their outputs exist; 1 file failed. " in text
    text = batch_sentence(records, 0, 0, 2, 2.0, {"missing values": 2, "another axis": 1})
    assert "2 files warned of (2 for missing values, 1 for another axis). Removed: " in text
    cleaned = [(4000, "sample"), (5000, "sample")]
    text = batch_sentence(records, 0, 0, 0, 2.0, cleaned=cleaned)
    assert text.startswith("2 files cleaned, 9,000 samples; ")
    assert "1,300 rows" in batch_sentence(records, 0, 0, 0, 2.0, cleaned=cleaned[:1])


def test_comparisons_in_words():
    def row(method, mse, runs=1, kernel=None):
        return {"method": method, "mse_mean": mse, "runs": runs, "kernel": kernel}

    rows = [row("ikpca", 0.012), row("ikpca", 0.011), row("pca", 0.01), row("kpca", None, 0)]
    text = comparison_sentence(rows, 0.04, repeats=True)
    assert text.startswith("Least error: pca, RMS 0.2 before, 0.1 after; ikpca 10 % more.")
    assert "--runs" in text
    assert "--runs" not in comparison_sentence(rows, 0.04, repeats=False)
    assert "None brings" in comparison_sentence(rows, 0.005, repeats=False)
    rows = [row("pca", 0.01), row("kpca", 0.02), row("ikpca", 0.03), row("kpca", 0.04)]
    assert "; kpca 100 % more, ikpca 200 % more." in comparison_sentence(rows, 0.09, repeats=False)
    rows = [row("pca", 0.01), row("kpca", 0.01 + 1e-13)]
    assert "after; kpca as much. This" in comparison_sentence(rows, 0.04, repeats=True)
    rows = [row("ikpca", 0.01, kernel="matern52"), row("ikpca", 0.04, kernel="gaussian")]
    text = comparison_sentence(rows, 0.09, repeats=False)
    assert "Least error: ikpca with kernel matern52, RMS 0.3 before, 0.1 after" in text


def test_a_ranking_in_words():
    def row(method, mse, behind, error):
        return {
            "method": method,
            "estimated_mse": mse,
            "behind": behind,
            "behind_error": error,
        }

    rows = [row("pca", 0.01, 0.0, 0.0), row("kpca", 0.011, 0.001, 0.0006)]
    text = ranking_sentence([*rows, row("ikpca", 0.015, 0.005, 0.001)], "'a b.npy'")
    assert text.startswith("Least estimated error: pca, about RMS 0.1 after; as good, as far as ")
    assert "tell: kpca; more error: ikpca 50 %. " in text
    assert text.endswith("Next: ikpca fit 'a b.npy' --method pca")
    assert "as good" not in ranking_sentence(rows[:1], "a.npy")


@pytest.mark.parametrize("offset", [0.0, 1e8])
@pytest.mark.parametrize("block", [1, 7, 50])
def test_what_was_removed_is_summed_over_blocks(offset, block):
    rng = np.random.default_rng(1)
    noisy = offset + rng.normal(size=(50, 4)) * [1.0, 2.0, 3.0, 4.0]
    cleaned = noisy - rng.normal(scale=0.1, size=noisy.shape)
    change = Change(noisy.shape)
    for start in range(0, 50, block):
        part = slice(start, min(start + block, 50))
        change.add(part, noisy[part], cleaned[part])
    removed = noisy - cleaned
    share = np.sum(removed**2) / np.sum((noisy - noisy.mean(axis=0)) ** 2)
    found = change.record()
    assert found["removed_rms"] == pytest.approx(np.sqrt(np.mean(removed**2)), rel=1e-9)
    assert found["removed_db"] == pytest.approx(10 * np.log10(share), rel=1e-6)


def test_what_was_removed_is_sampled_evenly(monkeypatch):
    monkeypatch.setattr("ikpca_cli.cli.batch.removed.LOOKED_AT", 40)
    noisy = np.arange(100.0)[:, None] * np.ones(4)
    change = Change(noisy.shape)  # every tenth row
    for start in range(0, 100, 7):
        part = slice(start, min(start + 7, 100))
        change.add(part, noisy[part], noisy[part] - np.where(noisy[part] % 10, 1e3, 1.0))
    assert change.record()["removed_rms"] == pytest.approx(1.0)


def test_nothing_removed_has_no_decibels():
    change = Change((3, 2))
    change.add(slice(0, 3), np.ones((3, 2)), np.ones((3, 2)))
    assert change.record() == {"removed_rms": 0.0, "removed_db": None}


def test_sentences_end_tables_and_stay_out_of_records(cli, samples):
    table = cli("fit", "ecg_train.npy", "--method", "pca").stdout
    assert table.rstrip().endswith("Next: ikpca denoise model.joblib ecg_train.npy")
    shown = cli("denoise", "model.joblib", "ecg_noisy.npy").stdout
    removed = np.load("ecg_noisy.npy") - np.load("ecg_noisy.denoised.npy")
    assert f"RMS {np.sqrt(np.mean(removed**2)):.3g}" in shown
    shown = cli("evaluate", "model.joblib", "ecg_noisy.npy", "--clean", "ecg_clean.npy").stdout
    before, after = map(float, re.search(r"RMS (\S+) before, (\S+) after", shown).groups())
    truth = np.load("ecg_clean.npy")
    assert before == pytest.approx(np.sqrt(np.mean((np.load("ecg_noisy.npy") - truth) ** 2)), 0.01)
    assert after < before / 2
    for form in ("json", "csv"):
        words = ["evaluate", "model.joblib", "ecg_noisy.npy", "--format", form]
        assert "Estimated error" not in cli(*words).stdout
    json.loads(cli("denoise", "model.joblib", "ecg_clean.npy", "--format", "json").stdout)


def test_the_noise_of_a_fit_is_told_in_the_unit_of_the_data(cli, tmp_path):
    rng = np.random.default_rng(0)
    clean = np.sin(np.linspace(0, 6, 60) + rng.uniform(0, 6, (120, 1)))
    np.save(tmp_path / "x.npy", clean + rng.normal(0, np.repeat([0.1, 0.4], 30), (120, 60)))
    fitted = json.loads(cli("fit x.npy --method pca --noise-model columns --format json").stdout)
    told = re.search(r"noise of the fit: ([\d.]+)\.", cli("denoise model.joblib x.npy").stdout)
    assert float(told[1]) == pytest.approx(fitted["noise_std"], rel=0.01)
    assert fitted["noise_std"] == pytest.approx(np.sqrt(np.mean([0.1**2, 0.4**2])), rel=0.05)


@pytest.mark.parametrize(
    ("gain", "error", "words"),
    [
        (0.003, 0.0, ", less than 0.1 dB less."),
        (-0.003, 0.0, ", the same. These rows are best left as they are."),
        (-1.24, 0.0, ": 1.2 dB more. These"),
        (3.0, 1e-4, ", 3.0 dB less."),
        (3.0, 0.1, " ± 0.9 dB less."),
    ],
)
def test_decibels_are_never_nought(gain, error, words):
    after = 10.0 ** (-gain / 10.0)
    score = {"estimated_rms_noisy": 1.0, "estimated_rms": after**0.5, "estimated_mse": after}
    score |= {"estimated_snr_gain_db": gain, "estimated_mse_error": error}
    line = error_sentence(score)
    assert words in line
    assert "0.0" not in line


def test_how_a_file_was_read_is_a_note_and_said_once(cli, tmp_path):
    axis = np.linspace(400.0, 700.0, 40)
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(60, 40)) + 2.0 * rng.normal(size=(60, 1)) + 5.0
    for name in ("train", "noisy", "clean"):
        np.savetxt(f"{name}.csv", rows, "%.3f", ",", header=",".join(map(str, axis)), comments="")
    fitted = cli("fit train.csv --method pca")
    assert fitted.stderr.startswith("train.csv: took the first line")
    assert "took" not in cli("fit train.csv --method pca -q --force").stderr
    assert "took" not in cli("denoise model.joblib noisy.csv").stderr
    assert "took" not in cli("evaluate model.joblib noisy.csv --clean clean.csv").stderr
    said = cli("compare train.csv noisy.csv --clean clean.csv --methods pca --components 2").stderr
    assert said.count("took the first line") == 1
    assert "warning" not in said


def test_pictures_are_counted_as_pictures(cli, tmp_path):
    y, x = np.mgrid[:40, :40] / 40.0
    rng = np.random.default_rng(0)
    np.save("one.npy", (np.sin(9.0 * x) * y + rng.normal(0.0, 0.2, (1, 40, 40))))
    cli("fit one.npy --window 6x6 --noise-std 0.2")
    assert "1 picture cleaned." in cli("denoise model.joblib one.npy").stdout


def test_a_recording_in_a_pipe_needs_no_word_on_its_times(cli, tmp_path):
    rng = np.random.default_rng(0)
    rows = np.column_stack([np.arange(800) / 100.0, np.sin(np.arange(800) / 30.0)])
    rows[:, 1] += rng.normal(0.0, 0.1, 800)
    np.savetxt("x.csv", rows, "%.4f", ",", header="time,x", comments="")
    alone = cli("fit x.csv", code=1).stderr.splitlines()
    assert len(alone) == 1
    text = (tmp_path / "x.csv").read_bytes()
    assert "read as data" not in cli("fit - --window 32", stdin=text).stderr
    result = cli("denoise model.joblib - -o out.csv", stdin=text)
    assert "read as data" not in result.stderr
    assert_allclose(np.loadtxt("out.csv", delimiter=",", skiprows=1)[:, 0], rows[:, 0])


def test_what_is_known_of_an_error_that_is_not_promised_is_said():
    record = FIT | {"estimated_mse": None, "no_estimate_because": "it is unsure"}
    record |= {"estimated_mse_at_most": 0.01}
    _, line, _ = fit_sentences(record, given=False, replicates=False)
    assert "RMS 0.2 before, about 0.1 after, or less. It cannot be told closer, for it" in line


def test_levels_of_a_file_are_told_as_they_were_given(cli, samples):
    (samples / "levels.csv").write_text("0.2\n0.3\n0.2\n")
    words = ["fit", "s_curve_train.csv", "--noise-std", "levels.csv"]
    shown = cli(*words).stdout
    assert "Noise: standard deviation 0.238 (as given; columns)." in shown
    record = json.loads(cli(*words, "--force", "--format", "json").stdout)
    assert record["noise_std"] == pytest.approx(np.sqrt((0.2**2 + 0.3**2 + 0.2**2) / 3), rel=1e-9)
