"""Settings of players and policies: frozen dataclasses whose fields carry their help and range."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import math
import numbers
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from playout.errors import InputError, near, shown

T = TypeVar("T")
P = ParamSpec("P")
_WORDS = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a name",
    tuple: "whole numbers with commas",
}
_TRUE, _FALSE = ("true", "yes", "on", "1"), ("false", "no", "off", "0")


def setting(
    default: Any,
    help: str,
    *,
    low: float | None = None,
    high: float | None = None,
    choices: Sequence[str] | None = None,
    file_unless: Sequence[str] | None = None,
) -> Any:
    """A field with what it means and which values it takes. file_unless: all but these words name a file."""
    return dataclasses.field(
        default=default,
        metadata={"help": help, "low": low, "high": high, "choices": choices, "file_unless": file_unless},
    )


def like(kind: type, name: str, default: Any = dataclasses.MISSING) -> Any:
    """A field with the help and the range of another dataclass's, and its default if none is given."""
    (model,) = (model for model in dataclasses.fields(kind) if model.name == name)
    first = model.default if default is dataclasses.MISSING else default
    return dataclasses.field(default=first, metadata=model.metadata)


def names(kind: type) -> list[str]:
    """The settings of a dataclass, in order."""
    return [field.name for field in dataclasses.fields(kind)]


def retuned(kind: type[T], name: str, **defaults: object) -> type[T]:
    """The same settings with other defaults; a `setting` in place of a default also has another meaning."""
    hints = typing.get_type_hints(kind)
    fields = []
    for field in dataclasses.fields(kind):  # type: ignore[arg-type]
        new = defaults.pop(field.name, field.default)
        if not isinstance(new, dataclasses.Field):
            new = dataclasses.field(default=new, metadata=field.metadata)
        fields.append((field.name, hints[field.name], new))
    if defaults:
        raise TypeError(f"{kind.__name__} has no setting {', '.join(defaults)}")
    return dataclasses.make_dataclass(
        name, fields, bases=(kind,), namespace={"__repr__": _differences}, frozen=True, kw_only=True
    )


def _differences(settings: Any) -> str:
    """Settings as people want to see them: those that are not the defaults."""
    chosen = [
        f"{field.name}={getattr(settings, field.name)!r}"
        for field in dataclasses.fields(settings)
        if getattr(settings, field.name) != field.default
    ]
    return f"{type(settings).__name__.partition(' of ')[0]}({', '.join(chosen)})"


def parse(kind: type[T], values: Mapping[str, object], owner: str) -> T:
    """Settings from words; a wrong key or value is refused with what would be right.

    owner: whose settings they are, as the message should call it.
    """
    hints = typing.get_type_hints(kind)
    fields = {field.name: field for field in dataclasses.fields(kind)}  # type: ignore[arg-type]
    chosen = {}
    for key, value in values.items():
        if key not in fields:
            known = near(key, fields) if fields else "; it has none"
            raise InputError(f"{owner} has no setting {key[:40]!r}{known}")
        chosen[key] = convert(fields[key], hints[key], value)
    return kind(**chosen)


def seen_from(folder: str | Path | None, kind: type, values: Mapping[str, str]) -> dict[str, str]:
    """The words of settings, those that name a file as it is seen from a folder; None leaves them alone."""
    if folder is None:
        return dict(values)
    words = {field.name: field.metadata.get("file_unless") for field in dataclasses.fields(kind)}
    return {
        key: value if (known := words.get(key)) is None or value in known else str(Path(folder) / value)
        for key, value in values.items()
    }


def convert(field: dataclasses.Field[Any], hint: Any, value: object) -> Any:
    """One value from its word."""
    word = str(value).strip()
    parts = typing.get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
    if type(None) in parts and word.lower() in ("none", ""):
        return None
    target = next(part for part in parts if part is not type(None))
    try:
        if target is bool:
            if word.lower() not in _TRUE + _FALSE:
                raise ValueError
            return word.lower() in _TRUE
        if typing.get_origin(target) is tuple:
            return tuple(int(part) for part in word.split(",") if part.strip())
        result = target(word)
        if isinstance(result, float) and not math.isfinite(result):
            raise ValueError
    except (ValueError, OverflowError):
        raise InputError(f"{field.name}={word[:40]!r} is not {expected(field, hint)}") from None
    low, high, choices = (field.metadata.get(key) for key in ("low", "high", "choices"))
    if (
        (low is not None and result < low)
        or (high is not None and result > high)
        or (choices is not None and result not in choices)
    ):
        suffix = near(word, choices).replace("; known", "; one of") if choices is not None else ""
        raise InputError(f"{field.name}={word[:40]!r} is not {expected(field, hint)}{suffix}")
    return result


def expected(field: dataclasses.Field[Any], hint: Any) -> str:
    """What a setting takes, in words."""
    parts = typing.get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
    target = next(part for part in parts if part is not type(None))
    words = _WORDS[typing.get_origin(target) or target]
    low, high = field.metadata.get("low"), field.metadata.get("high")
    if low is not None and high is not None:
        words += f" from {_plain(low)} to {_plain(high)}"
    elif low is not None:
        words += f" of at least {_plain(low)}"
    elif high is not None:
        words += f" of at most {_plain(high)}"
    return words + (" (or none)" if type(None) in parts else "")


def _plain(number: float) -> str:
    """A number as people write it: 1,000,000 and not 1e+06."""
    return f"{number:,.0f}" if number == round(number) else f"{number:g}"


def values_of(field: dataclasses.Field[Any], hint: Any) -> str:
    """What a setting takes, in words, or all that it may be."""
    choices = field.metadata.get("choices")
    return " | ".join(choices) if choices else expected(field, hint)


def describe(kind: type) -> dict[str, dict[str, Any]]:
    """Each setting's default, meaning and values, for listings and machines."""
    hints = typing.get_type_hints(kind)
    return {
        field.name: {
            "default": field.default,
            "help": field.metadata.get("help", ""),
            "values": values_of(field, hints[field.name]),
        }
        for field in dataclasses.fields(kind)
    }


# -- arguments of functions that people call ----------------------------------------------------------


def checked(function: Callable[P, T]) -> Callable[P, T]:
    """A function that says in a sentence which of its arguments is wrong: its name, or its type.

    >>> @checked
    ... def greet(name: str, times: int = 1) -> str:
    ...     return times * name
    >>> greet("hello", tmies=2)
    Traceback (most recent call last):
    ...
    playout.errors.InputError: greet has no argument 'tmies'; did you mean times?
    >>> greet("hello", "two")
    Traceback (most recent call last):
    ...
    playout.errors.InputError: greet: times='two' is not a whole number
    """
    signature = inspect.signature(function)
    takes_all = any(kind.kind is kind.VAR_KEYWORD for kind in signature.parameters.values())
    known = [
        name
        for name, kind in signature.parameters.items()
        if kind.kind is not kind.VAR_KEYWORD and name not in ("self", "cls")
    ]
    owner = function.__qualname__.removesuffix(".__init__")
    hints = functools.cache(lambda: typing.get_type_hints(function))  # not before all its types are there

    @functools.wraps(function)
    def call(*arguments: P.args, **named: P.kwargs) -> T:
        for key in named:
            if key not in known and not takes_all:
                raise InputError(f"{owner} has no argument {shown(key)}{near(key, known)}")
        try:
            bound = signature.bind(*arguments, **named)
        except TypeError as error:
            raise InputError(f"{owner}: {error}") from None
        for name in known:
            if name in bound.arguments:
                value = bound.arguments[name] = plain(bound.arguments[name])
                if not _fits(value, hints()[name]):
                    raise InputError(f"{owner}: {name}={shown(value)} is not {_in_words(hints()[name])}")
        return function(*bound.args, **bound.kwargs)

    return call


def plain(value: Any) -> Any:
    """A value with NumPy's numbers as Python's own, which files and other processes know."""
    return value.item() if isinstance(value, numbers.Number) and hasattr(value, "item") else value


def check_values(kind: type, values: Mapping[str, object]) -> None:
    """Refuse values that settings cannot have: of another type, or out of range."""
    hints = typing.get_type_hints(kind)
    for field in dataclasses.fields(kind):
        if field.name in values:
            value, hint = values[field.name], hints[field.name]
            if not _fits(value, hint):
                raise InputError(f"{field.name}={shown(value)} is not {expected(field, hint)}")
            convert(field, hint, value)


_ALSO = {int: numbers.Integral, float: numbers.Real}


def _fits(value: object, hint: Any) -> bool:
    """Whether a value is of a type, or of one of several; a truth is no number."""
    if isinstance(hint, types.UnionType) or typing.get_origin(hint) is typing.Union:
        return any(_fits(value, part) for part in typing.get_args(hint))
    kind = typing.get_origin(hint) or hint
    if not isinstance(kind, type):
        return True
    return isinstance(value, _ALSO.get(kind, kind)) and (kind is bool or not isinstance(value, bool))


def _in_words(hint: Any) -> str:
    """Types as people call them."""
    parts = typing.get_args(hint) if typing.get_origin(hint) in (types.UnionType, typing.Union) else (hint,)
    names = {
        **_WORDS,
        str: "text",
        bytes: "bytes",
        type(None): "None",
        Path: "a path",
        PathLike: "a path",
        Iterable: "a list",
    }
    kinds = [typing.get_origin(part) or part for part in parts]
    return " or ".join(names.get(kind) or f"a {kind.__name__}" for kind in kinds)
