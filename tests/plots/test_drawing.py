"""Each picture shows the numbers it was given, and the noisy level beside them."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import matplotlib
import numpy as np
import pytest
from matplotlib.text import Text
from numpy.testing import assert_allclose, assert_array_equal

from ikpca_cli import IKPCA, PCA, KernelPCA
from ikpca_cli.plots.axis_scale import Scale
from ikpca_cli.plots.beats import Beats, draw_beats
from ikpca_cli.plots.curves import draw_comparison, lines_of
from ikpca_cli.plots.mosaic import draw_tiles
from ikpca_cli.plots.picture_file import write_picture
from ikpca_cli.plots.rows import SCORED, SCORED_IMAGES, draw_rows
from ikpca_cli.plots.search import draw_fit
from ikpca_cli.plots.shown import Shown


@pytest.fixture
def shown():
    """Twenty rows of twelve numbers, cleaned halfway, clean rows known."""
    rng = np.random.default_rng(3)
    clean = np.outer(rng.normal(size=20), np.sin(np.arange(12.0)))
    noisy = clean + rng.normal(scale=0.3, size=clean.shape)
    places = np.arange(1, 21)
    return Shown(noisy, (noisy + clean) / 2, clean, places, 20, "rows $x$.npy", "row", (12,), None)


@pytest.fixture(scope="module")
def wide():
    """Rows with signal in half of thirty directions, so that the error left can be told well."""
    rng = np.random.default_rng(8)
    signal = rng.normal(size=(400, 15)) @ rng.normal(size=(15, 30))
    return signal + rng.normal(size=signal.shape)


def lines(axes):
    return {line.get_label(): np.asarray(line.get_ydata()) for line in axes.get_lines()}


def test_lines_show_rows_from_the_best_to_the_worst(shown):
    figure = draw_rows(shown)
    panels = [axes for axes in figure.axes if "noisy" in lines(axes)]
    order = np.argsort(shown.errors()[1])
    assert len(panels) == SCORED
    for axes, row in zip(panels, order[[0, 10, 19]], strict=True):
        assert_array_equal(lines(axes)["noisy"], shown.noisy[row])
        assert_array_equal(lines(axes)["denoised"], shown.cleaned[row])
        assert_array_equal(lines(axes)["clean"], shown.clean[row])
        assert axes.get_title().startswith(f"row {row + 1}: MSE ")


def test_errors_of_all_rows_are_drawn_before_against_after(shown):
    figure = draw_rows(shown)
    axes = next(a for a in figure.axes if a.get_xlabel() == "MSE before")
    points = axes.get_lines()[0]
    before = np.mean((shown.noisy - shown.clean) ** 2, axis=1)
    assert_allclose(points.get_xdata(), before)
    assert_allclose(points.get_ydata(), before / 4)
    assert f"MSE {before.mean():.3g} before" in figure.get_suptitle()


def test_without_clean_rows_there_are_no_errors(shown):
    figure = draw_rows(replace(shown, clean=None))
    assert all(axes.get_xlabel() != "MSE before" for axes in figure.axes)
    first = lines(figure.axes[0])
    assert first.keys() == {"noisy", "denoised"}
    assert_array_equal(first["noisy"], shown.noisy[0])


def test_few_columns_with_names_are_labelled(shown):
    names = tuple(f"t{i}" for i in range(12))
    figure = draw_rows(replace(shown, clean=None, columns=names))
    assert [t.get_text() for t in figure.axes[1].get_xticklabels()] == list(names)


def test_images_are_tiles(shown):
    figure = draw_rows(replace(shown, sample_shape=(3, 4)))
    tiles = [axes for axes in figure.axes if axes.get_images()]
    assert len(tiles) == 4 * SCORED_IMAGES
    best = np.argmin(shown.errors()[1])
    assert_array_equal(tiles[0].get_images()[0].get_array(), shown.noisy[best].reshape(3, 4))
    removed = tiles[3 * SCORED_IMAGES].get_images()[0]
    assert_array_equal(removed.get_array(), (shown.noisy - shown.cleaned)[best].reshape(3, 4))
    assert removed.norm.vmin == -removed.norm.vmax


@pytest.mark.parametrize("width", [1, 2, 3])
def test_short_rows_are_points(shown, width):
    short = replace(
        shown,
        noisy=shown.noisy[:, :width],
        cleaned=shown.cleaned[:, :width],
        clean=shown.clean[:, :width],
        columns=("x", "y", "z")[:width],
        sample_shape=(width,),
    )
    figure = draw_rows(short)
    titles = [axes.get_title() for axes in figure.axes[1:]]
    assert titles == ["noisy", "denoised", "clean", "removed"]
    across, up = figure.axes[1].get_xlabel(), figure.axes[1].get_ylabel()
    points = figure.axes[1].get_lines()[0]
    assert_array_equal(points.get_ydata(), short.noisy[:, "xyz".index(up)])
    if width == 1:
        assert across == "row"
    else:
        assert_array_equal(points.get_xdata(), short.noisy[:, "xyz".index(across)])
        # Without names, either: what is written below one panel does not reach the next.
        figure = draw_rows(replace(short, columns=None))
        figure.draw_without_rendering()
        ends = [axes.xaxis.label.get_window_extent() for axes in figure.axes[1:]]
        assert all(left.x1 < right.x0 for left, right in pairwise(ends))


def test_images_have_a_bar_for_their_scale_and_one_for_what_was_removed(shown):
    tiles = replace(shown, sample_shape=(3, 4), scale=Scale(y_label="counts"))
    figure = draw_rows(tiles)
    bars = [axes for axes in figure.axes if axes.get_label() == "<colorbar>"]
    assert [bar.get_ylabel() for bar in bars] == ["counts", "counts"]
    clean = shown.some(SCORED_IMAGES).clean
    assert_allclose(bars[0].get_ylim(), (clean.min(), clean.max()))
    assert_allclose(bars[1].get_ylim()[0], -bars[1].get_ylim()[1])


@pytest.mark.parametrize("shape", [(2, 16), (16, 2)])
def test_channels_are_lines(shape):
    rng = np.random.default_rng(2)
    rows = rng.normal(size=(5, 32))
    channels = Shown(rows, rows / 2, None, np.arange(1, 6), 5, "x.npy", "row", shape, None)
    assert not channels.is_image
    figure = draw_rows(channels)
    panels = [axes for axes in figure.axes if "noisy" in lines(axes)]
    assert len(panels) == 2 * 3
    cube = rows.reshape(5, *shape)
    second = cube[0, 1] if shape == (2, 16) else cube[0, :, 1]
    line = next(axes for axes in panels if axes.get_ylabel() == "channel 2")
    assert_array_equal(lines(line)["noisy"], second)
    assert_array_equal(lines(line)["denoised"], second / 2)
    assert replace(channels, asked=True).is_image  # as --image says


def test_what_is_neither_long_nor_narrow_is_an_image(shown):
    for shape in ((3, 4), (1, 12), (12,)):
        assert replace(shown, sample_shape=shape).channel_axis is None
    assert replace(shown, sample_shape=(28, 28)).is_image


def test_lines_lie_where_the_scale_says(shown):
    scale = Scale(np.linspace(400.0, 510.0, 12), "wavelength [nm]", "counts")
    figure = draw_rows(replace(shown, scale=scale, columns=tuple("abcdefghijkl")))
    upper, lower = [axes for axes in figure.axes if axes.get_xlabel() != "MSE before"][:2]
    noisy = next(line for line in upper.get_lines() if line.get_label() == "noisy")
    assert_array_equal(noisy.get_xdata(), scale.x)
    assert (lower.get_xlabel(), upper.get_ylabel()) == ("wavelength [nm]", "counts")


@pytest.mark.parametrize("clean", [False, True])
@pytest.mark.parametrize("shape", [(12,), (3, 4), (12, 1), (1,)])
def test_pictures_of_rows_are_read_on_a_page(shown, shape, clean):
    """Nine points on ten inches are more than five on the width of a page."""
    width = int(np.prod(shape))
    noisy, cleaned = shown.noisy[:, :width], shown.cleaned[:, :width]
    rows = replace(shown, noisy=noisy, cleaned=cleaned, clean=noisy if clean else None)
    figure = draw_rows(replace(rows, sample_shape=shape))
    assert figure.get_size_inches()[0] <= 10.0
    assert min(text.get_fontsize() for text in figure.findobj(Text) if text.get_text()) >= 9.0


def test_a_row_by_itself_is_wide_and_needs_no_number(shown):
    figure = draw_rows(replace(shown.pick(np.array([0])), clean=None, total=1))
    assert figure.get_suptitle() == shown.name
    assert figure.axes[0].get_title() == ""
    assert figure.get_size_inches()[0] > 5.0


def test_the_label_of_unchanged_rows_is_beside_their_line(shown):
    axes = next(a for a in draw_rows(shown).axes if a.get_xlabel() == "MSE before")
    label = next(text for text in axes.texts if text.get_text() == "unchanged")
    assert label.xy[0] == label.xy[1]
    assert axes.get_xlim()[0] < label.xy[0] < axes.get_xlim()[1]


def test_an_estimate_is_in_the_title(shown):
    estimate = {"estimated_mse_noisy": 0.09, "estimated_mse": 0.01, "estimated_mse_error": 0.002}
    figure = draw_rows(replace(shown, clean=None, estimate=estimate))
    title = figure.get_suptitle()
    assert title.endswith("estimated MSE 0.09 before, 0.01 ± 0.002 after")


def test_the_spectrum_shows_where_signal_meets_noise(arcs, monkeypatch):
    model = PCA(4, shrink="cut", noise_std=0.1).fit(arcs[0])
    noise = np.full(4, model.explained_variance_[2:4].mean())
    monkeypatch.setattr(PCA, "component_noise_", noise)
    figure = draw_fit(model, "arcs")
    axes = figure.axes[0]
    edge = next(line for line in axes.get_lines() if line.get_linestyle() == ":")
    assert set(edge.get_xdata()) == {3.5}
    assert "3 of 4 components" in edge.get_label()
    [legend] = figure.legends
    assert legend.get_texts()[-1].get_text() == edge.get_label()
    figure.draw_without_rendering()
    assert legend.get_window_extent().y1 <= axes.get_tightbbox().y0
    assert not axes.texts


def test_bands_of_images_share_the_scale_of_the_last(shown):
    images = shown.noisy.reshape(-1, 3, 4)[:5]
    figure = draw_tiles({"noisy": 2 * images, "clean": images}, "title")
    limits = {axes.get_images()[0].get_clim() for axes in figure.axes if axes.get_images()}
    assert limits == {(images.min(), images.max())}


def test_beats_show_range_mean_and_every_row(shown):
    panels = [Beats(name, shown.noisy, shown.cleaned) for name in ("pca", "ikpca")]
    figure = draw_beats(panels, "beats")
    assert [axes.get_title() for axes in figure.axes] == ["pca", "ikpca"]
    band = figure.axes[0].collections[0].get_paths()[0].vertices
    for column in (1, 12):
        heights = band[band[:, 0] == column, 1]
        assert heights.min() == shown.noisy[:, column - 1].min()
        assert heights.max() == shown.noisy[:, column - 1].max()
    drawn = figure.axes[0].get_lines()
    assert_allclose(drawn[0].get_ydata(), shown.noisy.mean(axis=0))
    assert_array_equal([line.get_ydata() for line in drawn[1:21]], shown.cleaned)


def record(method, mse, **more):
    blank = {"n_components": 5, "gamma": None, "ridge": None, "n_rff": None}
    return {"method": method, "mse_mean": mse, "mse_std": mse / 10, "runs": 3, "auto": []} | (
        blank | more
    )


def curves(axes):
    """Map the label of each curve with error bars to its x and y."""
    return {
        bars.get_label(): (list(bars[0].get_xdata()), list(bars[0].get_ydata()))
        for bars in axes.containers
    }


def test_comparison_along_components():
    records = [
        record("ikpca", 1.0 / d + r / 1000, n_components=d, n_rff=r)
        for d in (20, 2, 5)
        for r in (50, 500)
    ]
    records.append(record("kpca", 0.3, n_components=7, auto=["n_components"]))
    records.append(record("pca", 0.2, n_components=2))
    axes = draw_comparison(records, 0.4, "title").axes[0]
    found = curves(axes)
    assert found["ikpca, rff 500"] == ([2.0, 5.0, 20.0], [1.0, 0.7, 0.55])
    assert found["pca"] == ([2.0], [0.2])
    assert found.keys() == {"ikpca, rff 50", "ikpca, rff 500", "pca"}
    assert set(lines(axes)["kpca"]) == {0.3}
    assert set(lines(axes)["noisy rows"]) == {0.4}
    assert_within(axes, records, 0.4)
    assert axes.get_xlabel() == "components"
    assert axes.get_ylabel() == "mean squared error, mean ± std of 3 runs"


def assert_within(axes, records, noisy):
    """Every level and every end of an error bar is on the axes."""
    bottom, top = axes.get_ylim()
    for one in records:
        assert bottom < one["mse_mean"] < top
        assert one["mse_mean"] + one["mse_std"] < top
        assert bottom < max(one["mse_mean"] - one["mse_std"], one["mse_mean"] / 2)
    assert bottom < noisy < top


@pytest.mark.parametrize("noisy", [1e-4, 0.2, 40.0])
def test_every_method_is_on_the_axes_with_its_whole_error_bar(noisy):
    records = [record("kpca", 1.0 / d**2, n_components=d) for d in (1, 4, 9)]
    records.append(record("pca", 30.0, auto=["n_components"]))
    records.append(record("ikpca", 0.02, n_components=3, mse_std=0.05))  # below zero
    axes = draw_comparison(records, noisy, "title").axes[0]
    assert axes.get_yscale() == "log"
    assert_within(axes, records, noisy)


def test_errors_of_one_size_have_plain_axes():
    records = [record("kpca", 1.0 + d / 10, n_components=d) for d in (1, 4, 9)]
    axes = draw_comparison(records, 2.5, "title").axes[0]
    assert axes.get_yscale() == "linear"
    assert_within(axes, records, 2.5)


def test_comparison_along_ridge_and_features():
    ridges = [record("ikpca", r, ridge=r) for r in (0.1, 1.0, 10.0)] + [
        record("kpca", 2.0, ridge=1.0)
    ]
    axes = draw_comparison(ridges, 100.0, "title").axes[0]
    assert axes.get_xlabel() == "ridge"
    assert axes.get_xscale() == "log"
    assert set(lines(axes)["kpca"]) == {2.0}  # its ridge is another matter
    assert_within(axes, ridges, 100.0)
    features = [record("ikpca", 1.0 / r, n_rff=r) for r in (50, 500)]
    features.append(record("ikpca", 0.001, n_rff="exact"))
    axes = draw_comparison(features, 0.02, "title").axes[0]
    assert axes.get_xlabel() == "random features"
    assert set(lines(axes)["ikpca, rff exact"]) == {0.001}


def test_comparison_without_anything_varied_lists_methods():
    records = [record("ikpca", 0.1), record("pca", 0.2), record("kpca", 0.3, runs=0)]
    axes = draw_comparison(records, 0.4, "title").axes[0]
    assert [text.get_text() for text in axes.get_yticklabels()] == ["ikpca", "pca"]
    assert {"0.1", "0.2", "noisy rows 0.4"} <= {text.get_text() for text in axes.texts}


def test_labels_have_short_numbers():
    records = [record("ikpca", 0.1, ridge=ridge) for ridge in (0.0, 0.5, 2000.0)]
    assert list(lines_of(records, "n_components")) == [
        f"ikpca, ridge {ridge}" for ridge in ("0", "0.5", "2000")
    ]


def test_values_chosen_by_themselves_part_no_lines():
    records = [record("pca", 0.2, n_components=d, gamma=d, auto=["gamma"]) for d in (1, 2)] + [
        record("pca", 0.1, n_components=7, auto=["n_components", "gamma"])
    ]
    found = lines_of(records, "n_components")
    assert {label: len(line) for label, line in found.items()} == {
        "pca": 2,
        "pca, components auto": 1,
    }


@pytest.mark.parametrize(
    "model",
    [IKPCA(), IKPCA(n_rff=60), IKPCA(n_rff=60, inverse="paper"), PCA(), KernelPCA()],
    ids=["limit", "refined", "paper", "pca", "kpca"],
)
def test_fit_draws_spectrum_and_risks(model, wide):
    model.set_params(noise_std=1.0).fit(wide)
    assert model.estimated_mse_ is not None
    figure = draw_fit(model, "arcs")
    spectrum, risks = figure.axes
    assert_allclose(lines(spectrum)["rows"], model.explained_variance_)
    if model.component_noise_ is not None:
        assert_allclose(lines(spectrum)["noise in them"], model.component_noise_)
    drawn = {y for bars in risks.containers for y in bars[0].get_ydata()}
    shrunk = {float(y) for y in lines(risks).get("optimal shrinkage", [])}
    cuts = {one.risk for one in model.tried_ if one.noise_std is None}
    weighed = {one.risk for one in model.tried_ if one.noise_std is not None}
    assert drawn == cuts
    assert shrunk == ({min(weighed)} if weighed else set())
    assert set(lines(risks)["noisy rows"]) == {model.noise_std_**2}
    star = next(line for line in risks.get_lines() if line.get_marker() == "*")
    assert list(star.get_ydata()) == [model.estimated_mse_]
    assert list(star.get_xdata()) in ([getattr(model, "gamma_", None)], [model.n_components_])
    assert star.get_label().startswith("chosen: ")
    for (left, right), (bottom, top) in [(risks.get_xlim(), risks.get_ylim())]:
        assert left < star.get_xdata()[0] < right
        assert bottom < model.estimated_mse_ < top
        assert bottom < min(drawn) <= max(drawn) < top


def test_a_choice_without_a_promise_is_marked_by_a_line(arcs):
    model = IKPCA(n_rff=60).fit(arcs[0])
    model.estimated_mse_ = None
    risks = draw_fit(model, "arcs").axes[1]
    chosen = next(line for line in risks.get_lines() if line.get_label().startswith("chosen"))
    assert set(chosen.get_xdata()) == {model.gamma_}


def test_fit_that_only_shrinks_draws_no_line(arcs):
    risks = draw_fit(PCA(shrink="optimal").fit(arcs[0]), "arcs").axes[1]
    assert not risks.containers
    assert "optimal shrinkage" in lines(risks)


def test_fit_without_a_choice_draws_the_spectrum_alone(arcs):
    model = PCA(2).fit(arcs[0])
    assert len(draw_fit(model, "arcs").axes) == 1


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_a_picture_owes_nothing_to_time_or_the_users_style(shown, tmp_path, suffix):
    for name in ("first", "second"):
        with matplotlib.rc_context({"axes.facecolor": "red" if name == "second" else "white"}):
            write_picture(f"{tmp_path}/{name}.{suffix}", lambda: draw_rows(shown), force=False)
    first = (tmp_path / f"first.{suffix}").read_bytes()
    assert first == (tmp_path / f"second.{suffix}").read_bytes()
    start = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[suffix]
    assert first.startswith(start)
    assert len(list(tmp_path.iterdir())) == 2
