"""How much memory this process may still take, and what becomes of memory that it frees."""

from __future__ import annotations

import os
from pathlib import Path

from ikpca_cli.errors import InputError

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # of mallopt(3)


def available_bytes() -> int:
    """Return the free memory in bytes: the machine's, or the container's where that is less."""
    free = _available_on_machine()
    limit, used = (
        _number(Path("/sys/fs/cgroup") / name) for name in ("memory.max", "memory.current")
    )
    if limit is not None and used is not None:
        free = min(free, max(limit - used, 0))
    return free


def check_matrix(what: str, n_samples: int, remedy: str) -> None:
    """Refuse work on matrices of n x n numbers that do not fit in memory.

    Raises
    ------
    InputError
        If three of them, which the work takes, are larger than the memory that is free.
    """
    matrix, free = 8 * n_samples**2, available_bytes()
    if 3 * matrix > free:
        raise InputError(
            f"{what} needs a {readable_bytes(matrix)} kernel matrix (and twice that to work) "
            f"for {n_samples} rows, but {readable_bytes(free)} of memory are free: {remedy}"
        )


def readable_bytes(count: int) -> str:
    """Return a number of bytes in words, such as ``"1.5 GB"``."""
    size = float(count)
    for unit in ("bytes", "kB", "MB", "GB"):
        if size < 1000.0:
            return f"{size:.3g} {unit}"
        size /= 1000.0
    return f"{size:.4g} TB"


def keep_freed_memory() -> None:
    """Let the C library keep up to 256 MB that were freed, for the next array.

    It would give them back to the system at once and ask for them anew, page by page: a third of
    the time of a batch of small files. Only glibc can be told so; others stay as they are, and so
    does one that the user has set up by MALLOC_ variables or GLIBC_TUNABLES.
    """
    if any(name.startswith(("MALLOC_", "GLIBC_TUNABLES")) for name in os.environ):
        return
    import ctypes

    tell = getattr(ctypes.CDLL(None), "mallopt", None) if os.name == "posix" else None
    if tell is not None:
        tell(_TRIM_THRESHOLD, 2**28)
        tell(_MMAP_THRESHOLD, 2**25)  # the most that it takes


def _available_on_machine() -> int:
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    fields = {line.split(":")[0]: line.split()[1] for line in lines}
    return int(fields["MemAvailable"]) * 1024


def _number(path: Path) -> int | None:
    try:
        text = path.read_text(encoding="ascii").strip()
    except OSError:
        return None
    return int(text) if text.isdigit() else None
