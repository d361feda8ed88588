"""Two players that are records play whole games against each other, without leaving compiled code.

A player is a policy, or a memory with its index and weights, which then plays greedily: the action of highest
value. What else a record may be says its `choose`.

Each game has generators of random numbers: one for what chance does, and one for each player. So the games of
a pair have the same dice, whatever the players do with them, as long as a roll takes one random number. One
generator may also serve for all of it, and for all games.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from playout.games.api import is_over, most_choices, outcome, play, to_play
from playout.kernel import below, constant, defaulted, is_implemented, kernel, only_where, record_type
from playout.memory.api import Parts, add_action, after_values, begin_history, choices
from playout.memory.td import best_action
from playout.policy.api import begin, sample
from playout.search.simulation import make_chance_moves, take_turn

UNFINISHED = -1  # in place of a length: the game had more moves than there was room for
NO_INDEX, NO_WEIGHTS = np.empty(0, np.int64), np.empty(0, np.float32)
NO_ACTIONS = np.empty((0, 0), np.uint16)

GAME = record_type(
    [
        ("other_is_first", "u1"),  # whether player 1 is the other one
        ("length", "i8"),  # actions, or UNFINISHED
        ("outcome", "f8"),  # in the game's own units, for player 1; of an ended game
    ]
)


class Side(NamedTuple):
    """A player, as the kernel takes it."""

    record: np.ndarray  # of one
    numbers: np.ndarray = NO_INDEX  # a memory's index
    weights: np.ndarray = NO_WEIGHTS

    @classmethod
    def greedy(cls, parts: Parts) -> Side:
        """Who plays the action that a memory gives the highest value."""
        return cls(parts.memory, parts.index, parts.weights)


def begun(root: np.ndarray, count: int) -> np.ndarray:
    """The states of so many games that begin in one state."""
    return np.tile(root.view(np.uint8), count).view(root.dtype)


def in_turns(count: int) -> np.ndarray:
    """So many games, in every other one of which the other player is the first."""
    found = np.zeros(count, GAME)
    found["other_is_first"][1::2] = 1
    return found


@constant
def is_memory(dtype):
    """Whether a player is a memory."""
    return is_implemented(after_values, dtype)


def _ask(policy, index, weights, state, actions, values, rng):
    begin(policy, state)
    return np.uint32(sample(policy, state, rng))


@only_where(is_memory, otherwise=_ask)
def _by_kind(memory, index, weights, state, actions, values, rng):
    return np.uint32(best_action(memory, index, weights, state, actions, values))


@defaulted
def choose(player, index, weights, state, actions, values, rng):
    """What a player does in a state. actions, values: room for its choices, and for what they are worth."""
    return _by_kind(player, index, weights, state, actions, values, rng)


@kernel
def duel(states, games, one, other, luck, one_rng, other_rng, longest, actions):
    """Play games from their states on to the end; each state is then the last of its game.

    games: an array of GAME, told who is first, told how they went. one, other: `Side`s. luck, one_rng,
    other_rng: generators, a record a game or one for all. longest: so many moves, those of chance included,
    end what is UNFINISHED; it goes on from its state if it is played again. actions: a row a game, where each
    is written; a game that is longer is UNFINISHED too. Without rows nothing is written.
    """
    player, index, weights = one
    enemy, enemy_index, enemy_weights = other
    room = np.zeros(most_choices(states[0]), np.uint16)
    values = np.zeros(most_choices(states[0]), np.float32)
    most = actions.shape[1] if actions.shape[0] > 0 else longest
    for g in range(games.size):
        state, dice = states[g], luck[g % luck.size]
        _, _, moves = make_chance_moves(state, dice, 0)
        begin_history(player[0], index, weights, state)
        begin_history(enemy[0], enemy_index, enemy_weights, state)
        mine = 1 + games[g].other_is_first
        n = 0
        while not is_over(state) and n < most and moves < longest:
            if to_play(state) == mine:
                rng = one_rng[g % one_rng.size]
                action = choose(player[0], index, weights, state, room, values, rng)
            else:
                rng = other_rng[g % other_rng.size]
                action = choose(enemy[0], enemy_index, enemy_weights, state, room, values, rng)
            if actions.shape[0] > 0:
                actions[g, n] = np.uint16(action)
            n += 1
            add_action(player[0], index, weights, state, action)
            add_action(enemy[0], enemy_index, enemy_weights, state, action)
            _, _, moves = take_turn(state, action, dice, moves)
        games[g].length = n if is_over(state) else UNFINISHED
        games[g].outcome = outcome(state) if is_over(state) else 0.0


@kernel
def open_games(states, memories, moves, rng):
    """Begin pairs of games, which lie side by side, with the same random moves among a memory's choices."""
    room = np.zeros(most_choices(states[0]), np.uint16)
    # Drawn from the list, and not by `any_choice`, which takes other random numbers for some memories once
    # the module that says so is there.
    for g in range(0, states.size, 2):
        for _ in range(moves):
            count = choices(memories[0], states[g], room)
            play(states[g], room[below(rng[0], count)])
        states[g + 1] = states[g]
