"""A Dask cluster in place of this machine's cores."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ikpca_cli.errors import UsageError

_PATIENCE = 10  # seconds to wait for a scheduler, and for its first worker


@contextmanager
def cluster(address: str | None) -> Iterator[None]:
    """Let joblib run what is parallel on a Dask cluster; None changes nothing.

    Parameters
    ----------
    address
        The scheduler's, such as ``tcp://localhost:8786``.

    Raises
    ------
    UsageError
        If Dask is not installed, joblib is too old for it, or no scheduler with workers is there.
    """
    if address is None:
        yield
        return
    try:
        import distributed
    except ImportError:
        raise UsageError(
            "--cluster needs Dask, which is not installed: pip install 'ikpca-cli[cluster]'"
        ) from None
    from joblib.parallel import get_active_backend, parallel_config

    # Workers that come and go are what a cluster is for; what fails for good is raised.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    try:
        connect: Any = distributed.Client  # it has no types
        client = connect(address, timeout=_PATIENCE, set_as_default=False)
    except (OSError, ValueError, RuntimeError) as error:
        reason = " ".join(str(error).split())
        raise UsageError(f"--cluster {address}: no scheduler answers: {reason}") from error
    with client:
        try:
            client.wait_for_workers(1, timeout=_PATIENCE)
        except OSError as error:
            raise UsageError(
                f"--cluster {address}: has no workers; start some: dask worker {address}"
            ) from error
        with parallel_config(backend="dask", client=client, n_jobs=-1):
            if not get_active_backend()[0].supports_return_generator:
                raise UsageError("--cluster needs joblib 1.4 or later: pip install -U joblib")
            yield
