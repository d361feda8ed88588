"""Features of any game: all configurations of groups of state variables (Silver 2009, section 10.5.2).

A group is a few variables of the state. Each joint value of them that occurs is a binary feature: what local
shapes are in Go, for any record. In every state one feature of each group is active. Who is to move may be
part of each.

Real variables are cut into tiles. One tiling cuts them at multiples of a width. There are several, each
shifted against the others (Sutton & Barto 2018, section 9.5.4: by 1, 3, 5, … parts of a tile), and a group
with a real variable has an active feature in each.

>>> from playout.games.toy import tictactoe
>>> parts = Groups(groups=(("cells[0]", "cells[1]", "cells[2]"), ("cells[4]",))).parts_for(tictactoe.start())
>>> parts.max_active
2
>>> Groups(groups=(("cell[0]",),)).parts_for(tictactoe.start())
Traceback (most recent call last):
...
playout.errors.InputError: a state has no variable 'cell[0]'; did you mean cells?
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from playout.errors import InputError, shown
from playout.games.api import Names, facts_of, related_of, to_play
from playout.kernel import implements, inner, record_type
from playout.kernel.raw import NO_BIT, Place, integer_at, places_of, real_at
from playout.kernel.rng import STEP, mix
from playout.memory import after, api, step_sizes
from playout.memory.hashed import MOST, claim, find, new_table
from playout.memory.variables import MOST_GROUPS, default_groups, variables_of
from playout.settings import check_values, setting

TILE_BITS = 32  # of the number of a tile
FURTHEST = 1e9  # a tile's number is cut off there
MOST_TILINGS = 256
MOST_MEMBERS = 1 << 16


@dataclass(frozen=True)
class Layout:
    """Groups as compiled code has them. All that their features depend on."""

    groups: tuple[tuple[Place, ...], ...]
    tiles: Mapping[str, tuple[float, float]]  # by real variable: where a tile begins, and its width
    tilings: int
    by_player: bool

    @property
    def active(self) -> int:
        """How many features every state has."""
        return sum(self.tilings_of(group) for group in self.groups)

    def tilings_of(self, group: Iterable[Place]) -> int:
        """How many features of one group every state has."""
        return self.tilings if any(place.is_real for place in group) else 1

    def facts(self) -> dict[str, Any]:
        """As plain values, for files."""
        return {
            "groups": [[place.name for place in group] for group in self.groups],
            "tiles": {name: list(tile) for name, tile in self.tiles.items()},
            "tilings": self.tilings,
            "by_player": self.by_player,
        }


def layout_of(facts: Mapping[str, Any], dtype: np.dtype) -> Layout:
    """The groups that a file names, which nobody vouches for."""
    try:
        groups = tuple(
            tuple(places_of(dtype, map(str, group))) for group in list(facts["groups"])[:MOST_GROUPS]
        )
        tiles = {str(name): (float(low), float(width)) for name, (low, width) in facts["tiles"].items()}
        tilings, by_player = int(facts["tilings"]), bool(facts["by_player"])
    except InputError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
        raise InputError("its groups of variables make no sense") from None
    real = {place.name for group in groups for place in group if place.is_real}
    sound = all(math.isfinite(low) and math.isfinite(width) and width > 0 for low, width in tiles.values())
    if not (1 <= tilings <= MOST_TILINGS and sound and real <= tiles.keys() and groups and all(groups)):
        raise InputError("its groups of variables make no sense")
    if sum(map(len, groups)) > MOST_MEMBERS:
        raise InputError(f"its groups have more than {MOST_MEMBERS:,} variables")
    return Layout(groups, tiles, tilings, by_player)


@dataclass(frozen=True, kw_only=True)
class Groups:
    """Settings of features that are configurations of groups of state variables.

    groups: tuples of names (`kernel.raw`); in words, with + between names and / between groups. Where none
    are given they are the game's; where it has none they are made from the record (`memory.variables`).
    widths: of the tiles of real variables, as (name, width) or name:width with + between them; of those that
    are not named an eighth (1 / tiles) of what random games pass through.
    """

    groups: str | tuple[tuple[str, ...], ...] = setting(
        "", "groups of variables, as a[0]+a[1]/a[1]+a[2]; else the game's"
    )
    widths: str | tuple[tuple[str, float], ...] = setting("", "tiles' widths, as position:0.2+velocity:0.02")
    tiles: int = setting(8, "tiles across what a real variable passes through", low=1, high=10_000)
    tilings: int = setting(8, "tilings of real variables", low=1, high=MOST_TILINGS)
    by_player: bool = setting(True, "whether who is to move is part of a configuration")
    capacity: int = setting(1 << 18, "features that there is room for", low=1, high=MOST)

    def __post_init__(self) -> None:
        check_values(type(self), vars(self))

    def layout_for(self, root: np.ndarray) -> Layout:
        """The groups for games from a state; a variable that does not exist is refused."""
        related = related_of(root.dtype)
        named = _parse_groups(self.groups) or related.groups_at(root) or default_groups(root)
        if len(named) > MOST_GROUPS:
            raise InputError(f"{len(named):,} groups are too many; {MOST_GROUPS:,} are most")
        for group in named:
            if isinstance(group, str) or not group:
                raise InputError(f"a group is a tuple of names of variables, and {shown(group)} is none")
        groups = tuple(tuple(places_of(root.dtype, group)) for group in named)
        if sum(map(len, groups)) > MOST_MEMBERS:
            raise InputError(f"groups of more than {MOST_MEMBERS:,} variables altogether are too many")
        widths = {**related.widths, **_parse_widths(self.widths)}
        places_of(root.dtype, widths)
        return Layout(groups, self._tiles(root, groups, widths), self.tilings, self.by_player)

    def _tiles(
        self, root: np.ndarray, groups: Iterable[Iterable[Place]], widths: Mapping[str, float]
    ) -> dict[str, tuple[float, float]]:
        """Where the tiles of each real variable begin, and how wide they are."""
        real = {place.name: place for group in groups for place in group if place.is_real}
        missing = real.keys() - widths.keys()
        seen = {v.place.name: v for v in variables_of(root)} if missing else {}
        found = {}
        for name, place in sorted(real.items()):
            if name in widths:
                found[name] = (0.0, widths[name])
            else:
                low = float(place.values(root)[0]) if name not in seen else seen[name].low
                span = seen[name].high - low if name in seen else 0.0
                found[name] = (low if math.isfinite(low) else 0.0, span / self.tiles if span > 0 else 1.0)
        return found

    def parts_for(self, root: np.ndarray) -> api.Parts:
        """The memory for games from a state, with an empty table."""
        return self.parts_of(root.dtype, self.layout_for(root))

    def parts_of(self, dtype: np.dtype, layout: Layout) -> api.Parts:
        """The memory for the states of a game, with an empty table."""
        index, weights = new_table(self.capacity)
        return api.Parts(groups_record(dtype, layout), index, weights, layout.active)

    def facts(self, root: np.ndarray) -> dict[str, Any]:
        """What the features depend on, as plain values, for files."""
        return self.layout_for(root).facts()


def _parse_groups(words: str | Names) -> Names:
    """Groups from words."""
    if not isinstance(words, str):
        return tuple(words)
    if not words.strip():
        return ()
    return tuple(tuple(name.strip() for name in group.split("+")) for group in words.split("/"))


def _parse_widths(words: str | Iterable[tuple[str, float]]) -> dict[str, float]:
    """Widths from words."""
    pairs: Iterable[Any] = words
    if isinstance(words, str):
        pairs = [item.rpartition(":")[::2] for item in words.split("+")] if words.strip() else []
    found = {}
    for name, word in pairs:
        try:
            width = float(word)
        except (TypeError, ValueError):
            width = math.nan
        if not (math.isfinite(width) and width > 0):
            raise InputError(f"widths: {shown(word)} is no width above 0 of variable {shown(name)}")
        found[str(name).strip()] = width
    return found


# -- the record -----------------------------------------------------------------------------------------


def _room(count: int) -> int:
    """Room for so many: the next power of two, so that other groups are seldom another type."""
    return 1 << max(2, (count - 1).bit_length())


def groups_record(dtype: np.dtype, layout: Layout) -> np.ndarray:
    """The memory as an array of one record."""
    variables = list(dict.fromkeys(place for group in layout.groups for place in group))
    members = [place for group in layout.groups for place in group]
    made = np.zeros(
        1, _groups_type(dtype, _room(len(variables)), _room(len(layout.groups)), _room(len(members)))
    )
    memory = made[0]
    memory["by_player"] = layout.by_player and facts_of(dtype).players == 2
    memory["n_variables"], memory["n_groups"] = len(variables), len(layout.groups)
    for k, place in enumerate(variables):
        memory["place"][k], memory["kind"][k], memory["bit"][k] = place.offset, place.kind, place.bit
        memory["mask"][k] = (1 << (TILE_BITS if place.is_real else place.bits)) - 1
        memory["is_real"][k] = place.is_real
        low, width = layout.tiles.get(place.name, (0.0, 1.0))
        memory["tile_from"][k], memory["tile_per"][k] = low, 1.0 / width
    numbers = {place: k for k, place in enumerate(variables)}
    at = 0
    for g, group in enumerate(layout.groups):
        memory["tilings"][g], memory["seed"][g] = layout.tilings_of(group), _seed(g)
        used, reals = 64, 0
        for place in group:
            bits = TILE_BITS if place.is_real else place.bits
            used += bits
            memory["member"][at] = numbers[place]
            memory["shift"][at] = 0 if used > 64 else bits  # 0: another word begins
            used = bits if used > 64 else used
            if place.is_real:
                memory["odd"][at] = 2 * reals + 1
                reals += 1
            at += 1
        memory["ends"][g] = at
    return made


def _seed(number: int) -> np.uint64:
    """What the keys of a group begin with."""
    plain = getattr(mix, "py_func", mix)
    with np.errstate(over="ignore"):
        return plain(np.uint64(number + 1) * STEP)


@cache
def _groups_type(dtype: np.dtype, variables: int, groups: int, members: int) -> np.dtype:
    """The record type for a game, with room for so many variables, groups and members of groups."""
    made = record_type(
        [
            *after.room_fields(dtype),
            ("by_player", "u1"),
            ("n_variables", "u4"),
            ("n_groups", "u4"),
            # Of each variable:
            ("place", "u4", (variables,)),  # its first byte
            ("kind", "u1", (variables,)),
            ("bit", "u1", (variables,)),
            ("is_real", "u1", (variables,)),
            ("mask", "u8", (variables,)),
            ("tile_from", "f8", (variables,)),
            ("tile_per", "f8", (variables,)),  # tiles in one unit
            ("seen", "u8", (variables,)),  # its value in the state that is looked at
            ("tiled", "f8", (variables,)),  # the same of a real one, in tiles
            # Of each group:
            ("seed", "u8", (groups,)),
            ("tilings", "u2", (groups,)),
            ("ends", "u4", (groups,)),  # the member after its last one
            # Of each member:
            ("member", "u4", (members,)),  # the number of the variable
            ("shift", "u1", (members,)),  # bits that it takes in the code; 0: in another word
            ("odd", "u2", (members,)),  # parts of a tile from one tiling to the next
        ]
    )

    @implements(api.active, made)
    def active(memory, index, state, features):
        read_variables(memory, state)
        player = np.uint64(to_play(state)) if memory.by_player else np.uint64(0)
        n = 0
        for g in range(memory.n_groups):
            for tiling in range(memory.tilings[g]):
                place = claim(index, configuration(memory, g, tiling, player))
                if place != 0:
                    features[n] = place
                    n += 1
        return n

    @implements(after.worth, made)
    def worth(memory, index, weights, state, action):
        read_variables(memory, state)
        player = np.uint64(to_play(state)) if memory.by_player else np.uint64(0)
        x = np.float32(0.0)
        for g in range(memory.n_groups):
            for tiling in range(memory.tilings[g]):
                x += weights[find(index, configuration(memory, g, tiling, player))]
        return np.float64(x)

    @implements(after.times_seen, made)
    def times_seen(memory, index, known, state):
        read_variables(memory, state)
        player = np.uint64(to_play(state)) if memory.by_player else np.uint64(0)
        seen = 0.0
        n = 0
        for g in range(memory.n_groups):
            for tiling in range(memory.tilings[g]):
                place = find(index, configuration(memory, g, tiling, player))
                seen += known[step_sizes.COUNTS, place >> np.uint32(1)]
                n += 1
        return seen / max(n, 1)

    @implements(api.virtual_count, made)
    def virtual_count(memory, index, known, state, action):
        return after.count_by_playing(memory, index, known, state, action)

    @implements(api.after_values, made)
    def after_values(memory, index, weights, state, actions, count, values):
        after.values_by_playing(memory, index, weights, state, actions, count, values)

    return made


# -- configurations -------------------------------------------------------------------------------------


@inner
def read_variables(memory, state):
    """What every variable is now; real ones in tiles."""
    for k in range(memory.n_variables):
        if memory.is_real[k]:
            x = (real_at(state, memory.place[k], memory.kind[k]) - memory.tile_from[k]) * memory.tile_per[k]
            memory.tiled[k] = min(max(x, -FURTHEST), FURTHEST) if x == x else 0.0
        else:
            value = integer_at(state, memory.place[k], memory.kind[k])
            if memory.bit[k] != NO_BIT:
                value >>= np.uint64(memory.bit[k])
            memory.seen[k] = value & memory.mask[k]


@inner
def configuration(memory, g, tiling, player):
    """The key of what a group's variables are together, in one tiling."""
    key = memory.seed[g] + (np.uint64(tiling) * np.uint64(4) + player) * STEP
    code = np.uint64(0)
    first = memory.ends[g - 1] if g > 0 else 0
    for j in range(first, memory.ends[g]):
        k = memory.member[j]
        if memory.is_real[k]:
            part = (memory.odd[j] * tiling) % memory.tilings[g] / memory.tilings[g]
            value = np.uint64(np.int64(math.floor(memory.tiled[k] + part))) & memory.mask[k]
        else:
            value = memory.seen[k]
        if memory.shift[j] > 0:
            code = (code << np.uint64(memory.shift[j])) | value
        else:
            if j > first:
                key = mix(key ^ code)
            code = value
    return mix(key ^ code)
