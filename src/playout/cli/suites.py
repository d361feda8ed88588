"""The command for test suites."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from playout.cli.options import Json, console, print_json

if TYPE_CHECKING:
    from rich.table import Table

    from playout.arena.suite import Answer, Score


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: playout suite problems.jsonl mogo:sims=1000 uct --seed 1")(suite)


def suite(
    file: Annotated[
        Path,
        typer.Argument(
            help="Positions: JSON lines, SGF, a folder of SGF, or a GTP regression file (.tst); or "
            "what comes with the package: the word backgammon, problems-4 or problems-5.",
            show_default=False,
        ),
    ],
    players: Annotated[list[str], typer.Argument(help="Player specs.", show_default=False)],
    game: Annotated[
        str | None,
        typer.Option(
            "--game",
            help="The game, by its name or its file; else that whose positions the first line has, or Go.",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Makes it repeatable.", show_default=False, min=0)] = None,
    first: Annotated[
        int | None, typer.Option(help="Only so many positions, from the first on.", show_default=False, min=1)
    ] = None,
    store: Annotated[
        Path | None,
        typer.Option(help="Keep the answers in this file; the same command goes on.", show_default=False),
    ] = None,
    each: Annotated[bool, typer.Option("--each", help="Show every answer too.")] = False,
    as_json: Json = False,
) -> None:
    """Let players solve a test suite: right moves, how far values are off, what plays lose.

    A line of the file is a position, such as {"size": 9, "komi": 7.5, "moves": ["B E5", "W C3"], "to_play":
    "B", "right": ["C4"]}, or with "wrong" moves, or with "value", Black's chance to win from 0 to 1; stones
    that are set up stand in "black" and "white". In SGF the variations marked by TE or by RIGHT in a comment
    are right, else the first one. Of GTP regression files (.tst) the questions for a move count, reg_genmove.
    In another game a line has its options, "moves" in turn, and "right", "wrong" or "value". In backgammon it
    has {"position": ID, "dice": [3, 1], "plays": {ID after the play: equity, …}}, and the loss is the average
    of what the best play is worth more. Intervals are of 95 %. Ctrl-C shows the answers so far; with --store
    the same command then goes on.
    """
    from playout.arena.exam import Exam
    from playout.arena.suite import Score, game_of, load, suite_of
    from playout.cli.app import _Bar
    from playout.games.registry import find_game

    def say(words: str) -> None:
        print(f"playout: {words}", file=sys.stderr)

    file = suite_of(file)
    played = game_of(file) if game is None else find_game(game)
    exam = Exam(load(file, played, say)[:first], seed, store, played)
    specs = list(dict.fromkeys(players))
    for spec in specs:  # what is wrong with the last one is found before the first one thinks
        exam.check(spec)
    scores: dict[str, Score] = {}
    with _Bar("positions", len(exam.positions) * len(specs)) as bar:
        try:
            for spec in specs:
                bar.say(spec)
                said: list[Answer] = []
                try:
                    with contextlib.closing(exam.answers(spec)) as told:
                        for answer in told:
                            said.append(answer)
                            if answer.failure:
                                bar.note(f"{spec}, {answer.position.name}: {answer.failure}")
                            bar.advance()
                finally:
                    if said:
                        scores[spec] = Score(tuple(said))
        finally:
            bar.stop()
            if as_json and scores:
                print_json({spec: _facts(score, each) for spec, score in scores.items()})
            elif scores:
                screen = console()
                if each:
                    screen.print(answers_table(scores))
                    screen.print()
                screen.print(suite_table(scores))


def _facts(score: Score, each: bool) -> dict[str, Any]:
    return score.facts() | ({"answers": [answer.facts() for answer in score.answers]} if each else {})


def suite_table(scores: dict[str, Score]) -> Table:
    """Each player's score."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    table.add_column("player", overflow="fold", min_width=12)
    solves = any(score.solved is not None for score in scores.values())
    values = any(score.labelled for score in scores.values())
    graded = any(score.graded for score in scores.values())
    unlisted = any(score.unlisted for score in scores.values())
    for title in (
        ["solved", "share", "95 %"] * solves
        + ["MSE", "95 %", "values"] * values
        + ["loss", "95 %", "positions"] * graded
        + ["unlisted"] * unlisted
    ):
        table.add_column(title, justify="right", no_wrap=True)
    for spec, score in scores.items():
        cells = []
        if solves:
            low, high = score.solved_interval
            solved = score.solved or 0
            share = solved / max(1, score.asked)
            cells += [f"{solved}/{score.asked}", f"{share:.1%}", f"{low:.1%}–{high:.1%}"]
        if values:
            low, high = score.mse_interval
            found = ["–", "–"] if score.mse is None else [f"{score.mse:.4f}", f"{low:.4f}–{high:.4f}"]
            cells += [*found, str(score.errors.size)]
        if graded:
            ends = score.loss_interval
            between = "–" if ends is None else f"{ends[0]:.4f}–{ends[1]:.4f}"
            cells += ["–" if score.loss is None else f"{score.loss:.4f}", between, str(score.losses.size)]
        cells += [str(score.unlisted)] * unlisted
        table.add_row(Text(spec), *cells)
    return table


def answers_table(scores: dict[str, Score]) -> Table:
    """Every answer: the move, marked where it is wrong, and the value beside its label."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    table.add_column("position", overflow="fold")
    table.add_column("right")
    for spec in scores:
        table.add_column(Text(spec), overflow="fold")
    for row in zip(*(score.answers for score in scores.values()), strict=False):  # cut off by Ctrl-C
        facts = [answer.facts() for answer in row]
        label = facts[0].get("label")
        wanted = [*facts[0].get("right", []), *(f"not {move}" for move in facts[0].get("wrong", []))]
        wanted += [] if label is None else [f"{label:.2f}"]
        cells = []
        for found in facts:
            words = []
            if "solved" in found:
                words.append(f"{found['move'] or 'none'}{'' if found['solved'] else ' ✗'}")
            if "loss" in found:
                lost = "unlisted" if found["loss"] is None else f"−{found['loss']:.4f}"
                words.append(f"{found['move'] or 'none'} {lost}")
            if "label" in found:
                words.append("–" if found["value"] is None else f"{found['value']:.2f}")
            cells.append(Text(" ".join(words)))
        table.add_row(Text(facts[0]["position"]), Text(" ".join(wanted)), *cells)
    return table
