"""Players of interpreted games: random moves, simple Monte-Carlo search and UCT, in plain Python.

They take the settings that their compiled namesakes call by the same names, and mean the same: values are
shares from 0 to 1 of what lies between the game's bounds. Every simulation starts from a fork of the state,
whose luck is its own, so that no search sees what will happen.
"""

from __future__ import annotations

import math
import random
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from playout.bridges.interpreted import OVER, InterpretedPosition, State
from playout.errors import InputError
from playout.games.position import CHANCE
from playout.player.api import VALUED, Analysis, MoveInfo, Player
from playout.player.clock import Clock
from playout.player.registry import ANY_GAME, Entry
from playout.player.searcher import TreeSettings
from playout.player.simple import FlatSettings, PolicySettings, lower_bound
from playout.player.timing import UNBOUNDED, deadline
from playout.settings import like

ROUND = 64  # simulations between two analyses
PV = 12  # moves of a line that is shown


# -- searches -------------------------------------------------------------------------------------------


def roll_out(state: State, draw: random.Random) -> float:
    """Player 1's return when random legal actions are made to the end."""
    total, weight, discount = 0.0, 1.0, state.rules.discount
    while (turn := state.turn()) != OVER:
        if turn == CHANCE:
            total += weight * state.roll(draw)[1]
            continue
        moves = state.legal_moves()
        total += weight * state.step(moves[int(draw.random() * len(moves))])
        weight *= discount
    return total


class Search(Protocol):
    """What spends simulations on a state."""

    def simulate(self) -> None:
        """A simulation, or one for every move."""

    def moves(self) -> list[tuple[int, int, float, tuple[int, ...]]]:
        """Each move: its number, its simulations, its mean share for the mover, its line; the best first."""


class FlatSearch:
    """Simple Monte-Carlo search: the same number of simulations for every move (Silver 2009, section 3.3)."""

    def __init__(self, root: State, draw: random.Random) -> None:
        self._root, self._draw = root, draw
        self._moves = root.legal_moves()
        self._totals = [0.0] * len(self._moves)
        self._rounds = 0

    def simulate(self) -> None:
        """One simulation for every move."""
        self._rounds += 1
        for k, action in enumerate(self._moves):
            state = self._root.fork(self._draw)
            paid = state.step(action)
            self._totals[k] += paid + state.rules.discount * roll_out(state, self._draw)

    def moves(self) -> list[tuple[int, int, float, tuple[int, ...]]]:
        """The moves with the highest mean first; equals in any order."""
        root, rounds = self._root, max(1, self._rounds)
        found = [
            (action, self._rounds, root.rules.share(total / rounds, root.turn()), (action,))
            for action, total in zip(self._moves, self._totals, strict=True)
        ]
        self._draw.shuffle(found)
        return sorted(found, key=lambda move: -move[2])


class Node:
    """A state in the tree, and the action or event that led to it."""

    __slots__ = ("children", "total", "visits")

    def __init__(self) -> None:
        self.visits = 0  # N(s, a)
        self.total = 0.0  # shares for the player who chose the action
        self.children: dict[int, Node] = {}


class UctSearch:
    """UCT (Kocsis & Szepesvári 2006; Silver 2009, Algorithm 2): a tree that grows by a node a simulation.

    Where what chance does has numbers, a node of chance has a child for each event that has happened. Where
    it has none the tree is open loop: a node stands for the actions that lead to it. A move without a
    simulation comes before all others: bounds that are only estimated leave no safe value for it.
    """

    def __init__(self, root: State, draw: random.Random, exploration: float) -> None:
        self._root, self._draw, self._exploration = root, draw, exploration
        self._rules, self._tree = root.rules, Node()

    def simulate(self) -> None:
        """One simulation: down the tree, on at random, and back."""
        state, node, draw = self._root.fork(self._draw), self._tree, self._draw
        path: list[tuple[Node, int, float, float]] = []  # a node, who chose it, what that paid, γ of it
        at_leaf = False
        while not at_leaf and (turn := state.turn()) != OVER:
            if turn == CHANCE:
                key, paid = state.roll(draw)
                fade = 1.0
            else:
                key = self._select(node, state.legal_moves())
                paid, fade = state.step(key), self._rules.discount
                at_leaf = key not in node.children
            node = node.children.setdefault(key, Node())
            path.append((node, turn, paid, fade))
        z = roll_out(state, draw)
        for node, player, paid, fade in reversed(path):
            z = paid + fade * z
            node.visits += 1
            node.total += self._rules.share(z, player)
        self._tree.visits += 1

    def _select(self, node: Node, moves: list[int]) -> int:
        """The action with the highest upper confidence bound, Q(s, a) + c √(2 ln N(s) / N(s, a)) (3.5)."""
        children, log_total = node.children, 2.0 * math.log(max(1, node.visits))
        best, highest = moves[0], -math.inf
        for action in moves:
            child = children.get(action)
            if child is None:
                return action
            n = child.visits
            value = child.total / n + self._exploration * math.sqrt(log_total / n)
            if value > highest:
                best, highest = action, value
        return best

    def moves(self) -> list[tuple[int, int, float, tuple[int, ...]]]:
        """The moves with the most simulations first; the better of equals."""
        found = []
        for action in self._root.legal_moves():
            child = self._tree.children.get(action, Node())
            mean = child.total / child.visits if child.visits else 0.5
            found.append((action, child.visits, mean, self._line(action)))
        return sorted(found, key=lambda move: (-move[1], -move[2]))

    def _line(self, action: int) -> tuple[int, ...]:
        """The most visited line that begins with an action; what chance did on the way is in it."""
        line, node = [action], self._tree.children.get(action)
        while node is not None and node.children and len(line) < PV:
            key = max(node.children, key=lambda key: node.children[key].visits)  # type: ignore[union-attr]
            line.append(key)
            node = node.children[key]
        return tuple(line)


# -- players --------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class InterpretedFlatSettings:
    """Settings of simple Monte-Carlo search in an interpreted game."""

    sims: int | None = like(FlatSettings, "sims")
    seconds: float | None = like(FlatSettings, "seconds")
    seed: int | None = like(FlatSettings, "seed")


@dataclass(frozen=True, kw_only=True)
class InterpretedUctSettings:
    """Settings of UCT in an interpreted game."""

    sims: int | None = like(TreeSettings, "sims")
    seconds: float | None = like(TreeSettings, "seconds")
    exploration: float = like(TreeSettings, "exploration")
    seed: int | None = like(TreeSettings, "seed")


class InterpretedPlayer(Player):
    """Searches an interpreted game and plays the best move."""

    def __init__(self, name: str, settings: Any) -> None:
        self.name, self.settings, self.clock = name, settings, Clock()
        self._draw = random.Random(settings.seed)
        self._stopped = threading.Event()

    def _new_search(self, root: State) -> Search:
        return FlatSearch(root, self._draw)

    def _searched(self, position: InterpretedPosition) -> list[tuple[int, int, float, tuple[int, ...]]]:
        """The moves, best first, after as much search as the settings and the clock allow."""
        s = self.settings
        until = deadline(self.name, s.sims, s.seconds, self.clock, position)
        self._stopped.clear()
        search = self._new_search(_root(position))
        most, done = s.sims or UNBOUNDED, 0
        while done == 0 or (
            done < most and not self._stopped.is_set() and (until is None or time.monotonic() < until)
        ):
            search.simulate()
            done += 1
        return search.moves()

    def choose_action(self, position: InterpretedPosition) -> int:
        return self._searched(position)[0][0]

    def value(self, position: InterpretedPosition) -> float:
        best = self._searched(position)[0][2]
        return best if position.to_play == 1 else 1.0 - best

    def stop(self) -> None:
        self._stopped.set()

    def analyse(self, position: InterpretedPosition) -> Iterator[Analysis]:
        search = self._new_search(_root(position))
        while True:
            for _ in range(ROUND):
                search.simulate()
            moves = search.moves()
            bounds = lower_bound(np.array([m[2] for m in moves]), np.array([m[1] for m in moves]))
            yield Analysis(
                to_play=position.to_play,
                moves=tuple(
                    MoveInfo(action, visits, mean, float(bound), 1 / len(moves), line)
                    for (action, visits, mean, line), bound in zip(moves, bounds, strict=True)
                ),
            )


class RandomPlayer(InterpretedPlayer):
    """Makes random legal moves."""

    def choose_action(self, position: InterpretedPosition) -> int:
        return self._draw.choice(_root(position).legal_moves())

    def value(self, position: InterpretedPosition) -> float:
        """Player 1's share when random moves are made from here on for both sides."""
        state = position.state
        total = sum(roll_out(state.fork(self._draw), self._draw) for _ in range(VALUED))
        return state.rules.share(total / VALUED, 1)


class UctPlayer(InterpretedPlayer):
    """Searches a tree, a new one for every move, and plays the most visited move."""

    def _new_search(self, root: State) -> Search:
        return UctSearch(root, self._draw, self.settings.exploration)


def _root(position: InterpretedPosition) -> State:
    """The state of a position where a player is to move."""
    if position.is_over or position.is_chance:
        raise InputError("there is no move to choose: the game is over, or chance moves now")
    return position.state


# None: a player that only compiled games have.
KINDS: dict[str, Entry | None] = {
    **dict.fromkeys(ANY_GAME),
    "random": Entry("random legal moves", RandomPlayer, PolicySettings),
    "flat": Entry(
        "simple Monte-Carlo search: most wins of equal simulations",
        InterpretedPlayer,
        InterpretedFlatSettings,
    ),
    "uct": Entry("tree search that explores by UCB1", UctPlayer, InterpretedUctSettings),
}
