"""The same steps of a game in plain Python and compiled: kernels that run both ways and can be compared.

Steps that were made once (`Steps`) are made again from the states before them, all functions of the game are
asked on the way, and what they answer is kept. Each step begins from a recorded state, so a difference shows
at the function that makes it and does not grow from move to move.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from playout.games.api import (
    chances,
    discount,
    happen,
    has_chance,
    has_rewards,
    is_chance,
    is_legal,
    is_over,
    legal_moves,
    outcome,
    play,
    position_key,
    reward,
    roll,
    skip,
    to_play,
    tree_moves,
)
from playout.kernel import constant, is_implemented, kernel, record_type
from playout.kernel.rng import RNG
from playout.policy.api import sample

if TYPE_CHECKING:
    from playout.games.game import Game

ACTION, CHANCE, END = range(3)  # what follows a state

# What is asked of a state: the function, by the field that keeps its answer.
ASKED = {
    "over": "is_over",
    "worth": "outcome",
    "key": "position_key",
    "chance": "is_chance",
    "odds": "chances",
    "event": "roll",
    "player": "to_play",
    "legal": "legal_moves",
    "tree": "tree_moves",
    "allowed": "is_legal",
    "skipped": "skip",
    "paid": "reward",
    "faded": "discount",
}
FUNCTIONS = (*ASKED.values(), "happen", "play")
# Their numbers, to note in compiled code which one is under way.
IS_OVER, OUTCOME, POSITION_KEY, IS_CHANCE, CHANCES, ROLL, TO_PLAY = range(7)
LEGAL_MOVES, TREE_MOVES, IS_LEGAL, SKIP, REWARD, DISCOUNT, HAPPEN, PLAY = range(7, 15)
FOUND = record_type(
    [
        ("over", "i8"),
        ("chance", "i8"),
        ("player", "i8"),
        ("legal", "u8"),  # a number made of all legal actions in their order
        ("tree", "u8"),
        ("allowed", "i8"),  # whether the action that was made is legal
        ("skipped", "i8"),
        ("event", "i8"),
        ("key", "u8"),
        ("worth", "f8"),
        ("paid", "f8"),
        ("faded", "f8"),
        ("odds", "f8"),  # a number made of all probabilities
    ],
    tag="what a game answers",
)
MIXED = np.uint64(1099511628211)  # FNV-1a's prime


@constant
def has_numbered_events(dtype):
    """Whether what chance does can be made to happen by its number."""
    return is_implemented(happen, dtype)


@kernel
def folded(actions, count):
    """A number made of so many actions."""
    total = np.uint64(count)
    for k in range(min(count, actions.size)):
        total = (total ^ np.uint64(actions[k])) * MIXED
    return total


@kernel
def replay(states, kinds, choices, rngs, work, room, odds, found, after, asked):
    """Make recorded steps again, and ask all functions on the way.

    states, kinds, choices, rngs: the steps. work: an array of one record. room, odds: for actions and
    probabilities. found, after: the answers, and the states after each step. asked: the number of the
    function that is under way.
    """
    state = work[0]
    for i in range(states.size):
        work[0] = states[i]
        here = found[i]
        asked[0] = IS_OVER
        here.over = 1 if is_over(state) else 0
        asked[0] = POSITION_KEY
        here.key = np.uint64(position_key(state))
        if kinds[i] == END:
            if here.over == 1:
                asked[0] = OUTCOME
                here.worth = outcome(state)
            continue
        asked[0] = IS_CHANCE
        here.chance = 1 if is_chance(state) else 0
        if kinds[i] == CHANCE:
            asked[0] = CHANCES
            count = chances(state, odds)
            for event in range(min(count, odds.size)):
                here.odds += (event + 1) * odds[event]
            asked[0] = ROLL
            here.event = roll(state, rngs[i])
            if has_numbered_events(state):
                work[0] = states[i]
                asked[0] = HAPPEN
                happen(state, here.event)
        else:
            asked[0] = TO_PLAY
            here.player = to_play(state)
            asked[0] = LEGAL_MOVES
            here.legal = folded(room, legal_moves(state, room))
            asked[0] = TREE_MOVES
            here.tree = folded(room, tree_moves(state, room))
            asked[0] = IS_LEGAL
            here.allowed = 1 if is_legal(state, choices[i]) else 0
            asked[0] = SKIP
            here.skipped = 1 if skip(state) else 0
            work[0] = states[i]
            asked[0] = PLAY
            play(state, choices[i])
        if has_rewards(state):
            asked[0] = REWARD
            here.paid = reward(state)
            asked[0] = DISCOUNT
            here.faded = discount(state)
        after[i] = work[0]


@kernel
def random_game(work, policies, rng, longest):
    """Play a game at random, but not for ever; return player 1's return, the moves, and whether it ended.

    work, policies, rng: arrays of one record each; work is the state to begin from, and changes.
    """
    state = work[0]
    moves = 0
    total = 0.0
    weight = 1.0
    while not is_over(state) and moves < longest:
        if has_chance(state) and is_chance(state):
            roll(state, rng[0])
        else:
            play(state, sample(policies[0], state, rng[0]))
        moves += 1
        if has_rewards(state):
            total += weight * reward(state)
            weight *= discount(state)
    ended = bool(is_over(state))
    if ended:
        total += weight * outcome(state)
    return total, moves, ended


@dataclass
class Steps:
    """Steps of games that were played: states, what followed each, and the random numbers before it."""

    states: list[bytes] = field(default_factory=list)
    kinds: list[int] = field(default_factory=list)
    choices: list[int] = field(default_factory=list)
    rngs: list[bytes] = field(default_factory=list)

    def add(self, state: np.ndarray, kind: int, choice: int, rng: np.ndarray) -> None:
        """A state and what followed it."""
        self.states.append(state.tobytes())
        self.kinds.append(kind)
        self.choices.append(choice)
        self.rngs.append(rng.tobytes())

    def arrays(self) -> dict[str, np.ndarray]:
        """The steps as arrays, the records in them as bytes."""
        return {
            "states": np.frombuffer(b"".join(self.states), np.uint8),
            "kinds": np.array(self.kinds, np.uint8),
            "choices": np.array(self.choices, np.uint16),
            "rngs": np.frombuffer(b"".join(self.rngs), np.uint8),
        }


class Replay:
    """Recorded steps of a game, to be made again as this process runs kernels: compiled or not."""

    def __init__(self, game: Game, steps: Mapping[str, np.ndarray]) -> None:
        facts, count = game.facts, steps["kinds"].size
        self.steps = steps
        self.states = steps["states"].copy().view(game.state)
        self.kinds = steps["kinds"]
        self._rngs = steps["rngs"].copy().view(RNG)
        self._work = np.zeros(1, game.state)
        self._room = np.zeros(facts.most_choices, np.uint16)
        self._odds = np.zeros(max(1, facts.events))
        self._asked = np.zeros(1, np.int64)
        self.found = np.zeros(count, FOUND)
        self.after = np.zeros(count, game.state)

    @property
    def function(self) -> str:
        """The function that is asked, or was when something went wrong."""
        return FUNCTIONS[int(self._asked[0])]

    def compile(self) -> None:
        """Make no step."""
        self._run(0)

    def run(self) -> None:
        """Make the steps again."""
        self._run(self.kinds.size)

    def _run(self, count: int) -> None:
        replay(
            self.states[:count],
            self.kinds[:count],
            self.steps["choices"][:count],
            self._rngs[:count],
            self._work,
            self._room,
            self._odds,
            self.found[:count],
            self.after[:count],
            self._asked,
        )


def save(path: str, played: Replay, hint: str) -> None:
    """Write steps and their answers where another process can read them.

    hint: what to say if that one finds other answers.
    """
    answers = {"found": played.found.view(np.uint8), "after": played.after.view(np.uint8)}
    arrays: dict[str, Any] = {**played.steps, **answers, "hint": np.array(hint)}
    np.savez(path, **arrays)


def load(path: str) -> dict[str, np.ndarray]:
    """What was saved."""
    with np.load(path, allow_pickle=False) as kept:
        return dict(kept)


# -- comparing ------------------------------------------------------------------------------------------


def differing_field(one: np.ndarray, other: np.ndarray) -> str | None:
    """The first field in which two records differ, with both values; None where they are the same.

    Floating-point numbers may differ by what rounding makes: the machine's sine is not NumPy's.
    """
    for name in one.dtype.names or ():
        left, right = one[name], other[name]
        if left.dtype.names:
            for a, b in zip(np.atleast_1d(left), np.atleast_1d(right), strict=True):
                inside = differing_field(a, b)
                if inside is not None:
                    return f"{name}.{inside}"
        elif not _same(left, right):
            at = np.argwhere(~_close(left, right))[0]
            index = f"[{', '.join(map(str, at))}]" if at.size else ""
            return f"{name}{index} is {left[tuple(at)]} and not {right[tuple(at)]}"
    return None


def _close(one: Any, other: Any) -> Any:
    one, other = np.asarray(one), np.asarray(other)
    if one.dtype.kind != "f":
        return one == other
    precision = 1e-4 if one.dtype.itemsize < 8 else 1e-7
    return np.isclose(one, other, rtol=precision, atol=precision, equal_nan=True)


def _same(one: Any, other: Any) -> bool:
    return bool(np.all(_close(one, other)))


def difference(replayed: Replay, plain: Mapping[str, np.ndarray]) -> str | None:
    """Which function first answers otherwise here than in the saved steps, and how; None if none does."""
    found, after = plain["found"].view(FOUND), plain["after"].view(replayed.states.dtype)
    advice = str(plain["hint"]) or " (numbers of small types wrap in plain Python: write int(…) around one)"
    for i in range(found.size):
        for name, function in ASKED.items():
            ours, theirs = replayed.found[i][name], found[i][name]
            if not _same(ours, theirs):
                hidden = name in ("legal", "tree", "odds", "key")  # numbers that mean nothing to people
                if hidden:
                    return f"{function}() gives other numbers compiled than in plain Python{advice}"
                return f"{function}() gives {ours:g} compiled and {theirs:g} in plain Python{advice}"
        differs = differing_field(replayed.after[i], after[i])
        if differs is not None:
            function = "play"
            if replayed.kinds[i] == CHANCE:
                function = "happen" if has_numbered_events(replayed.states[i]) else "roll"
            return f"{function}() makes another state compiled than in plain Python: {differs}{advice}"
    return None
