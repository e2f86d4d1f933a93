"""Requests from outside that a process end, and the promise that it does so in time.

Python answers a signal between two steps of the main thread, and at its end waits for its other
threads: a matrix being decomposed in either delays that by seconds. So a thread of its own is told
of signals by the C handler, gives the main thread a moment to undo what it is at, and else ends the
process itself. What unwound in time ends the process at once as well: a thread that wakes while the
interpreter is taken apart may abort it.
"""

from __future__ import annotations

import os
import select
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NoReturn

PATIENCE = 1.0
"""Seconds that unwinding may take after a signal; a second one ends it at once."""

FIRST = 128
"""The exit code of a signal is its number above this one."""

INTERRUPTED = "interrupted: no output was left half-written"

told = threading.Event()
"""Set by what writes the line of an interrupt, so that it is written once."""

_discards: list[Callable[[], object]] = []


def on_request_to_end(handler: Callable[[int, Any], object] | signal.Handlers) -> None:
    """Call a handler for SIGTERM and SIGHUP, where there are such signals.

    One that is ignored from the start, as by nohup, stays so.
    """
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, handler)


def interrupt_once() -> None:
    """Let the first SIGINT interrupt the main thread, and no other: it may be ending already.

    What watches (`end_in_time`) hears the others as well. An interrupt that is ignored from the
    start stays so.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupt)


def _interrupt(_number: int, _frame: object) -> NoReturn:
    signal.signal(signal.SIGINT, lambda *_: None)
    raise KeyboardInterrupt


def end_in_time(discard: Callable[[], object]) -> None:
    """From now on end the process, with 128 + the signal's number, soon after a signal to end.

    Call it from the main thread, once, after the handlers are set.

    Parameters
    ----------
    discard
        Removes what is half-written. It may run beside the main thread.
    """
    _discards.append(discard)
    ours, theirs = os.pipe()
    os.set_blocking(theirs, False)
    signal.set_wakeup_fd(theirs, warn_on_full_buffer=False)
    threading.Thread(target=_watch, args=(ours,), daemon=True).start()


def ask_no_more(*, is_asked: bool) -> None:
    """Let no interrupt hide that the work is done, and nothing wake the thread that watches.

    Parameters
    ----------
    is_asked
        Whether the process is to end by a signal already, which others must not hide either.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    on_request_to_end(signal.SIG_IGN if is_asked else signal.SIG_DFL)


def end_now(code: int) -> NoReturn:
    """End the process, without what is half-written and without waiting for threads."""
    _discard_all()
    os._exit(code)


def _discard_all() -> None:
    for discard in _discards:
        discard()


def _watch(pipe: int) -> None:
    number = _next_request(pipe)
    if select.select([pipe], [], [], PATIENCE)[0]:
        _next_request(pipe)
    _discard_all()
    if number == signal.SIGINT and not told.is_set():
        with suppress(OSError):
            os.write(2, f"{INTERRUPTED}\n".encode())
    os._exit(FIRST + number)


def _next_request(pipe: int) -> int:
    """Wait for a signal to end, and return its number; others have handlers that do all."""
    while True:
        number = os.read(pipe, 1)[0]
        if signal.Signals(number).name in ("SIGINT", "SIGTERM", "SIGHUP"):
            return number
