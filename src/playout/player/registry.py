"""Players by spec: ``NAME[:key=value,…]``, or ``gtp:COMMAND LINE`` for any engine that speaks GTP.

One grammar for the command line, TOML files, the web page and Python::

    flat:sims=100,policy=mogo,seed=7
    flat:policy=mogo,policy.captures=false
    flat:policy=balanced, uct:policy=runs/first/weights.npz (softmax policies, by their weights)
    rave:prior=grandfather,amaf_experience=20
    gtp:gnugo --mode gtp --level 10
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from playout.errors import InputError, near
from playout.games.go.memory.shipped import LEARNERS
from playout.games.go.policy import POLICIES, POLICY_WORDS
from playout.games.go.prior import PRIORS
from playout.player.api import Player
from playout.player.mango import MangoPlayer, MangoSettings
from playout.player.searcher import MogoSettings, RaveSettings, TreePlayer, TreeSettings
from playout.player.shapes import AlphaBetaPlayer, AlphaBetaSettings, ShapesPlayer, ShapesSettings
from playout.player.simple import AnyPolicySettings, FlatPlayer, FlatSettings, PolicyPlayer, PolicySettings
from playout.settings import describe, names, parse

MAX_SPEC = 4096

# What a player is made of, by name; each has settings of its own.
PARTS: dict[str, Mapping[str, Any]] = {"policy": POLICIES, "prior": PRIORS}


@dataclass(frozen=True)
class Entry:
    """A kind of player: what it is, its class, its settings, and its policy if that is fixed."""

    summary: str
    player: type[Player]
    settings: type
    policy: str | None = None

    def has(self, part: str) -> bool:
        """Whether a player of this kind has a policy or a prior."""
        return bool(getattr(self, part, None)) or part in names(self.settings)


PLAYERS: dict[str, Entry] = {
    "uniform": Entry("uniform random moves that fill no eyes", PolicyPlayer, PolicySettings, "uniform"),
    "mogo-policy": Entry(
        "MoGo's four simulation rules, played directly", PolicyPlayer, PolicySettings, "mogo"
    ),
    "policy": Entry("any simulation policy, played directly", PolicyPlayer, AnyPolicySettings),
    "flat": Entry("simple Monte-Carlo search: most wins of equal simulations", FlatPlayer, FlatSettings),
    "uct": Entry("tree search that explores by UCB1", TreePlayer, TreeSettings),
    "rave": Entry("tree search by MC–RAVE, minimum-MSE schedule", TreePlayer, RaveSettings),
    "mogo": Entry("heuristic MC–RAVE: our strongest player", TreePlayer, MogoSettings),
    "shapes": Entry("the best move by learnt values of local shapes", ShapesPlayer, ShapesSettings),
    "rlgo1": Entry("alpha-beta over learnt values of local shapes", AlphaBetaPlayer, AlphaBetaSettings),
    "mango": Entry("UCT with progressive bias and widening, urgency playouts", MangoPlayer, MangoSettings),
}


def split_spec(spec: str) -> tuple[str, dict[str, str]]:
    """The name and the settings of a spec, as words.

    >>> split_spec("flat:sims=100,policy=mogo")
    ('flat', {'sims': '100', 'policy': 'mogo'})
    >>> split_spec("gtp:gnugo --mode gtp")
    ('gtp', {'command': 'gnugo --mode gtp'})
    """
    if len(spec) > MAX_SPEC:
        raise InputError(f"a player spec of {len(spec)} characters is too long (at most {MAX_SPEC})")
    name, _, rest = spec.strip().partition(":")
    if name.strip() == "gtp":
        return "gtp", {"command": rest.strip()}
    values: dict[str, str] = {}
    for item in rest.split(",") if rest.strip() else []:
        key, equals, value = item.partition("=")
        key = key.strip()
        if not equals or not key:
            raise InputError(f"{item.strip()[:40]!r} in player {name!r} is not key=value")
        if key in values:
            raise InputError(f"setting {key!r} of player {name!r} is given twice")
        values[key] = value.strip()
    return name.strip(), values


def make_player(spec: str) -> Player:
    """A player from its spec.

    >>> make_player("flat:sims=50,seed=1").settings.sims
    50
    >>> make_player("flatt")
    Traceback (most recent call last):
    ...
    playout.errors.InputError: there is no player 'flatt'; did you mean flat?
    """
    return build(*split_spec(spec))


def make_policy(spec: str) -> Any:
    """Settings of a simulation policy from a spec of its own.

    >>> make_policy("mogo:captures=false").captures
    False
    """
    name, values = split_spec(spec)
    if _is_weights(name):
        name, values = _weighted(name, values, "")
    if name not in POLICIES:
        raise InputError(f"there is no policy {name[:40]!r}{near(name, POLICY_WORDS)}")
    return parse(POLICIES[name], values, f"policy {name}")


def _is_weights(word: str) -> bool:
    """Whether a policy is named by its weights: how they were learnt, or their file."""
    return word in LEARNERS or word.endswith(".npz")


def _weighted(word: str, values: Mapping[str, str], prefix: str) -> tuple[str, dict[str, str]]:
    """The softmax policy that is named by its weights: its name and its settings, as words."""
    if "weights" in values:
        raise InputError(
            f"policy {word[:60]} is softmax with weights of its own: "
            f"leave {prefix}weights out, or name the policy softmax"
        )
    return "softmax", {**values, "weights": word}


def build(name: str, values: Mapping[str, str]) -> Player:
    """A player from its name and the words of its settings."""
    kind, settings, parts = _resolve(name, values)
    if name == "gtp":
        return kind(settings.command, timeout=settings.timeout)
    return kind(name, settings, *parts.values())


def settings_of(name: str, values: Mapping[str, str]) -> dict[str, Any]:
    """Every setting of a player with its value, those of its parts as ``policy.KEY`` and ``prior.KEY``.

    >>> settings_of("flat", {"sims": "50"})["sims"]
    50
    """
    _, settings, parts = _resolve(name, values)
    found = dataclasses.asdict(settings)
    for part, chosen in parts.items():
        own = dataclasses.asdict(chosen)
        found.update({f"{part}.{key}": value for key, value in own.items() if key not in found})
    return found


def _resolve(name: str, values: Mapping[str, str]) -> tuple[Any, Any, dict[str, Any]]:
    """A player's class, its settings, and its parts: its policy and its prior, where it has them."""
    if name == "gtp":
        client = _client()
        return client.GtpPlayer, parse(client.GtpSettings, values, "player gtp"), {}
    if name not in PLAYERS:
        raise InputError(f"there is no player {name[:40]!r}{near(name, [*PLAYERS, 'gtp'])}")
    entry = PLAYERS[name]
    of_parts: dict[str, dict[str, str]] = {part: {} for part in PARTS if entry.has(part)}
    own = {}
    for key, value in values.items():
        part, dot, rest = key.partition(".")
        if dot and part in of_parts:
            of_parts[part][rest] = value
        else:
            own[key] = value
    if own.get("seconds", "none").lower() not in ("none", "") and "sims" in names(entry.settings):
        own.setdefault("sims", "none")  # who gives a time means all of it
    if "policy" in of_parts and _is_weights(own.get("policy", "")):
        own["policy"], of_parts["policy"] = _weighted(own["policy"], of_parts["policy"], "policy.")
    settings: Any = parse(entry.settings, own, f"player {name}")
    parts = {}
    for part, words in of_parts.items():
        chosen = getattr(entry, part, None) or getattr(settings, part)
        kind = PARTS[part][chosen]
        shared = {key: getattr(settings, key) for key in names(kind) if hasattr(settings, key)}
        for key in shared.keys() & words.keys():
            raise InputError(f"player {name} has no setting '{part}.{key}'; its name there is {key}")
        parts[part] = parse(kind, {**words, **shared}, f"{part} {chosen}")
    return entry.player, settings, parts


def _client() -> Any:
    """The client stands above the players; it is looked up by name so that imports point one way."""
    return import_module("playout.gtp.client")


def player_table() -> list[dict[str, Any]]:
    """Every player with its settings, for listings and machines."""
    rows = []
    for name, entry in PLAYERS.items():
        settings = describe(entry.settings)
        for part in filter(entry.has, PARTS):
            fixed = getattr(entry, part, None)
            for chosen in [fixed] if fixed else PARTS[part]:
                only = "" if fixed else f" ({part}={chosen})"
                for key, facts in describe(PARTS[part][chosen]).items():
                    if key not in settings:  # what a player and its parts share is the player's
                        settings[f"{part}.{key}"] = {**facts, "help": facts["help"] + only}
        rows.append({"name": name, "game": "go", "summary": entry.summary, "settings": settings})
    engine = describe(_client().GtpSettings)
    rows.append({"name": "gtp", "game": "go", "summary": "any engine that speaks GTP 2", "settings": engine})
    return rows
