"""Games as SGF (``GM[6]``), as GNU Backgammon writes them: one game after the other makes a match.

A move is the dice and pairs of letters from and to: a to x are the points, y is the bar, z is off. White's
point 1 is a, Black's is x. Player 1 is Black.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from playout import __version__
from playout.errors import InputError, shown
from playout.games.backgammon.notation import steps_of
from playout.games.backgammon.record import ROLL, Match, Scribe
from playout.games.backgammon.state import BAR, MOST_LENGTH, OFF, power_of
from playout.games.sgf_tree import Tree, trees

BLACK, WHITE = 1, 2
_COLORS = {"B": BLACK, "W": WHITE}
_MOVE = re.compile(r"([0-9])([0-9])((?:[a-z]{2}){0,4})")
_RESULT = re.compile(r"([BW])\+([0-9]{1,6})")
_SET_UP = ("AB", "AW", "AE", "DI", "CO", "CP", "PL")
MAX_NODES = 20_000
_LONGEST_NAME = 200


def read(text: str) -> Match:
    """The match of a collection; what is wrong is refused with the game and the move."""
    match = Match()
    scribe = Scribe(match)
    for number, tree in enumerate(trees(text), 1):
        try:
            _game(scribe, tree, number)
        except InputError as error:
            raise InputError(f"game {number}: {error}") from None
    return match


def _game(scribe: Scribe, tree: Tree, number: int) -> None:
    root, match = tree.node, scribe.match
    kind = _one(root, "GM")
    if kind != "6":
        raise InputError(f"this is no backgammon: GM is {shown(kind)}, and not 6")
    facts = dict(word.split(":", 1) for word in root.get("MI", ()) if ":" in word)
    length, white, black = (_whole(facts, key) for key in ("length", "ws", "bs"))
    if length > MOST_LENGTH:
        raise InputError(f"a match to {length} points is too long, {MOST_LENGTH} are most")
    rules = _one(root, "RU").split(":")
    if number == 1:
        match.length, match.jacoby = length, "Jacoby" in rules and not length
        match.cube = "NoCube" not in rules
        match.names = _name(root, "PB"), _name(root, "PW")
    elif length != match.length:
        raise InputError(f"it is of a match to {length} points, and the first game of one to {match.length}")
    scribe.begin((black, white), "CrawfordGame" in rules)
    if "CV" in root:
        cube = _one(root, "CV")
        power_of(int(cube) if re.fullmatch(r"[0-9]{1,6}", cube) else cube)
    moves = 0
    while True:
        for name in _SET_UP:
            if name in tree.node:
                raise InputError(
                    f"a position that is set up ({name}) is not read, only a game from the start"
                )
        for name, player in _COLORS.items():
            if name in tree.node:
                moves += 1
                try:
                    _move(scribe, player, _one(tree.node, name))
                except InputError as error:
                    raise InputError(f"move {moves}: {error}") from None
        if not tree.then or moves > MAX_NODES:
            break
        tree = tree.then[0]
    if result := _RESULT.match(_one(root, "RE")):
        scribe.wins(_COLORS[result[1]], int(result[2]))


def _one(node: dict[str, list[str]], name: str) -> str:
    return node.get(name, [""])[0].strip()


def _name(node: dict[str, list[str]], key: str) -> str:
    """A player's name, in one line."""
    plain = re.sub(r"\\(.)", r"\1", _one(node, key), flags=re.DOTALL)
    return " ".join(plain.split())[:_LONGEST_NAME]


def _whole(facts: dict[str, str], key: str) -> int:
    word = facts.get(key, "0").strip()
    if not re.fullmatch(r"[0-9]{1,5}", word):
        raise InputError(f"{key} {shown(word)} is not a whole number")
    return int(word)


def _move(scribe: Scribe, player: int, word: str) -> None:
    if word in ("double", "take", "drop"):
        if word == "double":
            scribe.double(player)
        else:
            scribe.answer(player, word == "take")
        return
    found = _MOVE.fullmatch(word)
    if found is None:
        raise InputError(f"{shown(word)} is no move, as in 31hefe")
    letters = found[3]
    hops = [
        f"{_point(letters[k], player)}/{_point(letters[k + 1], player)}" for k in range(0, len(letters), 2)
    ]
    scribe.roll(player, (int(found[1]), int(found[2])), " ".join(hops))


def _point(letter: str, player: int) -> int:
    if letter in "yz":
        return BAR if letter == "y" else OFF
    point = ord(letter) - ord("a") + 1
    return point if player == WHITE else BAR - point


def _letter(point: int, player: int) -> str:
    if point in (BAR, OFF):
        return "y" if point == BAR else "z"
    return chr(ord("a") - 1 + (point if player == WHITE else BAR - point))


def _text(words: str) -> str:
    plain = words.encode("utf-8", "replace").decode()
    return plain.replace("\\", "\\\\").replace("]", "\\]")


class Comment(NamedTuple):
    """What is said of a turn. bad: whether it is marked so."""

    text: str
    bad: bool = False


def write(match: Match, number: int | None = None, comments: Sequence[Sequence[Comment]] = ()) -> str:
    """A match as a collection, or one of its games. comments: of each game written, one for each turn."""
    chosen = range(len(match.games)) if number is None else [number - 1]
    said = iter(comments)
    return "\n".join(_written(match, k, next(said, ())) for k in chosen) + "\n"


def _written(match: Match, index: int, comments: Sequence[Comment]) -> str:
    game = match.games[index]
    black, white = (int(points) for points in game.first["score"][0])
    rules = [word for word, holds in (("Jacoby", match.jacoby), ("Crawford", match.length)) if holds]
    if game.first["crawford"][0]:
        rules.append("CrawfordGame")
    if not match.cube:
        rules.append("NoCube")
    names = "".join(
        f"{key}[{_text(name)}]" for key, name in zip(("PB", "PW"), match.names, strict=True) if name
    )
    given_up = "R" if game.resigned else ""
    result = f"RE[{'BW'[game.winner - 1]}+{game.points}{given_up}]" if game.winner else ""
    ruled = f"RU[{':'.join(rules)}]" if rules else ""
    lines = [
        f"(;FF[4]GM[6]CA[UTF-8]AP[playout:{__version__}]MI[length:{match.length}][game:{index}]"
        f"[ws:{white}][bs:{black}]{names}{ruled}{result}"
    ]
    said = iter(comments)
    for turn, state in game.states():
        word, note = turn.kind, ""
        if turn.kind == ROLL:
            steps = steps_of(state[0], turn.action)
            pairs = "".join(_letter(point, turn.player) for step in steps for point in step)
            word = f"{turn.dice[0]}{turn.dice[1]}{pairs}"
        if comment := next(said, None):
            note = f"C[{_text(comment.text)}]" + ("BM[1]" if comment.bad else "")
        lines.append(f";{'BW'[turn.player - 1]}[{word}]{note}")
    return "\n".join(lines) + ")"
