"""The codes of all regions, kept as stones come and go; a move is valued by the regions that it changes.

A memory remembers the stones it has seen. `look` finds what has changed since, on the way forward through
a game or back through a search, and changes the codes of the regions around those points only.

Two kinds of record look in the same way. `SHAPES` reads weights through the features' index, and is for
learning: all weights can change at any time. `FROZEN` holds one number for each place in the eighth and
code, all weights of a region added up: one look-up a region, for play with weights that stay.
"""

import numpy as np

from playout.errors import InputError
from playout.games.api import tree_moves
from playout.games.go.memory.shapes import INDEPENDENT_BITS, Features
from playout.games.go.rules import area, fills
from playout.games.go.state import BLACK, EMPTY, MAX_SIDE, PASS, POINTS, STRIDE
from playout.games.go.tactics import stones_in_atari
from playout.games.go.view import friends, neighbour
from playout.kernel import generic, implements, inner, record_type
from playout.memory.api import DECIDED, active, after_values, choices, look, refresh

MAX_REGIONS = sum((MAX_SIDE + 1 - size) ** 2 for size in (1, 2, 3))
MAX_TOUCHING = 1 + 4 + 9
FROZEN_CODES = 55 * 3 + 45 * 81 + 45 * 19683  # places in one eighth of the largest board, and codes there

LOOKING = [
    ("spots", "u4", (MAX_REGIONS,)),  # of each region: where its codes begin, plus what stands in it
    ("worth", "f4", (MAX_REGIONS,)),  # of each region: its weights added up
    ("touched", "u4", (POINTS, MAX_TOUCHING)),  # the regions that a point lies in, and its digit in them
    ("touching", "u1", (POINTS,)),  # how many they are
    ("seen", "u1", (POINTS,)),  # the stones as they were at the last look
    ("regions", "u2"),
    ("shape_side", "u2"),
]
SHAPES = record_type(
    [
        *LOOKING,
        ("set_stride", "u4"),  # from one set of weights to the next
        ("opened", "u1"),  # whether it has looked yet
        ("shared", "u1"),  # whether features share weights, by the index
        ("by_colour", "u1"),  # whether a set belongs to a colour to play
        ("for_all", "u1"),  # whether a further set belongs to both
        ("stage", "u2"),  # moves that a stage lasts, or 0
        ("stages", "u2"),
        ("in_sets", "u1"),  # how many sets are in use now: one or two
        ("set_base", "u4", (2,)),  # and where they begin
        ("ignores_empty", "u1"),  # whether an empty region has no feature (section 6.8)
        ("empties", "u4", (MAX_REGIONS,)),  # of each region: its code when it is empty
        # Of the position that was logged last:
        ("now", "f8"),  # φ·θ
        ("since", "u2", (MAX_REGIONS,)),  # of each region: from which position on its code is so
        ("filled", "u2"),  # regions with a stone
        ("free", "u2"),  # empty points
    ]
)
FROZEN_FIELDS = [*LOOKING, ("frozen", "f4", (FROZEN_CODES,))]
FROZEN = record_type(FROZEN_FIELDS)
REGION_BITS = np.uint32(10)
REGION_MASK = np.uint32((1 << 10) - 1)
LOW_BITS = np.uint32(INDEPENDENT_BITS)
LOW_MASK = np.uint32((1 << INDEPENDENT_BITS) - 1)


def start_record(memory: np.ndarray, features: Features) -> np.ndarray:
    """Fill in where the regions are, as on an empty board."""
    side = features.shapes.side
    memory["regions"], memory["shape_side"] = len(features.regions), side
    memory["spots"][0, : len(features.regions)] = features.starts
    for row in range(side):
        for column in range(side):
            p = (row + 1) * STRIDE + column + 1
            touching = features.touching(row, column)
            memory["touching"][0, p] = len(touching)
            memory["touched"][0, p, : len(touching)] = [
                number | digit << int(REGION_BITS) for number, digit in touching
            ]
    return memory


def shapes_record(features: Features, ignores_empty: bool = False) -> np.ndarray:
    """A memory for learning, as an array of one record; beside it go ``features.index`` and the weights.

    ignores_empty: shapes of nothing but empty points are no features; only where no weights are shared.
    """
    memory = start_record(np.zeros(1, SHAPES), features)
    memory["ignores_empty"] = ignores_empty
    memory["empties"][0, : len(features.regions)] = features.starts
    memory["shared"] = features.shapes.sharing != "none"
    memory["set_stride"] = features.stride
    memory["by_colour"] = features.shapes.colour != "either"
    memory["for_all"] = features.shapes.colour == "all"
    memory["stage"], memory["stages"] = features.shapes.stage, features.stages
    memory["in_sets"] = 1
    return memory


def frozen_record(features: Features, pairs: np.ndarray) -> np.ndarray:
    """A memory for play with weights that stay, as an array of one record; it needs nothing beside it.

    pairs: the weights as kernels read them.
    """
    if features.sets > 1 or features.shapes.sharing == "none":
        raise InputError(
            "weights by colour to play, by stage of the game or without sharing cannot be frozen: "
            "simulations and trees need plain shared ones"
        )
    memory = start_record(np.zeros(1, FROZEN), features)
    index = features.index
    memory["frozen"][0, : index.size] = pairs[index & LOW_MASK] + pairs[index >> LOW_BITS]
    regions = len(features.regions)
    memory["worth"][0, :regions] = memory["frozen"][0, features.starts]
    return memory


# -- what a region is worth ---------------------------------------------------------------------------


@generic
def weigh(memory, index, weights, spot):
    """The weights of what stands in a region, added up."""


@inner
def weigh_in(memory, index, weights, spot, first):
    """The weights of one set, added up; first: where the set begins."""
    if memory.shared:
        both = index[spot]
        return weights[np.uint32(both & LOW_MASK) + first] + weights[np.uint32(both >> LOW_BITS) + first]
    return weights[np.uint32(2) * spot + np.uint32(2) + first]


@implements(weigh, SHAPES)
def weigh_shapes(memory, index, weights, spot):
    x = weigh_in(memory, index, weights, spot, np.uint32(memory.set_base[0]))
    if memory.in_sets > 1:
        x += weigh_in(memory, index, weights, spot, np.uint32(memory.set_base[1]))
    return x


def weigh_frozen(memory, index, weights, spot):
    return memory.frozen[spot]


@inner
def change_point(memory, index, weights, p, before, after):
    """Change what stands on a point; return by how much that changes φ·θ."""
    gained = np.float32(0.0)
    step = np.int64(after) - np.int64(before)
    for k in range(memory.touching[p]):
        word = memory.touched[p, np.uint32(k)]
        r = np.uint32(word & REGION_MASK)
        spot = np.uint32(np.int64(memory.spots[r]) + np.int64(word >> REGION_BITS) * step)
        memory.spots[r] = spot
        worth = weigh(memory, index, weights, spot)
        gained += worth - memory.worth[r]
        memory.worth[r] = worth
    return gained


@generic
def gain(memory, index, weights, p, color):
    """By how much a stone that captures nothing changes φ·θ.

    The loop that all time goes into, so it is written out for each record: an array that is handed down
    is counted at every call.
    """


@implements(gain, SHAPES)
def gain_shapes(memory, index, weights, p, color):
    me = np.uint32(color)
    low = high = before = np.float32(0.0)  # three sums, so that none waits for another
    shared = memory.shared
    first = np.uint32(memory.set_base[np.uint32(0)])
    for k in range(memory.touching[p]):
        word = memory.touched[p, np.uint32(k)]
        r = np.uint32(word & REGION_MASK)
        spot = np.uint32(memory.spots[r] + np.uint32(word >> REGION_BITS) * me)
        before += memory.worth[r]
        if shared:
            both = index[spot]
            low += weights[np.uint32(both & LOW_MASK) + first]
            high += weights[np.uint32(both >> LOW_BITS) + first]
        else:
            low += weights[np.uint32(2) * spot + np.uint32(2) + first]
    gained = low + high - before
    if memory.in_sets > 1:
        first = np.uint32(memory.set_base[np.uint32(1)])
        for k in range(memory.touching[p]):
            word = memory.touched[p, np.uint32(k)]
            r = np.uint32(word & REGION_MASK)
            spot = np.uint32(memory.spots[r] + np.uint32(word >> REGION_BITS) * me)
            gained += weigh_in(memory, index, weights, spot, first)
    return gained


def gain_frozen(memory, index, weights, p, color):
    me = np.uint32(color)
    after = before = np.float32(0.0)
    for k in range(memory.touching[p]):
        word = memory.touched[p, np.uint32(k)]
        r = np.uint32(word & REGION_MASK)
        after += memory.frozen[np.uint32(memory.spots[r] + np.uint32(word >> REGION_BITS) * me)]
        before += memory.worth[r]
    return after - before


@inner
def lift_captured(memory, index, weights, board, p, enemy, before, after):
    """Take the chains that a stone at p captures off the codes, or put them back; what that gains."""
    gained = np.float32(0.0)
    for i in range(4):
        q = np.uint32(neighbour(p, i))
        head = np.uint32(board.chain[q])
        if board.color[q] != enemy or not fills(board, p, head):
            continue
        again = False
        for j in range(i):
            other = np.uint32(neighbour(p, j))
            again |= board.color[other] == enemy and board.chain[other] == head
        if again:
            continue
        stone = head
        while True:
            gained += change_point(memory, index, weights, stone, before, after)
            stone = np.uint32(board.following[stone])
            if stone == head:
                break
    return gained


@inner
def gain_with_captures(memory, index, weights, board, p, me):
    """By how much a stone and the stones it captures change φ·θ: they are made and taken back."""
    enemy = np.uint8(3 - me)
    gained = change_point(memory, index, weights, p, np.uint8(EMPTY), me)
    gained += lift_captured(memory, index, weights, board, p, enemy, enemy, np.uint8(EMPTY))
    lift_captured(memory, index, weights, board, p, enemy, np.uint8(EMPTY), enemy)
    change_point(memory, index, weights, p, me, np.uint8(EMPTY))
    return gained


@inner
def value_at_end(board):
    """In place of φ·θ after a second pass."""
    lead = area(board) - board.komi
    return np.float32(DECIDED if lead > 0.0 else -DECIDED if lead < 0.0 else 0.0)


@inner
def value_after(memory, index, weights, board, action, me, now):
    """φ·θ after a legal move, from what it is now; ±DECIDED after a second pass."""
    p = np.uint32(action)
    if p == PASS:
        return now if board.passes == 0 else value_at_end(board)
    if friends(board.around[p], 3 - me) != 0 and stones_in_atari(board, p, np.uint8(3 - me)) > 0:
        return now + gain_with_captures(memory, index, weights, board, p, me)
    return now + gain(memory, index, weights, p, me)


# -- the memory's functions, for both records ---------------------------------------------------------


@inner
def see(memory, index, weights, board):
    """Find the points that have changed since the last look."""
    side = np.uint32(memory.shape_side)
    for row in range(side):
        p = np.uint32((row + 1) * STRIDE + 1)
        for _ in range(side):
            if memory.seen[p] != board.color[p]:
                change_point(memory, index, weights, p, memory.seen[p], board.color[p])
                memory.seen[p] = board.color[p]
            p += np.uint32(1)


@inner
def worth_of_all(memory):
    """φ·θ of the stones last seen; two sums, so that the additions do not all wait for each other."""
    x = y = np.float32(0.0)
    for k in range(np.uint32(memory.regions) >> np.uint32(1)):
        x += memory.worth[np.uint32(2 * k)]
        y += memory.worth[np.uint32(2 * k + 1)]
    if memory.regions & np.uint16(1):
        x += memory.worth[np.uint32(memory.regions - np.uint16(1))]
    return x + y


@inner
def values_after(memory, index, weights, board, actions, count, values):
    """φ·θ after each action."""
    now = worth_of_all(memory)
    me = board.to_play
    for k in range(count):
        j = np.uint32(k)
        values[j] = value_after(memory, index, weights, board, actions[j], me, now)


def look_frozen(memory, index, weights, board):
    see(memory, index, weights, board)


def refresh_frozen(memory, index, weights):
    """Frozen weights do not change."""


def after_values_frozen(memory, index, weights, board, actions, count, values):
    values_after(memory, index, weights, board, actions, count, values)


@inner
def open_sets(memory, to_play, moves):
    """Use the sets of weights that belong to a colour to play and a move of the game (section 5.7.8)."""
    stage = np.uint32(0)
    if memory.stage > 0:
        stage = min(np.uint32(moves) // np.uint32(memory.stage), np.uint32(memory.stages - 1))
    per_stage = np.uint32(1)
    own = np.uint32(0)
    if memory.by_colour:
        per_stage = np.uint32(3) if memory.for_all else np.uint32(2)
        own = np.uint32(to_play) - np.uint32(BLACK)
    memory.set_base[0] = (stage * per_stage + own) * memory.set_stride
    if memory.for_all:
        memory.set_base[1] = (stage * per_stage + np.uint32(2)) * memory.set_stride
        memory.in_sets = 2


@implements(look, SHAPES)
def look_shapes(memory, index, weights, board):
    if not memory.opened:
        weigh_all(memory, index, weights)
        memory.opened = 1
    see(memory, index, weights, board)
    if memory.by_colour or memory.stage > 0:
        open_sets(memory, board.to_play, board.moves)
        weigh_all(memory, index, weights)


@inner
def weigh_all(memory, index, weights):
    """Add up the weights of every region anew."""
    for k in range(memory.regions):
        memory.worth[np.uint32(k)] = 0.0
    shared = memory.shared
    for s in range(memory.in_sets):
        first = np.uint32(memory.set_base[np.uint32(s)])
        for k in range(memory.regions):
            r = np.uint32(k)
            spot = np.uint32(memory.spots[r])
            if shared:
                both = index[spot]
                low = weights[np.uint32(both & LOW_MASK) + first]
                memory.worth[r] += low + weights[np.uint32(both >> LOW_BITS) + first]
            else:
                memory.worth[r] += weights[np.uint32(2) * spot + np.uint32(2) + first]


@implements(refresh, SHAPES)
def refresh_shapes(memory, index, weights):
    weigh_all(memory, index, weights)


@implements(active, SHAPES)
def active_shapes(memory, index, board, features):
    n = np.uint32(0)
    for s in range(memory.in_sets):
        first = np.uint32(memory.set_base[np.uint32(s)])
        for k in range(memory.regions):
            spot = np.uint32(memory.spots[np.uint32(k)])
            if memory.shared:
                both = index[spot]
                low = np.uint32(both & LOW_MASK)
                high = np.uint32(both >> LOW_BITS)
                features[n] = low + first
                n += np.uint32(low != np.uint32(0))  # a neutral shape has no weight
                features[n] = high + first
                n += np.uint32(high != np.uint32(0))
            else:
                features[n] = np.uint32(2) * spot + np.uint32(2) + first
                n += np.uint32(memory.ignores_empty == 0 or spot != memory.empties[np.uint32(k)])
    return np.int64(n)


@implements(after_values, SHAPES)
def after_values_shapes(memory, index, weights, board, actions, count, values):
    if memory.by_colour or memory.stage > 0:  # after the move it is another's turn, perhaps another stage
        open_sets(memory, 3 - board.to_play, board.moves + 1)
        weigh_all(memory, index, weights)
    values_after(memory, index, weights, board, actions, count, values)
    if memory.by_colour or memory.stage > 0:
        open_sets(memory, board.to_play, board.moves)
        weigh_all(memory, index, weights)


@inner
def moves_but_pass(board, actions):
    """No play in single-point eyes, no suicide, a pass only when there is nothing else (section 5.6)."""
    n = tree_moves(board, actions)
    return n - 1 if n > 1 else n


@implements(choices, SHAPES)
def choices_shapes(memory, board, actions):
    return moves_but_pass(board, actions)


def choices_frozen(memory, board, actions):
    return moves_but_pass(board, actions)


def frozen_memory(dtype: np.dtype) -> None:
    """Make a record that has the fields of `FROZEN`, and others before them, a memory.

    Before them: Numba takes a record that begins like another for one of its kind.
    """
    for function, body in (
        (weigh, weigh_frozen),
        (gain, gain_frozen),
        (look, look_frozen),
        (refresh, refresh_frozen),
        (after_values, after_values_frozen),
        (choices, choices_frozen),
    ):
        implements(function, dtype)(body)


frozen_memory(FROZEN)
