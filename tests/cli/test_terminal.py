"""The game in the terminal: what a person can say, and what comes back."""

import contextlib
import io

import pytest
from rich.console import Console

from playout.arena.terms import Terms as GameTerms
from playout.cli import saved
from playout.cli.session import Session
from playout.cli.show import board_picture, estimate_sentence, score_sentence
from playout.cli.terminal import TerminalGame, Terms, demonstrate
from playout.errors import InputError
from playout.games.go.board import Board
from playout.games.go.coords import parse_vertex
from playout.games.go.sgf import load
from playout.games.go.state import BLACK, PASS, WHITE
from playout.player.api import RESIGN, Player
from playout.player.clock import Clock
from playout.player.registry import make_player


class Answers(Player):
    """Gives prepared answers, then passes."""

    def __init__(self, *answers: object) -> None:
        self.name, self.settings, self.clock = "answers", None, Clock()
        self.answers = list(answers)

    def choose_action(self, board: Board) -> int:
        answer = self.answers.pop(0) if self.answers else "pass"
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, int) else parse_vertex(str(answer), board.size)


@pytest.fixture(autouse=True)
def games(tmp_path, monkeypatch):
    """The folder where games are kept that nobody has given a name."""
    monkeypatch.setenv("PLAYOUT_GAMES_DIR", str(tmp_path / "games"))
    return tmp_path / "games"


def session(
    *lines: str | type[BaseException],
    player: Player | None = None,
    size: int = 5,
    human: int = BLACK,
    handicap: int = 0,
    **resumed: object,
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
        if not isinstance(line, str):
            raise line
        screen.write(line + "\n")
        return line

    terms = Terms(size, 0.5, handicap, human)
    console = Console(file=screen, width=100)
    game = TerminalGame(terms, player or Answers("D4", "B2"), console, ask, **resumed)
    with contextlib.suppress(KeyboardInterrupt):
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
        ("zork", "'zork' is neither a point such as E5 nor a command; help says what you can type.\n"),
        ("undo", "You have not made a move that could be taken back."),
        ("save", "Save needs the name of a file, as in: save game.sgf."),
        ("save /no/such/folder/game.sgf", "No such file or directory: /no/such/folder/game.sgf."),
        ("\x1b[31mred", "nor a command"),
        ("x" * 10_000, "nor a command"),
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


def test_new_begins_again(games):
    _, game = session("C3", "new")
    assert game.board.moves == []
    assert not games.exists()


# -- leaving, and going on ----------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["quit", EOFError, KeyboardInterrupt])
def test_a_game_that_is_left_is_saved_and_can_be_gone_on_with(how, games):
    shown, _ = session("C3", how, options=("--player", "mogo:sims=5"))
    [path] = games.iterdir()
    assert f"The game is saved in {path}.\nTo go on: playout play {path} --player mogo:sims=5\n" in shown
    found = saved.load(path)
    assert (found.human, len(found.position.moves)) == (BLACK, 2)
    shown, game = session("E5", player=Answers("B2"), board=found.position, file=path)
    assert shown.startswith("Going on after move 2. You are Black, answers is White. Type a move such as ")
    assert len(game.board.moves) == 4
    assert len(load(path).moves) == 4
    assert list(games.iterdir()) == [path]


def test_a_game_without_a_move_of_the_person_is_not_kept(games):
    session(human=WHITE)
    session("quit")
    assert not games.exists()


def test_a_game_that_has_a_file_is_saved_there(tmp_path, games):
    path = tmp_path / "mine.sgf"
    shown, _ = session("C3", f"save {path}", "quit")
    assert "To go on" not in shown
    path.unlink()
    shown, _ = session("C3", f"save {path}", "E5")
    assert f"The game is saved in {path}." in shown
    assert len(load(path).moves) == 4
    assert not games.exists()
    session("C3", f"save {tmp_path / 'other.sgf'}", "new", "E5")
    assert len(load(tmp_path / "other.sgf").moves) == 2


def test_a_finished_game_is_saved_with_no_word_of_going_on(games):
    shown, _ = session("C3", "resign")
    [path] = games.iterdir()
    assert f"The game is saved in {path}." in shown
    assert "To go on" not in shown
    found = saved.load(path)
    shown, _ = session("undo", "E5", board=found.position)
    assert "White wins by resignation." in shown


def test_a_game_that_cannot_be_saved_is_said_to_be_lost(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("PLAYOUT_GAMES_DIR", str(tmp_path / "file"))
    shown, _ = session("C3")
    assert f"The game could not be saved: File exists: {tmp_path / 'file'}." in shown


def test_one_board_a_turn():
    shown, _ = session("C3", "undo", "pass", player=Answers("D4", "pass"))
    assert shown.count("5 . . . . . 5") == 4  # at first, after the answer, after undo, at the end
    shown, _ = session("C3", "hlep", human=WHITE)
    assert shown.count("   A B C D E\n") == 2 * 2


def test_other_games_end_the_same_way(games):
    screen, typed = io.StringIO(), iter(["b2", "zz", "moves"])

    def ask(prompt: str) -> str:
        try:
            return next(typed)
        except StopIteration:
            raise EOFError from None

    player = make_player("random:seed=1", "tic-tac-toe")
    Session(GameTerms("tic-tac-toe"), 1, player, Console(file=screen, width=80), ask).run()
    shown = screen.getvalue()
    assert shown.startswith("You are first, random is second. Type a move such as b2, or help.\n")
    assert "'zz' is no legal move and no command; help says what you can type.\n" in shown
    assert shown.count("  a b c\n") == 2
    [path] = games.iterdir()
    assert path.name.startswith("tic-tac-toe-")
    assert len(saved.load(path).position.moves) == 2


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
