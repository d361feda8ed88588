"""The player MANGO: its parameters, where they go, and what it refuses."""

import math

import pytest

from playout.errors import InputError
from playout.games.go.board import Board
from playout.games.go.state import PASS
from playout.player.registry import make_player, player_table, settings_of

# Chaslot et al. 2008, Table 3, the column of defaults.
TABLE_3 = {
    "exploration": 0.7,
    "expand": 10,
    "capture_value": 5000,
    "escape_value": 500,
    "pattern_exponent": 1,
    "proximity_factor": 150,
    "pb_factor": 8,
    "pb_exponent": 1,
    "pw_initial": 5,
    "pw_factor": 40,
    "pw_base": 1.2,
}


def test_the_defaults_are_the_papers():
    settings = settings_of("mango", {})
    assert {name: settings[name] for name in TABLE_3} == TABLE_3
    (row,) = (row for row in player_table() if row["name"] == "mango")
    assert {name: row["settings"][name]["default"] for name in TABLE_3} == TABLE_3
    assert all(row["settings"][name]["help"] for name in TABLE_3)


def test_the_papers_values_from_minus_one_to_one_are_halved():
    """v = 2q − 1: formula 2 over q has half the bias, and half of C, whose root lacks UCB1's 2."""
    selection = make_player("mango:exploration=0.43,pb_factor=5.3")._selection(PASS)
    assert selection.exploration * math.sqrt(2) == pytest.approx(0.43 / 2)
    assert selection.pb_factor == pytest.approx(5.3 / 2)
    with_rave = make_player("mango:exploration=0.43,rave=mse")._selection(PASS)
    assert with_rave.exploration == pytest.approx(0.43 / 2)  # UCT–RAVE has no 2 under its root


def test_the_other_parameters_go_to_the_tree_as_they_are():
    selection = make_player(
        "mango:pb_exponent=1.1,pw_initial=3,pw_factor=58,pw_base=1.12,expand=3"
    )._selection(PASS)
    assert (selection.pb_exponent, selection.expand_at) == (1.1, 3)
    assert (selection.pw_initial, selection.pw_factor, selection.pw_base) == (3, 58, 1.12)


def test_urgencies_are_set_once_for_simulations_and_heuristic():
    spec = "mango:capture_value=7509,escape_value=911,pattern_exponent=0.7,proximity_factor=85"
    player = make_player(spec + ",policy.diagonals=true")
    policy, prior = player.policy, player._prior
    assert (policy.capture_value, policy.escape_value, policy.pattern_exponent) == (7509, 911, 0.7)
    assert (policy.proximity_factor, policy.diagonals) == (85, True)
    assert (prior.capture_value, prior.escape_value, prior.pattern_exponent) == (7509, 911, 0.7)


def test_its_listing_names_nothing_twice():
    settings = settings_of("mango", {})
    assert "policy.capture_value" not in settings
    assert "policy.diagonals" in settings
    assert "policy.capture_value" in settings_of("uct", {"policy": "mango"})


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("mango:pw_base=0.9", "pw_base='0.9' is not a number from 1 to 1,000"),
        ("mango:proximity_factor=0", "proximity_factor='0' is not a number from 1 to 1,000,000"),
        ("mango:pattern_exponent=5", "pattern_exponent='5' is not a number from 0 to 4"),
        ("mango:pw_initial=-1", "pw_initial='-1' is not a whole number from 0 to 1,000"),
        (
            "mango:policy.capture_value=3",
            "player mango has no setting 'policy.capture_value'; its name there is capture_value",
        ),
    ],
)
def test_impossible_settings_are_refused_by_name(spec, sentence):
    with pytest.raises(InputError) as refused:
        make_player(spec)
    assert str(refused.value) == sentence


@pytest.mark.parametrize("spec", ["policy=mogo", "prior=handcrafted", "pw_initial=0,pb_factor=0", "rave=mse"])
def test_its_parts_can_be_exchanged(spec):
    board = Board(5)
    assert board.is_legal(make_player(f"mango:sims=60,seed=1,{spec}").choose(board))


def test_it_looks_at_few_moves_first():
    search = make_player("mango:seed=1").prepare(Board(9))
    search.run(40)
    assert (search.children()["visits"] > 0).sum() == 5
    search.run(3000)
    considered = (search.children()["visits"] > 0).sum()
    assert considered == 5 + math.floor(math.log(3040 / 40, 1.2))
