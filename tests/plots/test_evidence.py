"""The panels of a fit that show what noise is like."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ikpca_cli.estimators.denoiser import load_method
from ikpca_cli.plots.evidence import Evidence, autocorrelation
from ikpca_cli.plots.search import draw_fit

pytestmark = pytest.mark.filterwarnings("ignore::ikpca_cli.errors.IkpcaWarning")


def plane(rng, n_samples=400, n_features=60):
    """Return rows in a plane, all above 5."""
    weights = rng.normal(size=(n_samples, 2)).clip(-2.5, 2.5)
    x = np.linspace(0.0, 2.0 * np.pi, n_features)
    return 10.0 + weights @ np.stack([np.sin(x), np.cos(x)])


def fitted(rows):
    model = load_method("pca")(noise_model="white").fit(rows)
    return model, Evidence.of(model, rows)


def test_autocorrelation_of_a_first_order_process():
    rng = np.random.default_rng(1)
    values = rng.normal(size=(300, 200))
    for column in range(1, 200):
        values[:, column] = 0.6 * values[:, column - 1] + 0.8 * values[:, column]
    assert_allclose(autocorrelation(values, 4), 0.6 ** np.arange(1, 5), atol=0.03)


@pytest.mark.parametrize(("width", "count"), [(2, 1), (5, 2), (90, 20)])
def test_autocorrelation_ends_at_half_the_row_and_is_none_of_zeros(width, count):
    assert_allclose(autocorrelation(np.zeros((3, width)), 20), np.zeros(count))


def test_white_noise_looks_white():
    rng = np.random.default_rng(2)
    clean = plane(rng)
    _, found = fitted(clean + 0.3 * rng.normal(size=clean.shape))
    assert_allclose(found.column_stds, 0.3, rtol=0.15)
    assert_allclose(found.variances, 0.09, rtol=0.2)
    assert np.mean(np.abs(found.autocorrelation[3:]) < 2.0 * found.bound) > 0.7


def test_levels_by_column_and_by_value_are_seen():
    rng = np.random.default_rng(3)
    clean, stds = plane(rng), np.repeat([0.1, 0.4], 30)
    _, found = fitted(clean + stds * rng.normal(size=clean.shape))
    assert_allclose(found.column_noise, stds, rtol=0.2)
    _, found = fitted(clean + 0.05 * clean * rng.normal(size=clean.shape))
    assert_allclose(found.variances, (0.05 * found.signal) ** 2, rtol=0.3)


def test_where_nothing_is_removed_panels_say_so():
    rows = plane(np.random.default_rng(5))
    model, found = fitted(rows + 0.3 * np.random.default_rng(6).normal(size=rows.shape))
    nothing = {name: np.zeros_like(getattr(found, name)) for name in ("variances", "column_stds")}
    for evidence, count in ((found, 0), (replace(found, **nothing), 1)):
        panels = draw_fit(model, "rows.npy", evidence).axes[-3:]
        assert [len(axes.texts) for axes in panels] == [count] * 3


def test_panels_have_names_and_the_noise_its_line():
    rng = np.random.default_rng(4)
    clean = plane(rng)
    model, found = fitted(clean + 0.3 * rng.normal(size=clean.shape))
    titles = [axes.get_title() for axes in draw_fit(model, "rows.npy", found).axes]
    assert titles[0] == "spectrum"
    assert titles[-3:] == [
        "level by column",
        "variance against mean",
        "autocorrelation of the residual",
    ]


def test_noise_is_drawn_in_units_of_the_data_and_errors_of_scaled_rows_in_those_of_noise():
    rng = np.random.default_rng(7)
    clean, stds = plane(rng), np.repeat([0.1, 0.4], 30)
    rows = clean + stds * rng.normal(size=clean.shape)
    model = load_method("pca")(noise_model="columns").fit(rows)
    above = draw_fit(model, "rows.npy").axes
    level = float(draw_fit(model, "rows.npy").get_suptitle().rsplit(" ", 1)[1])
    assert_allclose(level, np.sqrt(np.mean(stds**2)), rtol=0.1)
    assert above[-1].get_ylabel() == "mean squared error / noise variance"
    of_rows = replace(Evidence.of(model, rows), autocorrelation=np.array([0.1]))
    low, high = draw_fit(model, "rows.npy", of_rows).axes[-1].get_xlim()
    assert (low, high) == (0.5, 2.5)


def test_noise_that_is_none_does_not_squeeze_the_spectrum(monkeypatch):
    rng = np.random.default_rng(8)
    clean = plane(rng)
    model, _ = fitted(clean + 0.3 * rng.normal(size=clean.shape))
    variances = model.explained_variance_
    noise = np.full(len(variances), 1e-15 * variances.min())
    monkeypatch.setattr(type(model), "component_noise_", noise)
    bottom, _ = draw_fit(model, "rows.npy").axes[0].get_ylim()
    assert bottom > 1e-4 * variances.min()
