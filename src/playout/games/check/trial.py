"""A game played at random under watch: every function is asked in every state, and every answer judged.

This runs in plain Python, where a wrong index is an error with a line. What is wrong is one sentence that
names the function and says what would be right.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from playout.games import api
from playout.games.check import blame
from playout.games.check.parts import Wrong, compiled_functions, file_of, missing, started, wrong_groups
from playout.games.check.replay import ACTION, CHANCE, END, Steps, differing_field
from playout.kernel import below, clone, new_rng

if TYPE_CHECKING:
    from playout.games.game import Game

LOOKS = (  # functions that leave the state as it is
    "legal_moves",
    "is_over",
    "to_play",
    "is_legal",
    "tree_moves",
    "outcome",
    "reward",
    "discount",
    "is_chance",
    "chances",
    "position_key",
)
LONGEST = 5000  # moves of a game that says nothing of its length, in plain Python
RECORDED = 1000  # steps that are kept
SPARE = 64  # places in arrays beyond what a game declares, to see that it goes beyond
OTHERS = 24  # actions that are no legal ones, for is_legal to refuse in a state
MOST_PROBLEMS = 10
TOLERANCE = 1e-6  # in sums of floating-point numbers


def game_rng(seed: int, number: int) -> np.ndarray:
    """The random numbers of one of the games."""
    return new_rng(np.random.SeedSequence([seed, number]))


class Trial:
    """Plays a game at random and notes what is wrong with it.

    asking: told the name of each function before it is called.
    """

    def __init__(self, game: Game, seed: int, asking: Callable[[str], None] = lambda name: None) -> None:
        from playout.games.game import FUNCTIONS

        self.game, self.seed = game, seed
        self.problems: list[str] = []
        self.steps = Steps()
        self.played = 0
        self._noted: set[str] = set()
        self._overflows: dict[str, int] = {}  # by function, the line of the last one
        self._asking = asking
        self._functions = FUNCTIONS
        self._file = file_of(game)
        self._facts = game.facts
        self._given = set(compiled_functions(game))
        self._rewarded = bool(self._given & {"reward", "discount"})
        self._state = np.zeros(1, game.state)

    def run(self, first: int, games: int, seconds: float) -> list[str]:
        """Play games from a number on, for some seconds; the problems."""
        self.problems += missing(self.game) or wrong_groups(self.game)
        if self.problems:
            return self.problems
        deadline = time.monotonic() + seconds
        try:
            with self._overflow_watched():
                for number in range(first, first + games):
                    self.played += self._play(number, deadline)
                    if time.monotonic() > deadline or len(self.problems) >= MOST_PROBLEMS:
                        break
        except Wrong as wrong:
            self.problems.append(
                str(wrong) + (self.hint() if isinstance(wrong.__cause__, IndexError) else "")
            )
        return self.problems

    def hint(self) -> str:
        """What to say where a wrong number may come from one that was too large for its type."""
        for name, line in self._overflows.items():
            return (
                f" (in line {line}, {name}(), a number wraps: write int(…) around it, or take a wider type)"
            )
        return ""

    # -- one game -----------------------------------------------------------------------------------

    def _play(self, number: int, deadline: float) -> bool:
        """Play one of the games; whether to its end."""
        self._asking("start")
        self._state = started(self.game)
        self._judge_again("start", self._state, started(self.game))
        rng = game_rng(self.seed, number)
        others = np.random.default_rng([self.seed, number])
        paid: list[tuple[float, float]] = []
        moves = 0
        while not (over := self._truth("is_over")):
            if moves >= self._facts.moves:
                if self._rewarded:
                    break  # where simulations are cut off
                self._fail(
                    f"is_over() is still False after {moves:,} moves, the longest game that is declared "
                    f"(moves={moves}): end the game, or declare more"
                )
            if moves >= LONGEST or (moves % 64 == 63 and time.monotonic() > deadline):
                return False
            self._whole("position_key", "64 bits that stand for the state")
            if "is_chance" in self._given and self._truth("is_chance"):
                self._chance(rng)
            else:
                self._move(rng, others)
            moves += 1
            if self._rewarded:
                paid.append((self._worth("reward"), self._fading()))
        if moves == 0:
            self._fail("is_over() is True of the first state: let a game begin before it ends")
        self._keep(END, 0, rng)
        self._judge_returns(paid, self._ending() if over else 0.0)
        return True

    def _move(self, rng: np.ndarray, others: np.random.Generator) -> None:
        """A player's move."""
        player = self._whole("to_play", "1 or 2")
        if player not in (1, 2):
            self._fail(f"to_play() gives {player}: make it 1 or 2")
        if player > self.game.players:
            self._fail(f"to_play() gives {player} in a game for one: make it 1, or declare players=2")
        legal = self._actions("legal_moves")
        if "is_legal" in self._given:
            self._judge_is_legal(legal, others)
        if "tree_moves" in self._given:
            strange = sorted(set(self._actions("tree_moves")) - set(legal))
            if strange:
                self._note(
                    "tree_moves",
                    f"tree_moves() gives action {strange[0]}, which legal_moves() does not: leave some out, "
                    "add none",
                )
        if "skip" in self._given:
            self._judge_skip(player)
        action = legal[int(below(rng[0], len(legal)))]
        self._keep(ACTION, action, rng)
        self._twice("play", lambda: action)

    def _chance(self, rng: np.ndarray) -> None:
        """A move of chance."""
        odds = self._probabilities() if "chances" in self._given else None
        before, numbers = clone(self._state), clone(rng)
        self._keep(CHANCE, 0, rng)

        def again() -> Any:
            rng[:] = numbers
            return rng[0]

        event = self._twice("roll", again)
        if not self.game.events:
            return
        event = self._is_whole("roll", event, "the number of what has happened")
        if not 0 <= event < self.game.events:
            self._fail(
                f"roll() gives event {event}, but events={self.game.events} declares 0 to "
                f"{self.game.events - 1}: declare events={event + 1}, or number them from 0"
            )
        if odds is None or "roll" not in self._given:
            return
        if event >= len(odds) or odds[event] <= 0:
            self._note(
                "roll", f"roll() gives event {event}, to which chances() gives no probability: let them agree"
            )
        after, self._state = self._state, before
        self._ask("happen", event)
        differs = differing_field(self._state[0], after[0])
        if differs is not None:
            self._note(
                "happen",
                f"happen() does not do for event {event} what roll() does ({differs}): let them agree",
            )
        self._state = after

    def _ending(self) -> float:
        """What an ended game is worth."""
        worth = self._worth("outcome")
        low, high = self.game.low, self.game.high
        if "outcome" in self._given and not low - TOLERANCE <= worth <= high + TOLERANCE:
            self._note(
                "outcome",
                f"outcome() gives {worth:g}, beyond what is declared (low={low:g}, high={high:g}): declare "
                f"{'low' if worth < low else 'high'}={worth:g}, or keep it within",
            )
        return worth

    # -- judging ------------------------------------------------------------------------------------

    def _actions(self, name: str) -> list[int]:
        """What `legal_moves` or `tree_moves` writes, judged."""
        most, actions = self._facts.most_choices, self._facts.actions
        room = np.full(most + SPARE, api.NO_ACTION, np.uint16)
        try:
            count = self._whole(name, "how many actions it has written", room)
        except Wrong as wrong:
            if isinstance(wrong.__cause__, IndexError) and f"size {room.size}" in str(wrong.__cause__):
                count = room.size + 1  # beyond the end of the array itself
            else:
                raise
        declared = f"choices={most}" if self.game.choices is not None else f"actions={actions}"
        if count > room.size:
            self._fail(f"{name}() writes more actions than {declared} declares: declare more")
        if count > most:
            self._fail(
                f"{name}() gives {count} actions, more than {declared} declares: declare more, or give fewer"
            )
        if count < 1:
            self._fail(
                f"{name}() gives no action in a game that goes on: give one (a pass, say), or let is_over() "
                "be True there"
            )
        found = [int(action) for action in room[:count]]
        if max(found) == api.NO_ACTION:
            self._fail(f"{name}() returns {count} but writes fewer actions: return how many it has written")
        if max(found) >= actions:
            self._fail(
                f"{name}() gives action {max(found)}, but actions={actions} declares 0 to {actions - 1}: "
                f"declare actions={max(found) + 1}"
            )
        if len(set(found)) < count:
            double = next(action for action in found if found.count(action) > 1)
            self._note(name, f"{name}() gives action {double} twice: give each action once")
        return found

    def _judge_is_legal(self, legal: list[int], others: np.random.Generator) -> None:
        """Whether `is_legal` says what `legal_moves` gives."""
        allowed = set(legal)
        for action in legal:
            if not self._truth("is_legal", action):
                self._note(
                    "is_legal",
                    f"is_legal() refuses action {action}, which legal_moves() gives: let them agree",
                )
        some = np.arange(self._facts.actions)
        if some.size > OTHERS:
            some = others.choice(some, OTHERS, replace=False)
        for action in map(int, some):
            if action not in allowed and self._truth("is_legal", action):
                self._note(
                    "is_legal",
                    f"is_legal() allows action {action}, which legal_moves() does not give: let them agree",
                )

    def _judge_skip(self, player: int) -> None:
        """Whether `skip` hands the turn on."""
        before = clone(self._state)
        if self._truth("skip") and self._whole("to_play", "1 or 2") == player and self.game.players == 2:
            self._note("skip", "skip() leaves the turn where it is: hand it to the other player")
        self._state = before

    def _judge_returns(self, paid: list[tuple[float, float]], total: float) -> None:
        """Whether rewards from any state on stay between the bounds."""
        if not self._rewarded:
            return
        low, high = self.game.low, self.game.high
        for reward, fade in reversed(paid):
            total = reward + fade * total
            if not low - TOLERANCE <= total <= high + TOLERANCE:
                self._note(
                    "reward",
                    f"reward() adds up to {total:g} in a game, beyond what is declared (low={low:g}, "
                    f"high={high:g}): declare bounds that hold all returns",
                )
                return

    def _probabilities(self) -> np.ndarray:
        """What `chances` writes, judged."""
        odds = np.full(self.game.events + SPARE, np.nan)
        count = self._whole("chances", "how many events there are", odds)
        if not 1 <= count <= self.game.events:
            self._fail(
                f"chances() gives {count} events where events={self.game.events} declares 1 to "
                f"{self.game.events}: declare events={max(count, 1)}, or give fewer"
            )
        found = odds[:count]
        if np.isnan(found).any() or (found < 0).any():
            self._fail(f"chances() gives the probability {found[~(found >= 0)][0]:g}: make all 0 or more")
        if abs(found.sum() - 1) > TOLERANCE:
            self._note("chances", f"chances() gives probabilities that sum to {found.sum():g}: make it 1")
        return found

    # -- asking -------------------------------------------------------------------------------------

    def _ask(self, name: str, *rest: Any) -> Any:
        """Call a function of the game."""
        before = self._state.tobytes() if name in LOOKS else b""
        self._asking(name)
        try:
            answer = self._functions[name](self._state[0], *rest)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise Wrong(blame.sentence(name, error, self._file)) from error
        if name in LOOKS and self._state.tobytes() != before:
            kept = np.frombuffer(before, self._state.dtype)
            differs = differing_field(self._state[0], kept[0])
            self._note(
                f"look {name}",
                f"{name}() changes the state ({differs}): it may only look, so copy what it works on",
            )
            self._state = kept.copy()
        return answer

    def _twice(self, name: str, argument: Callable[[], Any]) -> Any:
        """Call a function that changes the state two times from the same state; it must do the same."""
        before = clone(self._state)
        self._ask(name, argument())
        once, self._state = self._state, before
        answer = self._ask(name, argument())
        self._judge_again(name, self._state, once)
        return answer

    def _judge_again(self, name: str, state: np.ndarray, once: np.ndarray) -> None:
        """Whether a function has done the same again."""
        differs = differing_field(state[0], once[0])
        if differs is not None:
            self._note(
                f"twice {name}",
                f"{name}() does not do the same again ({differs}): let it depend on its arguments alone, and "
                "draw random numbers in roll(state, rng)",
            )

    def _truth(self, name: str, *rest: Any) -> bool:
        answer = self._ask(name, *rest)
        if not isinstance(answer, bool | np.bool_ | int | np.integer):
            self._fail(f"{name}() returns {_shown(answer)}: return True or False")
        return bool(answer)

    def _whole(self, name: str, what: str, *rest: Any) -> int:
        return self._is_whole(name, self._ask(name, *rest), what)

    def _is_whole(self, name: str, answer: Any, what: str) -> int:
        if not isinstance(answer, int | np.integer) or isinstance(answer, bool):
            self._fail(f"{name}() returns {_shown(answer)}: return {what}, a whole number")
        return int(answer)

    def _worth(self, name: str) -> float:
        answer = self._ask(name)
        if not isinstance(answer, int | float | np.number | np.bool_) or not np.isfinite(answer):
            self._fail(f"{name}() returns {_shown(answer)}: return a number")
        return float(answer)

    def _fading(self) -> float:
        fade = self._worth("discount")
        if not 0 <= fade <= 1:
            self._fail(f"discount() gives {fade:g}: make it a number from 0 to 1")
        return fade

    def _keep(self, kind: int, choice: int, rng: np.ndarray) -> None:
        if len(self.steps.kinds) < RECORDED:
            self.steps.add(self._state, kind, choice, rng)

    def _note(self, what: str, sentence: str) -> None:
        """A problem that lets the game go on, the first of its kind."""
        if what not in self._noted:
            self._noted.add(what)
            self.problems.append(sentence)

    def _fail(self, sentence: str) -> NoReturn:
        raise Wrong(sentence)

    # -- overflow -----------------------------------------------------------------------------------

    @contextmanager
    def _overflow_watched(self) -> Iterator[None]:
        """See where the game's numbers wrap; a key of a position is meant to."""

        def overflowed(kind: str, flag: int) -> None:
            frame = sys._getframe(1)
            name = frame.f_code.co_name
            if frame.f_code.co_filename == self._file and "key" not in name and "hash" not in name:
                self._overflows[name] = frame.f_lineno

        with np.errstate(all="ignore", over="call", call=overflowed):
            yield


def _shown(answer: Any) -> str:
    return "nothing" if answer is None else f"{blame.shortened(answer)} (a {type(answer).__name__})"
