"""Players by spec: ``NAME[:key=value,…]``; in Go also ``gtp:COMMAND LINE`` for any engine that speaks GTP.

One grammar for the command line, TOML files, the web page and Python, in every game::

    flat:sims=100,policy=mogo,seed=7
    flat:policy=mogo,policy.captures=false
    flat:policy=balanced, uct:policy=runs/first/weights.npz (softmax policies, by their weights)
    rave:prior=grandfather,amaf_experience=20
    gtp:gnugo --mode gtp --level 10
    best.toml, best.toml:sims=10000 (the player in a file, as playout tune leaves it)

What any game has is in `ANY_GAME`; a game adds its own policies, priors, players and protocols (`Game`).
"""

from __future__ import annotations

import dataclasses
import os
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, wraps
from importlib import import_module
from pathlib import Path
from typing import Any

from playout.errors import InputError, near
from playout.games.check import explained
from playout.games.game import Game
from playout.games.registry import DEFAULT, find_game
from playout.kernel.cache import in_package
from playout.memory.blank import Blank
from playout.memory.saved import FEATURES
from playout.player.alphabeta import AlphaBetaPlayer, AlphaBetaSettings
from playout.player.api import Analysis, Player
from playout.player.learning import ALONE, Dyna2Settings, FeaturesSearchPlayer, FeaturesSearchSettings
from playout.player.rollout import RolloutPlayer, RolloutPlayerSettings
from playout.player.searcher import RaveSettings, TreePlayer, TreeSettings
from playout.player.simple import AnyPolicySettings, FlatPlayer, FlatSettings, PolicyPlayer, PolicySettings
from playout.policy.random import Random
from playout.search.prior import PRIORS
from playout.settings import checked, describe, names, parse, retuned, seen_from, setting

MAX_SPEC = 4096
SPEC_FILE, MAX_SPEC_FILE = ".toml", 1 << 20
# What a player is made of; each has settings of its own.
PARTS = ("policy", "base", "prior", "values", "features")
POLICIES = ("policy", "base")  # of these, those that are policies


@dataclass(frozen=True)
class Entry:
    """A kind of player: what it is, its class, its settings, and its policy if that is fixed.

    alone: other defaults in a game for one.
    """

    summary: str
    player: type[Player]
    settings: type
    policy: str | None = None
    alone: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    def has(self, part: str) -> bool:
        """Whether a player of this kind has a policy or a prior."""
        return bool(getattr(self, part, None)) or part in names(self.settings)


ANY_GAME: dict[str, Entry] = {
    "random": Entry("random legal moves", PolicyPlayer, PolicySettings, "random"),
    "policy": Entry("any simulation policy, played directly", PolicyPlayer, AnyPolicySettings),
    "flat": Entry("simple Monte-Carlo search: most wins of equal simulations", FlatPlayer, FlatSettings),
    "rollout": Entry(
        "trials of a base policy for every move, pruned on the way", RolloutPlayer, RolloutPlayerSettings
    ),
    "uct": Entry("tree search that explores by UCB1", TreePlayer, TreeSettings),
    "rave": Entry("tree search by MC–RAVE, minimum-MSE schedule", TreePlayer, RaveSettings),
    "alphabeta": Entry("all moves to a depth, by outcomes or values", AlphaBetaPlayer, AlphaBetaSettings),
    "td-search": Entry(
        "temporal-difference search: learns features from simulations",
        FeaturesSearchPlayer,
        FeaturesSearchSettings,
        alone=ALONE,
    ),
    "dyna2": Entry(
        "the same on top of learnt weights: long- and short-term memory",
        FeaturesSearchPlayer,
        Dyna2Settings,
        alone=ALONE,
    ),
}


def the_game(game: Game | str | Path | None) -> Game:
    """A game from what names it; Go where nothing does."""
    return game if isinstance(game, Game) else find_game(DEFAULT if game is None else game)


@cache
def players_of(game: Game) -> dict[str, Entry]:
    """The kinds of players of a game."""
    found: dict[str, Entry | None] = dict(ANY_GAME)
    if not game.amaf:
        found["rave"] = None
    if not can_look_ahead(game):
        found["alphabeta"] = None
    found |= game.kinds
    return {name: _for_game(entry, game) for name, entry in found.items() if entry is not None}


def can_look_ahead(game: Game) -> bool:
    """Whether alpha-beta can search a game: no rewards on the way, and chance only by numbers."""
    has_rewards = game.reward is not None or game.discount is not None
    return not has_rewards and (game.is_chance is None or game.events > 0)


def _for_game(entry: Entry, game: Game) -> Entry:
    """A kind with the policies, priors and values of a game to choose among."""
    chosen = dict(entry.alone) if game.players == 1 else {}
    for field in dataclasses.fields(entry.settings):
        if field.name in PARTS and not field.metadata.get("choices"):
            words = _words(game, field.name)
            default = field.default if field.default in words else game.default_policy
            chosen[field.name] = setting(default, field.metadata["help"], choices=words)
    if not chosen:
        return entry
    name = f"{entry.settings.__name__} of {game.name}"
    return dataclasses.replace(entry, settings=retuned(entry.settings, name, **chosen))


def parts_of(game: Game, part: str) -> dict[str, type]:
    """The policies, the priors, the memories of values or the features of a game, by name."""
    if part == "prior":
        return {**PRIORS, **game.priors}
    if part == "values":
        return {"blank": Blank, **game.memories}
    if part == "features":
        return {**game.features, **FEATURES}
    return {**({"random": Random} if game.default_policy == "random" else {}), **game.policies}


def _words(game: Game, part: str) -> tuple[str, ...]:
    """What a setting that chooses a policy or a prior takes."""
    return (*parts_of(game, part), *(game.learners if part in POLICIES else ()))


def split_spec(spec: str, game: Game | str | Path | None = None) -> tuple[str, dict[str, str]]:
    """The name and the settings of a spec, as words.

    >>> split_spec("flat:sims=100,policy=mogo")
    ('flat', {'sims': '100', 'policy': 'mogo'})
    >>> split_spec("gtp:gnugo --mode gtp")
    ('gtp', {'command': 'gnugo --mode gtp'})
    """
    if len(spec) > MAX_SPEC:
        raise InputError(f"a player spec of {len(spec)} characters is too long (at most {MAX_SPEC})")
    name, _, rest = spec.strip().partition(":")
    if name.strip().endswith(SPEC_FILE):
        found = the_game(game)
        kind, known = split_spec(_spec_in(name.strip(), found), found)
        if rest.strip() and takes_command(found, kind):
            raise InputError(f"the player in {name.strip()} is a command line: it takes no settings")
        return kind, {**known, **_items(rest, name)}
    if takes_command(the_game(game), name.strip()):
        return name.strip(), {"command": rest.strip()}
    return name.strip(), _items(rest, name)


def _items(rest: str, name: str) -> dict[str, str]:
    """The settings of a spec by key."""
    values: dict[str, str] = {}
    for item in rest.split(",") if rest.strip() else []:
        key, equals, value = item.partition("=")
        key = key.strip()
        if not equals or not key:
            raise InputError(f"{item.strip()[:40]!r} in player {name!r} is not key=value")
        if key in values:
            raise InputError(f"setting {key!r} of player {name!r} is given twice")
        values[key] = value.strip()
    return values


def _spec_in(path: str, game: Game) -> str:
    """The spec of a player in a file, as the tuner writes it: TOML with player = "SPEC"."""
    try:
        if os.path.getsize(path) > MAX_SPEC_FILE:
            raise ValueError
        found = tomllib.loads(Path(path).read_text(encoding="utf-8-sig"))
        spec, of_game = found["player"], found.get("game", game.name)
        if not isinstance(spec, str) or spec.partition(":")[0].strip().endswith(SPEC_FILE):
            raise ValueError
    except OSError as error:
        raise InputError(f"the player {path!r} cannot be read: {error.strerror or error}") from None
    except (ValueError, KeyError, RecursionError):
        raise InputError(
            f'{path} is not a file with a player in it, as in player = "mogo:sims=1000"'
        ) from None
    if of_game != game.name:
        raise InputError(f"the player in {path} plays {str(of_game)[:40]}, and not {game.name}")
    return spec


def expanded(spec: str, game: Game, folder: str | Path | None = None) -> str:
    """A spec with what its file says in place of the file. folder: where that is seen from."""
    file = spec.strip().partition(":")[0].strip()
    if not file.endswith(SPEC_FILE):
        return spec
    seen = str(Path(folder or "") / file)
    return spec_of(*split_spec(spec.strip().replace(file, seen, 1), game), game)


def spec_of(name: str, values: Mapping[str, str], game: Game) -> str:
    """The spec that says the same as a name and the words of its settings."""
    if takes_command(game, name):
        return f"{name}:{values['command']}"
    return f"{name}:{','.join(f'{key}={value}' for key, value in values.items())}" if values else name


@checked
def make_player(spec: str, game: Game | str | Path | None = None, **settings: Any) -> Player:
    """A player from its name or spec. game: a game, its name or its file; Go where there is none.

    settings: ``make_player("mogo", sims=100)`` is ``make_player("mogo:sims=100")``. Those of a policy or a
    prior have a dot in their names, which a dictionary can hold: ``**{"policy.captures": False}``.

    >>> make_player("flat", sims=50, seed=1)
    FlatPlayer('flat:sims=50,seed=1')
    >>> make_player("uct", game="tic-tac-toe").settings.policy
    'random'
    >>> make_player("flatt")
    Traceback (most recent call last):
    ...
    playout.errors.InputError: there is no player 'flatt'; did you mean flat?
    >>> make_player("flat", sim=50)
    Traceback (most recent call last):
    ...
    playout.errors.InputError: player flat has no setting 'sim'; did you mean sims?
    """
    name, values = split_spec(spec, game)
    for key, value in settings.items():
        if key in values:
            raise InputError(f"setting {key!r} of player {name!r} is given twice")
        values[key] = str(value)
    return build(name, values, game)


def make_policy(spec: str, game: Game | str | None = None) -> Any:
    """Settings of a simulation policy from a spec of its own.

    >>> make_policy("mogo:captures=false").captures
    False
    """
    found = the_game(game)
    policies = parts_of(found, "policy")
    name, values = split_spec(spec, found)
    if _is_weights(name, found):
        name, values = _weighted(name, values, "")
    if name not in policies:
        raise InputError(f"there is no policy {name[:40]!r}{near(name, _words(found, 'policy'))}")
    return parse(policies[name], values, f"policy {name}")


def _is_weights(word: str, game: Game) -> bool:
    """Whether a policy is named by its weights: how they were learnt, or their file."""
    return "softmax" in game.policies and (word in game.learners or word.endswith(".npz"))


def _weighted(word: str, values: Mapping[str, str], prefix: str) -> tuple[str, dict[str, str]]:
    """The softmax policy that is named by its weights: its name and its settings, as words."""
    if "weights" in values:
        raise InputError(
            f"policy {word[:60]} is softmax with weights of its own: "
            f"leave {prefix}weights out, or name the policy softmax"
        )
    return "softmax", {**values, "weights": word}


def build(
    name: str,
    values: Mapping[str, str],
    game: Game | str | Path | None = None,
    folder: str | Path | None = None,
) -> Player:
    """A player from its name and the words of its settings. folder: where its files are seen from."""
    found = the_game(game)
    kind, settings, parts = _resolve(name, values, found, folder)
    player: Player
    if name in found.engines:
        player = kind.made(settings, folder=folder)
    else:
        player = _explaining(kind(name, settings, *parts.values()), found)
    if found.decide is not None and name not in found.engines:
        _deciding(player, found.decide)
    player.spec, player.game = spec_of(name, values, found), found
    return player


def _deciding(player: Player, decide: Callable[[Player, Any], Analysis | None]) -> None:
    """Let the game decide for a player where it has its own way to (`Game.decide`)."""
    choose, value, ponder = player.choose_action, player.value, player.ponder
    analyse, thoughts = player.analyse, player.thoughts

    def choose_action(position: Any) -> int:
        found = decide(player, position)
        if found is None:
            return choose(position)
        if player.onlooker is not None:
            player.onlooker.tell(found)
        return found.moves[0].action

    def looking(otherwise: Callable[[Any], Iterator[Analysis]]) -> Callable[[Any], Iterator[Analysis]]:
        def look(position: Any) -> Iterator[Analysis]:
            found = decide(player, position)
            return otherwise(position) if found is None else iter([found])

        return look

    def value_of(position: Any) -> float:
        found = decide(player, position)
        if found is None:
            return value(position)
        return found.winrate if found.to_play == 1 else 1.0 - found.winrate

    def think_on(position: Any) -> None:
        if not position.is_decided_apart:
            ponder(position)

    changed = {"analyse": looking(analyse), "thoughts": looking(thoughts), "value": value_of}
    for name, method in {**changed, "choose_action": choose_action, "ponder": think_on}.items():
        setattr(player, name, method)


def _explaining(player: Player, game: Game) -> Player:
    """A player that says in a sentence what is wrong with somebody's game, where that breaks its search."""
    if in_package(game.start.__module__):
        return player

    def guarded(method: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(method)
        def call(*arguments: Any) -> Any:
            with explained(game):
                return method(*arguments)

        return call

    for name in ("choose_action", "value", "warm_up"):
        setattr(player, name, guarded(getattr(player, name)))
    analyse = player.analyse

    def analyses(position: Any) -> Iterator[Analysis]:
        with explained(game):
            yield from analyse(position)

    player.analyse = analyses  # type: ignore[method-assign]
    return player


def settings_of(name: str, values: Mapping[str, str], game: Game | str | None = None) -> dict[str, Any]:
    """Every setting of a player with its value, those of its parts as ``policy.KEY`` and ``prior.KEY``.

    >>> settings_of("flat", {"sims": "50"})["sims"]
    50
    """
    _, settings, parts = _resolve(name, values, the_game(game))
    found = dataclasses.asdict(settings)
    for part, chosen in parts.items():
        own = dataclasses.asdict(chosen)
        found.update({f"{part}.{key}": value for key, value in own.items() if key not in found})
    return found


def _resolve(
    name: str, values: Mapping[str, str], game: Game, folder: str | Path | None = None
) -> tuple[Any, Any, dict[str, Any]]:
    """A player's class, its settings, and its parts: its policy and its prior, where it has them."""
    if name in game.engines:
        protocol = engine(game, name)
        return protocol.PLAYER, parse(protocol.SETTINGS, values, f"player {name}"), {}
    players = players_of(game)
    if name not in players:
        raise _no_player(name, game)
    entry = players[name]
    of_parts: dict[str, dict[str, str]] = {part: {} for part in PARTS if entry.has(part)}
    own = {}
    for key, value in values.items():
        part, dot, rest = key.partition(".")
        if dot and part in of_parts:
            of_parts[part][rest] = value
        else:
            own[key] = value
    if own.get("seconds", "none").lower() not in ("none", ""):
        for key in {"sims", "trials"} & set(names(entry.settings)):
            own.setdefault(key, "none")  # who gives a time means all of it
    for part in POLICIES:
        if part in of_parts and _is_weights(own.get(part, ""), game):
            own[part], of_parts[part] = _weighted(own[part], of_parts[part], f"{part}.")
    settings: Any = parse(entry.settings, seen_from(folder, entry.settings, own), f"player {name}")
    parts: dict[str, Any] = {}
    for part, words in of_parts.items():
        chosen = getattr(entry, part, None) or getattr(settings, part)
        kind = parts_of(game, part)[chosen]
        shared = {key: getattr(settings, key) for key in names(kind) if hasattr(settings, key)}
        for key in shared.keys() & words.keys():
            raise InputError(f"player {name} has no setting '{part}.{key}'; its name there is {key}")
        parts[part] = parse(kind, {**seen_from(folder, kind, words), **shared}, f"{part} {chosen}")
    return entry.player, settings, parts


def engine(game: Game, word: str) -> Any:
    """The module of a protocol that outside programs speak: its PLAYER and their SETTINGS.

    It stands above the players, so the game names it and nothing here imports it.
    """
    return import_module(game.engines[word])


def takes_command(game: Game, name: str) -> bool:
    """Whether a player is a program outside, and all that follows its name in a spec is a command line."""
    return name in game.engines and bool(engine(game, name).PLAYER.takes_command)


def player_table(game: Game | str | None = None, wanted: str | None = None) -> list[dict[str, Any]]:
    """Every player of a game with its settings, or one of them, for listings and machines."""
    found = the_game(game)
    rows: list[dict[str, Any]] = []
    for name, entry in players_of(found).items():
        settings = describe(entry.settings)
        for part in filter(entry.has, PARTS):
            fixed, kinds = getattr(entry, part, None), parts_of(found, part)
            for chosen in [fixed] if fixed else kinds:
                only = "" if fixed else f" ({part}={chosen})"
                for key, facts in describe(kinds[chosen]).items():
                    if key not in settings:  # what a player and its parts share is the player's
                        settings[f"{part}.{key}"] = {**facts, "help": facts["help"] + only}
        rows.append({"name": name, "game": found.name, "summary": entry.summary, "settings": settings})
    for word in found.engines:
        protocol = engine(found, word)
        rows.append(
            {
                "name": word,
                "game": found.name,
                "summary": protocol.SUMMARY,
                "settings": describe(protocol.SETTINGS),
            }
        )
    if wanted is not None and wanted not in [row["name"] for row in rows]:
        raise _no_player(wanted, found)
    return [row for row in rows if wanted in (None, row["name"])]


def _no_player(name: str, game: Game) -> InputError:
    known = near(name, [*players_of(game), *game.engines])
    elsewhere = "" if game.name == DEFAULT else f" of {game.name}"
    return InputError(f"there is no player {name[:40]!r}{elsewhere}{known}")
