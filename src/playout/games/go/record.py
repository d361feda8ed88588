"""Games of Go from SGF files, move by move, and back into SGF with notes at the moves."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from playout.errors import InputError
from playout.games.charset import decode
from playout.games.go.board import Board, Move
from playout.games.go.ownership import dead_stones
from playout.games.go.sgf import Game, load, write_move
from playout.games.record import Ended, Note, Record, Step
from playout.games.sgf_tree import Tree, trees

SUPERKO = "positional"  # what the analysis's own moves obey; the record's need not


class Source(NamedTuple):
    """What it takes to write a record again: the game, and what its file says at moves, by their number."""

    game: Game
    comments: Mapping[int, str]


def read_record(path: str | os.PathLike[str], number: int = 1) -> Record:
    """A game of an SGF file, by its number from 1 on, its main line; an illegal move is refused."""
    game = load(path, number)
    comments: dict[int, str] = {}
    remarks: tuple[str, ...] = ()
    with contextlib.suppress(InputError):  # too large to look for more than the game
        games = trees(decode(Path(path).read_bytes()))
        comments = _comments(games[number - 1])
        remarks = (f"game {number} of {len(games)} in the file",) if len(games) > 1 else ()
    return record_of(game, comments, remarks)


def _comments(tree: Tree) -> dict[int, str]:
    """What is said on the main line, by the number of moves before."""
    found: dict[int, str] = {}
    number = 0
    while True:
        number += sum(name in ("B", "W") for name in tree.node)
        if text := "".join(tree.node.get("C", ())).strip():
            found[number] = f"{found[number]}\n\n{text}" if number in found else text
        if not tree.then:
            return found
        tree = tree.then[0]


def record_of(game: Game, comments: Mapping[int, str] | None = None, remarks: tuple[str, ...] = ()) -> Record:
    """An SGF game, move by move. One that ended by two passes is counted with dead stones removed."""
    from playout.games.go.game import GAME

    game.board()  # refuses an illegal move before anybody has thought about the others
    return Record(
        game=GAME,
        moves=len(game.moves),
        steps=lambda: _steps(game),
        names=(game.black, game.white),
        result=game.result,
        remarks=(*remarks, f"komi {game.komi:g}"),
        source=Source(game, comments or {}),
    )


def _steps(game: Game) -> Iterator[Step]:
    left = len(game.moves)
    here: Board | None = None
    for action, board in game.replay():
        after = _open(board)
        if isinstance(action, Move):
            assert here is not None
            if here.to_play != action.color:
                here = here.copy()
                here.to_play = action.color
            left -= 1
            yield Step(*action, here, after, _counted(board) if left == 0 and board.is_over else None)
        here = after


def _open(board: Board) -> Board:
    """A copy to search from: nobody has passed, and superko holds from here on."""
    copy = board.playing_on()
    copy.superko = SUPERKO
    return copy


def _counted(board: Board) -> Ended:
    """Black's result and lead by the count without dead stones."""
    lead = board.score(dead_stones(board))
    return Ended(0.5 if lead == 0 else float(lead > 0), lead)


def write_notes(record: Record, notes: Sequence[Note]) -> tuple[str, str]:
    """The game as SGF with a note at each move, after what its file said there.

    ``SBKV`` is where Sabaki keeps Black's winning rate and draws its graph from; ``V`` is the score in SGF's
    own words, and ``BM`` marks a bad move.
    """
    source: Source = record.source
    game = source.game
    tree = game.tree()
    if 0 in source.comments:
        tree.get_root().set("C", _text(source.comments[0]))
    nodes = [node for node in tree.get_main_sequence() if node.get_move()[0] is not None]
    for number, (node, move, note) in enumerate(zip(nodes, game.moves, notes, strict=True), 1):
        said = source.comments.get(number, "")
        node.set("C", _text(f"{said}\n\n{note.comment}" if said else note.comment))
        node.set_raw("SBKV", f"{100 * note.value:.2f}".encode())
        if note.lead is not None:
            node.set("V", round(note.lead, 1))
        if note.is_bad:
            node.set("BM", 1)
        branch, colors = node.parent, (move.color, 3 - move.color)
        for k, point in enumerate(note.line):
            branch = branch.new_child()  # the first one beside the move, which stays the main line
            write_move(branch, Move(colors[k % 2], point), game.size)
            if k == 0:
                branch.set("C", _text(note.line_comment))
    return ".sgf", tree.serialise().decode("utf-8")


def _text(words: str) -> str:
    return words.encode("utf-8", "replace").decode()  # no lone surrogates
