"""What a comparison was asked for: settings of methods, and the rows of each run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any

from ikpca_cli.cli.given.gathered import gathered
from ikpca_cli.cli.given.looks import check_rows
from ikpca_cli.cli.given.values import MEAN, method_params, method_values, parameter
from ikpca_cli.cli.several import open_all, open_clean
from ikpca_cli.errors import UsageError

if TYPE_CHECKING:
    from ikpca_cli.evaluation.experiment import Setting
    from ikpca_cli.evaluation.splits import Split
    from ikpca_cli.formats.read_options import ReadOptions


def settings_of(
    methods: list[str], grids: dict[str, list[str] | None], fixed: dict[str, Any]
) -> list[Setting]:
    """Return what to fit: each method with each combination of gamma and rff."""
    from ikpca_cli.estimators.denoiser import load_method
    from ikpca_cli.evaluation.experiment import Setting

    values = {option: method_values(option, texts or []) for option, texts in grids.items()}
    names = {method: load_method(method).parameter_names() for method in methods}
    for option, found in (
        values | {key: {"": value} for key, value in fixed.items() if value}
    ).items():
        strangers = found.keys() - {"", *methods}
        if strangers:
            raise UsageError(f"{option} is given for {min(strangers)}: name it in --methods, too")
        if found and not any(parameter(option) in known for known in names.values()):
            raise UsageError(f"{option} does not apply to {', '.join(methods)}: leave it out")
    settings = []
    kernels = _words(fixed.get("--kernel"))
    for method, kernel in product(methods, kernels):
        if kernel not in (kernels[0], None) and "kernel" not in names[method]:
            continue  # once is enough
        fixed |= {"--kernel": kernel}
        lists: dict[str, list[Any]] = {
            option: found.get(method) or found.get("") or ["auto"]
            for option, found in values.items()
            if parameter(option) in names[method]
        }
        shared = method_params(
            method,
            {o: value for o, value in fixed.items() if parameter(o) in names[method]},
        )
        varied = [option for option in ("--gamma", "--rff") if option in lists]
        for combination in product(*(lists[option] for option in varied)):
            chosen = {parameter(o): value for o, value in zip(varied, combination, strict=True)}
            settings.append(
                Setting(
                    method,
                    shared | chosen,
                    tuple(lists["--components"]),
                    tuple(lists.get("--ridge", ())),
                )
            )
    return settings


def _words(text: str | None) -> list[str | None]:
    """Return the words of a list in order and without repetition; [None] for none."""
    return list(dict.fromkeys(word.strip() for word in text.split(","))) if text else [None]


def splits_of(
    train: str,
    noisy: str | None,
    clean: str | None,
    noise: float | None,
    sizes: tuple[float | None, float | None],
    runs: int,
    seed: int,
    reading: ReadOptions,
) -> Iterator[Split]:
    """Read the files and return each run's rows, which messages call by the first file."""
    import numpy as np

    from ikpca_cli.data.row_source import check_width, row_name
    from ikpca_cli.evaluation import splits

    if noise is not None and not np.isfinite(noise):
        raise UsageError(f"--noise {noise}: give a finite number")
    if noise is not None and clean not in (None, MEAN):
        raise UsageError(
            "--noise is added to clean rows, which are then the reference: leave --clean out"
        )
    if noisy is not None and sizes != (None, None):
        raise UsageError("--train-size and --test-size split a single array: leave NOISY out")
    with open_all(gathered([train]), reading) as rows:
        if reading.orientation != "rows":
            check_rows(rows, train, compared=True)
        first, names, called = rows.read(), rows.feature_names, row_name(rows)
        if noisy is None:
            # With noise to add, the rows are their own clean version.
            reference = None if clean == MEAN else first
            with open_clean(clean, reading, rows) as paired:
                if paired is not None:
                    reference = paired.read()
            return splits.random_splits(
                first,
                reference,
                train_size=sizes[0],
                test_size=sizes[1],
                noise=noise,
                runs=runs,
                seed=seed,
                name=called,
            )
    reading = replace(reading, width=first.shape[1], axis=names)
    with open_all(gathered([noisy]), reading, names=names) as rows:
        check_width(rows, first.shape[1])
        second = rows.read()
        if clean is None:
            reference = second
        else:
            with open_clean(clean, reading, rows) as paired:
                reference = None if paired is None else paired.read()
    return splits.fixed_split(
        first, second, reference, noise=noise, runs=runs, seed=seed, name=called
    )
