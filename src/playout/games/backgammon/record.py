"""Games and matches that were played: turn by turn, with the doubles that files have.

A file's reader tells a `Scribe` what happened, who knows the rules and refuses what cannot be.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from playout.errors import InputError
from playout.games import api
from playout.games.backgammon import doubling, rules
from playout.games.backgammon.as_position import BackgammonPosition
from playout.games.backgammon.doubling import may_double
from playout.games.backgammon.notation import after, parse
from playout.games.backgammon.rules import NO_PLAY, worth_of
from playout.games.backgammon.state import (
    CENTRED,
    MAY_DOUBLE,
    MOST_CUBE,
    NOTHING,
    OFFERED,
    UNUSED,
    check_dice,
    start,
)
from playout.games.position import CHANCE
from playout.games.record import Record, Rolled, Step, ended
from playout.kernel import clone

MOST_GAMES, MOST_TURNS = 500, 20_000  # of a file: no match is nearly as long
ROLL, DOUBLE, TAKE, DROP = "roll", "double", "take", "drop"
_KINDS = {doubling.DOUBLE: DOUBLE, doubling.TAKE: TAKE, doubling.PASS: DROP}
_ACTIONS = {kind: action for action, kind in _KINDS.items()}


class Turn(NamedTuple):
    """What a player did: a roll and a play, or something with the cube."""

    player: int
    kind: str = ROLL
    dice: tuple[int, int] = (0, 0)
    action: int = NO_PLAY


@dataclass
class Played:
    """One game: the state before it, its turns, and who won how many points (None: unfinished)."""

    first: np.ndarray
    turns: list[Turn] = field(default_factory=list)
    winner: int | None = None
    points: int = 0

    @property
    def resigned(self) -> bool:
        """Whether somebody gave up: the game has a winner, but goes on by its rules."""
        if self.winner is None or not self.turns or self.turns[-1].kind == DROP:
            return False
        *_, (turn, state) = self.states()
        return turn.kind != ROLL or not api.is_over(after(state, turn.action)[0])

    def states(self) -> Iterator[tuple[Turn, np.ndarray]]:
        """Each turn with the state in which it was made; the dice of a roll lie in it."""
        state = clone(self.first)
        for turn in self.turns:
            state["turn"] = turn.player
            if turn.kind == ROLL:
                state["dice"], state["opening"] = turn.dice, 0
            yield turn, clone(state)
            if turn.kind == ROLL:
                state = after(state, turn.action)
            elif turn.kind == TAKE:
                state["cube"] += 1
                state["owner"] = turn.player


@dataclass
class Match:
    """Games one after the other. length: in points, 0 for money. names: of player 1 and player 2.

    cube: whether players may double.
    """

    names: tuple[str, str] = ("", "")
    length: int = 0
    jacoby: bool = False
    cube: bool = True
    games: list[Played] = field(default_factory=list)


class Scribe:
    """Writes a match down as somebody tells it.

    >>> scribe = Scribe(Match())
    >>> scribe.begin()
    >>> scribe.roll(1, (3, 1), "8/5 6/5")
    >>> scribe.double(2)
    >>> scribe.answer(1, takes=False)
    >>> scribe.match.games[0].winner, scribe.match.games[0].points
    (2, 1)
    """

    def __init__(self, match: Match) -> None:
        self.match = match
        self._offered: int | None = None  # by whom a double waits for an answer
        self._state: np.ndarray | None = None
        self._turns = 0

    def begin(self, score: tuple[int, int] = (0, 0), crawford: bool = False) -> None:
        """Begin a game."""
        if len(self.match.games) >= MOST_GAMES:
            raise InputError(f"there are more than {MOST_GAMES} games")
        state = start(self.match.length, self.match.jacoby)
        if self.match.length and max(score) >= self.match.length:
            raise InputError(f"a match to {self.match.length} points is over at {score[0]} to {score[1]}")
        state["score"], state["crawford"] = score, crawford
        self.match.games.append(Played(clone(state)))
        self._state, self._offered = state, None

    @property
    def _game(self) -> Played:
        if not self.match.games:
            raise InputError("there is a turn before the first game")
        return self.match.games[-1]

    def _turn(self, player: int) -> np.ndarray:
        """The state, where it is a player's turn."""
        game, state = self._game, self._state
        assert state is not None
        if game.winner is not None:
            raise InputError("the game is over, and somebody goes on")
        self._turns += 1
        if self._turns > MOST_TURNS:
            raise InputError(f"there are more than {MOST_TURNS:,} turns")
        if not game.turns:
            state["turn"] = player
            game.first["turn"] = player
        if int(state["turn"][0]) != player:
            raise InputError("it is the other player's turn")
        return state

    def roll(self, player: int, dice: tuple[int, int], play: str) -> None:
        """A roll and the play that was made, as people write it; nothing where no die could be played."""
        state = self._turn(player)
        if self._offered is not None:
            raise InputError("a double has to be taken or dropped first")
        state["dice"], state["opening"] = check_dice(dice), 0
        action = parse(state[0], play.strip() or "pass")
        self.played(player, action)

    def played(self, player: int, action: int) -> None:
        """A play, by its number, of dice that lie already."""
        state = self._state
        assert state is not None
        dice = int(state["dice"][0, 0]), int(state["dice"][0, 1])
        self._game.turns.append(Turn(player, ROLL, dice, action))
        self._state = after(state, action)
        if api.is_over(self._state[0]):
            won = int(worth_of(self._state[0], player - 1)) << int(self._state["cube"][0])
            self._game.winner, self._game.points = player, won

    def double(self, player: int) -> None:
        """A player offers a double."""
        state = self._turn(player)
        if self._offered is not None or int(state["owner"][0]) not in (CENTRED, player):
            raise InputError("this player may not double: the other one owns the cube")
        if state["crawford"][0]:
            raise InputError("nobody may double in the Crawford game")
        if state["cube"][0] >= MOST_CUBE:
            raise InputError(f"the cube goes no higher than {1 << MOST_CUBE:,}")
        self._game.turns.append(Turn(player, DOUBLE))
        self._offered = player

    def answer(self, player: int, takes: bool) -> None:
        """The other player takes or drops."""
        if self._offered is None or self._offered == player or self._state is None:
            raise InputError("there is no double that this player could take or drop")
        self._game.turns.append(Turn(player, TAKE if takes else DROP))
        if takes:
            self._state["cube"] += 1
            self._state["owner"] = player
        else:
            self._game.winner, self._game.points = 3 - player, 1 << int(self._state["cube"][0])
        self._offered = None

    def wins(self, player: int, points: int) -> None:
        """The file says who has won: where the game goes on, the other one has resigned."""
        game = self._game
        if game.winner is None:
            game.winner, game.points = player, points
        elif game.winner != player:
            raise InputError("the file gives the game to who has lost it")


def match_of(position: BackgammonPosition, names: tuple[str, str] = ("", "")) -> Match:
    """The game or the match that led to a position."""
    history, options = position.history, position.options
    match = Match(names, options.length, options.jacoby, options.cube)
    for k, (state, move) in enumerate(zip(history, position.moves, strict=False)):
        if k == 0 or state["opening"][0]:
            first = clone(state)
            first["doubling"] = UNUSED
            match.games.append(Played(first))
        game, later = match.games[-1], history[k + 1]
        if move.player != CHANCE and move.action != doubling.ROLL:
            dice = int(state["dice"][0, 0]), int(state["dice"][0, 1])
            kind = _KINDS.get(move.action)
            game.turns.append(Turn(move.player, kind) if kind else Turn(move.player, ROLL, dice, move.action))
        if move.player != CHANCE and later["opening"][0]:  # the next game
            won = [int(points) for points in later["score"][0] - state["score"][0]]
            game.winner, game.points = (1, won[0]) if won[0] else (2, won[1])
    if not match.games:
        match.games.append(Played(clone(history[0])))
    if position.is_over:
        match.games[-1].winner, match.games[-1].points = position.winner, position.won
    return match


class Decision(NamedTuple):
    """What a player decided: the number of a turn of its game, the states before it and after it.

    Who rolls though he might double has decided that; it belongs to the turn with the roll.
    """

    turn: int
    player: int
    action: int
    before: np.ndarray
    after: np.ndarray


def decisions(game: Played, cube: bool) -> Iterator[Decision]:
    """All that was decided in a game. cube: whether players might double."""
    last = ""
    for k, (turn, state) in enumerate(game.states()):
        here = clone(state)
        here["doubling"] = NOTHING if cube else UNUSED
        if turn.kind == ROLL:
            if cube and last == ROLL:
                before, later = _before_roll(here, MAY_DOUBLE), _before_roll(here, NOTHING)
                if may_double(before[0]):
                    yield Decision(k, turn.player, doubling.ROLL, before, later)
            yield Decision(k, turn.player, turn.action, here, after(here, turn.action))
        else:
            asked = MAY_DOUBLE if turn.kind == DOUBLE else OFFERED
            here["doubling"] = asked
            if asked == OFFERED:
                here["turn"] = 3 - turn.player
            yield Decision(k, turn.player, _ACTIONS[turn.kind], here, after(here, _ACTIONS[turn.kind]))
        last = turn.kind


def _rolled(state: np.ndarray, opening: bool) -> Rolled | None:
    """The roll that lies in a state, and the state before it, without the cube."""
    dice = tuple(int(die) for die in state["dice"][0])
    if not dice[0]:
        return None
    event = [tuple(roll) for roll in rules.ROLLS.tolist()].index(dice)
    before = _before_roll(state, UNUSED)
    before["opening"] = opening
    return Rolled(before, event, f"{dice[0]}{dice[1]}")


def _before_roll(state: np.ndarray, doubling: int) -> np.ndarray:
    changed = clone(state)
    changed["dice"], changed["doubling"] = 0, doubling
    return changed


def record_of(match: Match, number: int | None = None) -> Record:
    """A game of a match, by its number from 1 on, or all of them, to be walked through."""
    from playout.games.backgammon.game import GAME

    if number is not None and not 1 <= number <= len(match.games):
        raise InputError(f"there is no game {number}: the match has {len(match.games)}")
    chosen = match.games if number is None else match.games[number - 1 : number]

    def steps() -> Iterator[Step]:
        for part, game in enumerate(chosen, 1 if number is None else number):
            for turn, player, action, before, later in decisions(game, match.cube):
                here, there = (BackgammonPosition.from_state(state) for state in (before, later))
                yield Step(player, action, here, there, ended(there), _rolled(before, turn == 0), part)

    moves = sum(1 for game in chosen for _ in decisions(game, match.cube))
    results = [f"{GAME.letters[game.winner - 1]}+{game.points}" for game in chosen if game.winner]
    several = len(match.games) > 1
    about = (
        ()
        if not several
        else (f"all {len(match.games)} games",)
        if number is None
        else (f"game {number} of {len(match.games)}",)
    )
    return Record(GAME, moves, steps, match.names, " ".join(results), about, source=(match, number))
