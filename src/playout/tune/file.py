"""The TOML file of a tuning: the game, the player, its parameters, and how to believe the result.

::

    player = "mango:sims=1000"
    opponent = "gtp:gnugo --mode gtp --level 0 --seed {seed}"
    size = 9
    opening = 2
    batch = 50

    [parameters.exploration]
    low = 0.2
    high = 2
    scale = "log"
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playout.arena.openings import read_openings
from playout.arena.sprt import Sprt
from playout.arena.terms import Limits, Terms
from playout.arena.toml_file import AtKey, game_of, located, read_text, settings_of, words_of
from playout.errors import InputError
from playout.games.game import Game
from playout.player.registry import expanded
from playout.settings import names, setting
from playout.tune.cross_entropy import CrossEntropySettings
from playout.tune.methods import NAMES, PeerSettings
from playout.tune.reach import VALUE, Tuned, default_of
from playout.tune.space import KINDS, SCALES, Parameter, Space, Value
from playout.tune.tuner import Batches

DEFAULT_OPPONENT = "default"  # the player itself with its default values


@dataclass(frozen=True, kw_only=True)
class TuningSettings:
    """What a file says of the tuning as a whole."""

    method: str = setting("cross-entropy", "what tunes", choices=NAMES)
    seed: int = setting(1, "makes the tuning repeatable", low=0)
    opening: int = setting(0, "random moves of each side that begin a pair of games", low=0)
    openings: str | None = setting(None, "a file of openings, played in turn")
    threads: int = setting(1, "games at once", low=1, high=1024)


@dataclass(frozen=True, kw_only=True)
class ParameterWords:
    """What a table [parameters.NAME] says beside the default and the choices."""

    low: float | None = setting(None, "lower end of the range")
    high: float | None = setting(None, "upper end of the range")
    scale: str = setting("linear", "how the range is gone through", choices=SCALES)
    type: str = setting("real", "real or integer; choice where there are choices", choices=KINDS)
    gtp: str | None = setting(None, f"the GTP command that sets it, with {VALUE}")
    setting: str | None = setting(None, "its key among the player's settings, if that is not its name")


@dataclass(frozen=True, kw_only=True)
class Verification:
    """How the result is tried: matches of so many games."""

    games: int = setting(400, "games of each match, at most", low=2, high=10_000_000)
    elo: float | None = setting(
        None, "end the match with the default early, by a sequential test of so many Elo", low=1
    )


@dataclass(frozen=True)
class SelfPlay:
    """One more match of the tuned values with the default ones (Table 4). set: settings of both players."""

    games: int
    terms: Terms
    set: dict[str, str]


@dataclass(frozen=True)
class TuningFile:
    """A tuning as its file describes it; paths in it are seen from the file."""

    path: Path
    settings: TuningSettings
    cross_entropy: CrossEntropySettings
    peer: PeerSettings
    batches: Batches
    tuned: Tuned
    opponent: str
    verification: Verification
    self_play: tuple[SelfPlay, ...] = ()
    openings: tuple[str, ...] = field(default=(), repr=False)

    @property
    def space(self) -> Space:
        """The parameters."""
        return self.tuned.space

    def facts(self) -> dict[str, Any]:
        """All that the games depend on, as plain values; those that say when to end may change."""
        own = vars(self.settings) | vars(self.cross_entropy) | vars(self.batches)
        if self.settings.method == "spsa":
            own |= vars(self.peer)
        for key in ("threads", "generations", "games", "narrow", "patience"):
            own.pop(key)
        return {
            "player": self.tuned.spec,
            "opponent": self.opponent,
            **self.tuned.terms.settings(),
            **own,
            "openings": list(self.openings),
            "parameters": [repr(parameter) for parameter in self.space.parameters],
        }


def read_tuning(path: str | Path) -> TuningFile:
    """A tuning's file; what is wrong in it is refused with the file's name and the line."""
    text = read_text(path, "the tuning")
    with located(path, text) as found:
        return _understand(Path(path), found)


_TABLES = ("game", "player", "opponent", "parameters", "verification")


def _understand(path: Path, found: Mapping[str, Any]) -> TuningFile:
    game = game_of(path, found)
    kinds: tuple[Any, ...] = (
        TuningSettings,
        CrossEntropySettings,
        PeerSettings,
        Batches,
        Limits,
        game.options,
    )
    chosen = settings_of(found, kinds, _TABLES)
    settings = TuningSettings(**chosen[TuningSettings])
    terms = Terms(game, **chosen[Limits], **chosen[game.options])
    folder = str(path.parent.absolute())
    player = _spec(found, "player", game, path)
    space = Space(tuple(_parameters(found.get("parameters"), player, terms)))
    try:
        tuned = Tuned(player, space, terms, folder)
    except InputError as error:
        word = str(error).removeprefix("parameter ").split(":")[0].split()[0]
        raise AtKey("", f"parameters.{word}", str(error)) from None
    opponent = _spec(found, "opponent", game, path)
    if opponent == DEFAULT_OPPONENT:
        opponent = tuned.with_values(space.values(space.default))
    verification, self_play = _verification(found.get("verification", {}), tuned, chosen)
    openings: tuple[str, ...] = ()
    if settings.openings:
        if settings.opening:
            raise AtKey(
                "", "openings", "games begin with random moves or with openings from a file, not both"
            )
        openings = tuple(read_openings(path.parent / settings.openings, terms))
    batches = Batches(**chosen[Batches])
    if settings.method != "cross-entropy" and batches.games is None:
        raise InputError(f"the method {settings.method} does not end by itself: give games = N")
    return TuningFile(
        path,
        settings,
        CrossEntropySettings(**chosen[CrossEntropySettings]),
        PeerSettings(**chosen[PeerSettings]),
        batches,
        tuned,
        opponent,
        verification,
        self_play,
        openings,
    )


def _spec(found: Mapping[str, Any], key: str, game: Game, path: Path) -> str:
    spec = found.get(key)
    if not isinstance(spec, str) or not spec.strip():
        raise AtKey("", key, f'there is no {key}, as in {key} = "mango:sims=1000"')
    return spec if spec == DEFAULT_OPPONENT else expanded(spec.strip(), game, path.parent)


def _parameters(found: Any, player: str, terms: Terms) -> list[Parameter]:
    if not isinstance(found, dict) or not found:
        raise InputError("there is no table [parameters.NAME] with low = … and high = …")
    return [_parameter(name, words, player, terms) for name, words in found.items()]


def _parameter(name: str, found: Any, player: str, terms: Terms) -> Parameter:
    table = f"parameters.{name}"
    if not isinstance(found, dict):
        raise AtKey("parameters", name, f"parameter {name} is not a table with low = … and high = …")
    chosen = settings_of(found, (ParameterWords,), ("default", "choices", "range"), table)[ParameterWords]
    words = ParameterWords(**chosen)
    low, high = words.low, words.high
    choices: tuple[str, ...] = ()
    if "choices" in found:
        try:
            choices = words_of("choices", found["choices"])
        except InputError as error:
            raise AtKey(table, "choices", str(error)) from None
    kind = "choice" if choices else words.type
    if "range" in found:
        ends = found["range"]
        if low is not None or high is not None or not _is_range(ends):
            raise AtKey(table, "range", f"parameter {name}: a range is two numbers, as in range = [0.2, 2]")
        low, high = (float(end) for end in ends)
    if kind == "choice" and not choices:
        raise AtKey(
            table, "type", f'parameter {name}: there are no choices, as in choices = ["mogo", "uniform"]'
        )
    if kind != "choice" and (low is None or high is None):
        raise AtKey("", table, f"parameter {name}: there is no range, as in low = 0.2 and high = 2")
    default = found.get("default")
    if default is None:
        try:
            default = default_of(words.setting or name, player, terms)
        except InputError as error:
            raise AtKey("", table, f"parameter {name}: {error}") from None
    elif isinstance(default, bool):
        default = str(default).lower()
    if default is None:
        raise AtKey("", table, f"parameter {name}: there is no default to compare with, as in default = 1")
    try:
        return Parameter(
            name=name,
            low=low or 0.0,
            high=high or (1.0 if kind == "choice" else 0.0),
            scale=words.scale,
            kind=kind,
            choices=choices,
            default=_fitting(default, kind),
            setting=words.setting,
            gtp=words.gtp,
        )
    except InputError as error:
        raise AtKey("", table, str(error)) from None


def _is_range(ends: Any) -> bool:
    return isinstance(ends, list) and len(ends) == 2 and all(type(end) in (int, float) for end in ends)


def _fitting(default: Any, kind: str) -> Value:
    """A default as the parameter has it."""
    if kind == "choice":
        return str(default)
    if not isinstance(default, int | float):
        return str(default)  # which no range has in it
    return int(default) if kind == "integer" and default == int(default) else default


def _verification(
    found: Any, tuned: Tuned, chosen: Mapping[Any, Mapping[str, Any]]
) -> tuple[Verification, tuple[SelfPlay, ...]]:
    if not isinstance(found, dict):
        raise AtKey("", "verification", "verification is not a table, as in [verification]")
    words = settings_of(found, (Verification,), ("self_play",), "verification")[Verification]
    verification = Verification(**words)
    if verification.elo is not None:
        Sprt(0, verification.elo)
    rows = found.get("self_play", [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise AtKey("", "verification", "self_play are tables, as in [[verification.self_play]]")
    return verification, tuple(_self_play(row, tuned, chosen, verification) for row in rows)


def _self_play(
    row: Mapping[str, Any], tuned: Tuned, chosen: Mapping[Any, Mapping[str, Any]], whole: Verification
) -> SelfPlay:
    game = tuned.terms.game
    table = "verification.self_play"
    own = settings_of(row, (Limits, game.options), ("games", "set"), table)
    games, changes = row.get("games", whole.games), row.get("set", {})
    if type(games) is not int or games < 2:
        raise AtKey(table, "games", f"games = {games!r} is not a whole number of at least 2")
    if not isinstance(changes, dict):
        raise AtKey(table, "set", "set is not a table, as in set = { sims = 10000 }")
    terms = Terms(game, **{**chosen[Limits], **own[Limits]}, **{**chosen[game.options], **own[game.options]})
    said = {
        key: str(value).lower() if isinstance(value, bool) else str(value) for key, value in changes.items()
    }
    try:
        tuned.with_values(tuned.space.values(tuned.space.default), said)
    except InputError as error:
        raise AtKey(table, "set", str(error)) from None
    return SelfPlay(games, terms, said)


def known_keys(game: Game) -> list[str]:
    """All keys that a file may have at its top, for the documents."""
    kinds = (TuningSettings, CrossEntropySettings, PeerSettings, Batches, Limits, game.options)
    return [*_TABLES, *(name for kind in kinds for name in names(kind))]
