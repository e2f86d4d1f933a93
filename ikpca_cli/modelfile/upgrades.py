"""What model files of older formats hold, turned into what the newest one would."""

from __future__ import annotations

from typing import Any

import numpy as np

from ikpca_cli.modelfile.model_checks import FlawError
from ikpca_cli.models.companions import Companions
from ikpca_cli.models.smoothing.adaptive import ADAPTIVE

_TRUST = (
    "strength_",
    "removed_mse_",
    "withheld_",
    "constant_",
    "noise_rms_",
    "noise_model_",
    "column_stds_",
    "noise_covariance_",
    "gain_and_floor_",
    "relative_and_least_",
)
"""What format 3 added for every method, and older fits did without."""

_LATER = (
    "read_std_",
    "rough_mse_",
    "rough_mse_error_",
    "frequency_band_",
    "row_directions_",
    "spike_directions_",
    "spike_share_",
    "marks_",
)
"""What the first files of format 3 did without."""

_WITH_3 = {
    *_TRUST,
    *_LATER,
    *Companions.STATE,
    "feature_codes_",
    "expansion_",
    "mean_weights_",
}

_BLOCKS = slice(2, 4)
"""Weights of smoothers that this version has no more, of five, or of four without the last."""


def upgrade(content: dict[str, Any]) -> None:
    """Turn what a file of an older format holds into what the newest one would."""
    params, state = content["params"], content["state"]
    if type(params) is not dict or type(state) is not dict:
        return
    if state.pop("spike_limit_", None) is not None:
        raise FlawError("it finds spikes as only versions in development did")
    number = content["ikpca_format"]
    if number < 3 and (state.keys() & _WITH_3 or "replicates" in params):
        raise FlawError(f"it holds what no model of format {number} does")
    for name in _LATER:
        state.setdefault(name, None)
    if content["method"] == "ikpca":
        for name in Companions.STATE:
            if name.startswith("windows_"):
                state.setdefault(name, None)
    adaptive = state.get("smoothing_adaptive_")
    if isinstance(adaptive, np.ndarray) and adaptive.shape in ((4,), (5,)):
        if adaptive[_BLOCKS].any():
            raise FlawError("it shrinks bands of rows as only versions in development did")
        kept = np.delete(adaptive, _BLOCKS)
        state["smoothing_adaptive_"] = np.pad(kept, (0, len(ADAPTIVE) - len(kept)))
    if number < 2:
        _upgrade_to_2(content["method"], state)
    if number < 3:
        _rename(params, "one_signal", "replicates")
        _rename(state, "blend_", "expansion_")
        state.setdefault("feature_codes_", None)
        if content["method"] == "ikpca":
            for name in Companions.STATE:
                state.setdefault(name, None)
        _upgrade_to_3(content["method"], state)


def _upgrade_to_2(method: object, state: dict[str, Any]) -> None:
    state.setdefault("distance_limit_", None)
    if method == "ikpca":
        state.setdefault("sums_mean_", None)
        state.setdefault("scatter_", None)
    elif method == "kpca":
        variances = state.get("explained_variance_")
        if isinstance(variances, np.ndarray) and variances.ndim == 1:
            state.setdefault("weights_", np.ones(len(variances)))


def _rename(values: dict[str, Any], old: str, new: str) -> None:
    if old in values:
        values[new] = values.pop(old)


def _upgrade_to_3(method: object, state: dict[str, Any]) -> None:
    for name in _TRUST:
        state.setdefault(name, None)
    gammas = state.get("gammas_")
    if method == "ikpca" and (gammas is None or isinstance(gammas, np.ndarray)):
        state.setdefault("copies_", None if gammas is None else np.zeros(gammas.shape))
    means = state.get("gram_means_")
    if isinstance(means, np.ndarray) and means.ndim == 2:
        state.setdefault("mean_weights_", np.full(means.shape, 1.0 / max(means.shape[1], 1)))
    elif method == "ikpca":
        state.setdefault("mean_weights_", None)
