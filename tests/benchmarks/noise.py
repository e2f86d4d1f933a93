"""Never worse, promises, and noise that is not white: every table by one command.

    python tests/benchmarks/noise.py [promises] [cells] [cases]

`promises`: made-up rows with eleven kinds of noise, one draw each. Printed are how many errors are
promised by `fit`, and estimated by `evaluate` without clean rows, how many of these are within 20 %
of the truth, why others are withheld, and a table of warned and harmed, of files of new rows with
the same noise, a quarter of it and three times it, and of the training rows. A file is harmed if
its error rises by more than 5 %, and warned of if `denoise` warns of it, or `fit` did of its model;
notes, which say what was decided, are counted beside.

`cells`: real rows with white noise at 10, 20 and 30 dB; each method is fitted on noisy rows and
cleans new rows with the same noise, a quarter of it and three times it, and the training rows.
Printed are the error over that of the input, the largest error of a row over the noise, the promise
over the truth, and, at the end, how many cells are worse than their input by more than 5 %, how
many promises are within 20 %, how often a method is said to bring rows no closer, and is the best
of three that do, how often `fit` and `evaluate` are more than two standard errors apart, and a
table of warned and harmed.

`cases`: files whose noise is not white, and real rows with such noise at 10 dB, beside the error
with the true transform. These two read rows from a folder `shared` beside the project.
"""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import h5py
import numpy as np
from made_up import FAMILIES, NOISES, noisy

from ikpca_cli.cli.batch.cleaning import clean
from ikpca_cli.cli.batch.job import Job
from ikpca_cli.data.row_source import silent
from ikpca_cli.errors import IkpcaNote, InputError, Note, UsageError, tell
from ikpca_cli.estimators.denoiser import load_method
from ikpca_cli.evaluation.diagnostics import noise_flaw
from ikpca_cli.evaluation.without_clean import estimate_error
from ikpca_cli.formats.read_options import ReadOptions
from ikpca_cli.modelfile.storage import save_model
from ikpca_cli.transforms.column_scale import ColumnScale
from ikpca_cli.transforms.row_scale import RowScale
from ikpca_cli.transforms.square_root import SquareRoot
from ikpca_cli.transforms.whiten import Whitening

SHARED = Path(__file__).resolve().parents[3] / "shared"
ROWS = {"gunpoint": 120, "coffee": 40, "patches": 500, "vowels": 400, "wine": 120}
FILES = ("clipped_at_zero", "counts", "noise_by_column", "noise_correlated", "spikes")
DECIBELS = (10, 20, 30)
TIMES = {"same": 1.0, "quarter": 0.25, "triple": 3.0}


def real_rows(name, seed=0):
    """Return rows to fit on and to clean, in random order."""
    with h5py.File(SHARED / "data/real_rows.h5") as file:
        rows = np.asarray(file[name], float)
    rows = rows.reshape(len(rows), -1)
    rows = rows[np.random.default_rng([81, seed]).permutation(len(rows))]
    return rows[: ROWS[name]], rows[ROWS[name] : 2 * ROWS[name]]


def fitted(method, rows, **params):
    """Return a fitted method, and what `fit` tells of it."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = load_method(method)(**params).fit(rows)
        flaw = noise_flaw(model, rows)
        if flaw is not None:
            tell(flaw)
    kinds = [Note if one.category is IkpcaNote else str for one in caught]
    return model, [kind(one.message) for kind, one in zip(kinds, caught, strict=True)]


def cleaned_by_command(model, files):
    """Yield the label of each file of rows, the cleaned rows, and what `denoise` tells of it."""
    with TemporaryDirectory() as folder:
        source, target = f"{folder}/noisy.npy", f"{folder}/cleaned.npy"
        save_model(f"{folder}/model.joblib", model)
        for label, rows in files.items():
            np.save(source, rows)
            job = Job(f"{folder}/model.joblib", source, target, ReadOptions(), force=True)
            outcome = clean(job, silent)
            yield label, np.load(target), list(outcome.told)


class Warned:
    """How many files were harmed, and how many of these, and of the others, were warned of."""

    def __init__(self):
        self._files, self._notes = np.zeros((2, 2), int), 0

    def count(self, told, ratio):
        """Count a file by what was told of it, and its error over that before."""
        is_warned = any(not isinstance(line, Note) for line in told)
        self._files[int(is_warned), int(ratio > 1.05)] += 1
        self._notes += any(isinstance(line, Note) for line in told)

    def show(self):
        """Print the table."""
        (quiet, missed), (false, right) = self._files
        print(f"not warned: {quiet} unharmed, {missed} harmed")
        print(f"warned: {false} unharmed, {right} harmed; notes on {self._notes} files")


def cells():
    """Print a line for each set of rows, level and method, and what they come to."""
    worse, total, promised, right = 0, 0, 0, 0
    warned = Warned()
    said, wrongly, apart, compared = 0, 0, 0, 0
    for name in ROWS:
        train, test = real_rows(name)
        for decibels in DECIBELS:
            power = np.mean((train - train.mean(axis=0)) ** 2)
            std = float(np.sqrt(power / 10 ** (decibels / 10)))
            rng = np.random.default_rng([82, decibels])
            noisy, noise = train + std * rng.normal(size=train.shape), rng.normal(size=test.shape)
            gained, useless = {}, set()
            for method in ("ikpca", "kpca", "pca"):
                model, told = fitted(method, noisy)
                found = {}
                for label, times in TIMES.items():
                    found[label] = test + times * std * noise, test, times * std
                found["training"] = noisy, train, std
                words, after = [], 0.0
                files = {label: rows for label, (rows, _, _) in found.items()}
                for label, cleaned, lines in cleaned_by_command(model, files):
                    rows, truth, level = found[label]
                    errors = np.mean((cleaned - truth) ** 2, axis=1)
                    ratio = errors.mean() / np.mean((rows - truth) ** 2)
                    warned.count([*told, *lines], ratio)
                    worse, total = worse + (ratio > 1.05), total + 1
                    words.append(f"{label} {ratio:.3f} (row {errors.max() / level**2:.1f})")
                    if label == "same":
                        after, gained[method] = errors.mean(), ratio
                if any("not expected to bring" in line for line in told):
                    useless.add(method)
                distance = between_estimates(model, found["same"][0])
                if distance is not None:
                    compared, apart = compared + 1, apart + (distance > 2.0)
                promise = model.estimated_mse_
                if promise is not None:
                    promised, right = promised + 1, right + (abs(promise / after - 1.0) <= 0.2)
                shown = "withheld" if promise is None else f"{promise / after:.2f}"
                print(f"{name} {decibels} dB {method}: {', '.join(words)}; promise {shown}")
            best = min(gained, key=gained.__getitem__)
            said, wrongly = said + len(useless), wrongly + (best in useless and gained[best] < 1.0)
    print(f"worse than the input by more than 5 %: {worse} of {total} cells")
    print(f"promises within 20 %: {right} of {promised}; the others are withheld")
    print(f"said to bring rows no closer: {said}, {wrongly} of which are the best of three that do")
    print(f"fit and evaluate more than two standard errors apart: {apart} of {compared}")
    warned.show()


def between_estimates(model, rows):
    """Return how far the errors that `fit` and `evaluate` tell are apart, in standard errors.

    Rough numbers are compared where none is promised; None where there are none.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            both = model.summary(), estimate_error(model, rows)
        except (InputError, UsageError):
            return None
    values, errors = np.empty(2), np.empty(2)
    for place, found in enumerate(both):
        kind = "rough" if found["estimated_mse"] is None else "estimated"
        if found[f"{kind}_mse"] is None:
            return None
        values[place], errors[place] = found[f"{kind}_mse"], found[f"{kind}_mse_error"]
    return abs(values[0] - values[1]) / max(np.hypot(*errors), np.finfo(float).tiny)


def promises():
    """Print what is promised of made-up rows by kind of noise, and what it comes to."""
    reasons, warned, total = Counter(), Warned(), np.zeros(5, int)
    print("kind: cells, promised, right; evaluated, right")
    for kind in NOISES:
        line = np.zeros(5, int)
        for name, (make, size) in FAMILIES.items():
            rng = np.random.default_rng([84, sum(map(ord, name + kind))])
            whole = make(rng, size + 80)
            train, test = whole[:size], whole[size:]
            fitted_on = noisy(kind, train, train, 1.0, rng)
            model, told = fitted("ikpca", fitted_on)
            files = {label: noisy(kind, test, train, times, rng) for label, times in TIMES.items()}
            files |= {"training": fitted_on}
            errors = {}
            for label, cleaned, lines in cleaned_by_command(model, files):
                truth = train if label == "training" else test
                errors[label] = np.mean((cleaned - truth) ** 2)
                warned.count([*told, *lines], errors[label] / np.mean((files[label] - truth) ** 2))
            rows, error = files["same"], errors["same"]
            reasons[model.summary()["no_estimate_because"]] += 1
            told = [model.estimated_mse_, estimated(model, rows)]
            for place, value in enumerate(told):
                if value is not None:
                    line[1 + 2 * place] += 1
                    line[2 + 2 * place] += abs(value / error - 1.0) <= 0.2
            line[0] += 1
        print(f"{kind}: {line[0]}, {line[1]}, {line[2]}; {line[3]}, {line[4]}", flush=True)
        total += line
    print(f"all: {total[0]}, {total[1]}, {total[2]}; {total[3]}, {total[4]}")
    for reason, count in reasons.most_common():
        print(f"{count} {'promised' if reason is None else 'withheld: ' + reason}")
    warned.show()


def estimated(model, rows):
    """Return the error that is told without clean rows, None where none is."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return estimate_error(model, rows)["estimated_mse"]
        except (InputError, UsageError):
            return None


def with_noise(name, kind):
    """Return noisy training rows, noisy and clean test rows at 10 dB, and their true transforms."""
    train, test = real_rows(name)
    variance = np.mean((train - train.mean(axis=0)) ** 2) / 10.0
    rng = np.random.default_rng(83)
    both, p = (train, test), train.shape[1]
    if kind == "columns":
        stds = np.exp(rng.uniform(np.log(0.25), np.log(2.0), p))
        stds *= np.sqrt(variance / np.mean(stds**2))
        noisy = [rows + stds * rng.normal(size=rows.shape) for rows in both]
        return (*noisy, test, *[ColumnScale(stds)] * 2)
    if kind == "rows":
        levels = [variance**0.5 * np.exp(rng.normal(0.0, 0.5, len(rows)) - 0.25) for rows in both]
        noisy = [
            rows + stds[:, None] * rng.normal(size=rows.shape)
            for rows, stds in zip(both, levels, strict=True)
        ]
        mean = np.average(noisy[0], axis=0, weights=1.0 / levels[0])
        return (*noisy, test, *(RowScale(mean, np.zeros((0, p)), stds=stds) for stds in levels))
    if kind == "correlated":
        covariance = variance * 0.8 ** np.abs(np.subtract.outer(np.arange(p), np.arange(p)))
        root = np.linalg.cholesky(covariance)
        noisy = [rows + rng.normal(size=rows.shape) @ root.T for rows in both]
        return (*noisy, test, *[Whitening(covariance)] * 2)
    least = train.min()
    gain = variance / float(np.mean(train - least))
    clean = [np.maximum(rows - least, 0.0) for rows in both]
    noisy = [gain * rng.poisson(rows / gain) + least for rows in clean]
    return (*noisy, clean[1] + least, *[SquareRoot(gain, -gain * least)] * 2)


def cases():
    """Print a line for each file and method, and for each set of rows and kind of noise."""
    for name in FILES:
        with np.load(SHARED / f"cases/{name}.npz") as file:
            train, noisy, clean = (file[key].astype(float) for key in ("train", "noisy", "clean"))
        for method in ("ikpca", "kpca", "pca"):
            model, _ = fitted(method, train)
            show(f"{name} {method}", model, noisy, clean)
    for name in ("gunpoint", "vowels", "patches", "coffee"):
        for kind in ("columns", "rows", "correlated", "counts"):
            train, noisy, clean, of_train, transform = with_noise(name, kind)
            known, _ = fitted("ikpca", of_train.forward(train), noise_model="white")
            best = transform.inverse(known.denoise(transform.forward(noisy)))
            model, _ = fitted("ikpca", train)
            show(f"{name} {kind}", model, noisy, clean, np.mean((best - clean) ** 2))


def show(label, model, noisy, clean, best=None):
    """Print the error before and after, what was decided, and the promise over the truth."""
    before = np.mean((noisy - clean) ** 2)
    after = np.mean((model.denoise(noisy) - clean) ** 2)
    known = "" if best is None else f", {after / best:.2f} x that with the true transform"
    promise = model.estimated_mse_
    said = "withheld" if promise is None else f"{promise / after:.2f}"
    kind = model.summary()["noise_model"] + (" with spikes" if model.spike_share_ else "")
    print(f"{label}: {before:.3g} -> {after:.3g}{known}; noise {kind}; promise {said}")


PARTS = {"promises": promises, "cells": cells, "cases": cases}

if __name__ == "__main__":
    if not PARTS.keys() >= {*sys.argv[1:]}:
        sys.exit(f"{__doc__}\nParts: {', '.join(PARTS)}; all by default")
    if not SHARED.exists() and sys.argv[1:] != ["promises"]:
        sys.exit(f"there is no {SHARED}: these rows are not part of the project")
    for part in sys.argv[1:] or PARTS:
        PARTS[part]()
