"""The game in the terminal: what a person can say, and what comes back."""

import io

import pytest
from rich.console import Console

from playout.cli.show import board_picture, estimate_sentence, score_sentence
from playout.cli.terminal import TerminalGame, Terms, demonstrate
from playout.errors import InputError
from playout.games.go.board import Board
from playout.games.go.coords import parse_vertex
from playout.games.go.sgf import load
from playout.games.go.state import BLACK, PASS, WHITE
from playout.player.api import RESIGN, Player
from playout.player.clock import Clock


class Answers(Player):
    """Gives prepared answers, then passes."""

    def __init__(self, *answers: object) -> None:
        self.name, self.settings, self.clock = "answers", None, Clock()
        self.answers = list(answers)

    def choose(self, board: Board) -> int:
        answer = self.answers.pop(0) if self.answers else "pass"
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, int) else parse_vertex(str(answer), board.size)


def session(
    *lines: str, player: Player | None = None, size: int = 5, human: int = BLACK, handicap: int = 0
) -> tuple[str, TerminalGame]:
    """What a session shows if a person types these lines and then ends the input."""
    screen = io.StringIO()
    typed = iter(lines)

    def ask(prompt: str) -> str:
        screen.write(prompt)
        try:
            line = next(typed)
        except StopIteration:
            raise EOFError from None
        screen.write(line + "\n")
        return line

    terms = Terms(size, 0.5, handicap, human)
    game = TerminalGame(terms, player or Answers("D4", "B2"), Console(file=screen, width=100), ask)
    game.run()
    return screen.getvalue(), game


def test_a_move_and_its_answer_are_drawn():
    shown, game = session("c3")
    assert "You are Black, answers is White." in shown
    assert "White plays D4." in shown
    assert " 4 . . .(O). 4" in shown
    assert "Black, move 3> " in shown
    assert [str(game.board[at]) for at in ("C3", "D4")] == ["X", "O"]


def test_the_player_begins_when_the_person_has_white():
    shown, game = session(human=WHITE)
    assert "Black plays D4." in shown
    assert len(game.board.moves) == 1


def test_a_handicap_gives_white_the_first_move():
    shown, game = session(size=9, handicap=2)
    assert game.board.handicap == 2
    assert "White plays D4." in shown


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("z9", "Point 'z9' is not on a 5×5 board (A1 to E5, or pass)."),
        ("I3", "Point 'I3' is not on a 5×5 board"),
        ("C9", "Point 'C9' is not on a 5×5 board"),
        ("hnt", "'hnt' is no command; did you mean hint?\n"),
        ("undo", "You have not made a move that could be taken back."),
        ("save", "Save needs the name of a file, as in: save game.sgf."),
        ("save /no/such/folder/game.sgf", "No such file or directory: /no/such/folder/game.sgf."),
        ("\x1b[31mred", "is no command"),
        ("x" * 10_000, "is no command"),
    ],
)
def test_wrong_input_is_answered_in_one_sentence_and_the_game_goes_on(line, answer):
    shown, game = session(line, "C3")
    assert answer in shown
    assert "Traceback" not in shown
    assert len(game.board.moves) == 2


def test_an_illegal_move_says_why():
    shown, game = session("C3", "D4")
    assert "Black may not play D4: there is a stone already." in shown
    assert len(game.board.moves) == 2


def test_an_empty_line_and_capitals_do_no_harm():
    shown, game = session("", "   ", "HELP", "Pass", "c 3")
    assert "write the game as SGF" in shown
    assert len(game.board.moves) == 4


def test_undo_takes_back_the_answer_too():
    _, game = session("C3", "undo", "E5")
    assert [move.point for move in game.board.moves] == [
        parse_vertex("E5", 5),
        parse_vertex("B2", 5),
    ]


def test_two_passes_end_the_game_with_a_score():
    shown, game = session("C3", "pass", player=Answers("pass", "pass"))
    assert game.board.is_over
    assert "Black wins by 24.5 points (B+24.5)." in shown
    assert "undo, save FILE, new or quit?" in shown


def test_after_the_end_moves_are_refused_and_undo_goes_back():
    shown, game = session("pass", "C3", "undo", "C3", player=Answers("pass", "D4"))
    assert "The game is over: undo, new, save FILE or quit." in shown
    assert [game.board[at] for at in ("C3", "D4")] == ["X", "O"]


def test_dead_stones_are_drawn_small_and_removed():
    white = ("D1", "D2", "D3", "D4", "D5", "A3", "pass")
    black = ("C1", "C2", "C3", "C4", "C5", "B2", "B4", "pass")
    shown, _ = session(*black, "score", player=Answers(*white))
    assert " 3 o . X O . 3" in shown
    assert shown.count("Black wins by 4.5 points (B+4.5). One stone is dead (drawn small).") == 2


def test_resigning_and_taking_it_back():
    shown, game = session("C3", "resign", "undo", "E5")
    assert "White wins by resignation." in shown
    assert len(game.board.moves) == 4


def test_the_player_may_resign():
    shown, _ = session("C3", player=Answers(RESIGN))
    assert "White resigns." in shown
    assert "Black wins by resignation." in shown


@pytest.mark.parametrize("fault", [InputError("engine went away"), OSError("broken pipe"), 9999, "C3"])
def test_a_player_that_fails_does_not_end_the_session(fault):
    shown, game = session("C3", "D4", "undo", "E5", player=Answers(fault, "B2"))
    assert "answers cannot go on: " in shown
    assert "The other player has stopped: undo, new, save FILE or quit." in shown
    assert len(game.board.moves) == 2


def test_hint_and_score_in_the_middle(monkeypatch):
    monkeypatch.setattr("playout.cli.session.HINT_SECONDS", 0.05)
    shown, _ = session("C3", "hint", "score")
    assert shown.count(" simulations") == 3
    assert "points ahead" in shown or "about even" in shown


def test_save_writes_the_game_and_spares_other_files(tmp_path):
    path, other = tmp_path / "game.sgf", tmp_path / "other.sgf"
    other.write_text("precious")
    shown, _ = session("C3", f"save {path}", "A1", f"save {path}", f"save {other}")
    assert shown.count(f"Saved {path}.") == 2
    assert "exists already: choose another name." in shown
    assert other.read_text() == "precious"
    game = load(path)
    assert (game.black, game.white, game.komi, len(game.moves)) == ("you", "answers", 0.5, 4)


def test_a_finished_game_is_saved_with_its_result(tmp_path):
    session("C3", "pass", f"save {tmp_path / 'game.sgf'}", player=Answers("pass", "pass"))
    assert load(tmp_path / "game.sgf").result == "B+24.5"


def test_new_begins_again():
    _, game = session("C3", "new")
    assert game.board.moves == []


@pytest.mark.parametrize("word", ["quit", "exit", "q", "QUIT"])
def test_quit_leaves(word):
    _, game = session("C3", word, "E5")
    assert len(game.board.moves) == 2


# -- drawing ------------------------------------------------------------------------------------------


def test_without_colours_the_picture_is_the_text_of_the_board():
    board = Board(9).play("E5").play("C3").play("J9")
    console = Console(file=io.StringIO())
    assert board_picture(board, console).plain == str(board)


def test_with_colours_stones_are_round():
    screen = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    console = Console(file=screen, force_terminal=True, color_system="truecolor")
    picture = board_picture(Board(5).play("C3").play("D4"), console)
    assert picture.plain.count("●") == 2
    assert "(●)" in picture.plain


def test_sentences():
    assert estimate_sentence(0.01) == "The game is about even."
    assert score_sentence(Board(5, 0).play("pass").play("pass"), []) == "A draw."
    assert "W+7.5" in score_sentence(Board(5).play("pass").play("pass"), [])


def test_a_game_to_watch():
    screen = io.StringIO()
    board = Board(5, 0.5)
    demonstrate("uniform:seed=1", "mogo-policy:seed=2", Console(file=screen, width=100), board)
    assert board.is_over
    assert board.moves[-1].point == PASS
    shown = screen.getvalue()
    assert "Black is uniform:seed=1, White is mogo-policy:seed=2; 5×5, komi 0.5." in shown
    assert "After 8 moves:" in shown
    assert " wins by " in shown
