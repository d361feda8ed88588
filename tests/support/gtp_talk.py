"""Talking to a GTP server: in a call, over streams, over pipes as a GUI does."""

import io
import os
import re
import threading

from playout.games.go.board import Board
from playout.games.go.state import PASS
from playout.gtp.server import Server
from playout.player.api import Player
from playout.player.clock import Clock


def say(server: Server, *lines: str) -> str:
    """Send lines; the last answer's text. All must succeed."""
    text = ""
    for line in lines:
        text = server.execute(line)
        assert text.startswith("="), f"{line}: {text}"
    return text[1:].strip(" ")


def position(server: Server) -> list[str]:
    """All that a controller can see of the game."""
    asked = ("showboard", "move_history", "get_komi", "query_boardsize", "get_handicap", "playout-get-param")
    return [server.execute(line) for line in asked]


def converse(server: Server, text: bytes) -> str:
    """What the server writes for what it reads."""
    out = io.BytesIO()
    server.serve(io.BytesIO(text), out)
    return out.getvalue().decode()


_MOVE = re.compile(r"(.*?) pv ((?:(?:pass|[A-Z]\d+)(?:\s+|$))+)(?:(?:rootInfo|ownership) .*)?")


def parse_infos(line: str) -> list[dict[str, str]]:
    """The moves of a line of analysis, by GUIs' way: keys and values, the line of moves last."""
    found = []
    for part in re.split(r"\s*info\s+", line)[1:]:
        head, pv = _MOVE.fullmatch(part).groups()
        words = head.split()
        found.append(dict(zip(words[::2], words[1::2], strict=True)) | {"pv": pv.strip()})
    return found


def parse_root(line: str) -> dict[str, str]:
    """What a line says of the whole search."""
    words = line.partition(" rootInfo ")[2].partition(" ownership ")[0].split()
    return dict(zip(words[::2], words[1::2], strict=True))


class Watcher(Player):
    """Notes what its clock shows and passes."""

    name, settings = "watcher", None

    def __init__(self) -> None:
        self.clock = Clock()
        self.seen: list[tuple[float, float, int, bool]] = []

    def choose_action(self, board: Board) -> int:
        clock = self.clock
        self.seen.append((round(clock.main), clock.period, clock.stones, clock.limited))
        return PASS


class Pipe:
    """A server in a thread, spoken to over pipes as a GUI does."""

    def __init__(self, spec: str) -> None:
        read_end, self._in = os.pipe()
        self._out, write_end = os.pipe()
        stdin, stdout = open(read_end, "rb", 0), open(write_end, "wb", 0)  # noqa: SIM115
        self._lines = open(self._out, encoding="utf-8")  # noqa: SIM115
        self.server = Server(spec)
        self.thread = threading.Thread(target=self._serve, args=(self.server, stdin, stdout), daemon=True)
        self.thread.start()

    def _serve(self, server, stdin, stdout):
        with stdin, stdout:
            server.serve(stdin, stdout)

    def send(self, line: str) -> None:
        os.write(self._in, line.encode() + b"\n")

    def line(self) -> str:
        return self._lines.readline().rstrip("\n")

    def answer(self) -> list[str]:
        """The lines of one answer."""
        return list(iter(self.line, ""))

    def close(self) -> None:
        os.close(self._in)
        self.thread.join(10)
        assert not self.thread.is_alive()
        self._lines.close()
