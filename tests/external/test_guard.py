"""The guard: whatever ends us, no engine is left behind."""

import os
import signal
import subprocess
import sys
import textwrap

import pytest
from places import SUPPORT
from processes import is_running, wait_until_gone

ZOO = SUPPORT / "zoo.py"


def program(*lines: str) -> subprocess.Popen:
    """A program that starts engines; it prints their numbers and waits."""
    code = textwrap.dedent(f"""
        import shlex, sys, time
        from playout.external import guard
        from playout.gtp.client import Engine
        def start(kind):
            engine = Engine([sys.executable, "-S", "-E", {str(ZOO)!r}, kind])
            engine.ask("name")
            print(engine._process.pid, flush=True)
            return engine
    """)
    return subprocess.Popen(
        [sys.executable, "-c", code + "\n".join(lines) + "\nprint(flush=True); time.sleep(100)"],
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
def test_engines_that_hear_nothing_die_with_us(end):
    with program("a, b = start('deaf'), start('deaf')", "print(guard._guard.pid)") as process:
        numbers = [int(line) for line in iter(process.stdout.readline, "\n")]
        assert len(numbers) == 3
        assert all(map(is_running, numbers))
        os.kill(process.pid, end)
    for number in numbers:  # the guard itself too
        wait_until_gone(number)


def test_what_the_guard_is_told(monkeypatch):
    from playout.external import guard
    from playout.gtp.client import Engine

    told = []
    monkeypatch.setattr(guard, "_tell", told.append)
    engine = Engine([sys.executable, "-S", "-E", str(ZOO), "sound"])
    number = engine._process.pid
    assert told == [f"+{number}\n"]
    engine.close()
    assert told == [f"+{number}\n", f"-{number}\n"]


def test_without_a_guard_engines_still_play(monkeypatch):
    from playout.external import guard
    from playout.gtp.client import Engine

    def fail(*words, **options):
        raise OSError("no more processes")

    monkeypatch.setattr(guard, "_guard", None)
    with Engine([sys.executable, "-S", "-E", str(ZOO), "sound"]) as engine:
        monkeypatch.setattr(guard, "_guard", None)
        monkeypatch.setattr(guard.subprocess, "Popen", fail)
        guard.watch(1)
        assert engine.ask("name") == "Zoo sound"
        monkeypatch.undo()
