"""A Dask cluster in place of this machine's cores."""

from __future__ import annotations

import _thread
import logging
import pkgutil
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from ikpca_cli.errors import IkpcaError, UsageError
from ikpca_cli.version import __version__

_PATIENCE = 10  # seconds to wait for a scheduler, and for its first worker

LONELY = 20.0
"""Seconds without any worker after which a cluster counts as lost."""

_VERSION = "ikpca_cli.version:__version__"

_INTERVAL = 2.0  # seconds between looks at the cluster


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
    IkpcaError
        If scheduler or all workers are lost meanwhile.
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
    try:  # a client of no address at all would wait, and complain when it is left
        parts: Any = distributed.comm.addressing
        parts.get_address_host_port(address)
    except (ValueError, NotImplementedError) as error:
        reason = " ".join(str(error).split())
        raise UsageError(
            f"--cluster {address}: is no address of a scheduler, such as tcp://HOST:8786 ({reason})"
        ) from error
    # Workers that come and go are what a cluster is for; what fails for good is raised.
    logging.disable(logging.ERROR)
    try:
        connect: Any = distributed.Client  # it has no types
        client = connect(address, timeout=_PATIENCE, set_as_default=False)
    except (OSError, ValueError, RuntimeError) as error:
        reason = " ".join(str(error).split())
        raise UsageError(
            f"--cluster {address}: no scheduler answers ({reason}); start one first"
        ) from error
    try:
        with _watched(client, address):
            yield from _connected(client, address)
    finally:
        client.close(timeout=_INTERVAL)


def _connected(client: Any, address: str) -> Iterator[None]:
    """Yield once, while joblib's active backend is the cluster of a client."""
    from joblib.parallel import get_active_backend, parallel_config

    try:
        client.wait_for_workers(1, timeout=_PATIENCE)
    except OSError as error:
        raise UsageError(
            f"--cluster {address}: has no workers; start some: dask worker {address}"
        ) from error
    check_workers(client, address)
    with parallel_config(backend="dask", client=client, n_jobs=-1):
        if not get_active_backend()[0].supports_return_generator:
            raise UsageError("--cluster needs joblib 1.4 or later: pip install -U joblib")
        yield


def check_workers(client: Any, address: str) -> None:
    """Refuse a cluster that cannot import this version of ikpca: its tasks would never end.

    Raises
    ------
    UsageError
    """
    workers = client.run(pkgutil.resolve_name, _VERSION, on_error="return")
    try:
        own: Any = client.run_on_scheduler(pkgutil.resolve_name, _VERSION)
    except (ImportError, AttributeError) as error:
        own = error
    for name, version in {"the scheduler": own, **workers}.items():
        if not isinstance(version, str):
            raise UsageError(
                f"--cluster {address}: {name} cannot import ikpca: install it on all machines of "
                "the cluster, and start scheduler and workers again"
            )
        if version != __version__:
            raise UsageError(
                f"--cluster {address}: {name} has ikpca {version}, and here is {__version__}: "
                "install the same on all machines"
            )


class _LostError(Exception):
    """Raised in the main thread where it waits for a cluster that is gone."""


@contextmanager
def _watched(client: Any, address: str) -> Iterator[None]:
    """Raise in the main thread, which calls this, if a cluster is lost: Dask would wait for ever.

    Raises
    ------
    IkpcaError
    """
    over, reason = threading.Event(), ""

    def watch() -> None:
        nonlocal reason
        seen = time.monotonic()
        while not over.wait(_INTERVAL):
            trouble = _trouble(client)
            if not trouble:
                seen = time.monotonic()
            elif time.monotonic() - seen > LONELY:
                reason = trouble
                _thread.interrupt_main(signal.SIGUSR1)
                return

    def give_up(*_: object) -> NoReturn:
        raise _LostError

    before = signal.signal(signal.SIGUSR1, give_up)
    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    except Exception as error:
        reason = reason or _trouble(client)
        if isinstance(error, IkpcaError) or not reason:
            raise
        raise IkpcaError(
            f"--cluster {address}: {reason}: start it again and repeat the command"
        ) from error
    finally:
        over.set()
        signal.signal(signal.SIGUSR1, before)


def _trouble(client: Any) -> str:
    """Return what is wrong with a cluster; nothing if it has a worker."""
    try:
        known = client.sync(client.scheduler.identity, callback_timeout=_PATIENCE)
    except Exception:  # of whatever kind: closed, timed out, not running
        return "its scheduler is gone"
    return "" if known["workers"] else "all its workers are gone"
