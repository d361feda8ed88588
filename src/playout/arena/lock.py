"""One process at a time writes a run."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from playout.errors import InputError


class Lock:
    """Held by the one process that may write a run; the system lets go of it when the process dies."""

    def __init__(self, path: str | Path) -> None:
        # Not the run itself: closing another handle of it would take SQLite's own locks away.
        self._path = f"{os.path.abspath(path)}.lock"
        self._handle: int | None = None
        try:
            import fcntl
        except ImportError:  # no such locks here
            return
        while self._handle is None:
            handle = -1
            try:
                handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                # else whoever held it has just taken the file away: once more
                if os.path.exists(self._path) and os.path.samestat(os.fstat(handle), os.stat(self._path)):
                    self._handle = handle
            except BlockingIOError:
                raise InputError(f"another process is at work on the run {str(path)!r}") from None
            except OSError as error:
                raise InputError(f"the run {str(path)!r} cannot be opened: {error.strerror}") from None
            finally:  # after Ctrl-C too
                if handle >= 0 and self._handle is None:
                    os.close(handle)

    def __del__(self) -> None:
        self.release()

    def release(self) -> None:
        """Let others in."""
        handle, self._handle = self._handle, None
        if handle is not None:
            with contextlib.suppress(OSError):
                os.unlink(self._path)
            os.close(handle)
