"""The plug: one object says what a game is, by name, with all that belongs to it.

::

    GAME = Game(
        name="nim",
        summary="take 1, 2 or 3 stones; whoever takes the last one wins",
        state=NIM,
        start=start,
        play=play,
        legal_moves=legal_moves,
        to_play=to_play,
        is_over=is_over,
        outcome=outcome,
        actions=4,
        moves=21,
    )

The functions are those of `playout.games.api`, which says what each means and which have defaults. They are
compiled; what else a game gives (`start`, `spell`, `draw`, …) is plain Python.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from playout.errors import InputError
from playout.games import api
from playout.games.position import Position
from playout.kernel import implements, record_type
from playout.settings import parse

if TYPE_CHECKING:
    from playout.games.record import Note, Record

FUNCTIONS = {
    function.__name__: function
    for function in (
        api.play,
        api.legal_moves,
        api.is_over,
        api.to_play,
        api.is_legal,
        api.tree_moves,
        api.outcome,
        api.tally,
        api.reward,
        api.discount,
        api.is_chance,
        api.chances,
        api.happen,
        api.roll,
        api.position_key,
        api.skip,
    )
}
NEEDED = ("play", "legal_moves", "is_over")
FIELDS = ("b1", "u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f4", "f8")  # what a state is made of
SEATS = {1: ("the player",), 2: ("first", "second")}
_tags: dict[str, int] = {}


def state_type(fields: list[tuple[Any, ...]]) -> np.dtype:
    """The dtype of a game's state, told apart from all others by the module that makes it.

    >>> state_type([("stones", "u2")]) == state_type([("stones", "u2")])
    False
    """
    for name, kind, *_ in fields:
        plain = np.dtype(kind).base
        if not plain.names and plain.str[1:] not in FIELDS:
            raise InputError(
                f"field {name!r} is of type {plain}, which cannot be compiled: make it one of "
                f"{', '.join(FIELDS)}"
            )
    module = sys._getframe(1).f_globals.get("__name__", "?")
    _tags[module] = _tags.get(module, 0) + 1
    return record_type(fields, tag=f"{module} {_tags[module]}")


@dataclass(frozen=True, kw_only=True)
class NoOptions:
    """A game that is always the same."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Game:
    """A game, and all that belongs to it.

    state: the dtype of a state (`state_type`). start: makes the first state, an array of one record, from the
    options, which are a frozen dataclass of settings. actions, choices, moves, events, low, high, players,
    silent, tallies: what holds in all states (`games.api.Facts`).

    For people. spell: an action as they write it; it sees the state. parse: the action that a word means;
    without it a word is looked for among the legal actions, spelled. spell_event: what chance does. draw,
    svg: a state as text and as a picture. seats: what the players are called.

    For players. amaf: whether an action means the same later in a game, so that RAVE makes sense. policies,
    priors, memories: settings classes by name, beside those that any game has (a memory's `parts()` are its
    record, index and weights, as `memory.api` has them); default_policy: the one that searches simulate with.
    groups: tuples of names of state variables that belong together, for features made of them
    (`memory.groups`), or a function of the first state that gives them; widths: of the tiles of real ones, by
    name. features: memories that only this game has, by name, for players that learn while they search.
    learners: words for a policy `softmax`, by how its weights were learnt. kinds: players that only this game
    has, or has otherwise (`player.registry.Entry`; None for one that it has not). engines: the modules of
    protocols that outside programs speak, by the word that begins their specs.

    decide: what a player thinks of a position that is decided apart from searching (`is_decided_apart`), best
    first; None for others. appraise: what a move is worth to who makes it, in points, from a position and
    what a player knows of the move (`player.api.MoveInfo`).

    Where more is needed. position: makes the position that people touch, where `Position` is not enough.
    ending: what is to be done beside searching at the end of its games (`player.ending.Ending`). ownership:
    who owns what at the ends of simulations (see Go's).

    Files of a game's own kind. opening: the moves of a game record. transcript: a stored game as a file, its
    ending and its text. set_up: a position from what a line of a test suite says, by set_up_keys. read_plays:
    what plays are worth by their actions, from a position and what a suite says of them by its own words; and
    the words that mean none. suite: the file of a test suite that comes with it. problems: the positions of a
    file. questions: those of a GTP regression file (``.tst``). read_record: a game of a file, by its number
    there, to be walked through (`games.record.Record`); write_notes: the same game as a file with notes at
    its moves, its ending and its text.

    spec, version: how the game is found again, and a word that changes with its source; both are filled in
    when it is loaded.
    """

    name: str
    state: np.dtype
    start: Callable[..., np.ndarray]
    summary: str = ""
    play: Callable[..., Any] | None = None
    legal_moves: Callable[..., Any] | None = None
    is_over: Callable[..., Any] | None = None
    to_play: Callable[..., Any] | None = None
    is_legal: Callable[..., Any] | None = None
    tree_moves: Callable[..., Any] | None = None
    outcome: Callable[..., Any] | None = None
    tally: Callable[..., Any] | None = None
    reward: Callable[..., Any] | None = None
    discount: Callable[..., Any] | None = None
    is_chance: Callable[..., Any] | None = None
    chances: Callable[..., Any] | None = None
    happen: Callable[..., Any] | None = None
    roll: Callable[..., Any] | None = None
    position_key: Callable[..., Any] | None = None
    skip: Callable[..., Any] | None = None
    actions: int = api.MAX_ACTIONS
    choices: int | None = None
    moves: int = api.UNLIMITED
    events: int = 0
    low: float = 0.0
    high: float = 1.0
    players: int = 2
    silent: int = api.NO_ACTION
    tallies: tuple[str, ...] = ()
    options: type = NoOptions
    spell: Callable[[Any, int], str] | None = None
    parse: Callable[[Any, str], int] | None = None
    spell_event: Callable[[Any, int], str] | None = None
    draw: Callable[[Any], str] | None = None
    svg: Callable[[Any], str] | None = None
    seats: tuple[str, ...] = ()
    letters: tuple[str, str] = ("1", "2")  # of the players, in results
    amaf: bool = True
    default_policy: str = "random"
    policies: Mapping[str, type] = field(default_factory=dict)
    priors: Mapping[str, type] = field(default_factory=dict)
    memories: Mapping[str, type] = field(default_factory=dict)
    groups: api.Names | Callable[[np.ndarray], api.Names] = ()
    widths: Mapping[str, float] = field(default_factory=dict)
    features: Mapping[str, type] = field(default_factory=dict)
    learners: tuple[str, ...] = ()
    kinds: Mapping[str, Any] = field(default_factory=dict)
    engines: Mapping[str, str] = field(default_factory=dict)
    decide: Callable[[Any, Any], Any] | None = None
    appraise: Callable[[Any, Any], float] | None = None
    position: Callable[..., Any] | None = None
    ending: Callable[..., Any] | None = None
    ownership: Callable[..., Any] | None = None
    opening: Callable[..., list[str]] | None = None
    transcript: Callable[..., tuple[str, str]] | None = None
    set_up: Callable[..., Any] | None = None
    set_up_keys: tuple[str, ...] = ()
    read_plays: Callable[..., tuple[dict[int, float], list[str]]] | None = None
    suite: Path | None = None
    problems: Callable[[bytes], Any] | None = None
    questions: Callable[..., Any] | None = None
    read_record: Callable[..., Record] | None = None
    write_notes: Callable[[Record, Sequence[Note]], tuple[str, str]] | None = None
    spec: str = ""
    version: str = ""

    def __post_init__(self) -> None:
        facts = self.facts  # which refuses what is out of range
        if not self.spec:
            object.__setattr__(self, "spec", self.name)
        if not self.seats:
            object.__setattr__(self, "seats", SEATS[self.players])
        for name, function in FUNCTIONS.items():
            given = getattr(self, name)
            if given is not None:
                implements(function, self.state)(getattr(given, "py_func", given))  # also of an @inner one
        api.declare(self.state, facts)
        api.relate(self.state, api.Related(self.name, self.groups, self.widths))

    @property
    def facts(self) -> api.Facts:
        """What holds in all its states."""
        return api.Facts(**{field.name: getattr(self, field.name) for field in dataclasses.fields(api.Facts)})

    def configured(self, words: Mapping[str, object] | None = None) -> Any:
        """The options from words; a wrong one is refused with what would be right."""
        return parse(self.options, words or {}, f"game {self.name}")

    def new_position(self, options: Any = None) -> Any:
        """The position that a game begins with."""
        chosen = self.options() if options is None else options
        make = Position if self.position is None else self.position
        return make(self, chosen)

    def started(self, options: Any = None) -> np.ndarray:
        """The first state, as an array of one record."""
        chosen = self.options() if options is None else options
        state = self.start(**dataclasses.asdict(chosen))
        if not isinstance(state, np.ndarray) or state.dtype != self.state or state.shape != (1,):
            raise InputError(f"game {self.name}: start() gives no array of one record of its state type")
        return state

    def __repr__(self) -> str:
        return f"Game({self.name!r})"
