"""Models that older versions wrote still clean rows as they did."""

from __future__ import annotations

from pathlib import Path

import joblib
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from ikpca_cli.errors import ModelError
from ikpca_cli.estimators.ikpca import IKPCA
from ikpca_cli.estimators.pca import PCA
from ikpca_cli.modelfile.checksum import checksum
from ikpca_cli.modelfile.model_file import FORMAT, read_model
from ikpca_cli.modelfile.storage import load_model, save_model
from ikpca_cli.models.smoothing.row_windows import WindowModel

OLD = Path(__file__).parent / "old"
ROW = np.array([[-0.4, 0.8, 2.0]])
CLEANED = {
    1: {
        "ikpca": [-0.36052576562357175, 0.8091964267925285, 2.031336327150724],
        "ikpca_exact": [-0.3955556177105469, 0.8102842656270745, 1.9933750191498385],
        "kpca": [-0.4201185352831051, 0.913620199676497, 1.9021991061691113],
        "pca": [-0.3663098262315332, 0.8021679656678706, 2.0270788014311574],
    },
    2: {
        "ikpca": [-0.26924342976955734, 0.7904970778610232, 2.030587560372737],
        "ikpca_refined": [-0.4033171558523331, 0.8576064355976274, 2.0125308968969913],
        "ikpca_exact": [-0.42243060599886095, 0.857986610810217, 2.0143678595775922],
        "kpca": [-0.4118556213612412, 0.8999706748570164, 2.0076386175932144],
        "pca": [-0.3570527114176938, 0.8026072662747055, 2.0351982758253127],
    },
}
CASES = [(number, name) for number, names in CLEANED.items() for name in names]


@pytest.mark.parametrize(("number", "name"), CASES)
def test_old_models_are_read(number, name, tmp_path):
    path = OLD / f"format{number}_{name}.joblib"
    assert read_model(str(path)).format == number
    model = load_model(str(path))
    assert_allclose(model.denoise(ROW), [CLEANED[number][name]], rtol=1e-12)
    save_model(str(tmp_path / "new.joblib"), model)
    assert read_model(str(tmp_path / "new.joblib")).format == FORMAT
    assert_allclose(load_model(str(tmp_path / "new.joblib")).denoise(ROW), model.denoise(ROW))


def test_the_checksum_is_that_of_what_the_file_holds(tmp_path):
    path = str(tmp_path / "model.joblib")
    save_model(path, PCA(2, noise_std=0.5).fit(np.random.default_rng(3).normal(size=(30, 4))))
    content = joblib.load(path)
    del content["state"]["frequency_band_"]  # as in the first files of this format
    content["checksum"] = checksum(content)
    joblib.dump(content, path)
    assert load_model(path).frequency_band_ is None


def test_models_with_other_smoothers_are_read_where_these_took_no_part(tmp_path):
    t = np.linspace(0.0, 6.0, 20) + np.random.default_rng(2).uniform(0.0, 6.0, (60, 1))
    rows = np.sin(t) + np.random.default_rng(3).normal(scale=0.3, size=t.shape)
    path = str(tmp_path / "model.joblib")
    save_model(path, IKPCA(noise_std=0.3).fit(rows))
    content = joblib.load(path)
    # As in the first files of this format, which had blocks but no non-local means.
    content["state"]["smoothing_adaptive_"] = np.array([0.1, 0.2, 0.0, 0.0])
    for name in WindowModel.FIELDS:
        del content["state"][f"windows_{name}_"]
    content["checksum"] = checksum(content)
    joblib.dump(content, path)
    kept = load_model(path).companions_
    assert_array_equal(kept.smoothing.adaptive, [0.1, 0.2, 0.0])
    assert kept.windows is None
    content["state"]["smoothing_adaptive_"] = np.array([0.1, 0.2, 0.3, 0.0])
    content["checksum"] = checksum(content)
    joblib.dump(content, path)
    with pytest.raises(ModelError, match="only versions in development"):
        load_model(path)


def test_every_format_before_this_one_has_a_file():
    assert set(CLEANED) == set(range(1, FORMAT))
