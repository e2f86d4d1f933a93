"""The models of ikPCA, which differ in the pre-image, and which of them some arrays make."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Protocol, Self, TypeVar

from ikpca_cli.data.row_source import FloatArray


class PreimageModel(Protocol):
    """What leads centred rows into feature space and back, as it is kept in a model file.

    Attributes
    ----------
    FIELDS : dict
        Names of its arrays, and their dimensions; no two models have the same names.
    """

    FIELDS: ClassVar[dict[str, tuple[str, ...]]]

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Any], *, kernel: str, activation: str) -> Self:
        """Return the model of these arrays, of a kernel and an activation.

        Raises
        ------
        ValueError
            If arrays that are sound one by one make no model.
        """

    @property
    def ridge(self) -> float | None:
        """The ridge of the pre-image, None without one."""

    @property
    def second_gamma(self) -> float | None:
        """The gamma of a second kernel, None without one."""

    @property
    def component_noise(self) -> FloatArray | None:
        """Variance that the noise has along each component, (d,), where that is known."""

    @property
    def n_features(self) -> int:
        """Width of the rows."""

    @property
    def width(self) -> int:
        """Width of the widest intermediate array per row."""

    @property
    def takes_companions(self) -> bool:
        """Whether smoothers may be beside it."""

    def feature_count(self, n_samples: int) -> int | str:
        """Return the number of features, or the word for infinitely many, after so many rows."""

    def denoise(self, X: FloatArray) -> FloatArray:
        """Clean centred rows (n, p)."""

    def encode(self, X: FloatArray) -> FloatArray:
        """Return the latent codes (n, d) of centred rows (n, p)."""

    def distances(self, X: FloatArray, n_samples: int) -> FloatArray:
        """Return how far centred rows (n, p) are from the training rows, (n,).

        If they are among `n_samples` training rows, as others like them would be.
        """

    def denoise_and_compare(self, X: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Clean centred rows that the model was not fitted on, and return their distances, too."""

    def at_level(self, ratio: float) -> Self:
        """Return the model for noise that is so many times as loud as it was, where it can."""

    def variant(self, n_components: int, ridge: float | None) -> Self:
        """Return the model with fewer components, or another ridge where it has one."""


AnyModel = TypeVar("AnyModel", bound=PreimageModel)


def model_of(
    kinds: Sequence[type[AnyModel]], arrays: Mapping[str, Any], *, kernel: str, activation: str
) -> AnyModel | None:
    """Return the model that some arrays are those of, None if they are of none of these kinds.

    Parameters
    ----------
    kinds : sequence of type
    arrays : mapping
        By name, without those that are None.
    kernel, activation : str

    Raises
    ------
    ValueError
        If they are those of a model, but do not make one.
    """
    for kind in kinds:
        if arrays.keys() == kind.FIELDS.keys():
            return kind.from_arrays(arrays, kernel=kernel, activation=activation)
    return None
