"""Requests from outside that a process end."""

from __future__ import annotations

import signal
from collections.abc import Callable
from typing import Any


def on_request_to_end(handler: Callable[[int, Any], object]) -> None:
    """Call a handler for SIGTERM and SIGHUP, where there are such signals.

    One that is ignored from the start, as by nohup, stays so.
    """
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, handler)
