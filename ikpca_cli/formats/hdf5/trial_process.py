"""The process that opens doubtful HDF5 files before the one that needs them does.

It reads requests from standard input until that closes, and answers on standard output; a crash,
or the end of its patience, closes both.
"""

from __future__ import annotations

import faulthandler
import os
import pickle
import signal
import sys
import warnings

from ikpca_cli.formats.hdf5.hdf5_format import open_hdf5
from ikpca_cli.formats.hdf5.trial import DONE


def serve() -> None:
    """Open one file after the other, and answer where that came to an end, whatever it was."""
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the one who asks ends this process
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        while True:
            sys.stdout.buffer.write(DONE)
            sys.stdout.buffer.flush()
            try:
                file, options, seconds = pickle.load(sys.stdin.buffer)
            except EOFError:
                return
            # Its thread ends the process even while the library holds the interpreter.
            faulthandler.dump_traceback_later(seconds, exit=True, file=nowhere)
            try:
                with open_hdf5(file, options) as rows:
                    rows[0:1]
            except Exception:  # a reason to refuse it, which the one who asks finds as well
                pass
            finally:
                faulthandler.cancel_dump_traceback_later()
