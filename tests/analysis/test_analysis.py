"""Games looked at move by move."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from sgfmill import sgf as sgfmill

import playout
from playout import Board, InputError, analyse
from playout.analysis import read
from playout.analysis.results import Judged
from playout.cli import main
from playout.games.registry import find_game
from playout.games.toy.tictactoe import GAME as TICTACTOE
from playout.kernel import new_rng

QUICK = "mogo:sims=200"
GAME = "(;GM[1]SZ[5]KM[0.5]PB[Ann]PW[Bob]RE[B+R]C[Spring];B[cc];W[cb]C[Contact!](;B[bb];W[bc];B[ab])(;B[dd]))"


def tictactoe(*moves):
    position = TICTACTOE.new_position()
    for move in moves:
        position.play(move)
    return position


@pytest.fixture
def record(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "game.sgf"
    path.write_text(GAME)
    return path


# -- the algorithm, in a game whose values are known ------------------------------------------------------


@pytest.fixture(scope="module")
def lost_game():
    """The edge a2 loses, and b1 makes use of it."""
    return analyse(tictactoe("b2", "a2", "b1"), "uct:sims=2000", seed=1)


def test_the_move_that_loses_is_found_with_what_was_better(lost_game):
    (worst,) = lost_game.worst(2)
    assert (worst.number, worst.seat, worst.move) == (2, "second", "a2")
    assert worst.best in ("a1", "a3", "c1", "c3")
    assert worst.line[0] == worst.best
    assert worst.loss == worst.best_value - worst.value > 0.2


def test_values_are_those_of_the_player_who_moved(lost_game):
    first, second, third = lost_game.moves
    assert first.value > 0.5  # the centre
    assert second.value < 0.35
    assert second.first_value == 1 - second.value
    assert third.player == 1
    assert third.value > 0.8  # which wins
    assert all(0 <= move.value <= 1 and move.loss >= 0 for move in lost_game.moves)


def test_a_won_game_ends_with_what_the_rules_say():
    found = analyse(tictactoe("b2", "a2", "a1", "c3", "c1", "a3", "b1"), "uct:sims=300", seed=1)
    assert found.moves[-1].value == 1.0
    assert found.moves[-1].loss == 0
    assert found.result == "1+"


def test_the_mean_of_both_sides_to_move():
    mine, answer = Judged(0.6, 4.0, (1, 2), 10), Judged(0.4, 1.0, (2,), 10)
    assert mine.and_then(answer) == Judged(0.5, 2.5, (1, 2), 10)
    assert mine.and_then(Judged(1.0, None, (), 0)).value == 1.0  # the rules know
    assert mine.chance(2) == pytest.approx(0.4)
    assert mine.lead_of(2) == -4.0


def test_same_seed_same_analysis_with_any_number_of_threads():
    position = tictactoe("b2", "a2", "a1", "c3")
    one = analyse(position, "uct:sims=300", seed=3)
    assert analyse(position, "uct:sims=300", seed=3, threads=3) == one
    assert analyse(position, "uct:sims=300", seed=4) != one


def test_a_game_with_dice_is_looked_at_decision_by_decision():
    position = find_game("dice-race").new_position()
    rng = new_rng(2)
    position.settle(rng)
    while not position.is_over:
        position.play(position.legal_moves()[-1]).settle(rng)
    found = analyse(position, "uct:sims=100", seed=1)
    assert len(found.moves) == sum(move.player != 0 for move in position.moves)
    for move in found.moves:
        assert 0 <= move.value <= move.best_value <= 1
        assert move.choices >= 1
    assert {move.roll for move in found.moves} == {"", "6"}  # who throws a 6 goes on
    assert not found.in_points
    assert analyse(position, "uct:sims=100", seed=1, threads=2) == found


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"player": "alphabeta"}, "alphabeta does not analyse"),
        ({"player": "utc"}, "did you mean uct"),
        ({"threads": 0}, "0 is not a number of threads"),
    ],
)
def test_wrong_arguments(arguments, message, tmp_path):
    with pytest.raises(InputError, match=message):
        analyse(tictactoe("b2"), **arguments, folder=tmp_path / "new")
    assert not (tmp_path / "new").exists()


# -- Go -----------------------------------------------------------------------------------------------------


def test_a_board_of_go():
    found = analyse(Board(5, 0.5).play("C3").play("A1"), "mogo:sims=600", seed=1)
    assert [(move.seat, move.move) for move in found.moves] == [("Black", "C3"), ("White", "A1")]
    assert found.moves[1].value < 0.2
    assert found.moves[0].score is not None


def steps(text, tmp_path):
    path = tmp_path / "steps.sgf"
    path.write_text(text)
    return list(read(path).steps())


def test_passes_that_end_a_game_are_counted_without_dead_stones(tmp_path):
    # One white stone in a black board: it is dead, and Black passes all the same.
    walk = steps("(;SZ[5]KM[0.5]AB[bb][cb][db][bc][dc][cc]AW[ae]PL[B];B[];W[])", tmp_path)
    assert [step.before.is_over or step.after.is_over for step in walk] == [False, False]
    assert walk[-1].ended.value == 1.0
    assert walk[-1].ended.lead == 24.5
    assert walk[0].ended is None


def test_play_goes_on_after_two_passes(tmp_path):
    walk = steps("(;SZ[5]KM[0.5];B[cc];W[];B[];W[bb])", tmp_path)
    assert not walk[3].before.is_over
    assert walk[3].ended is None


def test_handicap_stones_set_up_stones_and_one_colour_twice(tmp_path):
    walk = steps("(;SZ[9]KM[0.5]HA[2]AB[cc][gg];W[ee];AW[aa];B[ff];B[fe])", tmp_path)
    assert [step.before.to_play for step in walk] == [2, 1, 1] == [step.player for step in walk]
    assert walk[0].after.facts != walk[1].before.facts  # a stone was set up between
    assert walk[1].after.facts != walk[2].before.facts  # Black plays again
    path = tmp_path / "steps.sgf"
    found = analyse(path, QUICK)
    assert [move.seat for move in found.moves] == ["White", "Black", "Black"]


def test_a_repetition_in_the_file_is_no_error_and_no_proposal(tmp_path):
    walk = steps("(;SZ[2]KM[0.5];B[aa];W[ba];B[ab];W[bb];B[aa];W[ab];B[aa])", tmp_path)
    last = walk[-1]
    assert last.before.spell(last.action) == "A2"
    assert not last.before.is_legal("A2")  # of ours; people may have played under another rule
    found = analyse(tmp_path / "steps.sgf", QUICK)
    assert (found.moves[-1].move, len(found.moves)) == ("A2", 7)
    assert all(
        step.before.is_legal(move.best) or move.best == move.move
        for step, move in zip(walk, found.moves, strict=True)
    )


# -- files --------------------------------------------------------------------------------------------------


def test_a_game_with_comments_and_better_lines(record, capsys):
    assert main(["analyse", str(record), "--player", QUICK, "--json"]) == 0
    told, said = capsys.readouterr()
    facts = json.loads(told)
    assert "komi 0.5" in said
    assert [row["move"] for row in facts["moves"]] == ["C3", "C4", "B4", "B3", "A4"]
    assert {"move", "value", "loss", "best", "best_value", "score", "line"} <= set(facts["moves"][0])
    assert facts["sides"]["White"]["name"] == "Bob"
    folder = record.parent / "game-analysis"
    assert json.loads((folder / "analysis.json").read_text()) == facts
    assert (folder / "graph.png").read_bytes().startswith(b"\x89PNG")
    game = sgfmill.Sgf_game.from_bytes((folder / "game.sgf").read_bytes())
    root, *nodes = game.get_main_sequence()
    assert root.get("C") == "Spring"
    assert nodes[1].get("C").startswith("Contact!\n\nWhite's chance to win: ")
    for node, row in zip(nodes, facts["moves"], strict=True):
        share = row["value"] if row["player"] == "Black" else 1 - row["value"]
        assert float(node.get_raw("SBKV")) == pytest.approx(100 * share, abs=0.01)
        others = node.parent[1:]
        assert [bool(others), "Better" in node.get("C")] == [row["loss"] > 0] * 2
        for other in others:
            assert other.get("C").startswith(f"Instead of {row['move']}.")


def test_tables_for_people(record, capsys):
    assert main(["analyse", "game.sgf", "--player", QUICK, "--worst", "2"]) == 0
    out = capsys.readouterr().out
    assert "Black (Ann): " in out
    assert "White (Bob): " in out
    assert "chance (lead)" in out
    assert "in game-analysis: analysis.json, game.sgf, graph.png, searches.jsonl" in out


def test_the_same_command_goes_on(record, capsys):
    def run(*words):
        assert main(["analyse", "game.sgf", "--player", QUICK, "--json", *words]) == 0
        return capsys.readouterr().out

    whole = run("--output", "whole")
    lines = (record.parent / "whole" / "searches.jsonl").read_bytes().splitlines(keepends=True)
    broken = record.parent / "broken"
    broken.mkdir()
    for kept in (b"".join(lines[:3]) + lines[3][:20], b"".join(lines[:1])):  # killed in the middle of a line
        (broken / "searches.jsonl").write_bytes(kept)
        assert run("--output", "broken") == whole
    assert sorted((broken / "searches.jsonl").read_bytes().splitlines()) == sorted(
        line.strip() for line in lines
    )


def test_a_folder_of_something_else_is_left_alone(record, capsys):
    other = record.parent / "other"
    other.mkdir()
    (other / "note.txt").write_text("mine")
    assert main(["analyse", "game.sgf", "--output", "other"]) == 2
    assert "other exists and is not the folder of an analysis" in capsys.readouterr().err
    assert [path.name for path in other.iterdir()] == ["note.txt"]
    assert main(["analyse", "game.sgf", "--output", "game.sgf"]) == 2
    assert "game.sgf exists and is not the folder of an analysis" in capsys.readouterr().err
    assert record.read_text() == GAME


def test_a_folder_of_another_analysis_is_left_alone(record, capsys):
    folder = record.parent / "game-analysis"
    assert main(["analyse", "game.sgf", "--player", "mogo:sims=20"]) == 0
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert main(["analyse", "game.sgf", "--player", "mogo:sims=30"]) == 2
    assert "has an analysis of player mogo:sims=20, not mogo:sims=30" in capsys.readouterr().err
    record.write_text(GAME.replace("B[bb]", "B[db]"))
    assert main(["analyse", "game.sgf", "--player", "mogo:sims=20"]) == 2
    assert "has an analysis of another game: choose another folder" in capsys.readouterr().err
    (folder / "searches.jsonl").write_text("{}\n")
    assert main(["analyse", "game.sgf", "--player", "mogo:sims=20"]) == 2
    assert "is not a file of searches that we have written" in capsys.readouterr().err
    (folder / "searches.jsonl").write_bytes(before["searches.jsonl"])
    assert before == {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(;SZ[9])", "the game has no moves: there is nothing to analyse"),
        ("(;SZ[5];B[cc];W[cc])", "move 2 is illegal: White may not play C3: there is a stone already"),
        ("(;SZ[5];B[zz])", "is no point of a 5×5 board"),
        ("hello", "there is no game in the record"),
    ],
)
def test_wrong_files(text, message, record, capsys):
    record.write_text(text)
    assert main(["analyse", "game.sgf"]) == 2
    assert message in capsys.readouterr().err
    assert [path.name for path in record.parent.iterdir()] == ["game.sgf"]


def test_wrong_words(record, capsys):
    for words, message in (
        (["nothing.sgf"], "'nothing.sgf' cannot be read"),
        (["game.sgf", "--player", "mgo"], "did you mean mogo"),
        (["game.sgf", "--player", "gtp:cat"], "does not say what it thinks"),
        (["game.sgf", "--game", "nim"], "nim has no files of games that could be read"),
        (["game.sgf", "--threads", "0"], "--threads"),
    ):
        assert main(["analyse", *words]) == 2
        assert message in capsys.readouterr().err


def test_a_collection_says_so(record, capsys):
    record.write_text(GAME + "(;SZ[5];B[aa]C[Second])" * 2)
    assert main(["analyse", "game.sgf", "--player", "mogo:sims=20"]) == 0
    assert "game 1 of 3 in the file" in capsys.readouterr().err
    words = ["analyse", "game.sgf", "--player", "mogo:sims=20", "--output", "second", "--number"]
    assert main([*words, "2"]) == 0
    assert "game 2 of 3 in the file" in capsys.readouterr().err
    assert "Second" in (record.parent / "second" / "game.sgf").read_text()
    assert main([*words, "4"]) == 2
    assert "there is no game 4: the file has 3 games" in capsys.readouterr().err


def test_stopped_by_ctrl_c_it_says_how_to_go_on(record):
    words = ["analyse", "game.sgf", "--player", "mogo:sims=20000", "--threads", "2"]
    process = subprocess.Popen(
        [sys.executable, "-m", "playout", *words], stderr=subprocess.PIPE, cwd=record.parent, env=os.environ
    )
    kept = record.parent / "game-analysis" / "searches.jsonl"
    until = time.monotonic() + 60
    while time.monotonic() < until and not (kept.exists() and len(kept.read_bytes().splitlines()) > 1):
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=30)
    assert process.returncode == 130
    assert b"stopped; the same command goes on with game-analysis" in said
    assert b"Traceback" not in said


def test_the_public_names():
    assert playout.analyse is analyse
    assert "analyse" in playout.__all__
