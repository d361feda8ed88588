"""Games that people leave and go on with."""

import copy

import pytest

from playout.cli.saved import YOU, load, new_file, text_of, why_not
from playout.errors import InputError
from playout.games.go.board import Board
from playout.games.go.sgf import from_board
from playout.games.registry import find_game
from playout.kernel import new_rng


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("PLAYOUT_GAMES_DIR", str(tmp_path / "games"))


@pytest.mark.parametrize(
    "name", ["tic-tac-toe", "connect-four", "hex", "nim", "dice-race", "gridworld", "backgammon"]
)
def test_a_game_of_any_kind_comes_back(name, tmp_path):
    game = find_game(name)
    options = game.configured({"side": 5} if name == "hex" else {})
    position, luck = game.new_position(options), new_rng(3)
    for _ in range(3):
        position.settle(luck).play(position.legal_moves()[-1])
    position.settle(luck)
    path = tmp_path / "game.txt"
    path.write_text(text_of(position, game.players))
    back = load(path)
    assert back.position.game is game
    assert back.position.options == options
    assert back.position.moves == position.moves
    assert back.position.record.tobytes() == position.record.tobytes()
    assert back.human == game.players


def test_a_resigned_game_comes_back(tmp_path):
    path = tmp_path / "game.txt"
    path.write_text(text_of(find_game("nim").new_position().play("a1").play("resign"), 1))
    assert load(path).position.resigned == 2


def test_go_comes_back_with_its_handicap_and_the_persons_colour(tmp_path):
    board = Board(9, 0.5).place_handicap(3).play("E5")
    path = tmp_path / "game.sgf"
    path.write_text(from_board(board, black="mogo", white=YOU).to_sgf())
    back = load(path)
    assert (back.human, back.games) == (2, 1)
    assert (back.position.handicap, back.position.komi) == (3, 0.5)
    assert str(back.position) == str(board)
    assert load(path).position.resigned is None
    path.write_text(from_board(board.play("resign"), black="mogo", white="Ann").to_sgf())
    assert (load(path).human, load(path).position.resigned) == (None, 1)


def test_what_has_no_name_cannot_be_gone_on_with(tmp_path):
    path = tmp_path / "game.txt"
    path.write_text("game: dice-race\nmoves: ~\n")
    unnamed = copy.copy(find_game("dice-race"))
    object.__setattr__(unnamed, "events", 0)
    assert why_not(find_game("dice-race")) == ""
    with pytest.raises(
        InputError, match="it cannot be gone on with: what chance does in dice-race has no name"
    ):
        load(path, unnamed)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("hello", "this is no saved game"),
        ("game: nim\nmoves: a1 z9", "move 2: 'z9' is no legal move"),
        ("game: mine\nmoves: a1", "this is a game of 'mine': name its file with --game"),
        ("game: hex\nset: sise=5\nmoves:", "game hex has no setting 'sise'; did you mean side?"),
        ("(;SZ[9];B[zz])", "is no point of a 9×9 board"),
    ],
)
def test_files_that_are_none_are_one_sentence(text, sentence, tmp_path):
    path = tmp_path / "game.txt"
    path.write_text(text)
    with pytest.raises(InputError, match=r"game\.txt") as error:
        load(path)
    assert sentence in str(error.value)


def test_a_saved_game_names_no_program(tmp_path):
    path, nim, hex_board = tmp_path / "game.txt", find_game("nim"), find_game("hex")
    path.write_text(f"game: {tmp_path / 'evil.py'}\nmoves: a1\n")
    (tmp_path / "evil.py").write_text("raise SystemExit('it ran')")
    with pytest.raises(InputError, match="name its file with --game"):
        load(path)
    path.write_text("game: nim\nmoves: a1\n")
    assert load(path, nim).position.game is nim
    with pytest.raises(InputError, match="this is a game of 'nim', not of hex"):
        load(path, hex_board)


def test_new_files_have_names_of_their_own():
    first = new_file("my game", ".txt")
    first.write_text("")
    second = new_file("my game", ".txt")
    assert first.name.startswith("my-game-")
    assert not second.exists()
