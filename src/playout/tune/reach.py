"""How the values of parameters reach the player that is tuned.

Into a player of ours as settings; into a program outside as a place ``{NAME}`` in its command line, or as a
GTP command with ``{value}`` in it, which the engine is told when it has started.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass

from playout.arena.terms import Terms
from playout.arena.work import probe, seeded
from playout.errors import InputError, near, shown
from playout.player.registry import build, settings_of, spec_of, split_spec, takes_command
from playout.tune.space import Parameter, Space, Value, word

VALUE = "{value}"


@dataclass(frozen=True)
class Tuned:
    """The player that is tuned: a spec that lacks the values of the parameters.

    folder: where files in the spec are seen from.
    """

    spec: str
    space: Space
    terms: Terms
    folder: str | None = None

    def __post_init__(self) -> None:
        name, values = split_spec(self.spec, self.terms.game)
        for parameter in self.space.parameters:
            if takes_command(self.terms.game, name):
                self._check_command(parameter, values["command"])
            elif parameter.gtp is not None:
                raise InputError(f"parameter {parameter.name}: {name} is no engine that takes GTP commands")
            elif (parameter.setting or parameter.name) in values:
                raise InputError(
                    f"parameter {parameter.name}: {self.spec!r} sets it already: leave it out there"
                )

    def _check_command(self, parameter: Parameter, command: str) -> None:
        place = f"{{{parameter.name}}}"
        if parameter.setting is not None:
            raise InputError(
                f"parameter {parameter.name}: a program outside has no settings of ours; give gtp = "
                f'"… {VALUE}", or put {place} into its command line'
            )
        if parameter.gtp is not None and VALUE not in parameter.gtp:
            raise InputError(f"parameter {parameter.name}: there is no {VALUE} in gtp = {parameter.gtp!r}")
        if (parameter.gtp is None) == (place not in command):
            said = "nowhere" if parameter.gtp is None else "twice"
            raise InputError(
                f'parameter {parameter.name} reaches the engine {said}: give gtp = "… {VALUE}", or put '
                f"{place} "
                "into its command line, and not both"
            )

    def with_values(self, values: Mapping[str, Value], changes: Mapping[str, str] | None = None) -> str:
        """The spec of the player with these values. changes: of other settings of ours."""
        game = self.terms.game
        name, words = split_spec(self.spec, game)
        if takes_command(game, name):
            if changes:
                raise InputError(f"a program behind {name}: has no settings to change")
            command = words["command"]
            for parameter in self.space.parameters:
                said = word(values[parameter.name])
                if parameter.gtp is None:
                    command = command.replace(f"{{{parameter.name}}}", said)
                else:
                    command += f" && {parameter.gtp.replace(VALUE, said)}"
            return f"{name}:{command}"
        own = {
            parameter.setting or parameter.name: word(values[parameter.name])
            for parameter in self.space.parameters
        }
        return spec_of(name, {**words, **(changes or {}), **own}, game)

    def try_out(self, run: str = "") -> str:
        """Refuse values that the player does not take, by name; its version, with the default values.

        Everything is compiled then.
        """
        default = self.space.values(self.space.default)
        try:
            version = probe(self.with_values(default), self.terms, run, self.folder)
        except InputError as error:
            self._name(error, default)
            raise
        for parameter in self.space.parameters:
            for value in parameter.ends():
                self._try(parameter, {**default, parameter.name: value})
        return version

    def _name(self, error: InputError, values: Mapping[str, Value]) -> None:
        """Say which parameter it is whose command an engine has refused."""
        for parameter in self.space.parameters:
            said = word(values[parameter.name])
            if parameter.gtp is not None and repr(parameter.gtp.replace(VALUE, said)) in str(error):
                raise InputError(f"parameter {parameter.name} = {said} is refused: {error}") from None

    def _try(self, parameter: Parameter, values: Mapping[str, Value]) -> None:
        spec = self.with_values(values)
        try:
            name, words, _ = seeded(spec, 0, self.terms.game)
            with contextlib.closing(build(name, words, self.terms.game, self.folder)) as player:
                player.check(self.terms.position())
        except InputError as error:
            value = word(values[parameter.name])
            raise InputError(f"parameter {parameter.name} = {value} is refused: {error}") from None


def default_of(setting: str, spec: str, terms: Terms) -> Value | None:
    """What a player of ours has for a setting; None where that is neither number nor word, or an engine's."""
    name, values = split_spec(spec, terms.game)
    if takes_command(terms.game, name):
        return None
    known = settings_of(name, values, terms.game)
    if setting not in known:
        raise InputError(f"{name} has no setting {shown(setting)}{near(setting, known)}")
    found = known[setting]
    if isinstance(found, bool):
        return str(found).lower()
    return found if isinstance(found, int | float | str) else None
