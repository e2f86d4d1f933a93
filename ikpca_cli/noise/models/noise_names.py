"""Names of noise models, for what must not load them."""

from typing import Final

NOISE_MODELS: Final = ("white", "columns", "counts", "correlated", "rows")
"""What noise may be like; a model file holds the place of a name here."""
