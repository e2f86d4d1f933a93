"""The time left of a fit: its stages as parts of one whole."""

from __future__ import annotations

import numpy as np
import pytest

from ikpca_cli import IKPCA, KernelPCA
from ikpca_cli.cli.progress import TimeLeft
from ikpca_cli.data.row_source import silent
from ikpca_cli.selection.stages import TICKS, Stage, Whole, expect

STAGES = [
    Stage("choosing", 0.2, 8.0),
    Stage("refining", 1.0, 2.5),
    Stage("weighing", 1.0, 2.0),
    Stage("eigenvectors", 3.0, 2.0),
    Stage("checking", 0.5),
]


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


@pytest.mark.parametrize(("tried", "pace"), [(6, 3.0), (8, 0.5), (11, 1.0)])
def test_the_time_left_is_that_of_all_stages_whatever_the_pace(tried, pace):
    clock = Clock()
    left, shown = TimeLeft(clock), []
    whole = Whole(lambda *words: left.report(*words) and None, clock)
    left.report("reading", 700, 700)
    clock.now += 2.0 * pace  # before anything is expected
    begun = clock.now
    whole.expect(STAGES)

    def work(name, seconds, done, total):
        # What is shown counts down meanwhile.
        for _ in range(10):
            clock.now += pace * seconds / 10
            shown.append((clock.now, left.seconds()))
        whole(name, done, total)

    for count in range(tried):
        work("choosing", 0.2, count + 1, 0)
    for count in range(2):
        work("refining", 1.0, count + 1, 0)
    # No weights are found again, and spectra report parts of themselves.
    for _ in range(2):
        for part in range(3):
            work("eigenvectors", 1.0, part + 1, 3)
    whole("checking", 0, 0)
    work("checking", 0.5, 1, 1)
    late = [(at, found) for at, found in shown if at > begun + 0.2 * (clock.now - begun)]
    late = [(at, found) for at, found in late if at < begun + 0.95 * (clock.now - begun)]
    ratios = [found / (clock.now - at) for at, found in late]
    assert 1.0 / 1.5 < min(ratios) <= max(ratios) < 1.5


def test_stages_that_come_again_are_told_apart_from_those_before():
    told, clock = [], Clock()
    whole = Whole(lambda *words: told.append(words[1] / TICKS), clock)
    whole.expect([Stage("features", 3.0), Stage("components", 1.0)] * 2)
    for name, parts, each in (("features", 4, 0.75), ("components", 2, 0.5)) * 2:
        for part in range(parts):
            clock.now += each
            whole(name, part + 1, parts)
    seconds = np.cumsum([0.0] + ([0.75] * 4 + [0.5] * 2) * 2)
    assert told == pytest.approx(seconds / 8.0, abs=1e-3)


def test_what_is_not_a_whole_is_told_as_it_is():
    told = []
    whole = Whole(lambda *words: told.append(words))
    whole("features", 3, 8)
    expect(silent, STAGES)
    assert told == [("features", 3, 8)]
    expect(whole, STAGES)
    whole("features", 8, 8)  # which was not expected
    assert told[1:] == [("choosing", 0, TICKS), ("features", 0, TICKS)]


def test_time_left_begins_anew_with_another_total_and_is_unknown_without_one():
    clock = Clock()
    left = TimeLeft(clock)
    assert str(left) == "-:--:--"
    clock.now += 2.0
    assert not left.report("reading", 1, 4)
    assert left.seconds() == pytest.approx(6.0)
    clock.now += 1.5
    assert str(left) == "0:00:05"
    assert left.report("features", 0, 9)
    assert left.seconds() is None
    clock.now += 1.0
    left.report("features", 3, 9)
    clock.now += 0.5
    left.report("features", 3, 9)  # nothing new
    clock.now -= 0.5
    assert left.seconds() == pytest.approx(2.0)
    assert left.report("pulsing", 0, 0)
    assert left.seconds() is None


@pytest.mark.parametrize("n_rff", [100, 40])
def test_random_features_have_a_plan_too(n_rff):
    told = []
    rng = np.random.default_rng(1)
    waves = np.sin(np.linspace(0.0, 6.0, 10) + rng.uniform(0.0, 6.0, (60, 1)))
    rows = waves + rng.normal(scale=0.4, size=waves.shape)
    model = IKPCA(n_rff=n_rff, noise_std=0.4, order="none")
    model.fit(rows, progress=lambda *words: told.append(words))
    planned = [words for words in told if words[2] == TICKS]
    assert {"refining", "features", "checking"} <= {name for name, _, _ in planned}
    shares = [done for _, done, _ in planned]
    assert shares == sorted(shares)
    assert shares[-1] > 0.8 * TICKS


@pytest.mark.parametrize("order", ["auto", "none"])
def test_a_fit_with_nothing_given_is_one_whole(order):
    """Its stages come in their order, of one total, and never go back."""
    told = []
    rng = np.random.default_rng(0)
    waves = np.sin(np.linspace(0.0, 6.0, 40) + rng.uniform(0.0, 6.0, (60, 1)))
    rows = waves + rng.normal(scale=0.4, size=waves.shape)
    IKPCA(noise_std=0.4, order=order).fit(rows, progress=lambda *words: told.append(words))
    names = list(dict.fromkeys(name for name, _, total in told if total == TICKS))
    low = ["refining low frequencies"] if order == "auto" else []
    assert [name for name in names if "weighing" not in name] == [
        "noise",
        "level",
        "smoothing",
        "refining",
        *low,
        "estimating",
        "eigenvectors",
        "checking",
    ]
    begun = [words[0] for words in told].index("noise")
    assert {total for _, _, total in told[begun:]} == {TICKS}
    shares = [done for _, done, _ in told[begun:]]
    assert shares == sorted(shares)
    assert shares[0] == 0
    assert shares[-1] > 0.8 * TICKS


@pytest.mark.parametrize(
    ("model", "last"),
    [
        (KernelPCA(noise_std=0.4), "regression"),
        (KernelPCA(noise_std=0.4, landmarks=30), "regression"),
        (IKPCA(n_rff=60, inverse="paper", noise_std=0.4), "features"),
    ],
)
def test_so_is_one_that_searches_a_grid(model, last):
    told = []
    rng = np.random.default_rng(2)
    waves = np.sin(np.linspace(0.0, 6.0, 10) + rng.uniform(0.0, 6.0, (60, 1)))
    rows = waves + rng.normal(scale=0.4, size=waves.shape)
    model.fit(rows, progress=lambda *words: told.append(words))
    begun = [words[0] for words in told].index("choosing")
    assert {total for _, _, total in told[begun:]} == {TICKS}
    assert {"choosing", last, "checking"} <= {name for name, _, _ in told[begun:]}
    shares = [done for _, done, _ in told[begun:]]
    assert shares == sorted(shares)
    assert shares[-1] > 0.8 * TICKS


def test_the_plan_of_a_fit_grows_with_its_rows_and_has_smoothers_where_rows_may_have_an_order():
    def planned(n_samples, n_features):
        stages = IKPCA()._planned(n_samples, n_features)
        return {stage.name: stage.seconds * stage.passes for stage in stages}

    assert planned(400, 3)["smoothing"] == 0.0
    assert list(planned(400, 100))[:4] == ["noise", "level", "smoothing", "refining"]
    totals = [sum(planned(*size).values()) for size in ((200, 50), (400, 50), (400, 200))]
    assert totals == sorted(set(totals))
    assert IKPCA(n_rff=60, inverse="paper")._planned(400, 100) == []
