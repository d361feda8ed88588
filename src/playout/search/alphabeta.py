"""Alpha-beta search over any value function (Knuth & Moore 1975; Silver 2009, sections 3.3.1 and 5.7.9).

Full width to a fixed depth; the positions at the end are valued by a memory (`memory.api`), all children of
a node at once. Values are player 1's, who maximises; player 2 minimises. The end of a game is worth from
-DECIDED to DECIDED, as its outcome lies between the game's bounds. Over a memory without values
(`memory.blank`) a position at the end of the search counts 0 if the game goes on there.

Where chance moves, a node is worth the expectation of its children (the expectimax backup of 3.3.1), each of
them searched with an open window. Moves of chance use up no depth.

Written as a loop over a stack of frames, one a ply. So it can be stopped after any node and go on later,
which is how the clock comes in.

What makes it faster without changing the result: the moves in the order of their static values (depth first
search cuts most when the best comes first), the best move of a shallower search first (iterative deepening,
transposition table), moves that have refuted a neighbour before others (killer moves). Null moves change
the result where it is better not to move: they look first whether the mover is well off even if he skips
his turn, with a shallower search.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from playout.errors import InputError
from playout.games.api import (
    NO_ACTION,
    GameError,
    chances,
    discount,
    facts_of,
    happen,
    has_chance,
    is_chance,
    is_over,
    play,
    position_key,
    reward,
    skip,
    to_play,
)
from playout.kernel import inner, is_implemented, kernel
from playout.memory.after import end_value
from playout.memory.api import DECIDED, after_values, choices, has_values, look
from playout.search.frames import (
    CHANCE_STACK,
    CONTROL,
    ENTER,
    ENTRY,
    EVENTS,
    MAX_DEPTH,
    MOVES,
    NULL,
    STACK,
    close_frame,
    consider,
    frame_type,
    open_frame,
    prefer,
    recall,
    refute,
    store,
    take_best,
)

NULL_REDUCTION = 2  # plies that the search after a null move is shallower
NULL_WINDOW = 1e-3  # width of the window that it is asked about
SURE = 1e-6  # how near to 1 the sum of all probabilities comes


@inner
def list_moves(frame, state, memory, index, weights, control, ply, remembered, first):
    """Find the moves of a node with their static values, which are all there is to know at depth 1."""
    look(memory, index, weights, state)
    if frame.n_moves == 0:  # the root's moves are given
        count = choices(memory, state, frame.moves_here)
        if count < 1 or count > frame.moves_here.size:
            raise GameError(
                "legal_moves or tree_moves gives no action, or more than the game declares (choices)"
            )
        frame.n_moves = count
    after_values(memory, index, weights, state, frame.moves_here, frame.n_moves, frame.static)
    control.evaluations += np.uint64(frame.n_moves)
    frame.best = -np.inf if first else np.inf
    frame.best_move = NO_ACTION
    if frame.depth_left <= 1 and has_values(memory):
        for k in range(frame.n_moves):
            consider(frame, frame.static[np.uint32(k)], frame.moves_here[np.uint32(k)], first)
        return
    prefer(frame, control, ply, remembered, first)


@inner
def place_below(frames, states, ply):
    """Where the child of a node lies on the stack."""
    if has_chance(states[ply]) and ply + 1 >= frames.size:
        raise GameError("chance moves too often in a row for a search so deep")
    return np.uint32(ply + 1)


@inner
def list_events(frame, state):
    """Find what may happen at a node where chance moves."""
    count = chances(state, frame.likely)
    if count < 1 or count > frame.likely.size:
        raise GameError("chances gives nothing that may happen, or more than the game declares (events)")
    total = 0.0
    for event in range(count):
        total += frame.likely[event]
    if not abs(total - 1.0) < SURE:
        raise GameError("the probabilities that chances gives do not add up to 1")
    frame.phase = EVENTS
    frame.n_moves = count
    frame.next_move = 0
    frame.expectation = 0.0
    frame.first_lower, frame.first_upper = -np.inf, np.inf  # all is searched: the value will be exact


@inner
def let_happen(frames, states, table, control):
    """Open the node behind the next event; after the last one the value is the expectation."""
    ply = np.uint32(control.ply)
    frame = frames[ply]
    while frame.next_move < frame.n_moves and frame.likely[np.uint32(frame.next_move)] <= 0.0:
        frame.next_move += np.uint16(1)
    if frame.next_move == frame.n_moves:
        frame.best = np.float32(frame.expectation)
        store(frame, table, control)
        close_frame(control, frame.best)
        return
    below = place_below(frames, states, ply)
    states[below] = states[ply]
    happen(states[below], frame.next_move)
    open_frame(frames[below], frame.depth_left, np.float32(-np.inf), np.float32(np.inf), 0)
    control.ply += 1


@inner
def enter(frames, states, memory, index, weights, table, control):
    """Begin with a node: is it over, is it known, is it good enough without a move?"""
    ply = np.uint32(control.ply)
    frame = frames[ply]
    state = states[ply]
    control.nodes += np.uint64(1)
    if is_over(state):
        close_frame(control, end_value(state))
        return
    chance = has_chance(state) and is_chance(state)
    if not has_values(memory) and frame.depth_left <= 0 and not chance:
        close_frame(control, np.float32(0.0))
        return
    if control.use_table:
        frame.key = position_key(state)
        if recall(frame, table, control) and ply > 0:
            close_frame(control, frame.best)
            return
    if chance:
        list_events(frame, state)
        let_happen(frames, states, table, control)
        return
    first = to_play(state) == 1
    if (
        control.use_null
        and frame.phase == ENTER
        and ply > 0
        and not frame.after_null
        and frame.depth_left > NULL_REDUCTION + 1
        and abs(frame.upper if first else frame.lower) < DECIDED
    ):
        below = place_below(frames, states, ply)
        states[below] = state
        if skip(states[below]):
            frame.phase = NULL
            window = np.float32(NULL_WINDOW)
            lower = frame.upper - window if first else frame.lower
            upper = frame.upper if first else frame.lower + window
            open_frame(frames[below], frame.depth_left - 1 - NULL_REDUCTION, lower, upper, 1)
            control.ply += 1
            return
    go_through(frames, states, memory, index, weights, table, control)


@inner
def go_through(frames, states, memory, index, weights, table, control):
    """List the moves of a node; one at depth 1 is done with that, if the memory has values."""
    ply = np.uint32(control.ply)
    frame = frames[ply]
    frame.phase = MOVES
    first = to_play(states[ply]) == 1
    list_moves(frame, states[ply], memory, index, weights, control, ply, frame.best_move, first)
    if frame.depth_left <= 1 and has_values(memory):
        store(frame, table, control)
        close_frame(control, frame.best)
        return
    descend(frames, states, control)


@inner
def descend(frames, states, control):
    """Make the next move of a node and open the node behind it."""
    ply = np.uint32(control.ply)
    frame = frames[ply]
    move = take_best(frame)
    below = place_below(frames, states, ply)
    states[below] = states[ply]
    play(states[below], move)
    open_frame(frames[below], frame.depth_left - 1, frame.lower, frame.upper, 0)
    control.ply += 1


@inner
def hear(frames, states, memory, index, weights, table, control):
    """A child has its value: go on to the next move, or be done."""
    ply = np.uint32(control.ply)
    frame = frames[ply]
    value = control.value
    if has_chance(states[ply]) and frame.phase == EVENTS:
        frame.expectation += frame.likely[np.uint32(frame.next_move)] * value
        frame.next_move += np.uint16(1)
        let_happen(frames, states, table, control)
        return
    first = to_play(states[ply]) == 1
    if frame.phase == NULL:
        if (value >= frame.upper) if first else (value <= frame.lower):
            close_frame(control, value)
        else:
            go_through(frames, states, memory, index, weights, table, control)
        return
    move = frame.moves_here[np.uint32(frame.next_move - np.uint16(1))]
    consider(frame, value, move, first)
    if frame.lower >= frame.upper:
        refute(control, ply, move)
    elif frame.next_move < frame.n_moves:
        descend(frames, states, control)
        return
    store(frame, table, control)
    close_frame(control, frame.best)


@kernel
def run(frames, states, memories, index, weights, table, controls, nodes):
    """Go on with a search for some nodes; whether it is over."""
    control = controls[0]
    memory = memories[0]
    until = control.nodes + np.uint64(nodes)
    while control.ply >= 0:
        if frames[np.uint32(control.ply)].phase == ENTER:
            if control.nodes >= until:
                return False
            enter(frames, states, memory, index, weights, table, control)
        else:
            hear(frames, states, memory, index, weights, table, control)
    return True


@dataclass(frozen=True, kw_only=True)
class Enhancements:
    """What makes the search faster; without any it is plain alpha-beta in the order of the moves."""

    order: bool = True  # moves in the order of their static values
    table: bool = True
    killers: bool = True
    null_move: bool = False


@dataclass(frozen=True)
class Found:
    """What a search to one depth has found."""

    depth: int
    value: float  # player 1's: φ·θ at the end of the best line, or the end of the game; or expectations
    action: int
    nodes: int
    evaluations: int


def check_game(dtype: np.dtype) -> None:
    """Refuse a game that alpha-beta cannot search."""
    instead = "search it with uct or flat"
    if any(is_implemented(function, dtype) for function in (reward, discount)):
        raise InputError(f"alpha-beta knows only outcomes, and this game pays on the way: {instead}")
    if is_implemented(is_chance, dtype) and not (
        facts_of(dtype).events and all(is_implemented(function, dtype) for function in (chances, happen))
    ):
        raise InputError(
            f"alpha-beta needs what chance may do by number (events, chances, happen), and this game has no "
            f"numbers for it: {instead}"
        )


class AlphaBeta:
    """A search from one state after another, with a memory that values positions.

    memory, index, weights: as `memory.api` has them. bits: the transposition table has 2^bits entries. The
    table is used in games that have a `position_key`, null moves in those that have a `skip`.
    """

    def __init__(
        self,
        memory: np.ndarray,
        index: np.ndarray,
        weights: np.ndarray,
        enhancements: Enhancements = Enhancements(),
        bits: int = 18,
    ) -> None:
        self._memory, self._index, self._weights = memory, index, weights
        self._enhancements = enhancements
        self._table = np.zeros(1 << bits, ENTRY)
        self._states: np.ndarray | None = None
        self._control = np.zeros(1, CONTROL)

    def _prepare(self, dtype: np.dtype) -> None:
        """Make room for the states of a game."""
        check_game(dtype)
        facts, chance = facts_of(dtype), is_implemented(is_chance, dtype)
        stack = CHANCE_STACK if chance else STACK
        self._states = np.zeros(stack, dtype)
        self._frames = np.zeros(stack, frame_type(facts.most_choices, facts.events if chance else 0))
        c, e = self._control, self._enhancements
        c["use_order"], c["use_killers"] = e.order, e.killers
        c["use_table"] = e.table and is_implemented(position_key, dtype)
        c["use_null"] = e.null_move and is_implemented(skip, dtype)

    def start(self, root: np.ndarray, actions: Iterable[int]) -> None:
        """Search from this state, among these actions; forgets all that is remembered of another game.

        A state where chance moves has a value and no actions.
        """
        if self._states is None or self._states.dtype != root.dtype:
            self._prepare(root.dtype)
        assert self._states is not None
        self._states[:1] = root
        self._actions = np.asarray(actions, np.uint16)
        most = facts_of(root.dtype).most_choices
        fewest = 0 if has_chance(root[0]) and is_chance(root[0]) else 1
        if not fewest <= self._actions.size <= most:
            raise GameError(
                f"a root with {self._actions.size} actions, where the game declares 1 to {most} (choices)"
            )
        if self._control["use_table"][0]:
            self._table.view(np.uint8)[:] = 0
        self._control["killer"] = NO_ACTION
        self._control["nodes"] = self._control["evaluations"] = 0

    def deepen(self, depth: int, nodes: int = 1 << 62) -> Found | None:
        """Search to a depth; None if it takes more nodes: `go_on` then."""
        if not 1 <= depth <= MAX_DEPTH:
            raise InputError(f"depth: {depth} is not a number from 1 to {MAX_DEPTH}")
        frame = self._frames[:1]
        for name in ("phase", "next_move", "after_null"):
            frame[name] = 0
        frame["n_moves"] = self._actions.size
        frame["moves_here"][0, : self._actions.size] = self._actions
        frame["depth_left"], frame["best_move"] = depth, NO_ACTION
        frame["lower"] = frame["first_lower"] = -np.inf
        frame["upper"] = frame["first_upper"] = np.inf
        self._control["ply"] = 0
        return self.go_on(nodes)

    def go_on(self, nodes: int = 1 << 62) -> Found | None:
        """Go on with a search that was interrupted."""
        done = run(
            self._frames,
            self._states,
            self._memory,
            self._index,
            self._weights,
            self._table,
            self._control,
            nodes,
        )
        if not done:
            return None
        control, frame = self._control[0], self._frames[0]
        return Found(
            int(frame["depth_left"]),
            float(control["value"]),
            int(frame["best_move"]),
            int(control["nodes"]),
            int(control["evaluations"]),
        )
