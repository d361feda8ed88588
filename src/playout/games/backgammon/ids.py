"""Positions as the words that backgammon programs exchange: GNU Backgammon's position ID and match ID, and
eXtreme Gammon's XGID.

- A **position ID** is 80 bits in Base64, 14 letters: the checkers of the player *not* on roll, then of the
  one on roll; for each of a player's own points 1 to 24 and the bar so many ones as there are checkers, and a
  zero; the least significant bit of each byte first. It says neither whose turn it is nor what the dice show:
  read alone, player 1 is on roll.
- A **match ID** is 9 bytes in Base64, 12 letters: cube, turn, dice, length of the match, score. Its player 1
  (X) is our player 1, its player 0 (O) our player 2. It also says whether a double waits for an answer.
- An **XGID** has the checkers of both in 26 letters as player 1 counts the points, then nine numbers; D in
  place of the dice is a double that waits for an answer.

>>> position_id(read_id("4HPwATDgc/ABMA:cIkSAAAAAAAA"))
'4HPwATDgc/ABMA'
>>> xgid(read_id("4HPwATDgc/ABMA:cIkSAAAAAAAA"))
'XGID=-b----E-C---eE---c-e----B-:0:0:1:54:0:0:1:0:10'
"""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from playout.errors import InputError, shown
from playout.games.backgammon.doubling import may_double
from playout.games.backgammon.state import (
    BAR,
    CENTRED,
    CHECKERS,
    MOST_CUBE,
    MOST_LENGTH,
    OFF,
    OFFERED,
    STATE,
    UNUSED,
    check_dice,
    place,
)

POSITION_LETTERS, MATCH_LETTERS = 14, 12
_POSITION_BYTES, _MATCH_BYTES = 10, 9
_LETTERS = re.compile(r"[A-Za-z0-9+/]*")
_PLAYING = 1  # of a match ID's states of a game
_XG_CUBE = 10  # eXtreme Gammon's largest cube, as a power of two
_MOST_SCORE = 32767  # that a match ID has room for


class _Field(NamedTuple):
    """Bits of a match ID."""

    first: int
    width: int


_CUBE, _OWNER, _ON_ROLL, _CRAWFORD = _Field(0, 4), _Field(4, 2), _Field(6, 1), _Field(7, 1)
_GAME, _TURN, _DOUBLED, _RESIGNED = _Field(8, 3), _Field(11, 1), _Field(12, 1), _Field(13, 2)
_DICE = (_Field(15, 3), _Field(18, 3))
_LENGTH, _SCORES, _NO_JACOBY = _Field(21, 15), (_Field(51, 15), _Field(36, 15)), _Field(66, 1)
_OWNERS = {3: CENTRED, 1: 1, 0: 2}


# -- any of them ----------------------------------------------------------------------------------------


def read_id(text: str) -> np.ndarray:
    """The state that an ID means, as an array of one record: an XGID, a position ID, or one with a match ID.

    >>> read_id("4HPwATDgc/ABMB")
    Traceback (most recent call last):
    ...
    playout.errors.InputError: position ID '4HPwATDgc/ABMB': it does not end after the last checker
    """
    if not isinstance(text, str):
        raise InputError(f"an ID of a position is a word, and {shown(text)} is none")
    word = text.strip()
    if len(word) > 200:
        raise InputError(f"{shown(word)} is too long to be an ID of a position")
    if word.upper().startswith("XGID") or word.count(":") > 1:
        return _from_xgid(word)
    position, colon, match = word.partition(":")
    state = np.zeros(1, STATE)
    facts = _match_facts(match) if colon else {"turn": 1, "jacoby": 0}
    turn = facts["turn"]
    other, mover = _checkers(position)
    _place(state, f"position ID {shown(position)}", *((mover, other) if turn == 1 else (other, mover)))
    for name, value in facts.items():
        state[name] = value
    return _checked(state)


def full_id(state: np.ndarray) -> str:
    """Position ID and match ID, as GNU Backgammon writes them together."""
    return f"{position_id(state)}:{match_id(state)}"


def _place(state: np.ndarray, whose: str, first: Sequence[int], second: Sequence[int]) -> None:
    try:
        place(state, first, second)
    except InputError as error:
        raise InputError(f"{whose}: {error}") from None


def _checked(state: np.ndarray) -> np.ndarray:
    """A state whose match is possible."""
    length, score = int(state["length"][0]), [int(points) for points in state["score"][0]]
    if length and max(score) >= length:
        raise InputError(f"a match to {length} points is over at {score[0]} to {score[1]}")
    if state["crawford"][0] and (length == 0 or length - 1 not in score):
        raise InputError(
            f"at {score[0]} to {score[1]} in a match to {length} nobody needs one point: no Crawford game"
        )
    if state["doubling"][0] == OFFERED and not may_double(state[0]):
        raise InputError("a double has been offered by a player who may not double")
    if any(state["points"][0, :, OFF] == CHECKERS):
        state["dice"], state["doubling"] = 0, UNUSED  # nobody rolls any more
    return state


# -- GNU Backgammon's -----------------------------------------------------------------------------------


def position_id(state: np.ndarray) -> str:
    """The position ID of a state."""
    record = state[0]
    bits: list[int] = []
    for player in (2 - record.turn, record.turn - 1):  # who is not on roll comes first
        for point in range(1, BAR + 1):
            bits += [1] * int(record.points[player, point]) + [0]
    return _word(sum(bit << k for k, bit in enumerate(bits)), _POSITION_BYTES)


def match_id(state: np.ndarray) -> str:
    """The match ID of a state."""
    record = state[0]
    turn = int(record.turn == 1)
    owner = next(word for word, player in _OWNERS.items() if player == record.owner)
    over = any(record.points[:, OFF] == CHECKERS)
    offered = int(record.doubling == OFFERED)
    values = {
        _CUBE: record.cube,
        _OWNER: owner,
        _ON_ROLL: turn,
        _CRAWFORD: record.crawford,
        _GAME: 2 if over else _PLAYING,
        _TURN: 1 - turn if offered else turn,  # who decides, while _ON_ROLL is who rolls next
        _DOUBLED: offered,
        _DICE[0]: record.dice[0],
        _DICE[1]: record.dice[1],
        _LENGTH: record.length,
        _SCORES[0]: record.score[0],
        _SCORES[1]: record.score[1],
        _NO_JACOBY: 1 - record.jacoby,
    }
    return _word(sum(int(value) << field.first for field, value in values.items()), _MATCH_BYTES)


def _word(number: int, length: int) -> str:
    return base64.b64encode(number.to_bytes(length, "little")).decode().rstrip("=")


def _number(word: str, what: str, letters: int, length: int) -> int:
    if len(word) != letters:
        raise InputError(f"{what} {shown(word)} has {len(word)} letters, and not {letters}")
    if not _LETTERS.fullmatch(word):
        raise InputError(f"{what} {shown(word)} has other letters than A–Z, a–z, 0–9, + and /")
    data = base64.b64decode(word + "=" * (-letters % 4))
    return int.from_bytes(data[:length], "little")


def _checkers(word: str) -> tuple[list[int], list[int]]:
    """The checkers of who is not on roll, and of who is, by point."""
    bits = whole = _number(word, "position ID", POSITION_LETTERS, _POSITION_BYTES)
    sides = []
    for _ in range(2):
        counts = [0] * (BAR + 1)
        for point in range(1, BAR + 1):
            while bits & 1:
                counts[point] += 1
                bits >>= 1
            bits >>= 1
        counts[OFF] = CHECKERS - sum(counts)
        if counts[OFF] < 0:
            raise InputError(
                f"position ID {shown(word)}: a player has {sum(counts[1:])} checkers, {CHECKERS} are most"
            )
        sides.append(counts)
    if bits or _word(whole, _POSITION_BYTES) != word:
        raise InputError(f"position ID {shown(word)}: it does not end after the last checker")
    return sides[0], sides[1]


def _match_facts(word: str) -> dict[str, object]:
    """The fields of a state that a match ID gives."""
    bits = _number(word, "match ID", MATCH_LETTERS, _MATCH_BYTES)

    def value(field: _Field) -> int:
        return bits >> field.first & ((1 << field.width) - 1)

    what = f"match ID {shown(word)}"
    if value(_RESIGNED):
        raise InputError(f"{what}: a resignation has been offered, and no play can be made")
    dice: Sequence[int] = [value(field) for field in _DICE]
    if value(_DOUBLED) and any(dice):
        raise InputError(f"{what}: a double has been offered, and the dice lie already")
    if value(_OWNER) not in _OWNERS:
        raise InputError(f"{what}: the cube has no owner of number {value(_OWNER)}")
    if value(_CUBE) > MOST_CUBE:
        raise InputError(f"{what}: a cube of {1 << value(_CUBE):,} is too high, 4,096 is most")
    if value(_LENGTH) > MOST_LENGTH:
        raise InputError(f"{what}: a match to {value(_LENGTH)} points is too long, {MOST_LENGTH} are most")
    return {
        "cube": value(_CUBE),
        "owner": _OWNERS[value(_OWNER)],
        "crawford": value(_CRAWFORD),
        "turn": 1 if value(_ON_ROLL if value(_DOUBLED) else _TURN) else 2,
        "doubling": OFFERED if value(_DOUBLED) else UNUSED,
        "dice": _dice(what, dice),
        "length": value(_LENGTH),
        "score": [value(field) for field in _SCORES],
        "jacoby": 1 - value(_NO_JACOBY) if value(_LENGTH) == 0 else 0,
    }


def _dice(what: str, dice: Sequence[int]) -> tuple[int, int]:
    if tuple(dice) == (0, 0):
        return 0, 0
    try:
        return check_dice(list(dice))
    except InputError as error:
        raise InputError(f"{what}: {error}") from None


# -- eXtreme Gammon's -----------------------------------------------------------------------------------


def xgid(state: np.ndarray) -> str:
    """The XGID of a state."""
    record = state[0]
    letters = []
    for point in range(BAR + 1):
        first = int(record.points[0, point]) if point else 0
        second = int(record.points[1, BAR - point]) if point < BAR else 0
        letters.append(chr(64 + first) if first else chr(96 + second) if second else "-")
    owner = {CENTRED: 0, 1: 1, 2: -1}[int(record.owner)]
    rule = int(record.crawford) if record.length else int(record.jacoby)
    numbers = [
        int(record.cube),
        owner,
        1 if record.turn == 1 else -1,
        "D" if record.doubling == OFFERED else f"{record.dice[0]}{record.dice[1]}",
        int(record.score[0]),
        int(record.score[1]),
        rule,
        int(record.length),
        _XG_CUBE,
    ]
    return f"XGID={''.join(letters)}:{':'.join(map(str, numbers))}"


def _from_xgid(word: str) -> np.ndarray:
    what = f"XGID {shown(word, 90)}"
    parts = re.sub(r"^XGID\s*=?\s*", "", word, flags=re.IGNORECASE).split(":")
    if not 9 <= len(parts) <= 10:
        raise InputError(f"{what} has {len(parts)} parts, and not 10")
    board, cube, owner, turn, dice, *scores = parts
    if len(board) != BAR + 1 or not re.fullmatch(r"[-A-Oa-o]*", board):
        raise InputError(f"{what}: its first part is not 26 of -, A–O and a–o")
    if board[OFF].isupper() or board[BAR].islower():
        raise InputError(
            f"{what}: the first letter is the bar of the small letters, the last of the capitals"
        )
    first, second = [0] * (BAR + 1), [0] * (BAR + 1)
    for point, letter in enumerate(board):
        if letter.isupper():
            first[point] = ord(letter) - 64
        elif letter.islower():
            second[BAR - point] = ord(letter) - 96
    for counts in (first, second):
        counts[OFF] = max(0, CHECKERS - sum(counts))
    facts: dict[str, object] = {
        "cube": _whole(what, "cube", cube, 0, MOST_CUBE),
        "owner": {0: CENTRED, 1: 1, -1: 2}[_whole(what, "owner", owner, -1, 1)],
        "turn": 1 if _whole(what, "turn", turn, -1, 1) >= 0 else 2,
        "score": [_whole(what, "score", score, 0, _MOST_SCORE) for score in scores[:2]],
        "length": _whole(what, "match", scores[3], 0, MOST_LENGTH),
    }
    if turn.strip() == "0":
        raise InputError(f"{what}: its turn is 0, and not 1 or -1")
    if dice in ("B", "R"):
        raise InputError(f"{what}: a beaver has been offered, which we do not play")
    if dice == "D":
        facts["doubling"], dice = OFFERED, "00"
    if not re.fullmatch(r"[0-9]{2}", dice):
        raise InputError(f"{what}: its dice {shown(dice)} are not two numbers, as in 31")
    facts["dice"] = _dice(what, [int(letter) for letter in dice])
    rule = _whole(what, "rule", scores[2], 0, 3)
    facts["crawford" if facts["length"] else "jacoby"] = rule & 1
    state = np.zeros(1, STATE)
    _place(state, what, first, second)
    for name, value in facts.items():
        state[name] = value
    return _checked(state)


def _whole(what: str, name: str, word: str, low: int, high: int) -> int:
    if not re.fullmatch(r"-?[0-9]{1,6}", word.strip()) or not low <= int(word) <= high:
        raise InputError(f"{what}: its {name} {shown(word)} is not a whole number from {low} to {high:,}")
    return int(word)
