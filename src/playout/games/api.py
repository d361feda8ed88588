"""What a game is: generic functions on a state, and what is known of all its states.

A game is a generative model of any Markov decision process (Silver 2009, sections 2.1 and 3.3): a state, what
may be done in it, what comes of it. There are one or two players, and chance where something is drawn.
Implement these functions for your own state record and every algorithm of the package plays your game;
`playout.games.game.Game` is the object that plugs it in.

- A board game for two: `play`, `legal_moves`, `to_play`, `is_over`, `outcome`.
- With dice or cards: `is_chance` and `roll`; or, where what may happen can be numbered, `chances` and
  `happen`.
- A problem for one (an MDP): `reward` and `discount` in place of `outcome`; `to_play` is always 1.

What an algorithm must know to have room enough is declared once for a record type (`declare`): the largest
number of an action, how many there may be in a state, the longest game. Algorithms make their arrays as large
as that, and a game that goes beyond is told so in one sentence (`GameError`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from playout.kernel import allocating, constant, defaulted, generic, inner, is_implemented, uniform

MAX_ACTIONS = 512  # of a game that declares nothing else
MOST_ACTIONS = 32766  # that a game may declare: actions are kept in two bytes, with a bit for the player
NO_ACTION = (1 << 16) - 1
UNLIMITED = 1 << 62  # moves of a game whose own rules end it


class GameError(ArithmeticError):
    """A game did what it had declared that it would not do."""


# -- what happens ---------------------------------------------------------------------------------------


@generic
def play(state, action):
    """Make a legal action and hand the turn on."""


@generic
def legal_moves(state, moves):
    """Write the legal actions into an array that has room for them; return how many there are.

    An unfinished game has at least one, where chance is not to move.
    """


@generic
def is_over(state):
    """Whether the game has ended."""


@defaulted
def to_play(state):
    """The player to move: 1 or 2."""
    return 1


@defaulted
def is_legal(state, action):
    """Whether the player to move may make this action."""
    return _is_among(state, action)


@defaulted
def tree_moves(state, moves):
    """Like `legal_moves`, without those that no search need look at; at least one of an unfinished game."""
    return legal_moves(state, moves)


# -- what it is worth -----------------------------------------------------------------------------------


@defaulted
def outcome(state):
    """The result of an ended game for player 1, from the declared `low` to `high`: 1 a win, 0 a loss."""
    return 0.0


@defaulted
def tally(state, counts):
    """Add 1 to the count of each kind of end that an ended game is, of those it names (`Game.tallies`)."""
    return


@defaulted
def reward(state):
    """What the last step paid player 1, that of chance included."""
    return 0.0


@defaulted
def discount(state):
    """γ: what comes after the last step counts so much."""
    return 1.0


# -- chance ---------------------------------------------------------------------------------------------


@defaulted
def is_chance(state):
    """Whether chance moves next, and no player."""
    return False


@defaulted
def chances(state, probabilities):
    """Write the probability of everything that may happen now into an array; return how many there are."""
    return 0


@defaulted
def happen(state, event):
    """Let the event of this number happen."""
    return


@defaulted
def roll(state, rng):
    """Let chance move; return the number of what has happened, or any number where events have none."""
    return _draw(state, rng)


# -- what some algorithms ask ---------------------------------------------------------------------------


@defaulted
def position_key(state):
    """64 bits that stand for a state: all that its value depends on."""
    return np.uint64(0)


@defaulted
def skip(state):
    """Hand the turn on without a move, as if that were allowed; False where it has no meaning."""
    return False


@defaulted
def lead(state):
    """By how many points player 1 is ahead at the end of a game whose winner has most points."""
    return 0.0


# -- what is known of a game ----------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Facts:
    """What holds in all states of a game.

    actions: one more than the largest number of an action. choices: how many there may be in a state; as many
    as actions by default. moves: the longest game, moves of chance included. events: one more than the
    largest number of what chance does; 0 where that has no numbers. low, high: what an outcome, or the sum of
    discounted rewards from any state on, lies between. players: 1 or 2. silent: an action of which another
    one of the same number later in the game tells nothing, as a pass; NO_ACTION: none. tallies: kinds of ends
    that are counted beside the outcome, by name and from player 1's side, as a win or a gammon.
    """

    actions: int = MAX_ACTIONS
    choices: int | None = None
    moves: int = UNLIMITED
    events: int = 0
    low: float = 0.0
    high: float = 1.0
    players: int = 2
    silent: int = NO_ACTION
    tallies: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name, value in (("actions", self.actions), ("choices", self.most_choices)):
            if not 1 <= value <= MOST_ACTIONS:
                raise ValueError(f"{name}: {value} is not a number from 1 to {MOST_ACTIONS:,}")
        if self.moves < 1:
            raise ValueError(f"moves: the longest game has at least 1 move, not {self.moves}")
        if not 0 <= self.events <= MOST_ACTIONS:
            raise ValueError(f"events: {self.events} is not a number from 0 to {MOST_ACTIONS:,}")
        if not (np.isfinite(self.low) and np.isfinite(self.high) and self.low < self.high):
            raise ValueError(f"low and high: {self.low:g} is not less than {self.high:g}")
        if self.players not in (1, 2):
            raise ValueError(f"players: {self.players} is not 1 or 2")

    @property
    def most_choices(self) -> int:
        """How many actions there may be in a state."""
        return self.actions if self.choices is None else self.choices


_facts: dict[np.dtype, Facts] = {}
_PLAIN = Facts()


def declare(dtype: np.dtype, facts: Facts) -> None:
    """Say what holds in all states of a record type; once, before anything is compiled for it."""
    if _facts.setdefault(dtype, facts) != facts:
        raise TypeError("the facts of a record type are declared once: start a new process to change them")


def facts_of(dtype: np.dtype) -> Facts:
    """What was declared of a record type."""
    return _facts.get(dtype, _PLAIN)


# -- which variables of a state belong together ---------------------------------------------------------

Names = tuple[tuple[str, ...], ...]  # groups of variables, each by its name (`kernel.raw`)


@dataclass(frozen=True)
class Related:
    """What a game says of the variables of its states, for features made of them.

    game: its name. groups: of variables that belong together, or a function of the first state that gives
    them. widths: by the name of a real variable, how far apart two values are that are no longer alike: a
    tile's width.
    """

    game: str = ""
    groups: Names | Callable[[np.ndarray], Names] = ()
    widths: Mapping[str, float] = field(default_factory=dict)

    def groups_at(self, root: np.ndarray) -> Names:
        """The groups for games from a state; root: an array of one record."""
        return tuple(self.groups(root) if callable(self.groups) else self.groups)


_related: dict[np.dtype, Related] = {}


def relate(dtype: np.dtype, related: Related) -> None:
    """Say which variables of a record type belong together."""
    _related[dtype] = related


def related_of(dtype: np.dtype) -> Related:
    """What was said of the variables of a record type."""
    return _related.get(dtype, Related())


@constant
def bounds(dtype):
    """What an outcome or a return lies between: (low, high)."""
    facts = facts_of(dtype)
    return facts.low, facts.high


@constant
def most_moves(dtype):
    """The longest game."""
    return facts_of(dtype).moves


@constant
def most_actions(dtype):
    """One more than the largest number of an action."""
    return facts_of(dtype).actions


@constant
def most_choices(dtype):
    """How many actions there may be in a state."""
    return facts_of(dtype).most_choices


@constant
def most_events(dtype):
    """One more than the largest number of what chance does; 0 where that has no numbers."""
    return facts_of(dtype).events


@constant
def most_tallies(dtype):
    """How many kinds of ends are counted."""
    return len(facts_of(dtype).tallies)


@constant
def has_rewards(dtype):
    """Whether steps pay something, or later ones count less."""
    return is_implemented(reward, dtype) or is_implemented(discount, dtype)


@constant
def has_chance(dtype):
    """Whether chance ever moves."""
    return is_implemented(is_chance, dtype)


@constant
def counts_points(dtype):
    """Whether the winner is who has most points, so that it makes sense to ask for a `lead`."""
    return is_implemented(lead, dtype)


# -- what follows from it -------------------------------------------------------------------------------


@inner
def share(state, value):
    """A value between the bounds as a number from 0 to 1: what searches and priors reckon with."""
    low, high = bounds(state)
    return (value - low) / (high - low)


@inner
def for_player(value, player):
    """What a share that is player 1's is to a player: the other's is what is missing to 1."""
    return value if player == 1 else 1.0 - value


@allocating
def _is_among(state, action):
    """Whether an action is among the legal ones."""
    moves = np.empty(most_choices(state), np.uint16)
    count = legal_moves(state, moves)
    if count > moves.size:
        raise GameError("legal_moves gives more actions than the game declares (choices)")
    found = False
    for k in range(count):
        found |= moves[k] == action
    return found


@allocating
def _draw(state, rng):
    """Let one of the numbered events happen, by its probability."""
    probabilities = np.empty(most_events(state))
    count = chances(state, probabilities)
    if count < 1 or count > probabilities.size:
        raise GameError("chances gives no event, or more than the game declares (events)")
    left = uniform(rng)
    event = 0
    while event < count - 1 and left >= probabilities[event]:
        left -= probabilities[event]
        event += 1
    happen(state, event)
    return event
