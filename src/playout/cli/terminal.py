"""A game in the terminal: a person against a player; and, where nobody is there to play, one to watch."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from playout.cli.show import board_picture, estimate_sentence, hint_lines, score_sentence
from playout.errors import InputError, near
from playout.files import write_text
from playout.games.go import coords
from playout.games.go.board import Board
from playout.games.go.ownership import dead_stones, ownership
from playout.games.go.policy.mogo import Mogo
from playout.games.go.sgf import from_board
from playout.games.go.state import BLACK, PASS, WHITE
from playout.kernel import new_rng
from playout.player.api import RESIGN, Player
from playout.player.registry import make_player

HINT_SPEC = "mogo"
HINT_SECONDS = 1.0
ESTIMATE_SIMULATIONS = 1000

HELP = """\
E5          play there (column and row as drawn)
pass        pass; two passes in a row end the game
undo        take back your last move and the answer to it
hint        the moves that a quick search likes best
score       who is ahead, by playouts
resign      give up
save FILE   write the game as SGF
new         begin a new game
help        this
quit        leave (so does Ctrl-D)"""

WORDS = ("pass", "undo", "hint", "score", "resign", "save", "new", "help", "quit")
_LIKE_A_POINT = re.compile(r"[A-Za-z]\s*[0-9]+")


@dataclass(frozen=True)
class Terms:
    """What is played: size, komi and handicap, and the person's colour."""

    size: int
    komi: float
    handicap: int
    human: int

    def board(self) -> Board:
        """The board at the start."""
        board = Board(self.size, self.komi)
        return board.place_handicap(self.handicap) if self.handicap else board


class TerminalGame:
    """One person's session at the board: draws, asks, answers, until the person leaves.

    ask: shows a prompt and returns a line; raises EOFError when there are no more.
    """

    def __init__(
        self, terms: Terms, player: Player, console: Console, ask: Callable[[str], str] = input
    ) -> None:
        self.terms, self.player, self.console, self.ask = terms, player, console, ask
        self.board = terms.board()
        self.stopped = ""  # why the player plays no more
        self._scored: tuple[int, list[int]] | None = None
        self._own_files: set[Path] = set()

    def run(self) -> None:
        """Play until the person leaves."""
        you, other = coords.color_name(self.terms.human), coords.color_name(3 - self.terms.human)
        self._say(f"You are {you}, {self.player.name} is {other}. Type help for what you can do.")
        self.player.new_game()
        self._draw()
        while True:
            self._let_player_move()
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
                self._say(HELP)
            case "undo":
                self._undo()
            case "hint":
                self._hint()
            case "score":
                self._score()
            case "save":
                self._save(rest.strip())
            case "new":
                self._new()
            case "resign":
                self._play("resign")
            case _:
                self._play(line)
        return True

    def _play(self, at: str) -> None:
        if self.board.is_over:
            raise InputError("the game is over: undo, new, save FILE or quit")
        if self.stopped:
            raise InputError("the other player has stopped: undo, new, save FILE or quit")
        if _LIKE_A_POINT.fullmatch(at):
            at = "".join(at.split())
        elif at.lower() not in WORDS:
            raise InputError(f"{coords.shown(at)} is no command{near(at[:40].lower(), WORDS)}")
        self.board.play(at)
        self._changed()

    def _undo(self) -> None:
        """Back to the person's last decision."""
        if self.board.resigned is not None and self.board.resigned == self.terms.human:
            self.board.undo()
        else:
            own = [k for k, move in enumerate(self.board.moves) if move.color == self.terms.human]
            if not own:
                raise InputError("you have not made a move that could be taken back")
            while len(self.board.moves) > own[-1]:
                self.board.undo()
        self.stopped = ""
        self._draw()

    def _hint(self) -> None:
        if self.board.is_over:
            raise InputError("the game is over")
        adviser = make_player(HINT_SPEC)
        analyses = adviser.analyse(self.board)
        analysis = next(analyses)  # it may have to be compiled first
        end = time.monotonic() + HINT_SECONDS
        while time.monotonic() < end:
            analysis = next(analyses)
        self._say("\n".join(hint_lines(analysis, self.board.size)))

    def _score(self) -> None:
        if self.board.is_over:
            self._say(score_sentence(self.board, self._dead()))
            return
        lead = ownership(self.board, Mogo().record(), ESTIMATE_SIMULATIONS, new_rng()).lead
        self._say(estimate_sentence(lead))

    def _save(self, name: str) -> None:
        if not name:
            raise InputError("save needs the name of a file, as in: save game.sgf")
        path = Path(name).expanduser()
        if path.exists() and path.resolve() not in self._own_files:
            raise InputError(f"{coords.shown(name, 80)} exists already: choose another name")
        me, other = "you", self.player.name
        black, white = (me, other) if self.terms.human == BLACK else (other, me)
        result = self.board.result(self._dead()) if self.board.is_over else None
        write_text(path, from_board(self.board, black=black, white=white, result=result).to_sgf())
        self._own_files.add(path.resolve())
        self._say(f"Saved {name}.")

    def _new(self) -> None:
        self.board = self.terms.board()
        self.stopped = ""
        self.player.new_game()
        self._draw()

    # -- what the player does -------------------------------------------------------------------------

    def _let_player_move(self) -> None:
        """Let the player answer, if it is its turn."""
        while not self.board.is_over and not self.stopped and self.board.to_play != self.terms.human:
            who = coords.color_name(self.board.to_play)
            try:
                p = self.player.choose(self.board)
                self.board.play("resign" if p == RESIGN else p)
            except (InputError, OSError) as error:
                self.stopped = str(error)
                self._say(f"{self.player.name} cannot go on: {error}.")
                return
            said = "resigns" if p == RESIGN else "passes" if p == PASS else f"plays {self._vertex(p)}"
            self._say(f"{who} {said}.")
            self._changed()

    # -- showing --------------------------------------------------------------------------------------

    def _changed(self) -> None:
        """After a move: the board, and the result if it was the last."""
        if self.board.is_over:
            self._draw()
            self._say(score_sentence(self.board, self._dead()))
            self._say("undo, save FILE, new or quit?")
        elif self.board.to_play == self.terms.human or self.board.moves[-1].point != PASS:
            self._draw()

    def _dead(self) -> list[int]:
        """The dead stones of a finished game, found once."""
        if self.board.resigned is not None:
            return []
        key = hash(tuple(self.board.moves))
        if self._scored is None or self._scored[0] != key:
            self._scored = key, dead_stones(self.board)
        return self._scored[1]

    def _draw(self) -> None:
        dead = self._dead() if self.board.is_over else []
        self.console.print(board_picture(self.board, self.console, dead))
        taken = [self.board.captures(color) for color in (BLACK, WHITE)]
        if any(taken):
            self._say(f"Captured: Black {taken[0]}, White {taken[1]}.")

    def _prompt(self) -> str:
        if self.board.is_over or self.stopped:
            return "> "
        return f"{coords.color_name(self.board.to_play)}, move {len(self.board.moves) + 1}> "

    def _vertex(self, p: int) -> str:
        return coords.vertex(p, self.board.size)

    def _say(self, words: str) -> None:
        self.console.print(words, markup=False, highlight=False, soft_wrap=True)


def demonstrate(black: str, white: str, console: Console, board: Board) -> None:
    """Show one game between two players, a few boards of it and the result."""

    def say(words: str) -> None:
        console.print(words, markup=False, highlight=False, soft_wrap=True)

    players = {BLACK: make_player(black), WHITE: make_player(white)}
    size = board.size
    every, most = size * size // 3, 3 * size * size
    say(f"Black is {black}, White is {white}; {size}×{size}, komi {board.komi:g}.")
    try:
        while not board.is_over and len(board.moves) < most:
            p = players[board.to_play].choose(board)
            board.play("resign" if p == RESIGN else p)
            if len(board.moves) % every == 0 and not board.is_over:
                say(f"\nAfter {len(board.moves)} moves:")
                console.print(board_picture(board, console))
    finally:
        for player in players.values():
            player.close()
    dead = dead_stones(board) if board.resigned is None else []
    say(f"\nThe end, after {len(board.moves)} moves:")
    console.print(board_picture(board, console, dead))
    say(score_sentence(board, dead))
