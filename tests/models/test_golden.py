"""Every method reproduces published implementations on fixed data and features.

`tests/models/golden/*.npz` hold outputs of the ikPCA authors' implementation and of scikit-learn.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ikpca_cli import IKPCA, PCA, KernelPCA
from ikpca_cli.models.random_features import FourierFeatures
from tests.conftest import ROOT, SHARED

SMALL = ["scurve", "ridgeless"]
LARGE = ["usps", "ecg"]

# Some of these rows do not tell their noise level, on which nothing here depends.
pytestmark = pytest.mark.filterwarnings("ignore:the noise level:ikpca_cli.errors.IkpcaWarning")


@pytest.fixture(params=SMALL + LARGE, scope="module")
def golden(request):
    folder = ROOT / "tests/models/golden" if request.param in SMALL else SHARED / "reference"
    path = folder / f"{request.param}.npz"
    if not path.exists():
        pytest.skip("the larger reference outputs are not beside this checkout")
    with np.load(path) as data:
        return dict(data)


def expected(golden, method):
    """Return (number of components, output) pairs."""
    found = [
        (int(k.split("_")[1]), golden[k])
        for k in golden
        if k.startswith(f"{method}_") and k.split("_")[1].isdigit()
    ]
    assert found
    return found


def features(golden):
    # The reference features are cosines.
    return FourierFeatures(golden["W"], golden["b"] + np.pi / 2)


def close(actual, desired):
    assert_allclose(actual, desired, rtol=0, atol=1e-8 * np.abs(desired).max())


@pytest.mark.parametrize("solver", ["primal", "dual"])
def test_ikpca(golden, solver):
    for count, output in expected(golden, "ikpca"):
        model = IKPCA(count, gamma=golden["gamma"], ridge=golden["ridge"], solver=solver)
        model.fit(golden["train"], features=features(golden))
        close(model.denoise(golden["test"]), output)
        eigenvalues = golden["feature_eigenvalues"][:count]
        assert_allclose(model.explained_variance_[: len(eigenvalues)], eigenvalues, rtol=1e-8)


def test_kpca(golden):
    for count, output in expected(golden, "kpca"):
        model = KernelPCA(count, gamma=golden["kpca_gamma"], ridge=golden["kpca_ridge"])
        close(model.fit(golden["train"]).denoise(golden["test"]), output)


def test_pca(golden):
    for count, output in expected(golden, "pca"):
        close(PCA(count).fit(golden["train"]).denoise(golden["test"]), output)


def test_angles_far_from_zero_are_in_the_references():
    with np.load(ROOT / "tests/models/golden/ridgeless.npz") as golden:
        angles = (golden["test"] - golden["train"].mean(axis=0)) @ golden["W"].T + golden["b"]
    assert np.abs(angles).max() > 5 * np.pi


def test_variants_of_one_fit_equal_fits_of_their_own(golden):
    (few, few_output), *_, (many, _) = expected(golden, "ikpca")
    model = IKPCA(many, gamma=golden["gamma"], ridge=golden["ridge"] + 1.0)
    model.fit(golden["train"], features=features(golden))
    close(model.variant(few, float(golden["ridge"])).denoise(golden["test"]), few_output)
    (few, few_output), *_, (many, _) = expected(golden, "kpca")
    kernel = KernelPCA(many, gamma=golden["kpca_gamma"], ridge=1.0).fit(golden["train"])
    close(kernel.variant(few, float(golden["kpca_ridge"])).denoise(golden["test"]), few_output)
