"""A recording and a picture before and after, beside what they should be where that is known."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from ikpca_cli.plots.stretch import Stretch
from ikpca_cli.plots.stretches import draw_stretch
from ikpca_cli.plots.style import number


def stretch(shape, *, image, clean):
    values = np.random.default_rng(2).normal(size=(3, *shape))
    found = Stretch(values[0], values[1], 11, 90, image, "x.csv")
    if not clean:
        return found
    return Stretch(
        *(values[0], values[1], 11, 90, image, "x.csv"), clean=values[2], errors=(1.0, 1234.5)
    )


@pytest.mark.parametrize("clean", [False, True])
def test_the_clean_recording_is_drawn_where_it_is_known(clean):
    shown = stretch((40, 2), image=False, clean=clean)
    figure = draw_stretch(shown)
    upper = figure.axes[2]  # the second channel
    drawn = {line.get_label(): line.get_ydata() for line in upper.get_lines()}
    assert ("clean" in drawn) == clean
    assert_array_equal(drawn["denoised"], shown.cleaned[:, 1])
    if clean:
        assert_array_equal(drawn["clean"], shown.clean[:, 1])
    ends = "; RMS error of all 1 before, 1230 after" if clean else "samples 11 to 50 of 90"
    assert figure.get_suptitle().endswith(ends)


@pytest.mark.parametrize("clean", [False, True])
def test_pictures_have_one_scale_and_bars(clean):
    shown = stretch((12, 16), image=True, clean=clean)
    figure = draw_stretch(shown)
    images = {axes.get_title(): axes.get_images()[0] for axes in figure.axes if axes.get_images()}
    names = ["noisy", "denoised", *(["clean"] if clean else []), "removed"]
    assert list(images) == names
    assert len(figure.axes) == len(names) + 2  # a bar for the pixels, one for what was removed
    limits = {images[name].get_clim() for name in names[:-1]}
    assert limits == {(shown.noisy.min(), shown.noisy.max())}
    low, high = images["removed"].get_clim()
    assert low == -high


def test_numbers_have_an_exponent_only_where_they_need_one():
    assert [number(value) for value in (1586.0, 20090.0, 0.00123, 2.07e-10)] == [
        "1590",
        "20100",
        "0.00123",
        "2.07e-10",
    ]


def test_evaluate_draws_the_clean_recording_and_its_labels(cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(5)
    clean = np.sin(np.arange(900) / 9.0)[:, None] * [1.0, 2.0]
    np.save("clean.npy", clean)
    np.save("noisy.npy", clean + 0.2 * rng.normal(size=clean.shape))
    cli("fit", "noisy.npy", "--window", "32")
    words = ["evaluate", "model.joblib", "noisy.npy", "--clean", "clean.npy", "--plot", "p.svg"]
    cli(*words, "--x-label", "hours of day")
    text = (tmp_path / "p.svg").read_text()
    for word in ("<!-- clean", "; RMS error of all", "<!-- hours of day"):
        assert word in text
