"""A model of a game that is learnt from experience: UPDATEMODEL of Algorithm 6 (Silver 2009, section 7.3).

All that has happened is remembered: what came of an action in a state, how often, and what it paid. The model
draws from it by those counts, 𝒫 and ℛ of the algorithm at once:

    P(s', r | s, a) = N(s, a, r, s') / N(s, a)

States are told apart by what their records hold, byte by byte. What was seen is a *transition* between states
in which a player is to move, moves of chance included: nothing is known of the game's rules but which actions
are legal, whether it is over, and what its end is worth.

An action that was never made in a state, and a state that was never left, are unknown: a simulation ends
there, and is worth `unknown`. A high value makes an agent look for what it has not tried (as R-max of
Brafman & Tennenholtz 2002 does), a low one keeps it to what it knows.

The model is a game in the place of the first: `LearntModel.root` is a state of it that every search takes.
What it remembers stays in one place in memory while the model lives, and the states only say where.

>>> from playout.games.toy import random_walk
>>> from playout.games.api import play, reward, roll
>>> from playout.kernel import new_rng
>>> walk = random_walk.start(states=5)
>>> after = walk.copy()
>>> play(after[0], 1)
>>> model = LearntModel(walk)
>>> model.update(walk, 1, float(reward(after[0])), 1.0, after)
>>> state = model.root(walk)
>>> play(state[0], 1)
>>> _ = roll(state[0], new_rng(1)[0])
>>> int(state["modelled"][0, 0]["here"])
4
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import cache

import numpy as np

from playout.errors import InputError
from playout.games import api
from playout.games.api import declare, facts_of, has_chance, has_rewards
from playout.kernel import implements, inner, is_implemented, record_type
from playout.kernel.address import address_of, record_at
from playout.kernel.raw import held_bytes
from playout.memory.blank import unknown_value
from playout.search import models
from playout.settings import setting

NOWHERE = -1  # in place of the number of a transition or a state
TRANSITION = record_type(
    [
        ("leads_to", "i8"),  # the number of the state
        ("paid", "f8"),
        ("fade", "f8"),  # γ of all that
        ("happened", "i8"),  # how often
        ("another", "i8"),  # the next transition of the same pair
    ]
)


@dataclass(frozen=True, kw_only=True)
class Model:
    """How a model is learnt."""

    unknown: float | None = setting(
        None, "what an unknown pair is worth; none: 0 with rewards, else as good as even"
    )
    states: int = setting(1 << 14, "states that there is room for", low=1, high=1 << 28)
    transitions: int = setting(1 << 16, "transitions that there is room for", low=1, high=1 << 28)
    events: int = setting(16, "different things that may come of an action in a state", low=1, high=1000)


# -- the model as a game --------------------------------------------------------------------------------


@cache
def node_type(dtype: np.dtype) -> np.dtype:
    """A state that is known, and by action the first transition and how often it was made."""
    actions = facts_of(dtype).actions
    return record_type([("known", dtype, (1,)), ("first", "i8", (actions,)), ("tried", "i8", (actions,))])


@cache
def model_type(dtype: np.dtype, events: int) -> np.dtype:
    """The states of a model of a game; a type of its own for each game."""
    node = node_type(dtype)
    made = record_type(
        [
            ("modelled", dtype, (1,)),  # comes first: what reads the bytes of a state finds them here too
            ("nodes_at", "u8"),  # where in memory the states are, and the transitions
            ("transitions_at", "u8"),
            ("number", "i8"),  # of the state among those that are known, or NOWHERE
            ("attempt", "i8"),  # the action of which it is not yet known what comes, or NOWHERE
            ("is_unknown", "u1"),  # what would come now was never seen
            ("unknown_worth", "f8"),
            ("model_paid", "f8"),
            ("model_fade", "f8"),
        ],
        tag=f"model with {events} events",
    )

    @inner
    def node_of(state):
        return record_at(state.nodes_at, state.number, node)

    @implements(api.play, made)
    def play(state, action):
        state.model_paid, state.model_fade = 0.0, 1.0
        known = state.number != NOWHERE and node_of(state).tried[action] > 0
        if known:
            state.attempt = action
        else:
            state.is_unknown = 1

    @implements(api.is_chance, made)
    def is_chance(state):
        return state.attempt != NOWHERE

    @implements(api.chances, made)
    def chances(state, probabilities):
        here = node_of(state)
        at = here.first[state.attempt]
        count = 0
        while at != NOWHERE:
            now = record_at(state.transitions_at, at, TRANSITION)
            probabilities[count] = now.happened / here.tried[state.attempt]
            at = now.another
            count += 1
        return count

    @implements(api.happen, made)
    def happen(state, event):
        at = node_of(state).first[state.attempt]
        for _ in range(event):
            at = record_at(state.transitions_at, at, TRANSITION).another
        now = record_at(state.transitions_at, at, TRANSITION)
        state.number = now.leads_to
        state.modelled[0] = node_of(state).known[0]
        state.model_paid, state.model_fade = now.paid, now.fade
        state.attempt = NOWHERE

    @implements(api.is_over, made)
    def is_over(state):
        return state.is_unknown == 1 or (state.attempt == NOWHERE and api.is_over(state.modelled[0]))

    @implements(api.outcome, made)
    def outcome(state):
        return state.unknown_worth if state.is_unknown else float(api.outcome(state.modelled[0]))

    @implements(api.legal_moves, made)
    def legal_moves(state, moves):
        return api.legal_moves(state.modelled[0], moves)

    @implements(api.tree_moves, made)
    def tree_moves(state, moves):
        return api.tree_moves(state.modelled[0], moves)

    @implements(api.to_play, made)
    def to_play(state):
        return api.to_play(state.modelled[0])

    @implements(models.observed, made)
    def observed(state):
        return state.modelled[0]

    if has_rewards.__dict__["of_type"](dtype):

        @implements(api.reward, made)
        def reward(state):
            return state.model_paid

        @implements(api.discount, made)
        def discount(state):
            return state.model_fade

    if is_implemented(api.position_key, dtype):

        @implements(api.position_key, made)
        def position_key(state):
            return api.position_key(state.modelled[0])

    facts = facts_of(dtype)
    plies = 1 if has_chance.__dict__["of_type"](dtype) else 2  # in a model chance follows every action
    declare(made, dataclasses.replace(facts, events=events, moves=min(plies * facts.moves, api.UNLIMITED)))
    return made


# -- what is remembered ---------------------------------------------------------------------------------


class LearntModel:
    """What has happened in a game, and the game that is drawn from it. root: a state of the game."""

    def __init__(self, root: np.ndarray, settings: Model = Model()) -> None:
        self.settings, self._dtype = settings, root.dtype
        self._nodes = np.zeros(settings.states, node_type(root.dtype))
        self._transitions = np.zeros(settings.transitions, TRANSITION)
        self._held = held_bytes(root.dtype)
        self._numbers: dict[bytes, int] = {}
        self._made = 0
        self._pairs: list[tuple[int, int]] = []
        self._root = np.zeros(1, model_type(root.dtype, settings.events))
        self._root["nodes_at"] = address_of(self._nodes)
        self._root["transitions_at"] = address_of(self._transitions)
        unknown = unknown_value(root) if settings.unknown is None else settings.unknown
        self._root["unknown_worth"] = unknown

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """All states, by number, and actions that were made in them, each pair once, in order."""
        return self._pairs

    @property
    def states(self) -> int:
        """How many states are known."""
        return len(self._numbers)

    def number_of(self, state: np.ndarray) -> int:
        """The number of a state that is known, or NOWHERE."""
        return self._numbers.get(self._key(state), NOWHERE)

    def _key(self, state: np.ndarray) -> bytes:
        return bytes(state.view(np.uint8)[self._held])

    def _number(self, state: np.ndarray) -> int:
        key = self._key(state)
        number = self._numbers.get(key)
        if number is None:
            number = len(self._numbers)
            if number == self._nodes.size:
                raise InputError(f"the model is full with {number:,} states: give it room for more (states)")
            self._numbers[key] = number
            self._nodes[number]["known"][0] = state[0]
            self._nodes[number]["first"] = NOWHERE
        return number

    def update(self, state: np.ndarray, action: int, paid: float, fade: float, after: np.ndarray) -> None:
        """UPDATEMODEL(s, a, r, s'): this came of an action. fade: γ of the step.

        A player is to move in both states, or the game is over in the second.
        """
        if state.dtype != self._dtype or after.dtype != self._dtype:
            raise InputError("a model belongs to one game: make another one for this")
        node, to = self._nodes[self._number(state)], self._number(after)
        at, before, kinds = int(node["first"][action]), NOWHERE, 0
        while at != NOWHERE:
            now = self._transitions[at]
            if now["leads_to"] == to and now["paid"] == paid and now["fade"] == fade:
                now["happened"] += 1
                break
            at, before, kinds = int(now["another"]), at, kinds + 1
        else:
            at = self._add(to, paid, fade, kinds)
            if before == NOWHERE:
                node["first"][action] = at
                self._pairs.append((self.number_of(state), action))
            else:
                self._transitions[before]["another"] = at
        node["tried"][action] += 1

    def _add(self, to: int, paid: float, fade: float, kinds: int) -> int:
        if self._made == self._transitions.size:
            raise InputError(
                f"the model is full with {self._made:,} transitions: give it room for more (transitions)"
            )
        if kinds == self.settings.events:
            raise InputError(
                f"more than {kinds:,} different things came of an action: give it room for more (events)"
            )
        self._transitions[self._made] = (to, paid, fade, 1, NOWHERE)
        self._made += 1
        return self._made - 1

    def root(self, state: np.ndarray) -> np.ndarray:
        """The same state in the model, for a search to begin from; it is used up before the model is."""
        made = self._root.copy()
        made["modelled"][0, 0] = state[0]
        made["number"], made["attempt"] = self.number_of(state), NOWHERE
        return made

    def reading(self) -> tuple[np.ndarray, np.ndarray]:
        """The states and the transitions, for kernels that draw from them."""
        return self._nodes, self._transitions
