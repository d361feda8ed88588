"""What goes wrong because of what somebody gave us, said in one sentence."""

import difflib
from collections.abc import Iterable


class InputError(ValueError):
    """Wrong input: the message is one sentence that names what is wrong and what would be right."""


class Diverged(ArithmeticError):
    """Weights have left all bounds while they were learnt."""


def near(word: str, known: Iterable[str]) -> str:
    """The end of an error message: which known words are near to a wrong one.

    >>> near("unifrom", ["uniform", "flat"])
    '; did you mean uniform?'
    >>> near("zzz", ["uniform", "flat"])
    '; known: flat, uniform'
    """
    known = sorted(known)
    close = difflib.get_close_matches(word, known, n=3, cutoff=0.6)
    if close:
        return f"; did you mean {' or '.join(close)}?"
    return f"; known: {', '.join(known)}"


def shown(text: object, limit: int = 40) -> str:
    """A piece of input as an error message quotes it: printable and short.

    >>> shown("E5")
    "'E5'"
    >>> len(shown("x" * 1000)) < 60
    True
    """
    quoted = ascii(str(text))
    return quoted if len(quoted) <= limit else quoted[:limit] + "…'"
