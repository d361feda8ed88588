"""A game that was played, looked at move by move: who was ahead when, and which moves cost most.

A move's value is the chance to win of the player who made it, after it. The best move that a search of the
position finds is valued in the same way, by searches of its own with as many simulations: it is not
believed the value that made it look best. The loss is the difference. Where the played move comes out ahead
of what the search would have played, it is itself the best that is known, and nothing was lost.

In a game with dice each decision is looked at once, and all its moves are valued together (`decisions`).

A search is kind to the side that is to move. So a position is valued by two: its own, and that of the
position after its best move, where the other side is to move. The value is the mean of both.

>>> from playout.games.toy.tictactoe import GAME
>>> position = GAME.new_position()
>>> for move in ("b2", "a2", "a1"):
...     position = position.play(move)
>>> found = analyse(position, "uct:sims=1000", seed=1)
>>> [(move.seat, move.move) for move in found.moves]
[('first', 'b2'), ('second', 'a2'), ('first', 'a1')]
>>> found.worst(2)[0].move, found.worst(2)[0].loss > 0.2  # an edge loses, a corner holds
('a2', True)
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

from playout.analysis.decisions import Decision, DecisionAnalyst, has_dice
from playout.analysis.graph import draw
from playout.analysis.notes import notes
from playout.analysis.results import GameAnalysis, MoveAnalysis
from playout.analysis.searches import Analyst, Looked, Searches, check, digest_of, spelled
from playout.errors import InputError
from playout.files import begin_folder, write_bytes, write_text
from playout.games.game import Game
from playout.games.position import Position
from playout.games.record import Record
from playout.player.registry import players_of, the_game

SIMULATIONS = 3000
HEAD = 4096  # bytes of a file that say which game it is of
SEARCHES, GRAPH, NUMBERS, GAME = "searches.jsonl", "graph.png", "analysis.json", "game"  # files of a folder

__all__ = ["GameAnalysis", "MoveAnalysis", "analyse", "default_player", "read"]


def read(path: str | Path, game: Game | str | None = None, number: int | None = None) -> Record:
    """A game of a file, by its number where there are several; Go's are SGF, backgammon's that or ``.mat``.

    game: which game it is of; None: what the file says. number: None is the first in Go, in backgammon all of
    a match.
    """
    found = the_game(_game_of(Path(path)) if game is None else game)
    if found.read_record is None:
        raise InputError(f"{found.name} has no files of games that could be read")
    return found.read_record(path) if number is None else found.read_record(path, number)


def _game_of(path: Path) -> str | None:
    """The game that a file is of, by its name and its first letters; None where that is Go or not known."""
    if path.suffix.lower() == ".mat":
        return "backgammon"
    try:
        with open(path, "rb") as file:
            return "backgammon" if re.search(rb"GM\s*\[\s*6\s*\]", file.read(HEAD)) else None
    except (OSError, ValueError):
        return None  # whoever reads it says why


def default_player(game: Game) -> str:
    """Who looks at a game if nobody is named: the strongest."""
    if "td" in game.policies:
        return "td"
    name = "mogo" if "mogo" in players_of(game) else "uct"
    return f"{name}:sims={SIMULATIONS}"


def analyse(
    game: Record | Position | str | Path,
    player: str | None = None,
    *,
    seed: int = 1,
    threads: int = 1,
    folder: str | Path | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> GameAnalysis:
    """Look at every move of a game.

    game: a file, a position with the moves that led to it, or a record. player: whose searches these are, as
    a spec; by default the strongest, with 3000 simulations, in backgammon the best network. seed: the same
    seed gives the same analysis, with any number of threads. folder: where searches are kept, so that the
    same call goes on after a stop, and where the results go (`save`). progress: is told how many moves of how
    many are done.
    """
    record = _record(game)
    if not record.moves:
        raise InputError("the game has no moves: there is nothing to analyse")
    if threads < 1:
        raise InputError(f"{threads} is not a number of threads of at least 1")
    spec = default_player(record.game) if player is None else player
    check(spec, record.game, next(record.steps()).before)
    what = {"moves": digest_of(record), "player": spec, "seed": seed}
    place = None if folder is None else _opened(Path(folder))
    searches = Searches(what, None if place is None else place / SEARCHES)

    def tell(done: int) -> None:
        progress(done, record.moves)

    start_score: float | None
    if has_dice(record.game):
        decided = DecisionAnalyst(record, spec, seed, searches).decisions(threads, tell)
        moves = [_decision(number, look) for number, look in enumerate(decided, 1)]
        start_value, start_score = _first_best(moves[0]), None
    else:
        looks = Analyst(record, spec, seed, searches).run(threads, tell)
        first = next(looks)
        moves = [_move(1, first), *(_move(number, look) for number, look in enumerate(looks, 2))]
        start_value, start_score = first.before.value, first.before.lead
    found = GameAnalysis(
        moves=tuple(moves),
        start_value=start_value,
        start_score=start_score,
        seats=record.game.seats,
        names=record.names,
        result=record.result,
        spec=spec,
        seed=seed,
        visits=searches.visits,
        in_points=record.game.appraise is not None,
    )
    if place is not None:
        save(found, record, place)
    return found


def _record(game: Record | Position | str | Path) -> Record:
    if isinstance(game, Record):
        return game
    return game.as_record() if isinstance(game, Position) else read(game)


def _move(number: int, look: Looked) -> MoveAnalysis:
    step, after, best = look.step, look.after, look.best
    played = step.before.spell(step.action)
    line: tuple[int, ...] = look.before.line
    if not line or line[0] == step.action or best.chance(step.player) <= after.chance(step.player):
        line, best = (step.action, *look.after.line), after
    actions, words = spelled(step.before, line)
    return MoveAnalysis(
        number=number,
        player=step.player,
        seat=step.before.seat(step.player),
        move=played,
        value=after.chance(step.player),
        score=after.lead_of(step.player),
        best=words[0] if words else played,
        best_value=best.chance(step.player),
        best_score=best.lead_of(step.player),
        line=tuple(words),
        actions=tuple(actions),
    )


def _decision(number: int, look: Decision) -> MoveAnalysis:
    """A move of a game with dice."""
    step = look.step
    best = look.best if look.best_value > look.value else step.action
    words = step.before.spell(best)
    return MoveAnalysis(
        number=number,
        player=step.player,
        seat=step.before.seat(step.player),
        move=step.before.spell(step.action),
        value=look.value,
        score=None,
        best=words,
        best_value=max(look.value, look.best_value),
        best_score=None,
        line=(words,),
        actions=(best,),
        in_points=step.before.game.appraise is not None,
        roll="" if step.rolled is None else step.rolled.word,
        luck=look.luck,
        choices=look.choices,
        part=step.part,
    )


def _first_best(move: MoveAnalysis) -> float:
    """What the position before a move is worth to player 1."""
    if move.player == 1:
        return move.best_value
    return -move.best_value if move.in_points else 1.0 - move.best_value


def _opened(folder: Path) -> Path:
    """The folder of an analysis: a new one, or one of ours."""
    return folder if (folder / SEARCHES).exists() else begin_folder(folder, "the folder of an analysis")


def save(analysis: GameAnalysis, record: Record, folder: Path) -> list[Path]:
    """Write the graph, the numbers, and the game with comments where its format has such; their paths."""
    paths = [folder / GRAPH, folder / NUMBERS]
    write_bytes(paths[0], draw(analysis))
    write_text(paths[1], json.dumps(analysis.facts(), indent=1, ensure_ascii=False) + "\n")
    if record.game.write_notes is not None and record.source is not None:
        ending, text = record.game.write_notes(record, notes(analysis))
        paths.append(folder / f"{GAME}{ending}")
        write_text(paths[-1], text)
    return paths
