"""A client of CGOS, the Computer Go Server, where programs play each other around the clock.

The server speaks first, a line at a time; we answer what asks for an answer:

=============================================  =========================================================
``protocol …``                                 ``e1 playout VERSION``
``username``, ``password``                     ours
``setup GAME SIZE KOMI MS WHITE BLACK …``      nothing: a game begins, or goes on after the moves (and
                                               milliseconds left) that follow
``play COLOUR MOVE MS``                        nothing: the opponent has moved
``genmove COLOUR MS``                          our move, within so many milliseconds for the rest of the game
``gameover DATE RESULT …``                     ``ready`` for the next game, or ``quit``
``info …``                                     nothing
``Error: …``, ``Sorry, …``                     nothing: the server hangs up
=============================================  =========================================================

The rules are the server's: positional superko, no suicide, area scoring with every stone alive. So after the
opponent's pass we pass too where the board as it stands is won, and no player of ours passes before.

A connection that breaks is made again, and the server sets the game up as it stands. An answer that may have
been lost on the way is given again without new thought. What is no line of the protocol is passed over.
"""

from __future__ import annotations

import contextlib
import math
import re
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from playout import __version__
from playout.errors import InputError
from playout.files import make_folder, write_text
from playout.games.go import coords
from playout.games.go.board import Board
from playout.games.go.sgf import SGF, from_board
from playout.games.go.state import BLACK, PASS, WHITE
from playout.gtp.client import EngineError
from playout.player.api import RESIGN, Player
from playout.player.clock import Clock

HOST = "yss-aya.com"
PORT = 6819  # its 9×9 server; 6813 is 13×13, 6809 is 19×19
MAX_LINE = 1 << 16
MAX_MOVES = 5_000
LONGEST_GAME = 7 * 24 * 3600.0  # seconds; more is no clock
CONNECTING = 30.0  # seconds for the server to take our call
LOGGING_IN = 120.0  # and for each of its lines until we are in
GRACE = 120.0  # seconds that an opponent's move may be late before we ask what has become of the game
TRIES = 3  # moves that an engine may fail to make before the game is given up
LOST_LOGINS = 20  # in a row, before we give up
_WORD = re.compile(r"[A-Za-z0-9_.-]+")
_RATED = re.compile(r"(.+?)(?:\(([^()]*)\))?")


class Hangup(Exception):
    """The connection is of no more use; another one may be."""


@dataclass(frozen=True, kw_only=True)
class Account:
    """Who we are there, and where that is."""

    user: str
    password: str = field(repr=False)
    host: str = HOST
    port: int = PORT

    def __post_init__(self) -> None:
        for what, word, most in (("user name", self.user, 18), ("password", self.password, 16)):
            if not _WORD.fullmatch(word) or not 3 <= len(word) <= most:
                shown = f" {coords.shown(word)}" if what != "password" else ""
                raise InputError(
                    f"the {what}{shown} does not suit CGOS: "
                    f"3 to {most} letters, digits, underscores, hyphens or periods"
                )
        if not 0 < self.port < 65536:
            raise InputError(f"port {self.port} is not a number from 1 to 65535")


@dataclass
class Tally:
    """How the games went."""

    games: int = 0
    won: int = 0
    lost: int = 0
    drawn: int = 0


@dataclass
class Match:
    """A game on the server."""

    number: str
    board: Board
    white: str
    black: str
    color: int  # ours; 0 if neither name is ours
    opponent_left: float  # seconds, as far as we know

    @property
    def key(self) -> tuple[object, ...]:
        """What the position is, for knowing a question again."""
        return self.number, self.board.size, self.board.komi, tuple(self.board.moves)


class Client:
    """Plays games on the server with a player.

    games: stop after so many; None goes on for ever. lag: seconds a move that the way to the server takes.
    sgf: a folder where games are kept. log: is told what happens, in lines for people. wait: how long to wait
    between attempts to connect, by their number.
    """

    def __init__(
        self,
        player: Player,
        account: Account,
        *,
        games: int | None = None,
        lag: float = 0.2,
        sgf: str | Path | None = None,
        log: Callable[[str], None] = print,
        wait: Callable[[int], float] = lambda attempt: min(60.0, 0.25 * 2.0**attempt),
    ) -> None:
        if games is not None and games < 1:
            raise InputError(f"{games} games are none: it takes at least 1")
        if not (0 <= lag <= 60 and math.isfinite(lag)):
            raise InputError(f"a lag of {lag} seconds is not from 0 to 60")
        self.player, self.account, self.games, self.lag = player, account, games, lag
        self.folder = None if sgf is None else Path(sgf)
        self.tally = Tally()
        self.match: Match | None = None
        self._before: Match | None = None  # the game in which the connection broke
        self.last_game = False  # set it to stop when the game under way has ended
        self._log, self._wait = log, wait
        self._lines: _Lines | None = None
        self._asked = 0.0  # when the password was sent on this connection; 0 before
        self._logged_in = False  # on this connection
        self._progress = False  # whether it brought a game forward
        self._lost_logins = 0  # in a row
        self._answer: tuple[tuple[object, ...], int] | None = None  # the last question and our answer
        self._failures = 0  # games in a row that the player could not finish

    @property
    def done(self) -> bool:
        """Whether no further game is to be played."""
        return self.last_game or (self.games is not None and self.tally.games >= self.games)

    def run(self) -> Tally:
        """Play until all games are played, or for ever."""
        if self.folder is not None:
            make_folder(self.folder)
        self.player.warm_up(Board(9))
        self._connect(first=True)
        attempt = 0
        try:
            while True:
                try:
                    if self._lines is None:
                        self._connect()
                    self._serve()
                    return self.tally
                except Hangup as reason:
                    self._log(f"the connection is lost: {reason}")
                    self._count_login()
                    self._hang_up()
                    if self.done and self.match is self._before is None:
                        return self.tally
                attempt = 1 if self._progress else attempt + 1
                time.sleep(self._wait(attempt))
        finally:
            self._hang_up()
            self.player.stop()

    def _count_login(self) -> None:
        """Give up where the server throws us out again and again."""
        if self._logged_in or (self._asked and time.monotonic() - self._asked > LOGGING_IN):
            self._lost_logins = 0
        elif self._lines is not None:
            self._lost_logins += 1
        if self._lost_logins >= LOST_LOGINS:
            raise OSError(f"{self.account.host} has not let us in {self._lost_logins} times in a row")

    # -- the connection -----------------------------------------------------------------------------

    def _connect(self, first: bool = False) -> None:
        # Whether the game is still there, the server tells: it sets it up again.
        self._before, self.match = self.match or self._before, None
        host, port = self.account.host, self.account.port
        try:
            line = socket.create_connection((host, port), CONNECTING)
        except (OSError, UnicodeError) as error:
            reason = getattr(error, "strerror", None) or error
            if first:  # a wrong address, most likely
                raise OSError(f"there is no connection to {host}:{port}: {reason}") from None
            raise Hangup(f"there is no connection to {host}:{port}: {reason}") from None
        line.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for name, seconds in (("TCP_KEEPIDLE", 60), ("TCP_KEEPINTVL", 20), ("TCP_KEEPCNT", 4)):
            if hasattr(socket, name):
                line.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), seconds)
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._lines = _Lines(line)
        self._asked, self._logged_in, self._progress = 0.0, False, False

    def _hang_up(self) -> None:
        if self._lines is not None:
            self._lines.close()
            self._lines = None

    def _send(self, text: str) -> None:
        assert self._lines is not None
        self._lines.send(text)

    def _patience(self) -> float | None:
        """Seconds to wait for the next line; between games there is no limit."""
        if not self._asked:
            return LOGGING_IN
        return None if self.match is None else self.match.opponent_left + GRACE

    def _serve(self) -> None:
        """Answer lines until there is nothing more to play."""
        assert self._lines is not None
        while True:
            text = self._lines.get(self._patience())
            self.player.stop()
            command, *words = text.split() or [""]
            if command == "gameover":
                self._game_over(words)
                self._send("quit" if self.done else "ready")
                if self.done:
                    return
            elif command == "Error:" or command.startswith("Sorry"):
                self._refused(text)
            elif command in _HANDLERS:
                _HANDLERS[command](self, words)
            elif text:
                self._log(f"the server says what we do not understand: {_plain(text)}")

    def _refused(self, text: str) -> None:
        """The server sends us away: for good, unless it only has not noticed yet that we were cut off."""
        said = _plain(text)
        if "already logged on" in said:
            raise Hangup(said)
        raise InputError(f"{self.account.host} refuses us: {said}")

    # -- lines of the protocol ----------------------------------------------------------------------

    def _protocol(self, words: list[str]) -> None:
        self._send(f"e1 playout {__version__}")

    def _username(self, words: list[str]) -> None:
        self._send(self.account.user)

    def _password(self, words: list[str]) -> None:
        self._send(self.account.password)
        self._asked = time.monotonic()
        self._log(f"at {self.account.host}:{self.account.port} as {self.account.user}")

    def _info(self, words: list[str]) -> None:
        self._logged_in = True
        self._log(f"server: {_plain(' '.join(words))}")

    def _setup(self, words: list[str]) -> None:
        """A game begins, or goes on where it was."""
        self._logged_in = True
        if len(words) < 6 or len(words) > 6 + 2 * MAX_MOVES:
            raise Hangup(f"a setup of {len(words)} words is none")
        number, size, komi, level, white, black, *rest = words
        before, self._before = self.match or self._before, None
        try:
            board = Board(coords.parse_side(size), _number(komi), superko="positional", suicide=False)
            # Moves and milliseconds in turn; a server that has just lost us may not know the last time.
            for move in rest[::2]:
                board.play(coords.parse_vertex(move, board.size))
        except InputError as error:
            raise Hangup(f"the setup of game {_plain(number)} makes no sense: {error}") from None
        seconds = _seconds(level)
        names = {WHITE: _RATED.fullmatch(white), BLACK: _RATED.fullmatch(black)}
        color = next((c for c, name in names.items() if name and name[1] == self.account.user), 0)
        self.match = Match(_plain(number), board, _plain(white), _plain(black), color, seconds)
        if before is None or before.number != self.match.number:
            if before is not None:
                self._log(f"game {before.number}: ended while we were away")
            self.player.new_game()
            other = self.match.black if color == WHITE else self.match.white
            side = f"{coords.color_name(color)} " if color else ""
            self._log(
                f"game {self.match.number}: {side}against {other}, {board.size}×{board.size}, "
                f"komi {board.komi:g}, {seconds:g} s"
            )
            with contextlib.suppress(EngineError):  # its first move will tell
                self.player.begin(board.copy())
        else:
            self._log(f"game {self.match.number}: goes on at move {len(board.moves) + 1}")

    def _play(self, words: list[str]) -> None:
        """Somebody has moved."""
        match = self._in_game("play", words, 3)
        board = match.board
        try:
            color, point = coords.parse_color(words[0]), coords.parse_vertex(words[1], board.size)
            if color == board.to_play:
                board.play(point, color)
            elif not board.moves or board.moves[-1] != (color, point):  # our own move, told to us
                raise InputError(f"{coords.color_name(color)} is not to move")
        except InputError as error:
            raise Hangup(f"the server played what we cannot: {error}") from None
        if color != match.color:
            match.opponent_left = _seconds(words[2])

    def _genmove(self, words: list[str]) -> None:
        """We are to move."""
        match = self._in_game("genmove", words, 2)
        try:
            color = coords.parse_color(words[0])
        except InputError as error:
            raise Hangup(str(error)) from None
        if color != match.board.to_play:
            raise Hangup(f"the server asks {coords.color_name(color)} for a move, who is not to move")
        match.color = color
        left = _seconds(words[1])
        if self._answer is not None and self._answer[0] == match.key:
            point = self._answer[1]
        else:
            point = self._think(match, time.monotonic() + left)
            self._answer = match.key, point
        self._send("resign" if point == RESIGN else coords.vertex(point, match.board.size))
        self._progress = True
        if point != RESIGN:
            match.board.play(point)
            self.player.ponder(match.board.copy())

    def _in_game(self, command: str, words: list[str], count: int) -> Match:
        self._logged_in = True
        if self.match is None:
            raise Hangup(f"{command} without a game")
        if len(words) < count:
            raise Hangup(f"{command} with {len(words)} words instead of {count}")
        return self.match

    def _think(self, match: Match, end: float) -> int:
        """Our move: a pass that wins, else the player's."""
        board = match.board
        lead = board.score() if board.to_play == BLACK else -board.score()
        if board.moves and board.moves[-1].point == PASS and lead > 0:
            return PASS
        for _ in range(TRIES):
            left = end - time.monotonic()
            moves_to_come = max(20.0, 0.4 * board.size * board.size - len(board.moves) / 2)
            self.player.clock = Clock.absolute(max(0.0, left - self.lag * moves_to_come))
            if hasattr(self.player, "timeout"):  # an engine outside: it has the time that there is
                self.player.timeout = max(1.0, left)
            try:
                point = int(self.player.choose_action(board.copy()))
                if point == RESIGN or board.is_legal(point):
                    self._failures = 0
                    return point
                why = f"{coords.vertex(point, board.size)} is illegal"
            except EngineError as error:
                why = str(error)
            self._log(f"game {match.number}: {self.player.name} fails: {why}")
        self._failures += 1
        return RESIGN

    def _game_over(self, words: list[str]) -> None:
        """Note the result; keep the game."""
        self._logged_in = self._progress = True
        result = _plain(words[1]) if len(words) > 1 else "?"
        match, self.match, self._before, self._answer = self.match, None, None, None
        if match is None:  # it ended while we were away
            self._log(f"a game is over: {result}")
            return
        self.tally.games += 1
        winner = {"B": BLACK, "W": WHITE}.get(result[:1].upper() if result[1:2] == "+" else "")
        how = "drawn" if winner is None else "won" if winner == match.color else "lost"
        setattr(self.tally, how, getattr(self.tally, how) + 1)
        tally = self.tally
        remark = f" ({_plain(' '.join(words[2:]))})" if words[2:] else ""
        self._log(
            f"game {match.number}: {how}, {result}{remark}; "
            f"won {tally.won}, lost {tally.lost}, drawn {tally.drawn}"
        )
        if self.folder is not None:
            name = "-".join(re.sub(r"[^\w.]", "_", part) for part in (match.number, match.black, match.white))
            game = from_board(match.board, black=match.black, white=match.white, result=_sgf_result(result))
            try:
                write_text(self.folder / f"{name[:120]}.sgf", game.to_sgf(), SGF, force=None)
            except (OSError, InputError) as error:  # no reason to lose the next game
                reason = getattr(error, "strerror", None) or error
                self._log(f"game {match.number} cannot be saved: {reason}")
        if self._failures >= TRIES:
            raise InputError(f"{self.player.name} has failed in {self._failures} games in a row")


_HANDLERS: dict[str, Callable[[Client, list[str]], None]] = {
    "protocol": Client._protocol,
    "username": Client._username,
    "password": Client._password,
    "info": Client._info,
    "setup": Client._setup,
    "play": Client._play,
    "genmove": Client._genmove,
}


class _Lines:
    """Lines over a socket, both ways; whatever goes wrong with it is a Hangup."""

    def __init__(self, line: socket.socket) -> None:
        self._socket = line
        self._rest = b""

    def get(self, patience: float | None) -> str:
        """The next line; a Hangup if none comes in time."""
        end = None if patience is None else time.monotonic() + patience
        while b"\n" not in self._rest:
            if len(self._rest) > MAX_LINE:
                raise Hangup("the server sends a line without end")
            left = None if end is None else end - time.monotonic()
            if left is not None and left <= 0:
                raise Hangup(f"the server was silent for {patience:.0f} seconds")
            try:
                self._socket.settimeout(left)
                chunk = self._socket.recv(4096)
            except TimeoutError:
                continue
            except OSError as error:
                raise Hangup(error.strerror or str(error)) from None
            if not chunk:
                raise Hangup("the server has hung up")
            self._rest += chunk
        line, _, self._rest = self._rest.partition(b"\n")
        return line.decode("utf-8", "replace").strip()

    def send(self, text: str) -> None:
        """Send a line."""
        try:
            self._socket.settimeout(CONNECTING)
            self._socket.sendall(text.encode("ascii") + b"\n")
        except OSError as error:
            raise Hangup(error.strerror or str(error)) from None

    def close(self) -> None:
        """Hang up."""
        with contextlib.suppress(OSError):
            self._socket.close()


def _plain(text: str) -> str:
    """Somebody's words, short and without control characters."""
    return "".join(c if c.isprintable() else " " for c in text).strip()[:200]


def _number(word: str) -> float:
    try:
        return float(word)
    except ValueError:
        raise InputError(f"{coords.shown(word)} is not a number") from None


def _seconds(word: str) -> float:
    """Milliseconds as seconds."""
    try:
        seconds = float(word) / 1000
    except ValueError:
        seconds = math.nan
    if not -LONGEST_GAME < seconds < LONGEST_GAME:
        raise Hangup(f"{coords.shown(word)} is no time in milliseconds")
    return max(0.0, seconds)


def _sgf_result(result: str) -> str:
    """A result as SGF writes it.

    >>> _sgf_result("B+Resign"), _sgf_result("W+Time"), _sgf_result("B+Illegal"), _sgf_result("W+3.5")
    ('B+R', 'W+T', 'B+F', 'W+3.5')
    """
    head, plus, rest = result.partition("+")
    return f"{head}{plus}{ {'resign': 'R', 'time': 'T', 'illegal': 'F'}.get(rest.lower(), rest) }"
