"""The command show search."""

import json

import pytest

from playout.cli import main

PNG = b"\x89PNG\r\n"
GAME = "(;SZ[5]KM[0.5];B[cc];W[cd];B[dd];W[bd])"
FINISHED = "(;SZ[5]KM[0.5];B[cc];W[];B[])"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in (("game.sgf", GAME), ("finished.sgf", FINISHED), ("broken.sgf", "hello")):
        (tmp_path / name).write_text(text)
    return tmp_path


def test_a_table_and_a_picture(folder, capsys):
    assert main(["show", "search", "game.sgf", "--player", "dyna2:sims=50", "--top", "3"]) == 0
    said = capsys.readouterr().out
    assert "dyna2:sims=50,seed=1, game.sgf after move 4: Black to move, 50 simulations" in said
    assert "Black's chance to win after each move" in said
    assert said.count("\nfrom  ") == 2  # the heaviest, and those that changed most
    assert said.endswith("game-search.png\n")
    assert (folder / "game-search.png").read_bytes().startswith(PNG)


def test_the_same_as_json_and_the_same_again(folder, capsys):
    words = ["show", "search", "game.sgf", "--move", "3", "--player", "td-search:sims=40", "--json"]
    answers = []
    for seed in ("2", "2", "3"):
        assert main([*words, "--top", "4", "--seed", seed]) == 0
        answers.append(capsys.readouterr().out)
    assert answers[0] == answers[1] != answers[2]
    facts = json.loads(answers[0])
    assert (facts["position"], facts["to_play"]) == ("game.sgf after move 3", "W")
    assert (facts["player"], facts["simulations"]) == ("td-search:sims=40,seed=2", 40)
    assert facts["chosen"] == facts["values"][0]["move"]
    assert len(facts["shapes"]["weight"]) == 4
    assert not list(folder.glob("*.png"))


def test_the_empty_board(folder, capsys):
    words = ["show", "search", "--size", "3", "--komi", "0.5", "--player", "td-search:sims=40,seed=5"]
    assert main([*words, "--json", "--output", "empty.png"]) == 0
    said = capsys.readouterr()
    facts = json.loads(said.out)
    assert (facts["position"], facts["komi"], len(facts["values"])) == ("the empty 3×3 board", 0.5, 10)
    assert facts["shapes"]["weight"] == []
    assert facts["learnt"]["weight"]
    assert said.err == "empty.png\n"
    assert (folder / "empty.png").read_bytes().startswith(PNG)


def test_a_file_without_komi_is_told(folder, capsys):
    (folder / "bare.sgf").write_text("(;SZ[5];B[cc])")
    words = ["show", "search", "bare.sgf", "--player", "td-search:sims=10", "--json"]
    assert main(words) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["komi"] == 0
    assert said.err == "bare.sgf has no komi (KM): 0 is taken; --komi N sets it\n"
    assert main([*words, "--komi", "6.5"]) == 0
    said = capsys.readouterr()
    assert (json.loads(said.out)["komi"], said.err) == (6.5, "")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["game.sgf", "--player", "uct"], "player uct learns no shapes in its search"),
        (["game.sgf", "--player", "dyna3"], "there is no player 'dyna3'; did you mean dyna2?"),
        (["game.sgf", "--player", "dyna2:sims=0"], "sims"),
        (["game.sgf", "--move", "5"], "move 5 is not in the game, which has 4 moves"),
        (["game.sgf", "--move", "-1"], "move -1 is not in the game"),
        (["game.sgf", "--game", "2"], "game"),
        (["game.sgf", "--size", "9"], "--size is for the empty board"),
        (["game.sgf", "--player", "dyna2:seed=1", "--seed", "2"], "the seed is given twice"),
        (["finished.sgf"], "finished.sgf is over after move 3: --move N shows it earlier"),
        (["broken.sgf"], "broken.sgf"),
        (["nowhere.sgf"], "nowhere.sgf"),
        (["--move", "3"], "--move and --game are for a file"),
        (["--size", "50"], "board size"),
        (["--top", "0"], "--top"),
    ],
)
def test_wrong_words_get_one_sentence_and_write_nothing(words, message, folder, capsys):
    before = sorted(folder.iterdir())
    assert main(["show", "search", *words]) == 2
    said = capsys.readouterr()
    assert message in said.err
    assert "Traceback" not in said.err
    assert said.err.count("\n") == 1
    assert sorted(folder.iterdir()) == before


def test_no_file_of_others_is_written_over(folder, capsys):
    (folder / "mine.png").write_text("mine")
    words = ["show", "search", "game.sgf", "--player", "dyna2:sims=10", "--output", "mine.png"]
    assert main(words) == 2
    assert (folder / "mine.png").read_text() == "mine"
    assert main([*words, "--force"]) == 0
    assert (folder / "mine.png").read_bytes().startswith(PNG)
