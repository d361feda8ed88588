"""GTP regression files: what they ask, what is left out, and what is wrong with a line."""

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playout.arena.suite import load
from playout.errors import InputError
from playout.games.go import questions as module
from playout.games.go.coords import vertex
from playout.games.go.questions import questions
from playout.games.go.state import BLACK, WHITE
from playout.player.api import RESIGN

GAME = "(;SZ[9]KM[6.5];B[ee];W[cc];B[gg];W[gc];B[])"


@pytest.fixture
def asked(tmp_path):
    """The questions of a file beside a folder of games, and what is said of it."""
    (tmp_path / "games").mkdir()
    (tmp_path / "games" / "one.sgf").write_text(GAME)
    (tmp_path / "games" / "with space.sgf").write_text(GAME)

    def read(*lines):
        said = []
        return questions("\n".join(lines).encode(), tmp_path, said.append), said

    return read


def words(problem, key="right"):
    return [
        "resign" if move == RESIGN else vertex(move, problem.board.size) for move in getattr(problem, key)
    ]


def test_the_example_of_the_format(asked):
    found, said = asked(
        "# A comment.",
        "loadsgf games/one.sgf 3",
        "10 reg_genmove white   # it is not White's turn, and yet",
        "#? [D9|e8]",
        "",
        "20 reg_genmove black",
        "#? [!C7|PASS]*",
        "reg_genmove b",
        "#? [(A1|resign)]",
    )
    assert said == []
    first, second, third = found
    assert (first.board.to_play, words(first), first.name) == (WHITE, ["D9", "E8"], "line 3 (10)")
    assert [vertex(move.point, 9) for move in first.board.moves] == ["E5", "C7"]
    assert first.board.komi == 6.5
    assert (second.right, words(second, "wrong"), second.name) == ((), ["C7", "pass"], "line 6 (20*)")
    assert second.board.to_play == BLACK
    assert (words(third), third.name) == (["A1", "resign"], "line 8")


@pytest.mark.parametrize(
    ("line", "moves"),
    [
        ("loadsgf games/one.sgf", 5),
        ("loadsgf games/one.sgf 1", 0),
        ("loadsgf games/one.sgf 0", 0),
        ("loadsgf games/one.sgf 4", 3),
        ("loadsgf games/one.sgf 1000", 5),
        ("loadsgf games/one.sgf C7", 1),
        ("loadsgf games/one.sgf g7", 3),
        ("loadsgf games/one.sgf pass", 4),
        ("loadsgf games/with space.sgf 4", 3),
        ("1 loadsgf ./games/one.sgf", 5),
    ],
)
def test_a_game_is_loaded_up_to_a_move(asked, line, moves):
    ((problem,), _) = asked(line, "reg_genmove black", "#? [A1]")
    stones = len(problem.board.stones("B")) + len(problem.board.stones("W"))
    assert stones == min(moves, 4)  # the last is a pass
    assert len(problem.board.moves) <= module.KEPT


def test_the_last_moves_are_kept_and_ko_binds(asked):
    points = ["C3", "D3", "B4", "E4", "C5", "D5", "A1", "C4", "D4"]  # Black's last takes a ko at C4
    plays = [f"play {'bw'[k % 2]} {point}" for k, point in enumerate(points)]
    ((problem,), _) = asked("boardsize 9", *plays, "reg_genmove w", "#? [C4|J9]")
    assert [vertex(move.point, 9) for move in problem.board.moves] == points[-module.KEPT :]
    assert words(problem) == ["J9"]


def test_positions_are_set_up_by_commands(asked):
    found, said = asked(
        "boardsize 9",
        "komi 5.5",
        "play black E5",
        "white C3",
        "black pass",
        "undo",
        "trymove black A1",
        "popgo",
        "reg_genmove black",
        "#? [C4]",
        "clear_board",
        "fixed_handicap 2",
        "reg_genmove white",
        "#? [E5]",
        "clear_board",
        "set_free_handicap A1 B2",
        "reset_owl_node_counter",
        "level 10",
        "reg_genmove white",
        "#? [E5]",
    )
    assert [len(p.board.stones("B")) for p in found] == [1, 2, 2]
    assert [p.board.komi for p in found] == [5.5] * 3
    assert said == []


def test_what_asks_for_no_move_is_left_out_and_counted(asked):
    found, said = asked(
        "loadsgf games/one.sgf",
        "1 owl_attack E5",
        "#? [1 F1]",
        "2 reg_genmove black",
        "#? [A1]",
        "3 eval_eye E5",
        "#? [anything at all",
        "4 genmove black",  # nobody knows where
        "#? [A1]",
        "5 reg_genmove white",
        "#? [A1]",
        "loadsgf games/one.sgf",
        "6 reg_genmove white",
        "#? [A1]",
        "7 reg_genmove white",  # without an answer it is no test
    )
    assert [problem.name for problem in found] == ["line 4 (2)", "line 13 (6)"]
    assert said == ["4 of 6 tests ask for something else than a move and are left out"]


def test_a_game_that_has_ended_can_still_be_asked_about(asked):
    ((problem,), _) = asked(
        "boardsize 5", "play b C3", "play w pass", "play b pass", "reg_genmove w", "#? [PASS]"
    )
    assert not problem.board.is_over
    assert words(problem) == ["pass"]


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        (["#? [A1]"], "line 1: there is no question before this answer"),
        (["reg_genmove black", "#? [A1]", "#? [B1]"], "line 3: there is no question before"),
        (["reg_genmove black", "#? A1"], "line 2: '#\\? A1' is not an answer such as"),
        (["reg_genmove black", "#? [A20]"], "line 2: point 'A20' is not on a 19×19 board"),
        (["reg_genmove black", "#? []"], "line 2: point '' is not on"),
        (["reg_genmove"], "line 1: reg_genmove takes a colour"),
        (["reg_genmove mauve"], "line 1: colour 'mauve' is neither"),
        (["boardsize 20"], "line 1: board size '20'"),
        (["", "boardsize"], "line 2: board size ''"),
        (["komi many"], "line 1: komi 'many' is not a number"),
        (["komi nan"], "line 1: komi 'nan' is not a number"),
        (["komi 1e99"], "line 1: komi '1e99' is not a number"),
        (["play black"], "line 1: play takes a colour and a point"),
        (["play b A1", "play w A1"], "line 2: .*illegal|line 2: .*A1"),
        (["undo"], "line 1: "),
        (["fixed_handicap x"], "line 1: fixed_handicap takes a number of stones"),
        (["fixed_handicap 99999999999999"], "line 1: handicap 9999 does not fit"),
        (["12"], "line 1: the number '12' has no command behind it"),
        (["loadsgf"], "line 1: loadsgf takes a file"),
        (["loadsgf games/none.sgf 3"], r"line 1: there is no file 'games/none.sgf' in /.* or /.* or /"),
        (["loadsgf games/one.sgf Z3"], "line 1: point 'Z3' is not on a 9×9 board"),
        (["loadsgf games/one.sgf A1"], "line 1: no move of the game is A1"),
        (["loadsgf " + "x" * 5000], "line 1: there is no file"),
        (["loadsgf \0"], "line 1: there is no file"),
        (["x" * 20_000], "line 1: it has more than 10,000 letters"),
        (["play b A1", "reg_genmove w", "#? [A1]"], "line 3: no right move is legal for White: 'A1'"),
        (["genmove black", "play w A1"], "line 2: nobody knows the position after a move"),
        (["genmove black", "#? [A1]"], "none of its 1 tests asks for a move"),
        ([""], "none of its 0 tests asks for a move"),
    ],
)
def test_a_wrong_line_is_named(asked, lines, sentence):
    with pytest.raises(InputError, match=sentence):
        asked(*lines)


def test_there_are_limits(asked, monkeypatch):
    monkeypatch.setattr(module, "MAX_TESTS", 2)
    with pytest.raises(InputError, match="line 6: there are more than 2 tests"):
        asked(*["reg_genmove black", "#? [A1]"] * 3)
    monkeypatch.setattr(module, "MAX_MOVES", 12)
    with pytest.raises(InputError, match="line 3: it takes more than 12 moves"):
        asked(*["loadsgf games/one.sgf"] * 3)


COMMANDS = st.sampled_from(
    [*module._SET_UP, "reg_genmove", "genmove", "owl_attack", "#? [A1]", "#? [!B2|PASS]*", "#?", "#", "7"]
)
ARGUMENTS = st.sampled_from(
    ["black", "w", "A1", "C3", "T19", "5", "9", "-1", "x", "games/one.sgf", "é", "\0"]
)
LINES = st.builds(lambda name, rest: " ".join([name, *rest]), COMMANDS, st.lists(ARGUMENTS, max_size=3))


@settings(max_examples=150, deadline=None)
@given(st.lists(LINES | st.text(max_size=20), max_size=12))
def test_anything_is_a_list_of_problems_or_one_sentence(tmp_path_factory, lines):
    found = []
    with contextlib.suppress(InputError):
        found = questions("\n".join(lines).encode(), tmp_path_factory.getbasetemp(), lambda words: None)
    assert all(problem.right or problem.wrong for problem in found)


def test_a_file_is_seen_from_its_folder_or_the_one_above(tmp_path, monkeypatch):
    (tmp_path / "regression").mkdir()
    (tmp_path / "above.sgf").write_text(GAME)
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "mine.sgf").write_text(GAME)
    monkeypatch.chdir(tmp_path / "here")
    file = tmp_path / "regression" / "a.TST"
    file.write_text(
        "loadsgf above.sgf 2\n1 reg_genmove w\n#? [A1]\nloadsgf mine.sgf\n2 reg_genmove w\n#? [!A1]\n"
    )
    first, second = load(file)
    assert (first.name, second.name) == ("line 2 (1)", "line 5 (2)")
    assert (first.right, second.right, second.wrong) == ((second.wrong[0],), (), first.right)
