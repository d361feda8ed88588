"""The command `rollout`: the candidate moves of a position under trials, live."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from playout.cli.options import SECONDS_BETWEEN_LINES, Game, Json, Set, console, game_options, print_json
from playout.errors import InputError, shown

if TYPE_CHECKING:
    from rich.table import Table

    from playout.games.game import Game as AnyGame
    from playout.games.position import Position
    from playout.player.rollout import RolloutPlayer
    from playout.search.rollout import Candidate, Rollout

PLAYER = "rollout:trials=1296"
MOST_WORDS = 10_000  # of --moves
# How the kinds of ends of backgammon are called at the head of a table.
SHORT = {
    "win": "W",
    "win gammon": "Wg",
    "win backgammon": "Wbg",
    "lose gammon": "Lg",
    "lose backgammon": "Lbg",
}


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: playout rollout 4HPwATDgc/ABMA --dice 31 --player rollout:trials=5000")(
        rollout
    )


def rollout(
    position: Annotated[
        str | None,
        typer.Argument(
            metavar="[POSITION_ID]",
            help="The position: a position ID, one with a match ID, an XGID; without it the game's first, or "
            "that after --moves.",
            show_default=False,
        ),
    ] = None,
    dice: Annotated[
        str | None, typer.Option(help="What has been rolled, as in 31.", show_default=False)
    ] = None,
    player: Annotated[
        str, typer.Option(help="Whose rollouts these are: a player spec that begins with rollout.")
    ] = PLAYER,
    game: Game = "backgammon",
    moves: Annotated[
        str | None,
        typer.Option(
            help="In place of an ID: the moves from the start, with commas between them; rolls of dice, too.",
            show_default=False,
        ),
    ] = None,
    option: Set = None,
    cluster: Annotated[
        str | None,
        typer.Option(help="Make the trials on the workers of this Dask scheduler.", show_default=False),
    ] = None,
    as_json: Json = False,
) -> None:
    """Roll out the legal moves of a position: what each is worth when a base policy plays on for both sides.

    Every move has trials with the same dice; those that are surely worse, or better by no more than the
    margin, are dropped as soon as that is clear. Equities are for the player to move, in the game's own units
    (points, in backgammon), with their 95 % intervals. In backgammon W, Wg, Wbg, Lg and Lbg are the chances
    to win, to win a gammon and a backgammon, and to lose them. Ctrl-C shows what there is.

    Thorough: rollout:trials=10000,confidence=0.99. Optimistic:
    rollout:trials=1296,confidence=0.9,margin=0.01. With a base policy that has estimates, steps=7 cuts trials
    off after 7 decisions.
    """
    from playout.games.registry import find_game
    from playout.player.api import moves_on_interrupt
    from playout.player.rollout import rollout_player

    found = find_game(game)
    where = _position(found, position, dice, moves, option)
    who = rollout_player(player, found)
    began = time.monotonic()
    with contextlib.ExitStack() as stack:
        stack.callback(who.close)
        if cluster is not None:
            from playout.arena.pool import Cluster

            who.helpers = stack.enter_context(Cluster(cluster))
        board = stack.enter_context(_Board(where))
        stopped = stack.enter_context(moves_on_interrupt(who))
        result = who.roll_out(where, board.tell)
    if result.trials:
        if as_json:
            print_json(facts_of(where, who, result, time.monotonic() - began))
        else:
            screen = console()
            screen.print(table_of(where, result.candidates()))
            screen.print(sentence(where, result, time.monotonic() - began), highlight=False)
    if stopped.is_set():
        raise KeyboardInterrupt


def _position(
    game: AnyGame, word: str | None, dice: str | None, moves: str | None, option: list[str] | None
) -> Position:
    """The position that the words mean, with a player to move."""
    rolled = None if dice is None else _dice(dice)
    found: Position
    if word is not None:
        if moves is not None or option:
            raise InputError("an ID says all of a position: leave --moves and --set out")
        if game.set_up is None or "position" not in game.set_up_keys:
            raise InputError(
                f"{game.name} has no IDs of positions: give the moves from the start with --moves"
            )
        facts = {"position": word} if rolled is None else {"position": word, "dice": rolled}
        found = game.set_up(facts, None, None)
    else:
        found = game.new_position(game.configured(game_options(option)))
        words = [each.strip() for each in (moves or "").split(",") if each.strip()]
        if len(words) > MOST_WORDS:
            raise InputError(f"--moves has more than {MOST_WORDS:,} moves")
        for number, each in enumerate(words, 1):
            try:
                found.play(each)
            except InputError as error:
                raise InputError(f"--moves, number {number}: {error}") from None
        if rolled is not None:
            if not found.is_chance:
                raise InputError("--dice: no dice are to be rolled in this position")
            found.play("".join(map(str, sorted(rolled, reverse=True))))
    if found.is_over:
        raise InputError("there is nothing to roll out: the game is over")
    if found.is_chance:
        raise InputError("the dice are to be rolled in this position: say what they show with --dice 31")
    return found


def _dice(word: str) -> list[int]:
    letters = word.replace("-", "").replace(",", "").strip()
    if not letters.isascii() or not letters.isdigit() or len(letters) > 2:
        raise InputError(f"--dice {shown(word)} is not what dice show, as in 31")
    return [int(letter) for letter in letters]


# -- what is shown ----------------------------------------------------------------------------------------


class _Board:
    """The table while trials are made, on stderr; a line now and then where there is no terminal."""

    def __init__(self, position: Position) -> None:
        self._position = position
        self._console = console(stderr=True, whole=False)
        self._live: Any = None
        self._line_at = time.monotonic() + SECONDS_BETWEEN_LINES
        self._compiling = ""
        self._picture: Any = None
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> _Board:
        from playout.kernel.progress import compile_progress

        self._stack.__enter__()
        if self._console.is_terminal and not self._console.is_dumb_terminal:
            from rich.live import Live

            self._live = Live(get_renderable=self._shown, console=self._console, transient=True)
            self._stack.enter_context(self._live)
            self._stack.enter_context(compile_progress(self._say))
        else:
            self._stack.enter_context(compile_progress())
        return self

    def __exit__(self, *failure: Any) -> None:
        self._stack.__exit__(*failure)

    def _say(self, compiling: str | None) -> None:
        self._compiling = compiling or ""

    def _shown(self) -> Any:
        from rich.text import Text

        return (
            Text(self._compiling or "the first trials …", "dim") if self._picture is None else self._picture
        )

    def tell(self, rollout: Rollout) -> None:
        """After a round of trials."""
        if self._live is not None:
            from rich.console import Group
            from rich.text import Text

            candidates = rollout.candidates()
            rows = max(3, self._console.height - 4)
            self._picture = Group(
                table_of(self._position, candidates[:rows]), Text(f"{rollout.trials:,} trials each", "dim")
            )
        elif time.monotonic() >= self._line_at:
            self._line_at = time.monotonic() + SECONDS_BETWEEN_LINES
            left = sum(each.dropped is None for each in rollout.candidates())
            best = self._position.spell(rollout.best)
            self._console.print(
                f"{rollout.trials:,} trials each, {left} moves left, best {best}", markup=False
            )


def table_of(position: Position, candidates: list[Candidate]) -> Table:
    """The candidates, best first; a dropped one has the trials after which it was dropped."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    table.add_column("play", no_wrap=True)
    table.add_column("equity", justify="right", no_wrap=True)
    table.add_column("95 %", justify="right", no_wrap=True)
    for name in position.game.tallies:
        table.add_column(SHORT.get(name, name), justify="right", no_wrap=True)
    table.add_column("trials", justify="right", no_wrap=True)
    table.add_column("pruned", no_wrap=True)
    for each in candidates:
        error = each.standing.error
        table.add_row(
            Text(position.spell(each.action)),
            f"{each.equity:+.4f}",
            "" if error is None else f"±{1.96 * error:.4f}",
            *(f"{chance:.1%}" for chance in each.chances),
            f"{each.trials:,}",
            each.dropped.reason if each.dropped else "",
            style="dim" if each.dropped else None,
        )
    return table


def sentence(position: Position, rollout: Rollout, seconds: float) -> str:
    """What it came to."""
    found = rollout.candidates()
    made, most = sum(each.trials for each in found), rollout.settings.trials
    saved = f", {1 - made / (most * len(found)):.0%} saved by pruning" if most and rollout.is_finished else ""
    return f"best: {position.spell(rollout.best)}; {made:,} trials in {seconds:.1f} s{saved}"


def facts_of(position: Position, player: RolloutPlayer, rollout: Rollout, seconds: float) -> dict[str, Any]:
    """The same for machines."""
    found = rollout.candidates()
    return {
        "plays": [
            {
                "play": position.spell(each.action),
                "equity": each.equity,
                "interval": None if each.standing.interval is None else list(each.standing.interval),
                "error": each.standing.error,
                "trials": each.trials,
                "chances": dict(zip(position.game.tallies, each.chances, strict=True)),
                "pruned": None
                if each.dropped is None
                else {
                    "trials": each.dropped.trials,
                    "reason": each.dropped.reason,
                    "leader": position.spell(each.dropped.leader),
                },
            }
            for each in found
        ],
        "best": position.spell(rollout.best),
        "trials": sum(each.trials for each in found),
        "seconds": seconds,
        "player": player.spec,
    }
