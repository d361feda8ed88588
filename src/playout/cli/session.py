"""A game in the terminal, any game: a person against a player."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.console import Console

from playout.arena.terms import Terms
from playout.cli import saved
from playout.cli.waiting import waiting
from playout.errors import InputError, near, shown
from playout.files import write_text
from playout.games.position import CHANCE
from playout.kernel import new_rng
from playout.player.api import RESIGN, Analysis, Player, moves_on_interrupt
from playout.player.registry import make_player

HINT_SECONDS = 1.0
HINTS = 3

HELP = """\
{move:11} play it; `moves` lists what is legal
undo        take back your last move and the answer to it
hint        the moves that a quick search likes best
resign      give up
save FILE   write the moves of the game
new         begin a new game
help        this
quit        leave (so does Ctrl-D); the game is saved
Ctrl-C      while the other player thinks: it moves at once"""


class Session:
    """One person's session at the board: draws, asks, answers, until the person leaves.

    human: 1 or 2, the player that the person is. ask: shows a prompt and returns a line; raises EOFError when
    there are no more. board: a position to go on from. file: where the game is saved when the person leaves;
    none: a new file. options: of the command line, for who goes on with the game later.
    """

    WORDS: tuple[str, ...] = ("moves", "undo", "hint", "resign", "save", "new", "help", "quit")
    hint_spec = "uct:sims=none"

    def __init__(
        self,
        terms: Terms,
        human: int,
        player: Player,
        console: Console,
        ask: Callable[[str], str] = input,
        *,
        board: Any = None,
        file: Path | None = None,
        options: tuple[str, ...] = (),
    ) -> None:
        self.terms, self.human, self.player, self.console, self.ask = terms, human, player, console, ask
        self._luck = new_rng()
        self.board: Any = self._start() if board is None else board
        self.stopped = ""  # why the player plays no more
        self._own_files: set[Path] = set()
        self._file, self._options = file, options
        self._kept = self._game_so_far()  # what is in a file already
        self._unseen = True  # whether the board has changed since it was drawn
        self._skipped: set[int] = set()  # the person's moves that were none, by number

    def _start(self) -> Any:
        """The position that a game begins with."""
        return self.terms.position()

    def run(self) -> None:
        """Play until the person leaves; then the game is saved."""
        try:
            self._run()
        finally:
            self._leave()

    def _run(self) -> None:
        self._say(self._greeting())
        self.player.new_game()
        while True:
            self._let_player_move()
            self._show()
            if not self.stopped and self.board.moves:
                self.player.ponder(self.board)
            try:
                line = self.ask(self._prompt())
            except EOFError:
                self._say("")
                return
            except KeyboardInterrupt:
                self._say("")  # what comes next does not stand behind the prompt
                raise
            finally:
                self.player.stop()
            try:
                if not self._obey(line.strip()):
                    return
            except InputError as error:
                sentence = str(error)
                self._say(sentence[:1].upper() + sentence[1:] + ("" if sentence.endswith("?") else "."))
            except OSError as error:
                self._say(f"{error.strerror or error}: {error.filename}.")

    # -- what the person says -------------------------------------------------------------------------

    def _obey(self, line: str) -> bool:
        """Do what a line says; whether the session goes on."""
        word, _, rest = line.partition(" ")
        match word.lower():
            case "":
                pass
            case "quit" | "exit" | "q":
                return False
            case "help" | "?" | "h":
                self._say(self._help())
            case "moves":
                self._list_moves()
            case "undo":
                self._undo()
            case "hint":
                self._hint()
            case "save":
                self._save(rest.strip())
            case "new":
                self._new()
            case "resign":
                self._play("resign")
            case _:
                self._play(line)
        return True

    def _help(self) -> str:
        return HELP.format(move=self._example())

    def _list_moves(self) -> None:
        legal = self.board.legal_moves()
        if not legal:
            raise InputError("the game is over")
        words = [self.board.spell(action) for action in legal]
        self._say((", " if any(" " in word for word in words) else " ").join(words))

    def _play(self, word: str) -> None:
        if self.board.is_over:
            raise InputError("the game is over: undo, new, save FILE or quit")
        if self.stopped:
            raise InputError("the other player has stopped: undo, new, save FILE or quit")
        self.board.play(self._understood(word))
        self._unseen = True

    def _understood(self, word: str) -> str:
        """A move as the position reads it; what is neither a move nor a command is refused."""
        if word.lower() == "resign":
            return word
        names = {self.board.spell(action).lower() for action in self.board.legal_moves()}
        if self.board.game.parse is None and word.lower() not in names:
            known = self._nearest(word, [*names, *self.WORDS])
            raise InputError(f"{shown(word)} is no legal move and no command{known}")
        return word

    def _nearest(self, word: str, known: list[str]) -> str:
        """The end of a sentence about a word that nobody knows; it does not list a whole board."""
        found = near(word[:40].lower(), known)
        return found if "did you mean" in found else "; help says what you can type"

    def _undo(self) -> None:
        """Back to the person's last decision."""
        if self.board.resigned is not None and self.board.resigned == self.human:
            self.board.undo()
        else:
            own = [
                k
                for k, move in enumerate(self.board.moves)
                if move.player == self.human and k not in self._skipped
            ]
            if not own:
                raise InputError("you have not made a move that could be taken back")
            while len(self.board.moves) > own[-1]:
                self.board.undo()
            self._skipped = {k for k in self._skipped if k < own[-1]}
        self.stopped = ""
        self._unseen = True

    def _hint(self) -> None:
        if self.board.is_over:
            raise InputError("the game is over")
        adviser = make_player(self.hint_spec, self.board.game)
        analyses = adviser.analyse(self.board)
        with waiting(self.console, lambda: "Looking"):
            analysis = next(analyses)  # it may have to be compiled first
            end = time.monotonic() + HINT_SECONDS
            while time.monotonic() < end:
                analysis = next(analyses)
        self._say("\n".join(self._hints(analysis)))

    def _hints(self, analysis: Analysis) -> list[str]:
        """The best moves, a line each."""
        return [
            f"{self.board.spell(move.action)}: wins {move.winrate:.0%} of {move.visits} simulations"
            for move in analysis.moves[:HINTS]
        ]

    def _save(self, name: str) -> None:
        if not name:
            raise InputError(f"save needs the name of a file, as in: save game{self._ending}")
        path = Path(name).expanduser()
        if path.exists() and path.resolve() not in self._own_files:
            raise InputError(f"{shown(name, 80)} exists already: choose another name")
        self._write(path)
        self._own_files.add(path.resolve())
        self._say(f"Saved {name}.")

    def _write(self, path: Path) -> None:
        write_text(path, self._saved())
        self._file, self._kept = path, self._game_so_far()

    def _game_so_far(self) -> tuple[list[Any], int | None]:
        return list(self.board.moves), self.board.resigned

    def _leave(self) -> None:
        """Save a game that would be lost, say where, and how to go on with it."""
        played = any(move.player == self.human for move in self.board.moves)
        if not played or self._game_so_far() == self._kept:
            return
        try:
            self._write(self._file or saved.new_file(self.board.game.name, self._ending))
        except OSError as error:
            self._say(f"The game could not be saved: {error.strerror or error}: {error.filename}.")
            return
        self._say(f"The game is saved in {self._file}.")
        if self.board.is_over:
            return
        if reason := saved.why_not(self.board.game):
            self._say(f"It cannot be gone on with: {reason}.")
        else:
            command = shlex.join(["playout", "play", str(self._file), *self._options])
            self.console.print(f"To go on: {command}", markup=False, highlight=False, soft_wrap=True)

    _ending = ".txt"  # of a file's name

    def _saved(self) -> str:
        """The game as a file has it."""
        return saved.text_of(self.board, self.human)

    def _new(self) -> None:
        self.board = self._start()
        self.stopped = ""
        self._file, self._kept, self._unseen = None, self._game_so_far(), True
        self._skipped = set()
        self.player.new_game()

    # -- what the player and chance do ----------------------------------------------------------------

    def _let_player_move(self) -> None:
        """Let chance and the player move, if it is their turn."""
        while not self.board.is_over and not self.stopped:
            if self.board.is_chance:
                self._roll()
                continue
            if self.board.to_play == self.human:
                if (idle := self.board.idle_move()) is None:
                    return
                self._say("You cannot move.")
                self._skipped.add(len(self.board.moves))
                self.board.play(idle)
                continue
            who = self.board.seat(self.board.to_play)
            try:
                action = self._choice(who)
                said = "resigns" if action == RESIGN else self._says(action)
                self.board.play("resign" if action == RESIGN else action)
            except (InputError, OSError) as error:
                self.stopped = str(error)
                self._say(f"{self.player.name} cannot go on: {error}.")
                return
            self._say(f"{who} {said}.")
            self._unseen = True

    def _choice(self, who: str) -> int:
        """What the player chooses; Ctrl-C makes it move at once, and a second one ends the session."""
        can_hurry = type(self.player).stop is not Player.stop

        def words() -> str:
            again = hurried.is_set()
            keys = "again: end" if again else ": move now" if can_hurry else " twice: end"
            return f"{who[:1].upper()}{who[1:]} thinks (Ctrl-C{' ' if again else ''}{keys})"

        with moves_on_interrupt(self.player) as hurried, waiting(self.console, words):
            return self.player.choose_action(self.board)

    def _says(self, action: int) -> str:
        return f"plays {self.board.spell(action)}"

    def _roll(self) -> None:
        """Chance moves."""
        before = self.board.copy()
        self.board.roll(self._luck)
        move = self.board.moves[-1]
        if move.player == CHANCE and self.board.game.events:
            self._say(f"Chance: {before.spell_event(move.action)}.")
        self._unseen = True

    # -- showing --------------------------------------------------------------------------------------

    def _greeting(self) -> str:
        seat = self.board.seat
        can_move = not self.board.is_over and not self.board.is_chance
        example = f"a move such as {self._example()}, or help" if can_move else "help for what you can do"
        again = f"Going on after move {len(self.board.moves)}. " if self.board.moves else ""
        if self.board.game.players == 1:
            return f"{again}You play {self.board.game.name}. Type {example}."
        you, other = seat(self.human), seat(3 - self.human)
        return f"{again}You are {you}, {self.player.name} is {other}. Type {example}."

    def _example(self) -> str:
        """A move that is legal now, as people write it."""
        legal = self.board.legal_moves()
        return str(self.board.spell(legal[(len(legal) - 1) // 2])) if legal else "MOVE"

    def _show(self) -> None:
        """The board, once a turn, and the result if it is the last."""
        if not self._unseen:
            return
        self._unseen = False
        self._draw()
        if self.board.is_over:
            self._say(self._result())
            self._say("undo, save FILE, new or quit?")

    def _result(self) -> str:
        """How a game has ended, in words."""
        if self.board.game.players == 1:
            return f"The end: {self.board.outcome:g}."
        verdict = self.board.verdict()
        if verdict.winner is None:
            return "A draw."
        who = self.board.seat(verdict.winner)
        resigned = " by resignation" if self.board.resigned is not None else ""
        return f"{who[:1].upper()}{who[1:]} wins{resigned} ({verdict.result})."

    def _draw(self) -> None:
        self._say(str(self.board))

    def _prompt(self) -> str:
        if self.board.is_over or self.stopped:
            return "> "
        return f"{self.board.seat(self.board.to_play)}, move {len(self.board.moves) + 1}> "

    def _say(self, words: str) -> None:
        # A terminal's lines break between words; a log's do not break.
        soft = not self.console.is_terminal
        self.console.print(words, markup=False, highlight=False, soft_wrap=soft)


def demonstrate(
    first: str,
    second: str,
    console: Console,
    position: Any,
    picture: Callable[[Any], Any] = str,
    ending: Callable[[Any], str] = lambda position: position.verdict().detail,
    about: str = "",
) -> None:
    """Show one game between two players, a few positions of it and the result.

    picture: what the console prints of a position; ending: how the game has ended, in words; about: the game.
    """

    def say(words: str) -> None:
        console.print(words, markup=False, highlight=False, soft_wrap=True)

    def show(words: str) -> None:
        say(f"\n{words}:")
        console.print(picture(position), markup=False, highlight=False)

    game, luck, most = position.game, new_rng(), position.longest
    seats = dict(zip(game.seats, (first, second), strict=False))
    say(", ".join(f"{seat} is {spec}" for seat, spec in seats.items()) + f"{about}.")
    players = {k: make_player(spec, game) for k, spec in enumerate(seats.values(), 1)}
    every = max(1, position.span // 3)
    try:
        position.settle(luck)
        while not position.is_over and len(position.moves) < most:
            action = players[position.to_play].choose_action(position)
            position.play("resign" if action == RESIGN else action).settle(luck)
            if len(position.moves) % every == 0 and not position.is_over:
                show(f"After {len(position.moves)} moves")
    finally:
        for player in players.values():
            player.close()
    show(f"The end, after {len(position.moves)} moves")
    say(ending(position))
