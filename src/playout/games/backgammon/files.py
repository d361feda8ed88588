"""Backgammon's files as the arena and the analysis read and write them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from playout.errors import InputError, shown
from playout.games.backgammon import mat, sgf
from playout.games.backgammon.as_position import BackgammonPosition
from playout.games.backgammon.doubling import PLAYS, ROLL
from playout.games.backgammon.ids import position_id, read_id
from playout.games.backgammon.notation import after, spell
from playout.games.backgammon.record import Match, decisions, match_of, record_of
from playout.games.charset import decode
from playout.games.record import Note, Record
from playout.settings import names

MAX_BYTES = 4 << 20
KEYS = ("position", "dice")  # of a position in a test suite


def load(path: str | os.PathLike[str]) -> Match:
    """The match of a file: SGF if it begins so, else text in two columns (``.mat``)."""
    try:
        if not Path(path).is_file():
            raise OSError("it is not a file" if Path(path).exists() else "there is no such file")
        if Path(path).stat().st_size > MAX_BYTES:
            raise OSError(f"it has over {MAX_BYTES >> 20} megabytes")
        data = Path(path).read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{shown(path, 120)} cannot be read: {reason}") from None
    try:
        return read(data)
    except InputError as error:
        raise InputError(f"{shown(path, 120)}: {error}") from None


def read(data: bytes) -> Match:
    """The match of some bytes."""
    text = decode(data)
    return sgf.read(text) if text.lstrip("\ufeff \t\r\n").startswith("(") else mat.read(text)


def opening(path: str | Path, options: Any) -> list[str]:
    """The rolls and plays of the first game of a file, and what was done with the cube if that is used."""
    words = []
    for decision in decisions(load(path).games[0], options.cube):
        state = decision.before[0]
        if decision.action < PLAYS:
            words.append(f"{state.dice[0]}{state.dice[1]}")
        elif not options.cube:
            raise InputError(f"the opening {str(path)!r} has a double, and games are played without the cube")
        words.append(spell(state, decision.action))
    return words


def transcript(game: Any, settings: Mapping[str, Any]) -> tuple[str, str]:
    """A stored game as text in two columns. settings: those of its run."""
    from playout.games.backgammon.game import GAME

    known = names(GAME.options)  # a run of before a new option has not all of them
    position = GAME.new_position(GAME.options(**{key: settings[key] for key in known if key in settings}))
    for word in game.moves.split():
        position.play(word.replace("_", " "))
    return ".mat", mat.write(match_of(cast(BackgammonPosition, position), (game.black, game.white)))


def set_up(facts: Mapping[str, Any], words: Any, number: Any) -> BackgammonPosition:
    """The position that a line of a test suite describes: an ID, and the dice.

    words, number: read a list of words and a number from it.
    """
    if "position" not in facts:
        raise InputError("the ID of the position is missing")
    return BackgammonPosition.from_id(facts["position"], facts.get("dice"))


def read_plays(
    position: BackgammonPosition, worth: Mapping[str, float]
) -> tuple[dict[int, float], list[str]]:
    """What plays are worth, by their actions, from the IDs of the positions after them; and IDs of no play.

    An ID may have a match ID after it, and the end of Base64.
    """
    after_ids = {position_id(after(position.record, action)): action for action in position.legal_moves()}
    found, left_out = {}, []
    for word, value in worth.items():
        plain = word.strip().partition(":")[0].rstrip("=")
        if plain in after_ids:
            found[after_ids[plain]] = value
        else:
            read_id(plain)  # which refuses what is none
            left_out.append(word)
    return found, left_out


def read_record(path: str | os.PathLike[str], number: int | None = None) -> Record:
    """A game of a file, by its number from 1 on, or all of them."""
    return record_of(load(path), number)


def write_notes(record: Record, notes: Sequence[Note]) -> tuple[str, str]:
    """The game, or the match, as SGF with notes at each turn."""
    match, number = record.source
    chosen = match.games if number is None else match.games[number - 1 : number]
    left = iter(notes)
    comments = []
    for game in chosen:
        said = [sgf.Comment("") for _ in game.turns]
        for decision in decisions(game, match.cube):
            note, before = next(left), said[decision.turn]
            if decision.action == ROLL and not note.line:
                continue  # nobody thought of a double
            text = "\n".join(filter(None, (before.text, note.comment)))
            said[decision.turn] = sgf.Comment(text, before.bad or note.is_bad)
        comments.append(said)
    return ".sgf", sgf.write(match, number, comments)
