"""Whether rows differ by nothing but noise, as far as anything in them tells.

Signal that is as strong in all directions, such as that of a table of unlike columns, is no other.
"""

from __future__ import annotations

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.noise.eigenvalues import Eigenvalues
from ikpca_cli.noise.evidence.neighbours import likeness_of_neighbours


def are_noise_alone(X: FloatArray) -> bool:
    """Tell whether centred rows (n, p) have no direction above noise, nor neighbours alike."""
    return Eigenvalues.of(X).reading(1.0)[1] == 0 and likeness_of_neighbours(X) == 0.0
