"""OpenSpiel's games as ours: ``openspiel:NAME`` or ``openspiel:NAME(KEY=VALUE,…)``, as OpenSpiel writes them.

Any game that is sequential, with perfect information, for one player or for two whose interests are opposed;
chance moves with probabilities that the game tells. Actions and events have OpenSpiel's numbers.
"""

from __future__ import annotations

import contextlib
import os
import random
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from importlib.metadata import version
from typing import Any

from playout.bridges.interpreted import OVER, InterpretedGame, Rules, State
from playout.bridges.players import KINDS
from playout.errors import InputError, near, shown
from playout.games.position import CHANCE

PREFIX = "openspiel:"
INSTALL = "pip install 'playout[openspiel]'"
CHANCE_PLAYER = -1  # OpenSpiel's number in place of a player


class OpenSpielState(State):
    """A state of OpenSpiel, with what has been paid so far where steps pay."""

    __slots__ = ("_pays", "_state", "_sum")

    def __init__(self, rules: Rules, state: Any, pays: bool, total: float = 0.0) -> None:
        self.rules, self._state, self._pays, self._sum = rules, state, pays, total

    def turn(self) -> int:
        player = self._state.current_player()
        return player + 1 if player >= 0 else CHANCE if player == CHANCE_PLAYER else OVER

    def legal_moves(self) -> list[int]:
        return self._state.legal_actions()

    def step(self, action: int) -> float:
        self._state.apply_action(action)
        if not self._pays:
            return self._state.returns()[0] if self._state.is_terminal() else 0.0
        before, self._sum = self._sum, self._state.returns()[0]
        return self._sum - before

    def roll(self, draw: random.Random) -> tuple[int, float]:
        events, weights = zip(*self._state.chance_outcomes(), strict=True)
        (event,) = draw.choices(events, weights)
        return event, self.step(event)

    def chances(self) -> dict[int, float]:
        return dict(self._state.chance_outcomes())

    def happen(self, event: int) -> float:
        return self.step(event)

    def copy(self) -> OpenSpielState:
        return OpenSpielState(self.rules, self._state.clone(), self._pays, self._sum)

    def fork(self, draw: random.Random) -> OpenSpielState:
        return self.copy()  # a state holds no luck: chance draws when it moves

    def spell(self, action: int) -> str:
        return " ".join(self._state.action_to_string(self._state.current_player(), action).split())

    def spell_event(self, event: int) -> str:
        return self.spell(event)

    def __str__(self) -> str:
        return str(self._state).rstrip()


@cache
def find(word: str) -> InterpretedGame:
    """The game of OpenSpiel that a word names, with its parameters; refused where it is no game for us."""
    spiel = _library()
    game = _load(spiel, word)
    kind = game.get_type()
    if (reason := _unfit(spiel, game, kind)) is not None:
        raise InputError(f"OpenSpiel's {shown(word, 60)} cannot be played here: {reason}")
    low, high = game.min_utility(), game.max_utility()
    if game.num_players() == 2:
        # The other's return is the sum less one's own, so the bounds must mirror each other.
        low = min(low, game.utility_sum() - high)
        high = game.utility_sum() - low
    rules = Rules(
        longest=game.max_game_length() + game.max_chance_nodes_in_history(), low=float(low), high=float(high)
    )
    pays = kind.reward_model == spiel.GameType.RewardModel.REWARDS
    return InterpretedGame(
        name=PREFIX + word,
        summary=f"OpenSpiel's {kind.long_name}",
        begin=lambda options: OpenSpielState(rules, game.new_initial_state(), pays),
        kinds=KINDS,
        players=game.num_players(),
        actions=game.num_distinct_actions(),
        events=game.max_chance_outcomes(),
        moves=rules.longest,
        low=rules.low,
        high=rules.high,
        version=f"open_spiel {version('open_spiel')}",
    )


def _unfit(spiel: Any, game: Any, kind: Any) -> str | None:
    """Why a game cannot be played here; None where it can."""
    of = spiel.GameType
    if game.num_distinct_actions() < 1 or game.max_game_length() < 1:
        return "there is nothing to play in it"
    if kind.dynamics != of.Dynamics.SEQUENTIAL:
        return "its players move at the same time, and here they move in turn"
    if kind.information != of.Information.PERFECT_INFORMATION:
        return "its players do not see everything (imperfect information), and searches here do"
    if kind.chance_mode not in (of.ChanceMode.DETERMINISTIC, of.ChanceMode.EXPLICIT_STOCHASTIC):
        return "it does not tell the probabilities of what chance does"
    if game.num_players() > 2:
        return f"it is for {game.num_players()} players, and here are one or two"
    if game.num_players() == 2 and kind.utility not in (of.Utility.ZERO_SUM, of.Utility.CONSTANT_SUM):
        return "what one player wins the other does not lose (neither zero-sum nor constant-sum)"
    return None


def _library() -> Any:
    try:
        import pyspiel
    except ImportError:
        raise InputError(f"games of OpenSpiel need the package open_spiel: {INSTALL}") from None
    return pyspiel


def _load(spiel: Any, word: str) -> Any:
    """A game from OpenSpiel's own words; its complaints become one sentence."""
    name = word.partition("(")[0].strip()
    names = spiel.registered_names()
    if name not in names:
        close = near(name, names)
        known = close if close.startswith("; did") else f"; it has {len(names)}, such as connect_four"
        raise InputError(f"OpenSpiel has no game {shown(name)}{known}")
    try:
        with _no_complaints():
            game = spiel.load_game(word)
            game.new_initial_state()
    except (spiel.SpielError, RuntimeError, ValueError) as error:
        said = str(error).splitlines()[0][:200].rstrip(".")
        raise InputError(f"OpenSpiel cannot make {shown(word, 60)}: {said}") from None
    return game


@contextlib.contextmanager
def _no_complaints() -> Iterator[None]:
    """Inside the block OpenSpiel's error output, which Python does not see, is held back.

    If the block fails it is dropped: the exception says the same. Else it is printed after all.
    """
    try:
        before = os.dup(2)
    except OSError:  # there is no error output
        yield
        return
    with tempfile.TemporaryFile() as held:
        try:
            os.dup2(held.fileno(), 2)
            yield
        finally:
            os.dup2(before, 2)
            os.close(before)
        held.seek(0)
        if text := held.read().decode(errors="replace"):
            print(text, end="", file=sys.stderr)
