"""Never worse, promises, and noise that is not white: every table by one command.

    python tests/benchmarks/noise.py [promises] [cells] [cases]

`promises`: made-up rows with eleven kinds of noise, one draw each. Printed are how many errors are
promised by `fit`, and estimated by `evaluate` without clean rows, how many of these are within 20 %
of the truth, why others are withheld, and a table of warned and harmed, of new rows with the same
noise, a quarter of it and three times it, and of the training rows.

`cells`: real rows with white noise at 10, 20 and 30 dB; each method is fitted on noisy rows and
cleans new rows with the same noise, a quarter of it and three times it, and the training rows.
Printed are the error over that of the input, the largest error of a row over the noise, the promise
over the truth, and, at the end, how many cells are worse than their input by more than 5 %, how
many promises are within 20 %, and a table of warned and harmed.

`cases`: files whose noise is not white, and real rows with such noise at 10 dB, beside the error
with the true transform. These two read rows from a folder `shared` beside the project.
"""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from pathlib import Path

import h5py
import numpy as np
from made_up import FAMILIES, NOISES, noisy

from ikpca_cli.errors import InputError, UsageError
from ikpca_cli.estimators.denoiser import load_method
from ikpca_cli.evaluation.diagnostics import Residual
from ikpca_cli.evaluation.without_clean import estimate_error
from ikpca_cli.transforms.column_scale import ColumnScale
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
    """Return a fitted method, and whether it warned."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        return load_method(method)(**params).fit(rows), bool(caught)


def cells():
    """Print a line for each set of rows, level and method, and what they come to."""
    worse, total, promised, right = 0, 0, 0, 0
    table = np.zeros((2, 2), int)
    for name in ROWS:
        train, test = real_rows(name)
        for decibels in DECIBELS:
            power = np.mean((train - train.mean(axis=0)) ** 2)
            std = float(np.sqrt(power / 10 ** (decibels / 10)))
            rng = np.random.default_rng([82, decibels])
            noisy, noise = train + std * rng.normal(size=train.shape), rng.normal(size=test.shape)
            for method in ("ikpca", "kpca", "pca"):
                model, _ = fitted(method, noisy)
                found = {}
                for label, times in TIMES.items():
                    found[label] = test + times * std * noise, test, times * std
                found["training"] = noisy, train, std
                words, truth = [], 0.0
                for label, (rows, clean, level) in found.items():
                    cleaned, treatment = model.denoise(rows), model.treatment(rows)
                    errors = np.mean((cleaned - clean) ** 2, axis=1)
                    ratio = errors.mean() / np.mean((rows - clean) ** 2)
                    harmed = ratio > 1.05
                    residual = Residual.of(treatment.forward(rows), treatment.forward(cleaned))
                    flaw = residual.flaw(treatment.caution.std)
                    warned = bool(treatment.caution.remark() or flaw)
                    table[int(warned), int(harmed)] += 1
                    worse, total = worse + harmed, total + 1
                    words.append(f"{label} {ratio:.3f} (row {errors.max() / level**2:.1f})")
                    truth = errors.mean() if label == "same" else truth
                promise = model.estimated_mse_
                if promise is not None:
                    promised, right = promised + 1, right + (abs(promise / truth - 1.0) <= 0.2)
                said = "withheld" if promise is None else f"{promise / truth:.2f}"
                print(f"{name} {decibels} dB {method}: {', '.join(words)}; promise {said}")
    print(f"worse than the input by more than 5 %: {worse} of {total} cells")
    print(f"promises within 20 %: {right} of {promised}; the others are withheld")
    print(f"not warned: {table[0, 0]} unharmed, {table[0, 1]} harmed")
    print(f"warned: {table[1, 0]} unharmed, {table[1, 1]} harmed")


def promises():
    """Print what is promised of made-up rows by kind of noise, and what it comes to."""
    reasons, harm, total = Counter(), np.zeros((2, 2), int), np.zeros(5, int)
    print("kind: cells, promised, right; evaluated, right")
    for kind in NOISES:
        line = np.zeros(5, int)
        for name, (make, size) in FAMILIES.items():
            rng = np.random.default_rng([84, sum(map(ord, name + kind))])
            clean = make(rng, size + 80)
            train, test = clean[:size], clean[size:]
            fitted_on = noisy(kind, train, train, 1.0, rng)
            model, _ = fitted("ikpca", fitted_on)
            found = {
                label: (noisy(kind, test, train, times, rng), test)
                for label, times in TIMES.items()
            } | {"training": (fitted_on, train)}
            for rows, truth in found.values():
                cleaned, treatment = model.denoise(rows), model.treatment(rows)
                harmed = np.mean((cleaned - truth) ** 2) > 1.05 * np.mean((rows - truth) ** 2)
                residual = Residual.of(treatment.forward(rows), treatment.forward(cleaned))
                flaw = residual.flaw(treatment.caution.std)
                harm[int(bool(treatment.caution.remark() or flaw)), int(harmed)] += 1
            rows, truth = found["same"]
            error = np.mean((model.denoise(rows) - truth) ** 2)
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
    print(f"not warned: {harm[0, 0]} unharmed, {harm[0, 1]} harmed")
    print(f"warned: {harm[1, 0]} unharmed, {harm[1, 1]} harmed")


def estimated(model, rows):
    """Return the error that is told without clean rows, None where none is."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return estimate_error(model, rows)["estimated_mse"]
        except (InputError, UsageError):
            return None


def with_noise(name, kind):
    """Return noisy training rows, noisy and clean test rows, and the true transform, at 10 dB."""
    train, test = real_rows(name)
    variance = np.mean((train - train.mean(axis=0)) ** 2) / 10.0
    rng = np.random.default_rng(83)
    p = train.shape[1]
    if kind == "columns":
        stds = np.exp(rng.uniform(np.log(0.25), np.log(2.0), p))
        stds *= np.sqrt(variance / np.mean(stds**2))
        noisy = [rows + stds * rng.normal(size=rows.shape) for rows in (train, test)]
        return (*noisy, test, ColumnScale(stds))
    if kind == "correlated":
        covariance = variance * 0.8 ** np.abs(np.subtract.outer(np.arange(p), np.arange(p)))
        root = np.linalg.cholesky(covariance)
        noisy = [rows + rng.normal(size=rows.shape) @ root.T for rows in (train, test)]
        return (*noisy, test, Whitening(covariance))
    least = train.min()
    gain = variance / float(np.mean(train - least))
    clean = [np.maximum(rows - least, 0.0) for rows in (train, test)]
    noisy = [gain * rng.poisson(rows / gain) + least for rows in clean]
    return (*noisy, clean[1] + least, SquareRoot(gain, -gain * least))


def cases():
    """Print a line for each file and method, and for each set of rows and kind of noise."""
    for name in FILES:
        with np.load(SHARED / f"cases/{name}.npz") as file:
            train, noisy, clean = (file[key].astype(float) for key in ("train", "noisy", "clean"))
        for method in ("ikpca", "kpca", "pca"):
            model, _ = fitted(method, train)
            show(f"{name} {method}", model, noisy, clean)
    for name in ("gunpoint", "vowels", "patches", "coffee"):
        for kind in ("columns", "correlated", "counts"):
            train, noisy, clean, transform = with_noise(name, kind)
            known, _ = fitted("ikpca", transform.forward(train), noise_model="white")
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
    kind = model.summary()["noise_model"] + (" with spikes" if model.spike_limit_ else "")
    print(f"{label}: {before:.3g} -> {after:.3g}{known}; noise {kind}; promise {said}")


PARTS = {"promises": promises, "cells": cells, "cases": cases}

if __name__ == "__main__":
    if not SHARED.exists() and sys.argv[1:] != ["promises"]:
        sys.exit(f"there is no {SHARED}: these rows are not part of the project")
    for part in sys.argv[1:] or PARTS:
        PARTS[part]()
