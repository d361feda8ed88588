"""A small CGOS: follows the protocol with one client, plays against it, and can misbehave as networks do."""

import contextlib
import random
import socket
import threading
import time
from collections import Counter

from naive.go import BLACK, PASS, Go

COLUMNS = "ABCDEFGHJKLMNOPQRST"
LETTER = {BLACK: "b", "O": "w"}


def vertex(point, side):
    return "pass" if point is PASS else f"{COLUMNS[point[1]]}{side - point[0]}"


def random_move(go, rng):
    return rng.choice(go.policy_moves())


class Gone(Exception):
    """The client has gone, or was thrown out."""


class Game:
    """A game on the server; the client has one colour, the server moves for the other."""

    def __init__(self, number, size, level, client_is_black):
        self.number, self.level, self.go = number, level, Go(size, ko="positional")
        self.client = BLACK if client_is_black else "O"
        self.left = {BLACK: level, "O": level}  # milliseconds
        self.moves = []  # (move, milliseconds)
        self.since = None  # when the side to move was asked

    @property
    def clients_turn(self):
        return self.go.to_play == self.client


class Server:
    """faults: what goes wrong, by the number of the genmove (from 1, over all games) at which it does.

    cut: the line breaks before genmove is sent; half: in the middle of it; deaf: our answer does not arrive;
    heard: it does, and then the line breaks; garbage: nonsense comes before it; lost: the line breaks, and
    when it is there again the game is over.
    """

    def __init__(
        self,
        games=1,
        size=4,
        komi=0.5,
        level=60_000,
        opponent=random_move,
        faults=None,
        password="secret",
        busy=0,
    ):
        self.size, self.komi, self.level, self.opponent = size, komi, level, opponent
        self.faults, self.password, self.to_play = dict(faults or {}), password, games
        self.busy = busy  # logins that are refused because the old one seems to be there
        self.rng = random.Random(1)
        self.game = None
        self.results = []  # (number, result, whether the client won)
        self.asked = 0  # genmoves
        self.connections = 0
        self.heard = []  # lines of the client
        self.quit = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.settimeout(0.1)
        self.port = self._listener.getsockname()[1]
        self._stopped = False
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._line = None

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *failure):
        self._stopped = True
        with contextlib.suppress(OSError, AttributeError):
            self._line.shutdown(socket.SHUT_RDWR)
        self._thread.join(10)
        self._listener.close()
        assert not self._thread.is_alive()

    def counts(self):
        return Counter(won for _, _, won in self.results)

    def _run(self):
        while not self._stopped:
            try:
                self._line, _ = self._listener.accept()
            except TimeoutError:
                continue
            self.connections += 1
            self._line.settimeout(60)
            with self._line, contextlib.suppress(Gone, OSError), self._line.makefile("rb") as self._reader:
                self._talk()

    # -- lines --------------------------------------------------------------------------------------

    def send(self, text):
        self._line.sendall(text.encode() + b"\n")

    def read(self):
        line = self._reader.readline()
        if not line.endswith(b"\n"):
            raise Gone
        text = line.decode().strip()
        self.heard.append(text)
        if text == "quit":
            self.quit.set()
            raise Gone
        return text

    def break_line(self):
        self._line.shutdown(socket.SHUT_RDWR)
        raise Gone

    # -- the protocol -------------------------------------------------------------------------------

    def _talk(self):
        self.send("protocol genmove_analyze")
        if not self.read().startswith("e1"):
            self.send("Error: invalid response")
            raise Gone
        self.send("username")
        name = self.read()
        if self.busy:
            self.busy -= 1
            self.send("Error: You are already logged on!  Closing connection.")
            raise Gone
        self.send("password")
        if self.read() != self.password:
            self.send("Sorry, password doesn't match")
            raise Gone
        self.send("info welcome \x1b[31m to the test server")
        if self.game is not None:  # go on with it
            self._set_up(name)
        while True:
            if self.game is None:
                if len(self.results) >= self.to_play:
                    assert self.read() == "ready"
                    continue
                self.game = Game(len(self.results) + 1, self.size, self.level, len(self.results) % 2 == 0)
                self._set_up(name)
            self._play()
            assert self.read() == "ready"

    def _set_up(self, name):
        game = self.game
        white, black = (f"{name}(1500?)", "rival(1800)")
        if game.client == BLACK:
            white, black = black, white
        moves = "".join(f" {move} {left}" for move, left in game.moves)
        self.send(f"setup {game.number} {self.size} {self.komi} {game.level} {white} {black}{moves}")

    def _play(self):
        game = self.game
        while not game.go.is_over():
            turn = game.go.to_play
            if game.clients_turn:
                result = self._ask()
                if result is not None:
                    self._end(result)
                    return
            else:
                point = self.opponent(game.go, self.rng)
                assert game.go.is_legal(point)
                self._note(point)
                self.send(f"play {LETTER[turn]} {vertex(point, self.size)} {game.left[turn]}")
        score = game.go.area_score() - self.komi
        self._end(f"{'B' if score > 0 else 'W'}+{abs(score)}" if score else "Draw")

    def _note(self, point):
        game = self.game
        game.moves.append((vertex(point, self.size), game.left[game.go.to_play]))
        game.go.play(point)

    def _ask(self):
        """The client's move; the result if that ends the game."""
        game, color = self.game, self.game.go.to_play
        self.asked += 1
        fault = self.faults.pop(self.asked, "")
        now = time.monotonic()
        game.since = game.since or now
        line = f"genmove {LETTER[color]} {game.left[color] - int(1000 * (now - game.since))}"
        if fault == "cut":
            self.break_line()
        if fault == "lost":
            self.results.append((game.number, "0", None))
            self.game = None
            self.break_line()
        if fault == "half":
            self._line.sendall(line[:6].encode())
            self.break_line()
        if fault == "garbage":
            self._line.sendall(b"\n\xff\xfe\x00 nonsense\nunknown command 7\n\r\n")
        self.send(line)
        said = self.read()
        if fault == "deaf":
            self.break_line()
        game.left[color] -= int(1000 * (time.monotonic() - game.since))
        game.since = None
        enemy = "W" if color == BLACK else "B"
        if game.left[color] < 0:
            return f"{enemy}+Time"
        if said.lower() == "resign":
            return f"{enemy}+Resign"
        points = {vertex(point, self.size).lower(): point for point in game.go.legal_points()} | {
            "pass": PASS
        }
        if said.lower() not in points:
            return f"{enemy}+Illegal"
        self._note(points[said.lower()])
        if fault == "heard":
            self.break_line()
        return None

    def _end(self, result):
        game, self.game = self.game, None
        won = result[0].lower() == LETTER[game.client] if "+" in result else None
        self.results.append((game.number, result, won))
        self.send(f"gameover 2026-01-01 {result}")
