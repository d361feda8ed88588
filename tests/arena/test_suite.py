"""Test suites: files right and wrong, what is solved, how far values are off, and the command."""

import contextlib
import json
import math
import shlex
import sys

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import stats

from playout.arena.intervals import mean_interval, student
from playout.arena.suite import (
    LABELS,
    Answer,
    Position,
    Score,
    answers,
    load,
    position,
)
from playout.cli import main
from playout.errors import InputError
from playout.games.go.board import Board
from playout.games.go.coords import parse_vertex
from playout.games.go.files import KEYS as BOARD_KEYS
from playout.games.go.state import BLACK, WHITE
from playout.player.api import Analysis, MoveInfo, Player
from playout.player.clock import Clock
from playout.player.registry import make_player


class Oracle(Player):
    """Always plays the same point, and has the same opinion of every position."""

    def __init__(self, point: str, winrate: float = 0.5) -> None:
        self.name, self.settings, self.clock = "oracle", None, Clock()
        self.point, self.winrate = point, winrate
        self.games = 0

    def new_game(self) -> None:
        self.games += 1

    def choose_action(self, board: Board) -> int:
        return parse_vertex(self.point, board.size)

    def analyse(self, board):
        for visits in (400, 1000, 4000):
            move = MoveInfo(0, visits, self.winrate if visits == 1000 else 0.0, 0.0, 1.0, (0,))
            yield Analysis(board.to_play, (move,), np.zeros((board.size, board.size)), 0.0)


def written(tmp_path, *lines):
    path = tmp_path / "suite.jsonl"
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines))
    return path


EASY = {"size": 9, "moves": ["B E5"], "right": ["C3", "c4"]}


# -- files --------------------------------------------------------------------------------------------


def test_the_example_of_the_format(tmp_path):
    full = {"size": 9, "komi": 6.5, "moves": ["B E5", "w c3", "B pass"], "to_play": "B", "right": ["C4"]}
    stones = {"size": 5, "black": ["C3"], "white": ["D3", "D4"], "to_play": "W", "value": 0.25, "name": "x"}
    first, second = load(written(tmp_path, "# note", full, "", stones))
    assert (first.board.komi, len(first.board.moves), first.board.to_play) == (6.5, 3, BLACK)
    assert first.name == "line 2"
    assert (second.board["C3"], second.board["D4"], second.board.to_play) == ("X", "O", WHITE)
    assert (second.name, second.value, second.right) == ("line 4 (x)", 0.25, ())
    assert second.board.komi == 7.5


def test_whose_turn_it_is():
    assert position({"size": 5, "right": ["C3"]}).board.to_play == BLACK
    assert position({"size": 5, "moves": ["B C3"], "right": ["C4"]}).board.to_play == WHITE
    assert position({"size": 5, "moves": ["W C3"], "right": ["C4"]}).board.to_play == BLACK
    assert position({"size": 5, "moves": ["B C3", "B D3"], "right": ["C4"]}).board.to_play == WHITE
    assert position({"size": 5, "black": ["C3"], "moves": ["W C4"], "right": ["B3"]}).board.to_play == BLACK


def test_moves_capture_and_ko_binds():
    ko = {
        "size": 5,
        "black": ["B3", "C4", "D3"],
        "white": ["B2", "D2", "C1", "C3"],
        "moves": ["B C2"],
        "to_play": "W",
    }
    assert position({**ko, "right": ["A1"]}).board["C3"] == "."
    with pytest.raises(InputError, match="the right move C3 is illegal for White"):
        position({**ko, "right": ["C3"]})


@pytest.mark.parametrize(
    ("facts", "sentence"),
    [
        ([1], "a position is an object"),
        ({}, "the size of the board is missing"),
        ({"size": 99}, "board size '99'"),
        ({"size": "9"}, "size '9' is not a whole number"),
        ({"size": True}, "size 'True' is not a whole number"),
        ({"size": 9, "kmoi": 3}, "there is no key 'kmoi'; did you mean komi?"),
        ({"size": 9, "komi": "x"}, "komi 'x' is not a number"),
        ({"size": 9, "komi": 10**400}, "komi '1000.* is too large"),
        ({"size": 9, "komi": 1e9}, "komi 1000000000.0 is not a number between"),
        ({"size": 9}, "neither right moves nor a value"),
        ({"size": 9, "right": []}, "neither right moves nor a value"),
        ({"size": 9, "right": "C3"}, "right is not a list of texts"),
        ({"size": 9, "right": [3]}, "right is not a list of texts"),
        ({"size": 9, "right": ["Z3"]}, "point 'Z3' is not on a 9×9 board"),
        ({"size": 9, "moves": ["E5"], "right": ["C3"]}, "the move 'E5' is not a colour and a point"),
        ({"size": 9, "moves": ["G E5"], "right": ["C3"]}, "colour 'G'"),
        ({"size": 9, "moves": ["B E5", "W E5"], "right": ["C3"]}, "White may not play E5"),
        ({"size": 9, "moves": ["B E5"], "right": ["E5"]}, "the right move E5 is illegal for White"),
        ({"size": 9, "moves": ["B pass", "W pass"], "right": ["E5"]}, "the game is over"),
        ({"size": 9, "moves": ["B pass"] * 6000, "right": ["E5"]}, "moves has more than 5000"),
        ({"size": 9, "black": ["E5"], "white": ["e5"], "value": 1}, "E5 cannot be both black and white"),
        ({"size": 2, "black": ["A1", "A2", "B1", "B2"], "value": 1}, "would have no liberty"),
        ({"size": 9, "wrong": "C3"}, "wrong is not a list of texts"),
        ({"size": 9, "moves": ["B E5"], "wrong": ["E5"]}, "the wrong move E5 is illegal for White"),
        ({"size": 9, "right": ["C3", "D4"], "wrong": ["D4"]}, "D4 cannot be both right and wrong"),
        ({"size": 9, "value": 1.5}, "value 1.5 is not between 0 and 1"),
        ({"size": 9, "value": "high"}, "value 'high' is not a number"),
        ({"size": 9, "value": True}, "value 'True' is not a number"),
        ({"size": 9, "value": 1, "to_play": 3}, "to_play '3' is neither B nor W"),
        ({"size": 9, "value": 1, "to_play": "green"}, "colour 'green'"),
        ({"size": 9, "value": 1, "name": 7}, "the name '7' is not a text"),
    ],
)
def test_a_wrong_line_is_named_with_what_is_wrong(facts, sentence, tmp_path):
    with pytest.raises(InputError, match=sentence) as error:
        load(written(tmp_path, EASY, "", facts))
    assert "suite.jsonl': line 3: " in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "there is no position in it"),
        (b"# nothing\n\n", "there is no position in it"),
        (b'{"size": 9', "line 1 is not JSON: Expecting"),
        (b"[" * 200_000, "line 1 is not JSON"),
        (b'{"size": 9, "value": NaN}', "line 1: NaN is not a number"),
        (b'{"size": 9, "value": 1}\n\xff\xfe', "line 2 is not UTF-8"),
        (b"(;SZ[5]AB[bb])", "problem 1: there is no move"),
    ],
)
def test_wrong_files(data, sentence, tmp_path):
    (tmp_path / "suite").write_bytes(data)
    with pytest.raises(InputError, match=sentence):
        load(tmp_path / "suite")
    with pytest.raises(InputError, match="cannot be read: No such file"):
        load(tmp_path / "nothing")
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError, match="has no SGF files"):
        load(tmp_path / "folder")


anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["B E5", "C3", 9]),
    lambda inside: (
        st.lists(inside, max_size=4)
        | st.dictionaries(st.sampled_from((*BOARD_KEYS, *LABELS)), inside, max_size=5)
    ),
    max_leaves=12,
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(st.sampled_from((*BOARD_KEYS, *LABELS)), anything))
def test_anything_is_a_position_or_one_sentence(facts):
    with contextlib.suppress(InputError):
        found = position({"size": 9, **facts})
        assert found.right or found.value is not None


def test_sgf_files_and_folders(tmp_path):
    (tmp_path / "b.sgf").write_text("(;SZ[5]AB[bb];B[cb])(;SZ[5]AB[bb]GB[1])")
    (tmp_path / "a.sgf").write_text("(;SZ[9]AW[bb];B[cb])")
    (tmp_path / "notes.txt").write_text("no")
    assert [p.name for p in load(tmp_path)] == ["a.sgf 1", "b.sgf 1", "b.sgf 2"]
    assert [p.value for p in load(tmp_path / "b.sgf")] == [None, 1.0]


# -- answers ------------------------------------------------------------------------------------------


def test_right_moves_are_counted_and_values_compared():
    positions = [
        position({"size": 9, "right": ["C3"], "value": 1}),
        position({"size": 9, "moves": ["B E5"], "right": ["D4", "C3"]}),
        position({"size": 9, "moves": ["B E5"], "right": ["D4"]}),
        position({"size": 9, "moves": ["B E5"], "value": 0.5}),
    ]
    player = Oracle("C3", 0.75)
    score = Score(tuple(answers(player, positions)))
    assert (score.solved, score.asked) == (2, 3)
    # For Black 0.75; for White to move the oracle's 0.75 is Black's 0.25.
    assert score.errors.tolist() == pytest.approx([0.25**2, 0.25**2])
    assert score.mse == pytest.approx(0.0625)
    facts = score.facts()
    assert (facts["solved"], facts["positions"], facts["mse_positions"]) == (2, 3, 2)
    assert facts["interval"][0] < facts["share"] < facts["interval"][1]
    assert player.games == 5


def test_only_values_or_only_moves():
    values = Score(tuple(answers(Oracle("C3", 0.6), [position({"size": 9, "value": 1})] * 3))).facts()
    assert set(values) == {"mse", "positions", "interval"}
    assert values["mse"] == pytest.approx(0.16)
    moves = Score(tuple(answers(Oracle("C3"), [position({"size": 9, "right": ["C3"]})]))).facts()
    assert set(moves) == {"solved", "positions", "share", "interval"}


def test_who_gives_no_values_is_asked_for_none():
    class Mute(Oracle):
        analyse = Player.analyse

    asked = [position({"size": 9, "value": 1}), position({"size": 9, "right": ["C3"], "value": 0})]
    score = Score(tuple(answers(Mute("C3"), asked)))
    assert (score.solved, score.mse, score.labelled) == (1, None, 2)
    assert (score.facts()["mse"], score.facts()["mse_positions"]) == (None, 0)
    assert score.facts()["mse_interval"] is None


def test_a_wrong_move_is_any_but_these():
    asked = [
        position({"size": 9, "wrong": ["C3", "pass"]}),
        position({"size": 9, "wrong": ["D4"]}),
        position({"size": 9, "right": ["C3", "E5"], "wrong": ["D4"]}),
        position({"size": 9, "right": ["E5"], "wrong": ["D4"]}),
    ]
    found = list(answers(Oracle("C3"), asked))
    assert [answer.is_right for answer in found] == [False, True, True, False]
    assert Score(tuple(found)).asked == 4
    assert found[0].facts() == {
        "position": "position",
        "move": "C3",
        "wrong": ["C3", "pass"],
        "solved": False,
    }
    assert not Answer(asked[1], None).is_right  # an engine that failed has not avoided it


def test_an_engine_that_dies_has_not_solved_it():
    code = "import sys\nfor l in sys.stdin:\n  if 'genmove' in l: sys.exit(3)\n  print('= \\n', flush=True)"
    player = make_player(f"gtp:{sys.executable} -c {shlex.quote(code)}")
    try:
        first, second = answers(player, [position({"size": 9, "right": ["C3"]})] * 2)
    finally:
        player.close()
    assert (first.is_right, second.is_right) == (False, False)
    assert "exit code 3" in first.failure
    assert first.facts()["failure"]


@pytest.mark.parametrize("freedom", [1, 2, 3, 5, 10, 30, 200])
def test_students_quantile(freedom):
    assert student(freedom) == pytest.approx(stats.t.ppf(0.975, freedom), rel=1e-2)


def test_the_interval_of_a_mean_holds_it():
    rng = np.random.default_rng(1)
    inside = 0
    for _ in range(1000):
        low, high = mean_interval(rng.beta(1, 4, 25))
        inside += low <= 0.2 <= high
    assert 0.92 <= inside / 1000 <= 0.97
    assert mean_interval(np.zeros(0)) == (0.0, 1.0)
    assert mean_interval(np.full(5, 0.25)) == (0.25, 0.25)


def test_an_answer_in_words():
    asked = Position("p", Board(9), (parse_vertex("C3", 9),), 0.5)
    assert Answer(asked, -1, 0.25).facts()["move"] == "resign"
    assert Answer(asked, None, None).facts()["value"] is None
    assert math.isclose(Answer(asked, None, 0.25).squared_error, 0.0625)


# -- players' values ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "spec", ["uniform:seed=1", "flat:sims=40,seed=1", "uct:sims=300,seed=1,policy=uniform"]
)
def test_players_see_who_is_winning(spec):
    player = make_player(spec)
    for komi, low, high in ((-60.5, 0.97, 1.0), (60.5, 0.0, 0.03)):
        for turn in "BW":
            board = position({"size": 5, "komi": komi, "to_play": turn, "value": 1}).board
            before = str(board)
            assert low <= player.value(board) <= high
            assert str(board) == before
    player.close()


# -- the command --------------------------------------------------------------------------------------


def test_the_command(tmp_path, capsys):
    path = written(tmp_path, EASY, {"size": 5, "komi": -60.5, "value": 1})
    words = ["suite", str(path), "uniform", "flat:sims=5", "--seed", "1"]
    assert main([*words, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert list(facts) == ["uniform", "flat:sims=5"]
    assert facts["uniform"]["positions"] == 1
    assert facts["uniform"]["mse"] < 0.01
    assert main([*words, "--json", "--each"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert [row["position"] for row in again["uniform"].pop("answers")] == ["line 1", "line 2"]
    assert again["uniform"] == facts["uniform"]
    assert main([*words, "--json", "--each", "--first", "1"]) == 0
    assert len(json.loads(capsys.readouterr().out)["uniform"]["answers"]) == 1
    assert main([*words, "--each"]) == 0
    shown = capsys.readouterr().out
    assert "line 2" in shown
    assert "MSE" in shown


def test_ctrl_c_shows_what_there_is(tmp_path, capsys, monkeypatch):
    path = written(tmp_path, EASY, EASY, EASY)
    asked = []

    def choose_action(self, board):
        asked.append(board)
        if len(asked) == 5:
            raise KeyboardInterrupt
        return parse_vertex("C3", 9)

    monkeypatch.setattr("playout.player.simple.PolicyPlayer.choose_action", choose_action)
    assert main(["suite", str(path), "uniform", "mogo-policy", "--json", "--each"]) == 130
    facts = json.loads(capsys.readouterr().out)
    assert [(name, row["positions"], row["solved"]) for name, row in facts.items()] == [
        ("uniform", 3, 3),
        ("mogo-policy", 1, 1),
    ]


ENGINE = f"gtp:{sys.executable} -c " + shlex.quote(
    "import sys\nfor l in sys.stdin: print('= \\n', flush=True)"
)


def test_an_engine_that_gives_no_values_gets_a_dash(tmp_path, capsys):
    path = written(tmp_path, EASY, {"size": 9, "value": 1})
    assert main(["suite", str(path), "uniform", ENGINE, "--each"]) == 0
    shown = capsys.readouterr().out
    assert [line.split()[-3:] for line in shown.splitlines() if "gtp:" in line][-1] == ["–", "–", "0"]


def test_a_regression_file_on_the_command_line(tmp_path, capsys):
    path = tmp_path / "a.tst"
    path.write_text("boardsize 5\n10 owl_attack A1\n#? [1]\n20 reg_genmove black\n#? [!PASS]*\n")
    assert main(["suite", str(path), "uniform", "--json", "--each"]) == 0
    captured = capsys.readouterr()
    assert captured.err == "playout: 1 of 2 tests ask for something else than a move and are left out\n"
    facts = json.loads(captured.out)["uniform"]
    assert (facts["solved"], facts["positions"]) == (1, 1)
    assert facts["answers"][0]["position"] == "line 4 (20*)"
    assert facts["answers"][0]["wrong"] == ["pass"]
    path.write_text("boardsize 5\n10 reg_genmove black\n#? [A9]\n")
    assert main(["suite", str(path), "uniform"]) == 2
    assert "a.tst': line 3: point 'A9' is not on a 5×5 board" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["nothing.jsonl", "uniform"], "'nothing.jsonl' cannot be read"),
        (["FILE", "uniform", "unifrom"], "there is no player 'unifrom'; did you mean uniform?"),
        (["FILE"], "missing argument"),
        (["FILE", "flat:sims=none"], "sims=none and no time"),
    ],
)
def test_wrong_words(words, sentence, tmp_path, capsys):
    path = written(tmp_path, EASY)
    (tmp_path / "VALUES").write_text(json.dumps({"size": 9, "value": 1}))
    words = [str(tmp_path / "VALUES") if word == "VALUES" else word for word in words]
    assert main(["suite", *(str(path) if word == "FILE" else word for word in words)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert sentence in captured.err
