"""Models that older versions wrote still clean rows as they did."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ikpca_cli.modelfile.storage import FORMAT, load_model, read_model, save_model

OLD = Path(__file__).parent / "old"
ROW = np.array([[-0.4, 0.8, 2.0]])
CLEANED = {
    1: {
        "ikpca": [-0.36052576562357175, 0.8091964267925285, 2.031336327150724],
        "ikpca_exact": [-0.3955556177105469, 0.8102842656270745, 1.9933750191498385],
        "kpca": [-0.4201185352831051, 0.913620199676497, 1.9021991061691113],
        "pca": [-0.3663098262315332, 0.8021679656678706, 2.0270788014311574],
    }
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


def test_every_format_before_this_one_has_a_file():
    assert set(CLEANED) == set(range(1, FORMAT))
