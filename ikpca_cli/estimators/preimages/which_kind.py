"""Which kind of pre-image a fit has."""

from __future__ import annotations

from ikpca_cli.estimators.preimages.arcsine_kind import ArcsineKind
from ikpca_cli.estimators.preimages.exact_kind import ExactKind, fits_whole
from ikpca_cli.estimators.preimages.gauss_newton_kind import GaussNewtonKind
from ikpca_cli.estimators.preimages.kind import Asked, Kind
from ikpca_cli.models.kernels.kernel import is_smooth


def kind_of(asked: Asked, n_samples: int) -> Kind:
    """Return the kind of pre-image for so many rows, see `IKPCA` for what is "auto"."""
    published = asked.inverse == "paper" or (
        asked.inverse == "auto" and (asked.ridge != "auto" or not is_smooth(asked.kernel))
    )
    limit = asked.n_rff in ("exact", "landmarks")
    if asked.features is not None or (published and not limit):
        return ArcsineKind(asked)
    if isinstance(asked.n_rff, int):
        return GaussNewtonKind(asked)
    whole = asked.n_rff == "exact" or fits_whole(n_samples)
    return ExactKind(asked, on_landmarks=not whole)
