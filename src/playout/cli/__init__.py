"""The command line: what a command does is elsewhere; how it ends is here.

Exit codes: 0 done, 2 wrong input (one sentence on stderr), 1 anything else, 130 after Ctrl-C.
"""

from __future__ import annotations

import _thread
import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from types import FrameType

from playout.errors import InputError
from playout.external import silence

IMPORTING = "<frozen importlib._bootstrap>"  # the file of a frame that imports a module
DONE, FAILED, WRONG_INPUT, INTERRUPTED = 0, 1, 2, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the exit code."""
    try:
        with _keeping_interrupts(), silence.told(_note):
            code = _run(arguments)
        if sys.stdout is not None:  # None where it was closed before we began
            sys.stdout.flush()
        return code
    except InputError as error:
        return _say(str(error), WRONG_INPUT)
    except KeyboardInterrupt:
        return _say("stopped", INTERRUPTED)
    except BrokenPipeError:
        # Whoever read our output has gone; the interpreter must not try to write the rest at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except OSError as error:
        where = f": {error.filename}" if error.filename else ""
        return _say(f"{error.strerror or error}{where}", FAILED)


@contextlib.contextmanager
def _keeping_interrupts() -> Iterator[None]:
    """Let no Ctrl-C get lost.

    Where it hits Python code that a C library has called back, as LLVM does while it compiles, it cannot
    be raised: Python reports it to a hook and goes on. Where it hits a module that is being imported,
    other people's code may catch it with everything else. Then it comes again a moment later.
    """
    before = sys.unraisablehook
    waiting = False

    def hook(report: sys.UnraisableHookArgs) -> None:
        if issubclass(report.exc_type, KeyboardInterrupt):
            _interrupt_again()
        elif not str(getattr(report.object, "__module__", "")).startswith("llvmlite"):
            before(report)  # llvmlite's objects complain when they are taken down half built

    def interrupt(number: int, frame: FrameType | None) -> None:
        nonlocal waiting
        while frame is not None:
            if frame.f_code.co_filename == IMPORTING:
                waiting = True
                _interrupt_again()
                return
            frame = frame.f_back
        waiting = False
        raise KeyboardInterrupt

    sys.unraisablehook = hook
    ours = (
        threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    )
    if ours:
        signal.signal(signal.SIGINT, interrupt)
    try:
        yield
        if waiting:  # the command has ended meanwhile
            raise KeyboardInterrupt
    finally:
        if ours:
            signal.signal(signal.SIGINT, signal.default_int_handler)


def _interrupt_again() -> None:
    """Send it to the main thread, so that whatever waits there wakes up."""
    main = threading.main_thread().ident
    if hasattr(signal, "pthread_kill") and main is not None:
        again = threading.Timer(0.05, signal.pthread_kill, (main, signal.SIGINT))
    else:
        again = threading.Timer(0.05, _thread.interrupt_main)
    again.daemon = True
    again.start()


def _run(arguments: Sequence[str] | None) -> int:
    """Let typer find the command; its complaints become one sentence, as ours are."""
    import typer

    from playout.cli.app import app

    try:
        code = app(args=None if arguments is None else list(arguments), standalone_mode=False)
    except typer.Abort as stop:
        raise KeyboardInterrupt from stop
    except Exception as error:
        if not hasattr(error, "format_message"):
            raise
        return _complain(error)
    if code == INTERRUPTED:  # typer's answer to Ctrl-C
        return _say("stopped", INTERRUPTED)
    return code if isinstance(code, int) else DONE


def _complain(error: Exception) -> int:
    """Say in one sentence what is wrong with the words on the command line."""
    context = getattr(error, "ctx", None)
    message = " ".join(error.format_message().split()).split(", unable to parse")[0]  # type: ignore[attr-defined]
    if type(error).__name__ == "NoArgsIsHelpError":
        print(error.format_message(), file=sys.stderr)  # type: ignore[attr-defined]
        return WRONG_INPUT
    help_line = f" ({context.command_path} --help shows how)" if context is not None else ""
    message = message.rstrip(".")
    return _say(message[:1].lower() + message[1:] + help_line, WRONG_INPUT)


def _note(words: str) -> None:
    """Say something while a command goes on."""
    _say(words, DONE)


def _say(sentence: str, code: int) -> int:
    with contextlib.suppress(OSError, ValueError):
        print(f"playout: {sentence}", file=sys.stderr, flush=True)
    return code
