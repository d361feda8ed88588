"""Are all parts of a game there? What can be said of it before it is played, one sentence a problem."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import numpy as np

from playout.errors import InputError, shown
from playout.games import api
from playout.games.check import blame
from playout.kernel import clone
from playout.kernel.raw import places_of

if TYPE_CHECKING:
    from playout.games.game import Game


class Wrong(Exception):
    """Something is so wrong with a game that it cannot be played on; the message is the sentence."""


def _signature(name: str) -> str:
    return f"{name}({', '.join(inspect.signature(getattr(api, name)).parameters)})"


def compiled_functions(game: Game) -> dict[str, Any]:
    """The functions of its own that a game has, by name, as they are called from Python."""
    from playout.games.game import FUNCTIONS

    tables = {name: function.__dict__["table"].compiled for name, function in FUNCTIONS.items()}
    return {name: table[game.state] for name, table in tables.items() if game.state in table}


def missing(game: Game) -> list[str]:
    """What a game lacks, and functions that do not fit together."""
    from playout.games.game import NEEDED

    functions = compiled_functions(game)
    given = set(functions)
    found = [
        f"{name} is missing: write {_signature(name)} and give it to Game({name}={name}, …)"
        for name in NEEDED
        if name not in given
    ]
    if not given & {"outcome", "reward"}:
        found.append(
            "outcome is missing: write outcome(state), what an ended game is worth to player 1, "
            "or reward(state)"
        )
    if game.players == 2 and "to_play" not in given:
        found.append("to_play is missing: write to_play(state), 1 or 2, or declare players=1")
    if "is_chance" not in given:
        found += [
            f"{name} is given but is_chance is not: write is_chance(state), whether chance moves next"
            for name in ("roll", "chances", "happen")
            if name in given
        ]
    elif not given & {"roll", "chances"}:
        found.append("is_chance is given but roll is not: write roll(state, rng), or chances and happen")
    if "chances" in given:
        if "happen" not in given:
            found.append("happen is missing: write happen(state, event) for the events that chances numbers")
        if not game.events:
            found.append("chances is given but events is 0: declare events, one more than the largest number")
    elif "happen" in given:
        found.append("chances is missing: write chances(state, probabilities) for the events of happen")
    for name, function in functions.items():
        wanted = len(inspect.signature(getattr(api, name)).parameters)
        try:
            inspect.signature(function).bind(*range(wanted))
        except TypeError:
            found.append(f"{name}() takes other arguments than it is given: make it {_signature(name)}")
        except ValueError:  # no signature: built in
            found.append(f"{name} is no Python function: write {_signature(name)}")
    return found


def started(game: Game) -> np.ndarray:
    """The first state of a game, as an array of one record; refused if it is none."""
    if game.state.type is not np.record or not game.state.names:
        raise Wrong("state is no record type: make it with state_type([(name, type), …])")
    try:
        options = game.options()
    except Exception as error:
        raise Wrong(f"options: {blame.said_by(error)}: every option wants a default") from error
    try:
        state = game.start(**vars(options))
    except Exception as error:
        raise Wrong(blame.sentence("start", error, file_of(game))) from error
    right = "give np.zeros(1, STATE), an array of one record of the type that Game(state=…) names"
    if not isinstance(state, np.ndarray):
        raise Wrong(f"start() gives a {type(state).__name__}: {right}")
    if state.dtype != game.state:
        what = "records of another type" if state.dtype.names else f"numbers of type {state.dtype}"
        raise Wrong(f"start() gives {what}: {right}")
    if state.shape != (1,):
        raise Wrong(f"start() gives an array of shape {state.shape}: {right}")
    return clone(state)


def wrong_groups(game: Game) -> list[str]:
    """What is wrong with the groups of variables that a game declares, and the widths of its tiles."""
    try:
        groups = api.related_of(game.state).groups_at(started(game))
    except Wrong:
        return []  # said when it is played
    except Exception as error:
        return [blame.sentence("groups", error, file_of(game))]
    for what, names in (*(("groups", group) for group in groups), ("widths", tuple(game.widths))):
        if isinstance(names, str) or not all(isinstance(name, str) for name in names):
            return [
                f"{what}: {shown(names)} is no tuple of names of fields: write it as ('cells[0]', 'turn')"
            ]
        try:
            places_of(game.state, names)
        except InputError as error:
            return [f"{what}: {error}"]
    return []


def file_of(game: Game) -> str:
    """The file that a game's functions are in, as tracebacks call it."""
    code = getattr(game.start, "__code__", None)
    return "" if code is None else code.co_filename
