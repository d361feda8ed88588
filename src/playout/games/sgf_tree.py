"""SGF as a tree of nodes with properties, whatever the game is.

Files in the wild are broken in many ways: reading is lenient about text before a game, brackets that nobody
escaped and a missing end.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from playout.errors import InputError

Node = dict[str, list[str]]
MAX_TOKENS = 1_000_000  # in all variations of all games
# A value ends at a bracket after which SGF can go on: people forget to escape theirs ("C[I am [5k], hello]").
# Every branch takes what it has looked at, so that the time is linear whatever the input.
TOKEN = re.compile(
    r"""
    \[ (?P<short> [A-Za-z]{0,2} ) \]
    | \[
      (?P<value> [^]\\]*+ (?: (?: \\.?+
                               | \] (?! [\s\0-\x1f]*+ (?: [\[;()] | [A-Za-z]{1,64}+ \s*+ \[ | \Z ) ) )
                           [^]\\]*+ )*+ )
      (?P<end> \] | \Z )
    | (?P<name> [A-Za-z]+ )
    | [;()]
    """,
    re.VERBOSE | re.DOTALL,
)
START = re.compile(r"\(\s*;")


def starts(text: str) -> list[int]:
    """Where the games of a collection begin.

    >>> starts("two games (;SZ[9](;B[aa])(;B[bb])) (;C[(;no game])")
    [10, 35]
    """
    found, at = [], 0
    while start := START.search(text, at):
        found.append(start.start())
        depth, at = 0, len(text)
        for token in TOKEN.finditer(text, start.start()):
            depth += (token[0] == "(") - (token[0] == ")")
            if depth == 0:
                at = token.end()
                break
    return found


def property_name(word: str) -> str:
    """Before FF[4] a name could hold small letters that do not count: AddBlack is AB."""
    return "".join(c for c in word if c.isupper()) or word.upper()


@dataclass
class Tree:
    """A node and what follows it."""

    node: Node = field(default_factory=dict)
    then: list[Tree] = field(default_factory=list)


def trees(text: str) -> list[Tree]:
    """The games of a collection with all their variations."""
    if not START.search(text):
        raise InputError("there is no game in the record: SGF begins with '(;'")
    games: list[Tree] = []
    tokens = 0
    for start in starts(text):
        root = Tree()
        now = root  # the root has the game's first node behind it
        branches: list[Tree] = []
        name = ""
        for token in TOKEN.finditer(text, start):
            mark = token[0]
            tokens += 1
            if tokens > MAX_TOKENS:
                raise InputError(f"the record has more than {MAX_TOKENS} names and values")
            if mark == "(":
                branches.append(now)
            elif mark == ")":
                now = branches.pop()
                if not branches:
                    break
            elif mark == ";":
                now.then.append(Tree())
                now, name = now.then[-1], ""
            elif token["name"]:
                name = property_name(mark)
            elif name and (token["end"] or token["short"] is not None):
                now.node.setdefault(name, []).append(token["short"] or token["value"] or "")
        games += root.then[:1]
    return games
