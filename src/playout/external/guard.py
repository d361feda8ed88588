"""No engine outlives us: a small process that kills what we have started when we are no longer there.

Ctrl-C and errors are for our own clean-up. A SIGKILL leaves nobody to clean up, and an engine that is busy
or hangs does not notice that its input has ended. So the first engine gets us a guard. It knows the
process groups that we have started, and its input ends when we do, whatever ends us.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading

_SCRIPT = """
import os, signal, sys
groups = set()
for line in sys.stdin:
    (groups.add if line[0] == "+" else groups.discard)(int(line[1:]))
for group in groups:
    try:
        os.killpg(group, signal.SIGKILL)
    except OSError:
        pass
"""

_lock = threading.RLock()  # a forgotten engine may be collected in the middle of `_tell`
_guard: subprocess.Popen[bytes] | None = None
_owner = 0  # the process that the guard watches: a fork needs one of its own


def watch(group: int) -> None:
    """Let a process group die with us."""
    _tell(f"+{group}\n")


def release(group: int) -> None:
    """It has ended; its number may soon be somebody else's."""
    _tell(f"-{group}\n")


def _tell(line: str) -> None:
    global _guard, _owner
    if not hasattr(os, "killpg") or not sys.executable:
        return
    with _lock, contextlib.suppress(OSError):  # without a guard engines still play
        if _guard is None or _owner != os.getpid():
            _guard = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", _SCRIPT],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # out of Ctrl-C's reach
                bufsize=0,
            )
            _owner = os.getpid()
        assert _guard.stdin is not None
        _guard.stdin.write(line.encode())
