"""A match: two players, colours alternated, our rules engine as the referee (see `referee` for its rules).

Games come in pairs: the same opening, each player once with Black. Of identical games, as players without
chance produce them, only the first counts. Same seed, same players of ours: the same games, also on several
threads.
"""

from __future__ import annotations

import contextlib
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from playout.arena.event import CannotPlay, Event, Run, Stopping, new_seed, stored_seed
from playout.arena.export import saving
from playout.arena.openings import read_openings
from playout.arena.pairs import Pairs, points_a_game
from playout.arena.pool import Cluster, Pool, Threads
from playout.arena.schedule import RoundRobin
from playout.arena.store import GameRecord
from playout.arena.terms import Terms
from playout.errors import InputError, near, shown
from playout.games.game import Game
from playout.player.api import Player
from playout.player.registry import expanded, the_game
from playout.settings import checked, names, plain

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
    counted: bool = True
    same_as: int | None = None  # the earlier game of which it is a copy
    opening: str = ""  # the moves that it began with
    payoff: float | None = None  # Black's points, where games are played for points


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
    elo_margin: float = math.inf  # half the 95 % interval of the difference
    duplicates: int = 0  # copies of earlier games, which do not count
    late: int = 0  # games that ended after the match was decided, which do not count
    pairs: Pairs = field(default_factory=Pairs)  # of games with the same opening, where both count
    points: float | None = None  # a's points a game, over pairs; None where games are played for wins alone
    points_interval: tuple[float, float] | None = None  # 95 %; None for fewer than two pairs

    def facts(self) -> dict[str, Any]:
        """The result as plain numbers, for machines."""
        known = self.score is not None
        return {
            **asdict(self),
            "interval": list(self.interval),
            "elo": self.elo if known else None,
            "elo_margin": self.elo_margin if known else None,
            "pairs": self.pairs.facts(),
            "points_interval": None if self.points_interval is None else list(self.points_interval),
        }

    def __repr__(self) -> str:
        counts = [f"a {self.a_wins}", f"b {self.b_wins}"]
        rest = {"draws": self.draws, "void": self.void, "copies": self.duplicates, "late": self.late}
        counts += [f"{what} {count}" for what, count in rest.items() if count]
        low, high = self.interval
        told = "nothing counts"
        if self.score is not None:
            told = f"score {self.score:.2f} ({low:.2f} to {high:.2f})"
            told += f", Elo {self.elo:+.0f} ± {self.elo_margin:.0f}"
        if self.points is not None:
            told += f", {self.points:+.3f} points a game"
        return f"MatchResult({self.games} games: {', '.join(counts)}; {told})"


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


def elo_margin(points: float, games: int) -> float:
    """Half the 95 % interval of `elo_difference`, from the curvature of its likelihood.

    >>> round(elo_margin(50, 100))
    68
    >>> elo_margin(0, 0)
    inf
    """
    if games == 0:
        return math.inf
    share = (points + 0.5) / (games + 1)
    return _Z95 * 400 / math.log(10) / math.sqrt((games + 1) * share * (1 - share))


def summarise(games: Iterable[GameResult]) -> MatchResult:
    """The result of the games so far."""
    kinds, pairs = Counter[_Kind](), dict[int, dict[int, GameResult]]()
    for game in games:
        kinds[game.winner, game.reason, game.counted, game.same_as is not None] += 1
        if game.counted and game.reason != "void":
            pairs.setdefault((game.number + 1) // 2, {})[game.number] = game
    whole = [list(pair.values()) for _, pair in sorted(pairs.items()) if len(pair) == 2]
    points = {"a": 1.0, "b": 0.0, None: 0.5}
    payoffs = [
        sum(game.payoff if game.black == "a" else -game.payoff for game in pair if game.payoff is not None)
        for pair in whole
        if all(game.payoff is not None for game in pair)
    ]
    return _summary(
        kinds,
        Pairs.of((pair[0].opening, sum(points[game.winner] for game in pair)) for pair in whole),
        payoffs,
    )


_Kind = tuple[str | None, str, bool, bool]  # winner, reason, whether it counts, whether it is a copy


def _summary(games: Counter[_Kind], pairs: Pairs, payoffs: Sequence[float]) -> MatchResult:
    """The result of so many games of each kind."""
    winners, reasons = Counter[str | None](), Counter[str]()
    void = copies = late = 0
    for (winner, reason, counted, copy), count in games.items():
        reasons[reason] += count
        if reason == "void":
            void += count
        elif copy:
            copies += count
        elif not counted:
            late += count
        else:
            winners[winner] += count
    valid = winners.total()
    points = winners["a"] + winners[None] / 2
    mean, interval = points_a_game(payoffs)
    return MatchResult(
        games=games.total(),
        a_wins=winners["a"],
        b_wins=winners["b"],
        draws=winners[None],
        void=void,
        score=points / valid if valid else None,
        interval=wilson(points, valid),
        elo=elo_difference(points, valid),
        reasons=dict(reasons),
        elo_margin=elo_margin(points, valid),
        duplicates=copies,
        late=late,
        pairs=pairs,
        points=mean,
        points_interval=interval,
    )


class Match:
    """Two players and what they play for; a context, which ends with nothing left under way.

    a, b: player specs, or players; NAME=SPEC gives one a name. game: a game, its name or its file; Go by
    default. opening: so many random moves of each side begin a pair of games; openings: or those of a file
    do, in turn. move_timeout: seconds for a move; engine_timeout: seconds for any other answer of an engine.
    sgf: a folder; each game is saved there as soon as it ends. store: a file where games are kept; the same
    match goes on there when it is played again. threads: games at once; cluster: or the address of a Dask
    scheduler. keep_engines: do not start them anew for each game. count_copies: let identical games count.
    stopping: ends the match when it has shown enough. folder: where files in specs are seen from. Other
    settings are the options of the game: in Go size, komi, superko, and scoring ('area' removes dead stones,
    'alive' counts all stones).

    >>> with Match("uniform", "uniform", 2, size=5, seed=1) as match:
    ...     [game.number for game in match.play()]
    [1, 2]
    """

    def __init__(
        self,
        a: str | Player,
        b: str | Player,
        games: int = 100,
        *,
        game: Game | str | Path | None = None,
        seed: int | None = None,
        opening: int = 0,
        openings: str | Path | None = None,
        sgf: str | Path | None = None,
        store: str | Path | None = None,
        threads: int = 1,
        cluster: str | None = None,
        keep_engines: bool = False,
        count_copies: bool = False,
        stopping: Stopping | None = None,
        also: dict[str, Any] | None = None,
        folder: str | None = None,
        **terms: Any,
    ) -> None:
        if games < 1:
            raise InputError(f"a match of {games} games is none: it takes at least 1")
        if seed is not None and seed < 0:
            raise InputError(f"seed {seed} is not a whole number of at least 0")
        rules = Terms(game, **terms)
        players = {
            name: expanded(who, rules.game, folder) if isinstance(who, str) else who
            for name, who in _players(a, b).items()
        }
        self.names: tuple[str, ...] = tuple(players)
        self._sides = dict(zip(players, ("a", "b"), strict=True))
        given = {name: who for name, who in players.items() if isinstance(who, Player)}
        if given and (store is not None or cluster is not None):
            raise InputError("players that are objects can be kept in no store and sent to no cluster")
        known = stored_seed(store) if seed is None else seed
        self.event = Event(
            players={name: who if isinstance(who, str) else "" for name, who in players.items()},
            schedule=RoundRobin((games + 1) // 2),
            terms=rules,
            seed=new_seed() if known is None else known,
            opening=opening,
            openings=read_openings(openings, rules) if openings is not None else (),
            keep_engines=keep_engines,
            count_copies=count_copies,
            games=games,
            stopping=stopping,
            also={"event": "match", **(also or {})},
            folder=folder,
        )
        self._path, self._sgf = store, sgf
        self.pool: Pool = Threads(threads, given) if cluster is None else Cluster(cluster)
        try:
            results_only = store is None and sgf is None and cluster is None and not given and not openings
            self._run = Run(self.event, self.pool, self._path, results_only and not opening)
        except CannotPlay as error:
            self.pool.close()
            named_itself = error.name == players[error.name] and error.name.partition(":")[0] in str(error)
            blamed = "" if named_itself else f"player {error.name}: "
            raise InputError(f"{blamed}{error}") from None
        except BaseException:
            self.pool.close()
            raise

    def __enter__(self) -> Match:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the store and of whoever plays."""
        self.pool.close()
        self._run.store.close()

    @property
    def verdict(self) -> str:
        """What the stopping rule has found: 'accept', 'reject', or nothing yet."""
        return self._run.verdict

    @property
    def pair_scores(self) -> tuple[float, ...]:
        """A's points in each pair that the stopping rule has seen."""
        return self._run.pair_scores

    def play(self) -> Iterator[GameResult]:
        """Play the games that are left, each given when it has ended."""
        with contextlib.closing(saving(self._run.play(), self._run.store, self._sgf)) as games:
            for game in games:
                yield self._result(game)

    def results(self) -> list[GameResult]:
        """All games so far, also those that were there before."""
        return [self._result(game) for game in self._run.store.games()]

    def result(self) -> MatchResult:
        """What the match has shown so far."""
        games = Counter[_Kind]()
        for tally in self._run.store.tally():
            winner = {"black": tally.black, "white": tally.white, None: ""}[tally.winner]
            kind = (self._sides.get(winner), tally.reason, bool(tally.counted), bool(tally.copies))
            games[kind] += tally.games
        scores = self._run.store.pair_scores()
        return _summary(
            games,
            Pairs.of(
                (opening, points if self._sides[first] == "a" else 2 - points)
                for first, opening, points in scores
            ),
            [
                points if self._sides[first] == "a" else -points
                for first, points in self._run.store.pair_payoffs()
            ],
        )

    def _result(self, game: GameRecord) -> GameResult:
        black, white = self._sides[game.black], self._sides[game.white]
        return GameResult(
            number=game.number,
            black=black,
            winner={"black": black, "white": white, None: None}[game.winner],
            result=game.result,
            reason=game.reason,
            detail=game.detail,
            moves=game.length,
            seconds={black: game.black_seconds, white: game.white_seconds},
            counted=bool(game.counted),
            same_as=game.same_as,
            opening=game.opening,
            payoff=game.payoff,
        )


@checked
def match(
    a: str | Player,
    b: str | Player,
    games: int = 100,
    *,
    game: Game | str | Path | None = None,
    size: int | None = None,
    komi: float | None = None,
    superko: str | None = None,
    scoring: str | None = None,
    options: Mapping[str, Any] | None = None,
    seed: int | None = None,
    opening: int = 0,
    openings: str | Path | None = None,
    move_timeout: float | None = None,
    clock: str | float | None = None,
    engine_timeout: float = 60.0,
    max_moves: int | None = None,
    sgf: str | Path | None = None,
    store: str | Path | None = None,
    threads: int = 1,
    cluster: str | None = None,
    keep_engines: bool = False,
    count_copies: bool = False,
    stopping: Stopping | None = None,
    folder: str | None = None,
) -> MatchResult:
    """Play a match to its end; colours alternate, and of identical games only the first counts.

    a, b: player specs, or players; NAME=SPEC gives one a name. game: a game, its name or its file; Go by
    default. size, komi, superko, scoring: options of Go ('area' removes dead stones, 'alive' counts all);
    options: those of any game, by name. seed: the same seed gives the same games.

    opening: so many random moves of each side begin a pair of games; openings: or those of a file do, in
    turn. move_timeout: seconds for a move; clock: or for a game, such as 300, "300+5" (more each move) or
    "300+30/10" (for 10 moves). engine_timeout: seconds for any other answer of an engine. max_moves: at so
    many moves a game is a draw.

    sgf: a folder; each game is saved there as soon as it ends. store: a file where games are kept; the same
    match goes on there when it is played again. threads: games at once; cluster: or the address of a Dask
    scheduler. keep_engines: do not start them anew for each game. count_copies: let identical games count.
    stopping: ends the match when it has shown enough, such as `Sprt(0, 50)`. folder: where files in specs are
    seen from.

    >>> match("uniform", "uniform", 2, size=5, seed=1).games
    2
    >>> match("random", "random", 2, game="nim", options={"heaps": "1-2"}, seed=1).games
    2
    """
    named = {"size": size, "komi": komi, "superko": superko, "scoring": scoring}
    terms: dict[str, Any] = {key: value for key, value in named.items() if value is not None}
    found = the_game(game)
    for key, value in (options or {}).items():
        if key in terms:
            raise InputError(f"match: {key} is given twice, as an argument and in options")
        if key not in (known := names(found.options)):
            raise InputError(f"a game of {found.name} has no option {shown(key)}{near(str(key), known)}")
        terms[key] = plain(value)
    with Match(
        a,
        b,
        games,
        game=found,
        seed=seed,
        opening=opening,
        openings=openings,
        sgf=sgf,
        store=store,
        threads=threads,
        cluster=cluster,
        keep_engines=keep_engines,
        count_copies=count_copies,
        stopping=stopping,
        folder=folder,
        move_timeout=move_timeout,
        clock=clock if clock is None or isinstance(clock, str) else f"{clock:g}",
        engine_timeout=engine_timeout,
        max_moves=max_moves,
        **terms,
    ) as event:
        for _ in event.play():
            pass
        return event.result()


def played(a: str | Player, b: str | Player, games: int = 100, **settings: Any) -> Iterator[GameResult]:
    """Play a match game by game; the settings are those of `Match`. What is wrong is refused at once."""
    return _games(Match(a, b, games, **settings))


def _games(event: Match) -> Iterator[GameResult]:
    with event:
        yield from event.play()


_NAMED = re.compile(r"\s*([^=:,]+?)\s*=(.*)", re.DOTALL)
MAX_NAME = 100


def named(words: str) -> tuple[str, str]:
    """A player's name and its spec; a spec alone is its own name.

    What stands before an = is a name if there is no colon before it: no spec has such a beginning.

    >>> named("strong=mogo:sims=1000")
    ('strong', 'mogo:sims=1000')
    >>> named("mogo:sims=1000")
    ('mogo:sims=1000', 'mogo:sims=1000')
    """
    found = _NAMED.fullmatch(words)
    if found is None:
        return words.strip(), words.strip()
    name, spec = found[1], found[2].strip()
    if len(name) > MAX_NAME or not name.isprintable():
        raise InputError(f"{shown(name)} is not a name for a player: at most {MAX_NAME} printable characters")
    if not spec:
        raise InputError(f"player {name} has no spec, as in {name}=mogo:sims=1000")
    return name, spec


def _players(a: str | Player, b: str | Player) -> dict[str, str | Player]:
    """The players by names that differ."""
    (first, one), (second, two) = (named(who) if isinstance(who, str) else (who.name, who) for who in (a, b))
    if first == second:
        if any(isinstance(who, str) and who != first for who in (one, two)):  # somebody chose that name
            raise InputError(f"both players are called {shown(first)}: give them two names")
        second = f"{second} (2)"
    return {first: one, second: two}
