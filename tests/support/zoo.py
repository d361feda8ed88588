"""A zoo of engines, good and bad: ``python zoo.py KIND [FIRST]`` misbehaves at its genmove number FIRST (2).

sound     plays and passes, as one should
crasher   dies with a word on stderr
killed    is ended by a signal
hanger    never answers again
illegal   plays where a stone stands
elsewhere plays off the board
garbage   answers what is no move
gibberish answers what is no GTP
slow      talks letter by letter
deaf      hears neither quit nor the end of its input
closer    closes its output, and lives on
flooder   talks without end, and answers nothing
refuser   does not take the board
mute      never answers anything after its name
dead      ends as soon as the game begins

The last three are good at FIRST 0, the seed of those who only ask whether an engine can play.
"""

import os
import signal
import subprocess
import sys
import time

NEVER_PLAY = ("refuser", "mute", "dead")
PERIOD = 0.03  # seconds a letter, of one that talks slowly


def say(text: str, slowly: bool) -> None:
    """An answer."""
    for piece in text if slowly else [text]:
        sys.stdout.write(piece)
        sys.stdout.flush()
        if slowly:
            time.sleep(PERIOD)


def misbehave(kind: str, number: str, stones: list[str]) -> str | None:
    """What this kind does instead of a move: an answer, or something worse."""
    print(f"this is the {kind}", file=sys.stderr, flush=True)
    if kind == "crasher":
        raise SystemExit(3)
    if kind == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if kind == "hanger":
        subprocess.Popen(["sleep", "1000"])  # and it has a child
        time.sleep(1000)
    if kind == "gibberish":
        print("banana\n\n!!\n", flush=True)
        time.sleep(1000)
    if kind == "closer":
        os.close(1)
        time.sleep(1000)
    if kind == "flooder":
        while True:
            print("I think, therefore", flush=True)
    return {"illegal": (stones or ["A1"])[-1], "elsewhere": "Z99", "garbage": "to be or not to be"}.get(kind)


def main(kind: str, first: int = 2) -> None:
    """Talk GTP, after a fashion."""
    size, stones, asked = 9, list[str](), 0
    if kind in NEVER_PLAY and first == 0:
        kind = "sound"
    if kind == "deaf":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    for line in sys.stdin:
        number, name, *rest = line.split() if line.strip() else ["", ""]
        answer, status = "", "="
        if name == "name":
            answer = f"Zoo {kind}"
        elif name == "version":
            answer = "1"
        elif kind == "mute" and name != "quit":
            time.sleep(1000)
        elif kind == "dead":
            raise SystemExit(1)
        elif name == "boardsize":
            size = int(rest[0])
            if kind == "refuser":
                answer, status = "unacceptable size", "?"
        elif name == "clear_board":
            stones, asked = [], 0
        elif name == "play":
            stones.append(rest[1].upper())
        elif name == "genmove":
            asked += 1
            answer = (misbehave(kind, number, stones) if asked >= first else None) or move(
                stones, size, asked
            )
            stones.append(answer)
        say(f"{status}{number} {answer}\n\n", kind == "slow")
        if name == "quit" and kind != "deaf":
            return
    while kind == "deaf":
        time.sleep(1000)


def move(stones: list[str], size: int, asked: int) -> str:
    """A point where nobody has played yet; after some of them a pass."""
    points = (f"{column}{row + 1}" for row in range(size) for column in "ABCDEFGHJKLMNOPQRST"[:size])
    free = [point for point in points if point not in stones]
    return free[len(free) // 2] if free and asked < 6 else "pass"


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
