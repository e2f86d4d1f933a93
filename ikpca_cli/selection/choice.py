"""What a choice of parameters is: values for a fit, and what they promise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from ikpca_cli.data.row_source import FloatArray

Auto: TypeAlias = Literal["auto"]
"""The value of a parameter that is to be chosen."""


@dataclass(frozen=True)
class Choice:
    """Parameters for a fit, and what they promise.

    Attributes
    ----------
    params : dict
        Every parameter that the fit needs.
    risk, error : float or None
        Estimated mean squared error after cleaning, and its standard error; None where nothing was
        chosen.
    tried : tuple of Choice
        What was compared.
    """

    params: dict[str, Any]
    risk: float | None = None
    error: float | None = None
    tried: tuple[Choice, ...] = ()

    @property
    def is_impossible(self) -> bool:
        """Whether the estimated risk is below zero by more than chance would have it."""
        return self.risk is not None and self.risk < -3.0 * (self.error or 0.0)


@dataclass(frozen=True)
class Oracle:
    """Noisy rows (m, p) and their clean versions, (m, p) or (p,): what a user does not have."""

    noisy: FloatArray
    clean: FloatArray


def usable_noise_std(noise_std: float | None, rows: FloatArray) -> float:
    """Return the noise level, or a cautious tenth of the centred rows' spread if it is unknown."""
    return noise_std or 0.1 * float(np.sqrt(np.mean(rows**2)))
