"""The paradox of thesis 9.2, on a tiny board."""

import json

import pytest

from playout.cli import main
from playout.errors import InputError
from playout.games.go.policy import Greedy
from playout.reproduce import paradox
from playout.reproduce.paradox import CLASSES, OPPONENTS, Paradox, labelled, policies, run

TINY = Paradox(size=5, positions=4, sims=20, simulations=4, pairs=2)


@pytest.fixture
def few(monkeypatch):
    """Two policies of each class."""
    monkeypatch.setattr(
        paradox,
        "CLASSES",
        {chance: (name, letter, degrees[::6]) for chance, (name, letter, degrees) in CLASSES.items()},
    )


def test_policies_have_their_degree_of_chance():
    found = policies()
    assert list(found)[:2] == list(OPPONENTS)
    assert found["epsilon-0.4"] == Greedy(chance="epsilon", epsilon=0.4)
    assert found["noise-0.15"] == Greedy(chance="noise", sigma=0.15)
    assert found["softmax-0.02"] == Greedy(chance="softmax", tau=0.02)


def test_it_is_made_once(tmp_path, few, monkeypatch):
    folder = tmp_path / "paradox"
    told = run(folder, TINY)
    rows = told["policies"]
    learnt = {"epsilon-0", "epsilon-1", "noise-0", "noise-0.6", "softmax-0.002", "softmax-0.3"}
    assert set(rows) == {"uniform", "mogo"} | learnt
    assert all(0 <= row["mse"] <= 1 for row in rows.values())
    wins = rows["noise-0"]["against_uniform"]["share"]
    assert rows["uniform"]["against_noise-0"]["share"] == pytest.approx(1 - wins)
    assert "against_noise-0" not in rows["epsilon-0"]
    assert (folder / "paradox.png").read_bytes().startswith(b"\x89PNG")
    assert json.loads((folder / "paradox.json").read_text()) == told
    monkeypatch.setattr(paradox.Judge, "errors_of", None)  # nothing is measured again
    assert run(folder, TINY) == told
    with pytest.raises(InputError, match="other settings"):
        run(folder, Paradox(size=5, positions=4, sims=20, simulations=4, pairs=3))


def test_labels_are_won_or_lost():
    from playout.games.go.learn.position_maker import make
    from playout.games.go.learn.positions import Recipe

    data = make(Recipe(size=3, komi=0.5, sims=20), 6, lambda root, sims, seed: (0.3 + 0.4 * (seed % 2), 0))
    assert set(labelled(data).searched.tolist()) <= {0.0, 1.0}
    assert (labelled(data).searched == (data.searched > 0.5)).all()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--positions", "0"], "positions='0' is not a whole number of at least 1"),
        (["--simulations", "1"], "simulations='1' is not a whole number of at least 2"),
        (["--size", "1"], "1"),
    ],
)
def test_wrong_input_is_refused(words, message, tmp_path, capsys):
    assert main(["reproduce", "paradox", "--output", str(tmp_path / "p"), *words]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "p").exists()
