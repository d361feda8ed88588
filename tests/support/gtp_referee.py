"""A referee that lets an engine play against itself over GTP, with a clock for each side."""

import subprocess
import sys
import time
from dataclasses import dataclass, field


@dataclass
class Timed:
    """What a game took: each side's seconds, and the moves."""

    seconds: dict[str, float] = field(default_factory=lambda: {"b": 0.0, "w": 0.0})
    moves: list[str] = field(default_factory=list)


class Process:
    """`playout gtp` as a process of its own."""

    def __init__(self, spec: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "playout", "gtp", "--player", spec],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            bufsize=1,
        )

    def __enter__(self) -> "Process":
        return self

    def __exit__(self, *failure: object) -> None:
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()

    def ask(self, line: str) -> str:
        self.process.stdin.write(line + "\n")
        answer = list(iter(self.process.stdout.readline, "\n"))
        assert answer[0].startswith("="), f"{line}: {answer}"
        return "".join(answer)[1:].strip()


def play(
    engine: Process, settings: str, main: float, size: int = 9, tell: bool = True, most: int = 300
) -> Timed:
    """A game of the engine against itself with absolute time; it ends early when a side has used it up."""
    game = Timed()
    for line in (f"boardsize {size}", "clear_board", "komi 7.5", settings):
        engine.ask(line)
    passes = 0
    while passes < 2 and len(game.moves) < most and max(game.seconds.values()) <= main:
        side = "bw"[len(game.moves) % 2]
        if tell:
            engine.ask(f"time_left {side} {int(max(0, main - game.seconds[side]))} 0")
        began = time.monotonic()
        move = engine.ask(f"genmove {side}")
        game.seconds[side] += time.monotonic() - began
        game.moves.append(move)
        passes = passes + 1 if move == "pass" else 0
        if move == "resign":
            break
    return game
