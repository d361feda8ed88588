"""Alpha-beta search over any value function (Knuth & Moore 1975; Silver 2009, sections 3.3.1 and 5.7.9).

Full width to a fixed depth; the positions at the end are valued by a memory (`memory.api`), all children of
a node at once. Values are player 1's, who maximises; player 2 minimises. Positions that end the game count
±DECIDED.

Written as a loop over a stack of frames, one a ply. So it can be stopped after any node and go on later,
which is how the clock comes in.

What makes it faster without changing the result: the moves in the order of their static values (depth first
search cuts most when the best comes first), the best move of a shallower search first (iterative deepening,
transposition table), moves that have refuted a neighbour before others (killer moves). Null moves change
the result where it is better not to move: they look first whether the mover is well off even if he skips
his turn, with a shallower search.
"""

from dataclasses import dataclass

import numpy as np

from playout.games.api import MAX_ACTIONS, is_over, outcome, play, position_key, skip, to_play
from playout.kernel import inner, kernel, record_type
from playout.memory.api import DECIDED, after_values, choices, look

MAX_DEPTH = 64
NULL_REDUCTION = 2  # plies that the search after a null move is shallower
NULL_WINDOW = 1e-3  # width of the window that it is asked about
NO_ACTION = (1 << 16) - 1
ENTER, NULL, MOVES = 0, 1, 2  # what a frame does next: begin, hear of the null move, go through the moves
UNKNOWN, EXACT, AT_LEAST, AT_MOST = 0, 1, 2, 3

FRAME = record_type(
    [
        ("lower", "f4"),  # α: what player 1 has already
        ("upper", "f4"),  # β: what player 2 has already
        ("first_lower", "f4"),  # both as they were at the beginning
        ("first_upper", "f4"),
        ("best", "f4"),
        ("best_move", "u2"),
        ("depth_left", "i2"),
        ("next_move", "u2"),
        ("n_moves", "u2"),
        ("phase", "u1"),
        ("after_null", "u1"),
        ("key", "u8"),
        ("moves_here", "u2", (MAX_ACTIONS,)),
        ("static", "f4", (MAX_ACTIONS,)),
    ]
)
ENTRY = record_type(
    [("entry_key", "u8"), ("bound", "f4"), ("entry_depth", "i2"), ("entry_move", "u2"), ("entry_kind", "u1")]
)
CONTROL = record_type(
    [
        ("ply", "i4"),  # of the frame that works; -1 when the search is over
        ("value", "f4"),  # of the frame that ended last
        ("nodes", "u8"),
        ("evaluations", "u8"),
        ("killer", "u2", (MAX_DEPTH + 1, 2)),  # by ply: the last two moves that cut
        ("use_table", "u1"),
        ("use_killers", "u1"),
        ("use_null", "u1"),
        ("use_order", "u1"),
    ]
)


@inner
def open_frame(frame, depth, lower, upper, after_null):
    """A node that has not been looked at yet."""
    frame.depth_left = depth
    frame.lower = frame.first_lower = lower
    frame.upper = frame.first_upper = upper
    frame.after_null = after_null
    frame.phase = ENTER
    frame.next_move = 0
    frame.n_moves = 0
    frame.best_move = NO_ACTION


@inner
def close_frame(control, value):
    """The value of the node is known; its parent hears of it."""
    control.value = value
    control.ply -= 1


@inner
def store(frame, table, control):
    """Remember what has been found out about a node."""
    if not control.use_table:
        return
    entry = table[np.uint32(frame.key & np.uint64(table.size - 1))]
    entry.entry_key = frame.key
    entry.entry_depth = frame.depth_left
    entry.entry_move = frame.best_move
    entry.bound = frame.best
    if frame.best >= frame.first_upper:
        entry.entry_kind = AT_LEAST
    elif frame.best <= frame.first_lower:
        entry.entry_kind = AT_MOST
    else:
        entry.entry_kind = EXACT


@inner
def recall(frame, table, control):
    """What is remembered of a node: True if that is enough; else its best move comes first."""
    entry = table[np.uint32(frame.key & np.uint64(table.size - 1))]
    if entry.entry_kind == UNKNOWN or entry.entry_key != frame.key:
        return False
    frame.best_move = entry.entry_move
    if entry.entry_depth != frame.depth_left:  # a deeper search would be another search
        return False
    if (
        entry.entry_kind == EXACT
        or (entry.entry_kind == AT_LEAST and entry.bound >= frame.upper)
        or (entry.entry_kind == AT_MOST and entry.bound <= frame.lower)
    ):
        frame.best = entry.bound
        return True
    return False


@inner
def prefer(frame, control, ply, remembered, first):
    """Turn static values into an order: higher comes first; remembered and killer moves before all."""
    for k in range(frame.n_moves):
        j = np.uint32(k)
        move = frame.moves_here[j]
        score = np.float32(0.0)
        if control.use_order:
            score = frame.static[j] if first else -frame.static[j]
        if move == remembered:
            score += np.float32(8 * DECIDED)
        elif control.use_killers and move in (control.killer[ply, 0], control.killer[ply, 1]):
            score += np.float32(4 * DECIDED)
        frame.static[j] = score


@inner
def take_best(frame):
    """The next move in order: the first of those not tried yet with the highest score."""
    at = np.uint32(frame.next_move)
    best = at
    for k in range(at + np.uint32(1), frame.n_moves):
        if frame.static[np.uint32(k)] > frame.static[best]:
            best = np.uint32(k)
    move, score = frame.moves_here[best], frame.static[best]
    # The others keep their order, so that equals stay as they were.
    for k in range(best, at, -1):
        frame.moves_here[np.uint32(k)] = frame.moves_here[np.uint32(k - 1)]
        frame.static[np.uint32(k)] = frame.static[np.uint32(k - 1)]
    frame.moves_here[at] = move
    frame.static[at] = score
    frame.next_move += np.uint16(1)
    return move


@inner
def consider(frame, value, move, first):
    """A move is worth so much: keep the best and narrow the window."""
    if (value > frame.best) if first else (value < frame.best):
        frame.best = value
        frame.best_move = move
    if first:
        frame.lower = max(frame.lower, frame.best)
    else:
        frame.upper = min(frame.upper, frame.best)


@inner
def refute(control, ply, move):
    """Remember a move that made the others unnecessary."""
    if control.killer[ply, 0] != move:
        control.killer[ply, 1] = control.killer[ply, 0]
        control.killer[ply, 0] = move


@inner
def list_moves(frame, state, memory, index, weights, control, ply, remembered, first):
    """Find the moves of a node with their static values; at depth 1 those are all there is to know."""
    look(memory, index, weights, state)
    if frame.n_moves == 0:  # the root's moves are given
        frame.n_moves = choices(memory, state, frame.moves_here)
    after_values(memory, index, weights, state, frame.moves_here, frame.n_moves, frame.static)
    control.evaluations += np.uint64(frame.n_moves)
    frame.best = -np.inf if first else np.inf
    frame.best_move = NO_ACTION
    if frame.depth_left <= 1:
        for k in range(frame.n_moves):
            consider(frame, frame.static[np.uint32(k)], frame.moves_here[np.uint32(k)], first)
        return
    prefer(frame, control, ply, remembered, first)


@inner
def enter(frames, states, memory, index, weights, table, control):
    """Begin with a node: is it over, is it known, is it good enough without a move?"""
    ply = np.uint32(control.ply)
    frame = frames[ply]
    state = states[ply]
    control.nodes += np.uint64(1)
    if is_over(state):
        z = outcome(state)
        close_frame(control, np.float32(DECIDED if z > 0.5 else -DECIDED if z < 0.5 else 0.0))
        return
    first = to_play(state) == 1
    if control.use_table:
        frame.key = position_key(state)
        if recall(frame, table, control) and ply > 0:
            close_frame(control, frame.best)
            return
    if (
        control.use_null
        and frame.phase == ENTER
        and ply > 0
        and not frame.after_null
        and frame.depth_left > NULL_REDUCTION + 1
        and abs(frame.upper if first else frame.lower) < DECIDED
    ):
        states[ply + np.uint32(1)] = state
        if skip(states[ply + np.uint32(1)]):
            frame.phase = NULL
            window = np.float32(NULL_WINDOW)
            lower = frame.upper - window if first else frame.lower
            upper = frame.upper if first else frame.lower + window
            open_frame(frames[ply + np.uint32(1)], frame.depth_left - 1 - NULL_REDUCTION, lower, upper, 1)
            control.ply += 1
            return
    go_through(frames, states, memory, index, weights, table, control)


@inner
def go_through(frames, states, memory, index, weights, table, control):
    """List the moves of a node; one at depth 1 is done with that."""
    ply = np.uint32(control.ply)
    frame = frames[ply]
    frame.phase = MOVES
    first = to_play(states[ply]) == 1
    list_moves(frame, states[ply], memory, index, weights, control, ply, frame.best_move, first)
    if frame.depth_left <= 1:
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
    states[ply + np.uint32(1)] = states[ply]
    play(states[ply + np.uint32(1)], move)
    open_frame(frames[ply + np.uint32(1)], frame.depth_left - 1, frame.lower, frame.upper, 0)
    control.ply += 1


@inner
def hear(frames, states, memory, index, weights, table, control):
    """A child has its value: go on to the next move, or be done."""
    ply = np.uint32(control.ply)
    frame = frames[ply]
    first = to_play(states[ply]) == 1
    value = control.value
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
    value: float  # φ·θ for player 1 at the end of the best line, or ±DECIDED
    action: int
    nodes: int
    evaluations: int


class AlphaBeta:
    """A search from one state after another, with a memory that values positions.

    memory, index, weights: as `memory.api` has them. bits: the transposition table has 2^bits entries.
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
        self._table = np.zeros(1 << bits, ENTRY)
        self._frames = np.zeros(MAX_DEPTH + 2, FRAME)
        self._states: np.ndarray | None = None
        self._control = np.zeros(1, CONTROL)
        c, e = self._control, enhancements
        c["use_order"], c["use_table"], c["use_killers"], c["use_null"] = (
            e.order,
            e.table,
            e.killers,
            e.null_move,
        )

    def start(self, root: np.ndarray, actions: np.ndarray) -> None:
        """Search from this state, among these actions; forgets all that is remembered of another game."""
        if self._states is None or self._states.dtype != root.dtype:
            self._states = np.zeros(MAX_DEPTH + 2, root.dtype)
        self._states[:1] = root
        self._actions = np.asarray(actions, np.uint16)
        self._table.view(np.uint8)[:] = 0
        self._control["killer"] = NO_ACTION
        self._control["nodes"] = self._control["evaluations"] = 0

    def deepen(self, depth: int, nodes: int = 1 << 62) -> "Found | None":
        """Search to a depth; None if it takes more nodes: `go_on` then."""
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

    def go_on(self, nodes: int = 1 << 62) -> "Found | None":
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
        frame = self._frames[0]
        return Found(
            int(frame["depth_left"]),
            float(frame["best"]),
            int(frame["best_move"]),
            int(self._control["nodes"][0]),
            int(self._control["evaluations"][0]),
        )
