"""All randomness of the tool: one seed, and a stream for each use."""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from ikpca_cli.errors import UsageError

_SALT = 0x696B7063615F77  # "ikpca_w"


class Stream(IntEnum):
    """What random numbers are for. A number is never used again for something else."""

    FREQUENCIES = 0
    OFFSETS = 1
    SAMPLE = 2
    PROBE = 3
    DIRECTIONS = 4
    FEATURE_NOISE = 5
    CODE_NOISE = 6
    LANDMARKS = 7
    FLAT_SURFACES = 8
    SPLIT = 10
    ADDED_NOISE = 11
    EVALUATION_PROBE = 12
    FILE_PROBE = 14
    FILE_SAMPLE = 15
    MODEL_PROBE = 16
    MIXTURE = 17
    WINDOWS = 18
    MISSING = 19
    SHUFFLED_COLUMNS = 20
    BEATS = 21
    PHASES = 22
    PHASE_PROBE = 23
    ROW_WINDOWS = 24


def model_rng(seed: int, stream: Stream) -> np.random.Generator:
    """Return the generator for one kind of the model's own randomness.

    A user who makes noise with ``default_rng(0)`` and fits with ``seed=0`` must not get random
    features that equal the noise, so the seed is mixed with a salt that nobody types by chance.

    Raises
    ------
    UsageError
        If `seed` is negative, or beyond 127 bits.
    """
    if seed < 0:
        raise UsageError(f"seed {seed} is negative: use 0 or a positive whole number")
    if seed >= 2**127:
        raise UsageError(f"seed {seed} is too large: use a smaller number")
    return np.random.default_rng(np.random.SeedSequence([_SALT, seed], spawn_key=(int(stream),)))
