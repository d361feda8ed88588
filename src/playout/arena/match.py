"""A match: two players, colours alternated, our rules engine as the referee.

The rules of the match:

- Our `Board` alone decides what is legal, when a game ends and who has won. Two passes end a game; it is
  scored by area with dead stones removed, or with all stones alive.
- A player that resigns, plays an illegal move, oversteps the time for a move or fails (crashes, answers
  nonsense) loses the game. If it fails before its first move, the game never was one: it is void.
- At `max_moves` a game is a draw.
- Games come in pairs: the same opening, each player once with Black.

Same seed, same players of ours: the same games.
"""

from __future__ import annotations

import contextlib
import math
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from playout.errors import InputError
from playout.files import write_text
from playout.games.go.board import Board, IllegalMove
from playout.games.go.coords import color_name
from playout.games.go.state import BLACK, PASS, WHITE
from playout.player.api import RESIGN, Player
from playout.player.registry import PLAYERS, make_player, split_spec
from playout.player.simple import candidates
from playout.search.ownership import dead_stones
from playout.settings import names

SCORING = ("area", "alive")
_Z95 = 1.959963984540054  # 97.5 % quantile of the normal distribution


@dataclass(frozen=True)
class GameResult:
    """One game of a match."""

    number: int  # from 1
    black: str  # 'a' or 'b'
    winner: str | None  # 'a' or 'b'; None for a draw or a void game
    result: str  # as SGF writes it
    reason: str  # score, resignation, time, illegal move, failure, length, void
    detail: str  # what happened, for people
    moves: int
    seconds: dict[str, float]  # each player's thinking time


@dataclass(frozen=True)
class MatchResult:
    """What a match has shown, from the side of player a."""

    games: int
    a_wins: int
    b_wins: int
    draws: int
    void: int
    score: float | None  # a's share of the points; None without a game that counts
    interval: tuple[float, float]  # of the score, 95 %, Wilson
    elo: float  # a's rating less b's
    reasons: dict[str, int]

    def facts(self) -> dict[str, Any]:
        """The result as plain numbers, for machines."""
        return {**asdict(self), "interval": list(self.interval)}


def wilson(points: float, games: int) -> tuple[float, float]:
    """The 95 % interval of a score, by Wilson; draws count as half a point.

    >>> [round(end, 3) for end in wilson(8, 10)]
    [0.49, 0.943]
    >>> wilson(0, 0)
    (0.0, 1.0)
    """
    if games == 0:
        return 0.0, 1.0
    share, z2 = points / games, _Z95 * _Z95
    center = (share + z2 / (2 * games)) / (1 + z2 / games)
    half = _Z95 / (1 + z2 / games) * math.sqrt(share * (1 - share) / games + z2 / (4 * games * games))
    # Rounding must not push an end that is exactly 0 or 1 out of range.
    return max(0.0, center - half), min(1.0, center + half)


def elo_difference(points: float, games: int) -> float:
    """The rating difference that a score speaks for, finite also for a clean sheet.

    One drawn game is added, so that n–0 gives a number that grows with n.

    >>> round(elo_difference(7.5, 10))
    170
    >>> elo_difference(0, 0)
    0.0
    """
    share = (points + 0.5) / (games + 1)
    return 400 * math.log10(share / (1 - share))


def summarise(games: Iterable[GameResult]) -> MatchResult:
    """The result of the games so far."""
    played = list(games)
    counted = [game for game in played if game.reason != "void"]
    winners = Counter(game.winner for game in counted)
    points = winners["a"] + winners[None] / 2
    return MatchResult(
        games=len(played),
        a_wins=winners["a"],
        b_wins=winners["b"],
        draws=winners[None],
        void=len(played) - len(counted),
        score=points / len(counted) if counted else None,
        interval=wilson(points, len(counted)),
        elo=elo_difference(points, len(counted)),
        reasons=dict(Counter(game.reason for game in played)),
    )


def match(a: str | Player, b: str | Player, games: int = 100, **settings: Any) -> MatchResult:
    """Play a match to its end; the settings are those of `played`.

    >>> match("uniform", "uniform", 2, size=5, seed=1).games
    2
    """
    return summarise(played(a, b, games, **settings))


def played(
    a: str | Player,
    b: str | Player,
    games: int = 100,
    *,
    size: int = 9,
    komi: float = 7.5,
    seed: int | None = None,
    opening: int = 0,
    scoring: str = "area",
    move_timeout: float | None = None,
    max_moves: int | None = None,
    sgf: str | Path | None = None,
) -> Iterator[GameResult]:
    """Play a match game by game.

    a, b: player specs, or players. opening: so many random moves of each side begin a pair of games.
    scoring: 'area' removes dead stones, 'alive' counts all stones. move_timeout: seconds for a move.
    sgf: a folder; each game is saved there as soon as it ends.
    """
    Board(size, komi)  # refuses what cannot be played
    if games < 1:
        raise InputError(f"a match of {games} games is none: it takes at least 1")
    if opening < 0 or 2 * opening > size * size // 2:
        raise InputError(f"an opening of {opening} moves each does not fit: at most {size * size // 4}")
    if scoring not in SCORING:
        raise InputError(f"scoring {scoring!r} is not one of {', '.join(SCORING)}")
    if move_timeout is not None and not (move_timeout > 0 and math.isfinite(move_timeout)):
        raise InputError(f"a time of {move_timeout} seconds a move is not a positive number")
    if max_moves is not None and max_moves < 1:
        raise InputError(f"a limit of {max_moves} moves is none: it takes at least 1")
    return _played(a, b, games, size, komi, seed, opening, scoring, move_timeout, max_moves, sgf)


def _played(
    a: str | Player,
    b: str | Player,
    games: int,
    size: int,
    komi: float,
    seed: int | None,
    opening: int,
    scoring: str,
    move_timeout: float | None,
    max_moves: int | None,
    sgf: str | Path | None,
) -> Iterator[GameResult]:
    folder = None if sgf is None else Path(sgf)
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    seeds = np.random.SeedSequence(seed).spawn(2 + (games + 1) // 2)
    specs: dict[str, str] = {}  # of the players that are ours to start and to end
    shown = {"a": _name(a), "b": _name(b)}
    players: dict[str, Player] = {}
    try:
        for side, who, own_seed in (("a", a, seeds[0]), ("b", b, seeds[1])):
            if isinstance(who, str):
                specs[side] = _seeded(who, own_seed)
                if move_timeout is not None:
                    _compile(specs[side])
                players[side] = make_player(specs[side])
            else:
                players[side] = who
        for index in range(games):
            board = Board(size, komi)
            _open(board, opening, np.random.default_rng(seeds[2 + index // 2]))
            black, white = ("a", "b") if index % 2 == 0 else ("b", "a")
            game = _Game(board, {BLACK: players[black], WHITE: players[white]}, move_timeout, max_moves)
            game.play(scoring)
            result = GameResult(
                number=index + 1,
                black=black,
                winner={BLACK: black, WHITE: white, None: None}[game.winner],
                result=game.result,
                reason=game.reason,
                detail=game.detail,
                moves=len(board.moves),
                seconds={black: game.seconds[BLACK], white: game.seconds[WHITE]},
            )
            if folder is not None:
                _save(folder / f"{index + 1:05d}.sgf", board, shown[black], shown[white], game.result)
            yield result
            failed = {BLACK: black, WHITE: white}.get(game.failed or 0, "")
            if failed in specs and index + 1 < games:
                players[failed].close()
                with contextlib.suppress(InputError):  # the next game will tell
                    players[failed] = make_player(specs[failed])
    finally:
        for side in specs.keys() & players.keys():
            players[side].close()


def _name(who: str | Player) -> str:
    return who if isinstance(who, str) else who.name


def _seeded(spec: str, seed: np.random.SeedSequence) -> str:
    """A spec of ours that names no seed gets one, so that the match can be repeated."""
    name, values = split_spec(spec)
    if name not in PLAYERS or "seed" in values or "seed" not in names(PLAYERS[name].settings):
        return spec.strip()
    number = int(seed.generate_state(1)[0])
    return f"{spec.strip().rstrip(':,')}{',' if values else ':'}seed={number}"


def _compile(spec: str) -> None:
    """Let another player of this kind warm up: compiling must not count as thinking."""
    if spec.startswith("gtp:"):
        return
    player = make_player(spec)
    player.warm_up()
    player.close()


def _open(board: Board, moves_each: int, rng: np.random.Generator) -> None:
    """Random moves of both sides, none of which fills an eye."""
    for _ in range(2 * moves_each):
        points = [p for p in candidates(board) if p != PASS]
        board.play(int(rng.choice(points)) if points else PASS)


def _save(path: Path, board: Board, black: str, white: str, result: str) -> None:
    from playout.games.go.sgf import from_board

    write_text(path, from_board(board, black=black, white=white, result=result).to_sgf())


class _Game:
    """One game under the referee; afterwards who has won and why."""

    def __init__(
        self, board: Board, players: dict[int, Player], move_timeout: float | None, max_moves: int | None
    ) -> None:
        self.board, self.players, self.move_timeout = board, players, move_timeout
        self.max_moves = max_moves if max_moves is not None else max(60, 3 * board.size * board.size)
        self.seconds = {BLACK: 0.0, WHITE: 0.0}
        self.winner: int | None = None
        self.failed: int | None = None  # the colour whose player should be started anew
        self.result, self.reason, self.detail = "Void", "void", ""

    def play(self, scoring: str) -> None:
        """Play to the end."""
        board = self.board
        for color, player in self.players.items():
            try:
                player.new_game()
                if self.move_timeout is not None:
                    player.clock.set(0.0, self.move_timeout, 1)
                    if hasattr(player, "timeout"):  # an engine outside, which is ended when it is too late
                        player.timeout = self.move_timeout
            except (InputError, OSError) as error:
                self.failed = color
                self.detail = f"{color_name(color)} ({player.name}) could not begin: {error}"
                return
        asked: Counter[int] = Counter()
        while not board.is_over:
            if len(board.moves) >= self.max_moves:
                self._end(None, "0", "length", f"a draw at {self.max_moves} moves")
                return
            color = board.to_play
            if not self._move(color, first=asked[color] == 0):
                return
            asked[color] += 1
        dead = dead_stones(board) if scoring == "area" else []
        score = board.score(dead)
        winner = BLACK if score > 0 else WHITE if score < 0 else None
        without = f" with {len(dead)} dead stones removed" if dead else ""
        self._end(winner, board.result(dead), "score", f"{board.result(dead)}{without}")

    def _move(self, color: int, first: bool) -> bool:
        """One move; whether the game goes on."""
        player, who = self.players[color], color_name(color)
        start = time.monotonic()
        p, error = PASS, ""
        try:
            p = player.choose(self.board)
        except (InputError, OSError) as failure:
            self.failed, error = color, str(failure)
        took = time.monotonic() - start
        self.seconds[color] += took
        if self.move_timeout is not None and took > self.move_timeout:
            self._end(3 - color, "T", "time", f"{who} ({player.name}) took {took:.1f} s for a move")
            return False
        if error and first:
            self.detail = f"{who} ({player.name}) could not begin: {error}"
            return False
        if error:
            self._end(3 - color, "F", "failure", f"{who} ({player.name}) failed: {error}")
            return False
        if p == RESIGN:
            self.board.play("resign")
            self._end(3 - color, "R", "resignation", f"{who} resigned")
            return False
        try:
            self.board.play(p)
        except IllegalMove as refusal:
            self._end(3 - color, "F", "illegal move", str(refusal))
            return False
        except InputError:
            self._end(3 - color, "F", "illegal move", f"{who} played {p}, which is no point")
            return False
        return True

    def _end(self, winner: int | None, result: str, reason: str, detail: str) -> None:
        self.winner, self.reason, self.detail = winner, reason, detail
        self.result = f"{'B' if winner == BLACK else 'W'}+{result}" if result in ("F", "T", "R") else result
