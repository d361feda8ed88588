"""Make a test suite: positions of games between players of different strength, every legal play graded.

A position comes from a game of its own, at a place that goes evenly through the games, from their first play
to the last. Those with one legal play are no decisions, and none comes twice. GNU Backgammon grades: the
value of a play is −(equity of the position after it for the opponent, who rolls next), at so many plies and
without the cube. A game that a play ends is worth its points.

A line of the file is a position (`playout.arena.suite` reads it)::

    {"position": ID, "dice": [3, 1], "plays": {AFTER_ID: equity, …}, "name": "game 7 play 3: td – lin1"}

AFTER_ID is the position after the play with the opponent on roll, equity that of the player who moved. Beside
the file lies another with the ending ``.json``: how it was made, and by which weights. Both depend on the
recipe alone, however often the work was broken off.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import itertools
import json
import re
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from playout import __version__
from playout.errors import InputError
from playout.files import Kind, check_output, json_kind, write_text
from playout.games.api import outcome
from playout.games.backgammon.as_position import BackgammonPosition
from playout.games.backgammon.engines.gnubg import GnuBackgammon, GnubgSettings
from playout.games.backgammon.ids import position_id
from playout.games.backgammon.notation import after
from playout.games.backgammon.state import start
from playout.games.backgammon.suite_check import rolled_out
from playout.games.game import Game
from playout.kernel import new_rng
from playout.player.api import RESIGN, Player
from playout.player.registry import build, make_player, players_of, split_spec
from playout.player.simple import PolicyPlayer
from playout.policy.api import Copies
from playout.settings import names

SAVED = 8  # positions between two savings of the file
GOLDEN = (5**0.5 - 1) / 2  # its multiples modulo 1 fill the unit interval evenly
DIGITS = 6  # of an equity, as GNU Backgammon gives it
DEFAULT_PLAYERS = ("random", "lin1", "td10", "td80", "td")
KIND = "how a suite of backgammon was made"
FACTS = json_kind("such a file", kind=KIND)
_NAME = re.compile(r"game ([0-9]+) ")


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """What the positions depend on."""

    players: tuple[str, ...]
    seed: int = 1
    plies: int = 2
    prune: bool = True

    def facts(self) -> dict[str, Any]:
        """The recipe as plain values."""
        return {**dataclasses.asdict(self), "players": list(self.players)}


def default_players(game: Game) -> tuple[str, ...]:
    """Those of the usual players that a game has."""
    return tuple(name for name in DEFAULT_PLAYERS if name in players_of(game))


# -- positions ------------------------------------------------------------------------------------------


class _Seats:
    """The players by their specs; those that take a seed are made anew for each game."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self._kept: dict[str, Player] = {}

    def player(self, spec: str, seed: int) -> Player:
        name, values = split_spec(spec, self._game)
        kinds = players_of(self._game)
        if name in kinds and "seed" in names(kinds[name].settings) and "seed" not in values:
            return build(name, {**values, "seed": str(seed)}, self._game)
        if spec not in self._kept:
            self._kept[spec] = build(name, values, self._game)
        return self._kept[spec]

    def close(self) -> None:
        for player in self._kept.values():
            player.close()


def digests(recipe: Recipe) -> dict[str, str]:
    """A word for each policy among the players that is another one when its weights are.

    What is no player is refused.
    """
    root, found = start(), {}
    for spec in recipe.players:
        with contextlib.closing(make_player(spec, "backgammon")) as player:
            if isinstance(player, PolicyPlayer):
                record = Copies(player.policy).at(root)[0]
                found[spec] = hashlib.sha256(record.tobytes()).hexdigest()[:12]
    return found


def decisions(recipe: Recipe, first: int = 1) -> Generator[tuple[str, BackgammonPosition]]:
    """A position of each game from a number on, where there is a decision, with its name."""
    from playout.games.backgammon.game import GAME

    seats = _Seats(GAME)
    with contextlib.closing(seats):
        for number in itertools.count(first):
            sequence = np.random.SeedSequence(recipe.seed, spawn_key=(number,))
            chosen = np.random.default_rng(sequence)
            specs = [recipe.players[int(k)] for k in chosen.integers(len(recipe.players), size=2)]
            seeds = chosen.integers(1 << 31, size=2)
            players = [seats.player(spec, int(seed)) for spec, seed in zip(specs, seeds, strict=True)]
            position, asked = played(players, new_rng(sequence))
            if asked:
                place = asked[int(len(asked) * (number * GOLDEN % 1.0))]
                state = position.history[place]
                yield f"game {number} play {place // 2 + 1}: {' – '.join(specs)}", _at(state)


def played(players: Sequence[Player], luck: np.ndarray) -> tuple[BackgammonPosition, list[int]]:
    """A game from the start, and after how many moves somebody had a decision to make."""
    from playout.games.backgammon.game import GAME

    position: BackgammonPosition = GAME.new_position()
    for player in players:
        player.new_game()
    asked = []
    while not position.settle(luck).is_over:
        if len(position.legal_moves()) > 1:
            asked.append(len(position.moves))
        action = players[position.to_play - 1].choose_action(position)
        if action == RESIGN:
            break
        position.play(action)
    return position, asked


def _at(state: np.ndarray) -> BackgammonPosition:
    """A position where a player is on roll whom an ID takes for player 1."""
    return BackgammonPosition.from_id(position_id(state), tuple(int(die) for die in state["dice"][0]))


# -- grades ---------------------------------------------------------------------------------------------


def grades(judge: GnuBackgammon, position: BackgammonPosition, plies: int, prune: bool) -> dict[str, float]:
    """What each legal play is worth to who makes it, by the ID of the position after it."""
    found: dict[str, float] = {}
    for action in position.legal_moves():
        state = after(position.record, action)
        word = position_id(state)
        if BackgammonPosition.from_state(state).is_over:
            mine = float(outcome(state[0]))
            found[word] = mine if position.to_play == 1 else -mine
        else:
            found[word] = round(-judge.evaluate(state, plies, prune).equity, DIGITS)
    return dict(sorted(found.items(), key=lambda play: -play[1]))


# -- the file -------------------------------------------------------------------------------------------


def produce(
    path: str | Path,
    recipe: Recipe,
    count: int,
    force: bool = False,
    progress: Callable[[int], None] = lambda done: None,
    check: int = 0,
) -> list[dict[str, Any]]:
    """Make a suite of so many positions in a file, or go on with it; its lines.

    check: so many of them are rolled out, and what that finds is kept beside the file (`suite_check`).
    """
    if not recipe.players:
        raise InputError("a suite needs players whose games it takes positions from")
    policies = digests(recipe)
    file, facts_file = Path(path), Path(f"{path}.json")
    lines = _begun(file, facts_file, recipe, force)[:count]
    first = 1
    if lines:
        match = _NAME.match(str(lines[-1].get("name")))
        if match is None:
            raise InputError(f"{file} is not a suite that was made here: choose another name")
        first = int(match[1]) + 1
    known = {(line["position"], *line["dice"]) for line in lines}
    facts: dict[str, Any] = {"kind": KIND, "recipe": recipe.facts()}
    with (
        GnuBackgammon(GnubgSettings(timeout=600)) as judge,
        contextlib.closing(decisions(recipe, first)) as found,
    ):
        facts["judge"] = f"GNU Backgammon {judge.version()}, {recipe.plies}-ply, cubeless"
        facts |= {"version": f"playout {__version__}", "policies": policies}
        write_text(facts_file, json.dumps(facts, indent=1) + "\n", FACTS, force)
        try:
            while len(lines) < count:
                progress(len(lines))
                name, position = next(found)
                dice = position.dice
                assert dice is not None
                key = (position_id(position.record), *dice)
                if key in known:
                    continue
                known.add(key)
                plays = grades(judge, position, recipe.plies, recipe.prune)
                lines.append({"position": key[0], "dice": list(dice), "plays": plays, "name": name})
                if len(lines) % SAVED == 0:
                    _write(file, lines)
        finally:
            _write(file, lines)
    progress(len(lines))
    facts |= {"positions": len(lines), "plays": sum(len(line["plays"]) for line in lines)}
    if check:
        facts["rollouts"] = rolled_out(lines, check)
    write_text(facts_file, json.dumps(facts, indent=1) + "\n")
    return lines


def _write(file: Path, lines: Sequence[dict[str, Any]]) -> None:
    if lines:
        write_text(file, "".join(json.dumps(line) + "\n" for line in lines))


def _begun(file: Path, facts_file: Path, recipe: Recipe, force: bool) -> list[dict[str, Any]]:
    """The lines of a suite that was begun by this recipe; none where there is no such file."""
    check_output(file, Kind("a suite of ours", lambda _: FACTS.is_ours(facts_file)), force)
    if not file.is_file() or not file.stat().st_size or not FACTS.is_ours(facts_file):
        return []
    before = json.loads(facts_file.read_text("utf-8")).get("recipe")
    if before != recipe.facts():
        raise InputError(f"{file} was begun with another recipe: choose another name")
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]
