"""Long-term memory for any game: learnt in a folder, taken up again to the bit, played by."""

import json

import numpy as np
import pytest

from playout.cli import main
from playout.errors import InputError
from playout.games.registry import find_game
from playout.learn.long_term import LongTermRun
from playout.memory.archives import read_arrays
from playout.memory.groups import Groups
from playout.memory.table import Table
from playout.player.registry import make_player
from playout.policy.random import Random
from playout.search.td_search import TDSearch, TDSettings


def run_of(folder, simulations, memory=None, **settings):
    root, memory = find_game("tic-tac-toe").started(), memory or Groups()
    search = TDSearch(memory, Random(), TDSettings(**settings), seed=3)
    return LongTermRun(folder, search, memory, root, {"settings": settings}, simulations)


@pytest.mark.parametrize(
    ("memory", "settings"),
    [(Groups(), {}), (Table(), {"steps": "kalman"}), (Groups(), {"lam": 0.5, "online": True})],
)
def test_a_run_that_was_stopped_goes_on_to_the_bit(tmp_path, memory, settings):
    whole = run_of(tmp_path / "whole", 300, memory, **settings).train()
    run_of(tmp_path / "parts", 100, memory, **settings).train()
    again = run_of(tmp_path / "parts", 300, memory, **settings)
    assert again.simulations == 100
    again.train()
    for name in ("keys", "theta"):
        one, other = (read_arrays(tmp_path / run / "weights.npz")[1][name] for run in ("whole", "parts"))
        assert np.array_equal(one, other)
    assert np.abs(whole.weights().theta).max() > 0.1
    assert again.weights().how["simulations"] == 300
    assert "features" in again.words()


def test_a_folder_of_something_else_is_refused(tmp_path):
    run_of(tmp_path / "run", 10).train()
    with pytest.raises(InputError, match="is a run with other settings"):
        run_of(tmp_path / "run", 10, alpha=0.3)
    (tmp_path / "run" / "checkpoint.npz").write_bytes(b"nothing")
    with pytest.raises(InputError):
        run_of(tmp_path / "run", 10)


def test_the_command_and_the_player_that_plays_by_it(tmp_path, capsys):
    run = tmp_path / "run"
    words = ["train", "long-term", "dyna2:features=table,alpha=0.3", "--game", "tic-tac-toe"]
    words += ["--output", str(run), "--simulations"]
    assert main([*words, "20000", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["game"] == "tic-tac-toe"
    assert facts["features"] == "table"
    assert facts["weights"] > 500
    assert main([*words, "100"]) == 2
    assert "has 20,000 simulations already" in capsys.readouterr().err
    # The corner is lost unless the middle answers it: seen without any simulation of its own.
    player = make_player(f"dyna2:features=table,sims=1,seed=1,long_term={run / 'weights.npz'}", "tic-tac-toe")
    position = find_game("tic-tac-toe").new_position()
    position.play(position.candidates()[0])
    assert player.choose_action(position) == 4


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["uct", "--game", "nim"], "'uct' does not learn about features"),
        (["dyna2"], "local shapes of Go are learnt by playout train td"),
        (["dyna2:two_memories=true", "--game", "nim"], "leave it false here"),
        (["dyna2:features=tabel", "--game", "nim"], "did you mean table"),
        (["dyna2", "--game", "nim", "--simulations", "0"], "greater than or equal to 1"),
    ],
)
def test_wrong_words_make_no_folder(words, message, tmp_path, capsys):
    given = words if "--game" in words else [*words, "--game", "go"]
    assert main(["train", "long-term", *given, "--output", str(tmp_path / "run")]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "run").exists()
