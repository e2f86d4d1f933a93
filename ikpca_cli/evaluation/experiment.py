"""Methods with their parameters, fitted and measured on one split of the rows after another."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from ikpca_cli.data.first_pass import FirstPass
from ikpca_cli.data.row_source import Progress, silent
from ikpca_cli.errors import IkpcaNote, IkpcaWarning, Note, tell
from ikpca_cli.estimators.denoiser import Denoiser, load_method
from ikpca_cli.evaluation.metrics import mean_squared_error
from ikpca_cli.evaluation.splits import Split
from ikpca_cli.selection.choice import Oracle


@dataclass(frozen=True)
class Setting:
    """One method with every combination of some numbers of components and ridges.

    Attributes
    ----------
    method : str
    params : dict
        Constructor parameters but for n_components and ridge.
    components : tuple of int or "auto"
    ridges : tuple of float or "auto"
        Empty for a method without a ridge.
    """

    method: str
    params: dict[str, Any]
    components: tuple[int | Literal["auto"], ...]
    ridges: tuple[float | Literal["auto"], ...]


_Key = tuple[Any, Any]


@dataclass(frozen=True)
class Measure:
    """What one fit reached: its error, seconds to fit and to denoise, and its `summary`."""

    mse: float
    fit_seconds: float
    denoise_seconds: float
    found: dict[str, Any]


@dataclass
class Result:
    """What one combination reached over the runs; see `Result.record` for the keys."""

    method: str
    n_components: list[int] = field(default_factory=list)
    gamma: list[float] = field(default_factory=list)
    ridge: list[float] = field(default_factory=list)
    n_rff: int | str | None = None
    mse: list[float] = field(default_factory=list)
    fit_seconds: list[float] = field(default_factory=list)
    denoise_seconds: list[float] = field(default_factory=list)
    note: str = ""
    auto: tuple[str, ...] = ()
    params: dict[str, Any] = field(default_factory=dict)
    """Constructor parameters of its models but for the seed."""

    def add(self, measure: Measure) -> None:
        """Add a run."""
        self.mse.append(measure.mse)
        self.fit_seconds.append(measure.fit_seconds)
        self.denoise_seconds.append(measure.denoise_seconds)
        self.n_rff = measure.found["n_rff"]
        for name in self.auto:
            if measure.found[name] is not None:
                getattr(self, name).append(measure.found[name])

    def record(self) -> dict[str, Any]:
        """Return the row of a table; of values chosen anew in each run, the median."""
        runs = len(self.mse)
        return {
            "method": self.method,
            "kernel": load_method(self.method)(**self.params).get_params().get("kernel"),
            "n_components": int(np.median(self.n_components)),
            "gamma": float(np.median(self.gamma)) if self.gamma else None,
            "ridge": float(np.median(self.ridge)) if self.ridge else None,
            "n_rff": self.n_rff,
            **mean_and_std(self.mse),
            "runs": runs,
            "fit_seconds": float(np.mean(self.fit_seconds)) if runs else None,
            "denoise_seconds": float(np.mean(self.denoise_seconds)) if runs else None,
            "auto": list(self.auto),
            "note": self.note,
        }


def mean_and_std(values: Sequence[float]) -> dict[str, float | None]:
    """Return mse_mean and mse_std (n - 1), None where there are too few values for them."""
    return {
        "mse_mean": float(np.mean(values)) if values else None,
        "mse_std": float(np.std(values, ddof=1)) if len(values) > 1 else None,
    }


def compare(
    settings: Sequence[Setting],
    splits: Iterable[Split],
    *,
    runs: int,
    seed: int,
    oracle: bool = False,
    progress: Progress = silent,
) -> tuple[list[Result], list[float]]:
    """Fit and measure every setting on every split, with random features of its own for each run.

    Settings without "auto" share one fit for all their components and ridges. With `oracle`, what
    is "auto" is chosen by the reference of each split: the best that there is to choose. Each
    setting in each run is a task for joblib's active backend; without one they are done here in
    turn.

    Returns
    -------
    results : list of Result
        For each setting, each number of components, each ridge, in that order.
    mse_noisy : list of float
        Mean squared error of the noisy rows of each run.
    """
    from joblib import Parallel, delayed

    results: dict[tuple[int, Any, Any], Result] = {}
    mse_noisy: list[float] = []

    def tasks() -> Iterator[Any]:
        for run, split in enumerate(splits):
            mse_noisy.append(mean_squared_error(split.noisy, split.reference))
            for setting in settings:
                yield delayed(_measured)(setting, split, seed + run, oracle)

    found = Parallel(return_as="generator", batch_size=1)(tasks())
    for done, (measured, said) in enumerate(found):
        index = done % len(settings)
        for line in said:
            tell(line, stacklevel=2)
        for key, measure in measured:
            result = results.setdefault((index, *key), _blank(settings[index], *key))
            if isinstance(measure, str):
                result.note = measure
            else:
                result.add(measure)
        progress("comparing", done + 1, runs * len(settings))
    return list(results.values()), mse_noisy


def _measured(
    setting: Setting, split: Split, seed: int, oracle: bool
) -> tuple[list[tuple[_Key, Measure | str]], list[str]]:
    """Return what a setting reaches on a split, or why it cannot, and what is told on the way."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", IkpcaWarning)
        measured = [
            (key, model if isinstance(model, str) else _measure(model, split, seconds))
            for key, model, seconds in _models(setting, split, seed, oracle)
        ]
    return measured, [
        Note(one.message) if issubclass(one.category, IkpcaNote) else str(one.message)
        for one in caught
    ]


def _models(
    setting: Setting, split: Split, seed: int, oracle: bool
) -> Iterator[tuple[_Key, Denoiser | str, float]]:
    """Yield (components, ridge), the fitted model or why there is none, and seconds to fit it."""
    cls = load_method(setting.method)
    keys: list[_Key] = [
        (d, ridge) for d in setting.components for ridge in setting.ridges or (None,)
    ]
    if "auto" in (*setting.components, *setting.ridges, setting.params.get("gamma")):
        for d, ridge in keys:
            params = setting.params | {"n_components": d, "seed": seed}
            if ridge is not None:
                params["ridge"] = ridge
            known = Oracle(split.noisy, split.reference) if oracle else None
            model, seconds = _fit(cls(**params), split, known)
            fits = d == "auto" or d <= model.n_components_
            yield (d, ridge), model if fits else _at_most(model), seconds
        return
    most = max(d for d in setting.components if d != "auto")
    params = setting.params | {"n_components": most, "seed": seed}
    if setting.ridges:
        params["ridge"] = setting.ridges[0]
    model, seconds = _fit(cls(**params), split)
    for d, ridge in keys:
        fits = d <= model.n_components_
        yield (d, ridge), model.variant(d, ridge) if fits else _at_most(model), seconds


def _fit(model: Denoiser, split: Split, oracle: Oracle | None = None) -> tuple[Denoiser, float]:
    """Return the model, with fewer components where the rows have no more, and seconds to fit."""
    start = time.perf_counter()
    rows = FirstPass(split.train, model.seed, name=split.name)
    model.fit_up_to(rows, oracle=oracle)
    return model, time.perf_counter() - start


def _at_most(model: Denoiser) -> str:
    return f"at most {model.n_components_}"


def _blank(setting: Setting, n_components: Any, ridge: Any) -> Result:
    asked = {"n_components": n_components, "gamma": setting.params.get("gamma"), "ridge": ridge}
    params = setting.params | {"n_components": n_components}
    result = Result(
        setting.method,
        auto=tuple(name for name, value in asked.items() if value == "auto"),
        params=params if ridge is None else params | {"ridge": ridge},
    )
    for name, value in asked.items():
        if value not in (None, "auto"):
            getattr(result, name).append(value)
    return result


def _measure(model: Denoiser, split: Split, fit_seconds: float) -> Measure:
    start = time.perf_counter()
    cleaned = model.denoise(split.noisy)
    seconds = time.perf_counter() - start
    mse = mean_squared_error(cleaned, split.reference)
    return Measure(mse, fit_seconds, seconds, model.summary())
