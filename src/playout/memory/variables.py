"""The variables of a game's states, and which of them belong together where nobody has said so.

Random games show which variables change at all, and between what values. Of those, each is a group by itself;
so are neighbours in an array, two and three in a row (and squares of four, where it has two dimensions); and
all variables at once, where they are few whole numbers. A large whole number is taken for a set of bits, as
boards are often kept: bits of the same number in all such sets are one cell.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from playout.errors import InputError
from playout.games.api import (
    GameError,
    Names,
    facts_of,
    has_chance,
    is_chance,
    is_over,
    legal_moves,
    play,
    roll,
)
from playout.kernel import below, clone, new_rng
from playout.kernel.raw import KINDS, Place, fields_of, places_of

GAMES, LONGEST = 32, 100  # random games that show what changes, and their moves at most
SMALL = 16  # whole numbers of a state that is small
LARGE = 1 << 16  # a number that is rather a set of bits
MOST_GROUPS = 4096
TOGETHER = 3  # real variables that are tiled together


class Variable(NamedTuple):
    """A variable that changes, and the least and the greatest that it has been."""

    place: Place
    low: float
    high: float


def wander(root: np.ndarray, games: int = GAMES, longest: int = LONGEST) -> np.ndarray:
    """The states of some random games from a state on, always the same ones."""
    rng, moves = new_rng(0), np.zeros(facts_of(root.dtype).most_choices, np.uint16)
    with_chance = has_chance(root[0])
    met = [clone(root)]
    for _ in range(games):
        state = clone(root)
        for _ in range(min(longest, facts_of(root.dtype).moves)):
            if is_over(state[0]):
                break
            if with_chance and is_chance(state[0]):
                roll(state[0], rng[0])
            else:
                count = int(legal_moves(state[0], moves))
                if not 1 <= count <= moves.size:
                    raise GameError("legal_moves gives no action, or more than the game declares (choices)")
                play(state[0], int(moves[below(rng[0], count)]))
            met.append(clone(state))
    return np.concatenate(met)


def variables_of(root: np.ndarray) -> list[Variable]:
    """The variables that change in games from a state; those of which it is the bits that do as bits."""
    states, found = wander(root), []
    for place in places_of(root.dtype):
        values = place.values(states)
        if np.all(values == values[0]):
            continue
        if not place.is_real and np.any(
            (values >= LARGE) | (values < -LARGE if KINDS[place.kind][0] == "i" else False)
        ):
            for bit in range(place.bits):
                (single,) = places_of(root.dtype, [f"{place.name}<{bit}>"])
                if len(set(single.values(states).tolist())) > 1:
                    found.append(Variable(single, 0, 1))
        else:
            known = values[np.isfinite(values)]
            found.append(Variable(place, float(known.min(initial=0)), float(known.max(initial=0))))
    return found


def default_groups(root: np.ndarray) -> Names:
    """Groups for games from a state of which nobody has said what belongs together."""
    return _default_groups(root.dtype, root.tobytes())


@lru_cache(maxsize=64)
def _default_groups(dtype: np.dtype, content: bytes) -> Names:
    variables = variables_of(np.frombuffer(content, dtype).copy())
    names = [v.place.name for v in variables]
    whole = [v.place.name for v in variables if not v.place.is_real]
    real = [v.place.name for v in variables if v.place.is_real]
    bits = [name for name in whole if name.endswith(">")]
    singles = [(name,) for name in names if name not in bits]
    runs = [
        *_runs_of_bits(bits),
        *(run for field in fields_of(dtype) for run in _runs(dtype, field, set(names))),
    ]
    together = [tuple(whole)] if 1 < len(whole) <= SMALL and not bits else []
    together += [tuple(real)] if 1 < len(real) <= TOGETHER else []
    groups = tuple(dict.fromkeys([*singles, *runs, *together]))
    if len(groups) > MOST_GROUPS:
        raise InputError(
            f"the states of this game have {len(names):,} variables that change, which are too many to make "
            f"features of them unasked: declare groups"
        )
    return groups or ((places_of(dtype)[0].name,),)


def _runs(dtype: np.dtype, field: str, known: set[str]) -> list[tuple[str, ...]]:
    """Neighbours in an array: two and three in a row along each side, and squares of four."""
    shape = dtype[field].shape
    if not shape or dtype[field].base.names:
        return []

    def name(at: tuple[int, ...]) -> str:
        return f"{field}[{','.join(map(str, at))}]"

    found = []
    for at in np.ndindex(*shape):
        steps = [tuple(int(i == k) for i in range(len(shape))) for k in range(len(shape))]
        for step in steps:
            for length in (2, 3):
                found.append([tuple(a + j * s for a, s in zip(at, step, strict=True)) for j in range(length)])
        if len(shape) == 2:
            found.append([(at[0] + i, at[1] + j) for i in (0, 1) for j in (0, 1)])
    spelled = [tuple(map(name, run)) for run in found]
    return [run for run in spelled if known.issuperset(run)]


def _runs_of_bits(bits: list[str]) -> list[tuple[str, ...]]:
    """Cells, each a bit of all sets that have it, and neighbours among them: two and three in a row."""
    cells: dict[int, tuple[str, ...]] = {}
    for name in bits:
        number = int(name[name.rindex("<") + 1 : -1])
        cells[number] = (*cells.get(number, ()), name)
    return [
        tuple(name for k in range(first, first + length) for name in cells[k])
        for length in (1, 2, 3)
        for first in sorted(cells)
        if all(k in cells for k in range(first, first + length))
    ]
