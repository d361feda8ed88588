"""Dynamic programming against closed forms, against a plain table, and against minimax."""

import chain
import pytest

from playout.errors import InputError
from playout.games.toy import gridworld, mountain_car, random_walk, tictactoe
from playout.learn import dynamic_programming
from playout.learn.dynamic_programming import solve


@pytest.mark.small
def test_the_random_walk_in_closed_form():
    root = random_walk.start(states=5, discount=0.9)
    solved = solve(root)
    for here in range(1, 6):
        state = root.copy()
        state["here"] = here
        assert solved.value(state) == pytest.approx(0.9 ** (5 - here))
        assert solved.of_actions(state)[1] == pytest.approx(0.9 ** (5 - here))
    assert len(solved.states) == 5


@pytest.mark.small
def test_chance_and_rewards():
    solved = solve(chain.start())
    for place, expected in enumerate(chain.optimal()):
        found = solved.of_actions(chain.start(place))
        assert [found[action] for action in chain.actions(place)] == pytest.approx(expected)


def test_the_world_of_russell_and_norvig():
    assert solve(gridworld.start()).value(gridworld.start()) == pytest.approx(0.705, abs=5e-4)
    assert solve(gridworld.start("dyna", 0.0)).value(gridworld.start("dyna", 0.0)) == pytest.approx(
        1 - 14 * 0.04
    )


def test_two_players():
    solved = solve(tictactoe.start())
    assert solved.value(tictactoe.start()) == 0.5
    assert len(solved.states) == 4520  # unfinished positions


@pytest.mark.small
def test_what_cannot_be_solved_gets_a_sentence(monkeypatch):
    monkeypatch.setattr(dynamic_programming, "MOST_STATES", 50)
    with pytest.raises(InputError, match="more than 50 states"):
        solve(mountain_car.start())
    with pytest.raises(InputError, match="cannot be reached"):
        solve(random_walk.start(states=3)).value(random_walk.start(states=5))
