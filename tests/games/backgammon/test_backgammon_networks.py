"""Backgammon's networks: what they see, what their outputs mean, and the players that follow them."""

import numpy as np
import pytest
from checkers import board_of, boards, legal, random_games, state_of
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import backgammon_encoding as naive
from naive import network as naive_network

from playout.errors import InputError
from playout.games import api
from playout.games.backgammon.encoding import ENCODINGS, HITS, RAW, RICH, SIZES, write_inputs
from playout.games.backgammon.memory.shipped import record_of, shipped
from playout.games.backgammon.policy.linear import Lin1, Lin2, linear_record
from playout.games.backgammon.policy.network import Td10
from playout.games.backgammon.state import CHECKERS, OFF, start
from playout.kernel import clone, kernel, new_rng
from playout.memory.network import MOST_INPUTS
from playout.player.registry import make_player
from playout.policy.api import estimate, sample


@kernel
def _inputs(encoding, states, x):
    write_inputs(encoding, states[0], x)


@kernel
def _sample(policies, states, rng):
    return sample(policies[0], states[0], rng[0])


@kernel
def _estimate(policies, states, chances):
    return estimate(policies[0], states[0], chances)


@pytest.mark.small
@settings(deadline=None, max_examples=12)
@given(boards(), st.sampled_from([1, 2]))
def test_inputs_are_those_of_the_naive_twin(board, turn):
    if CHECKERS in (board[0][OFF], board[1][OFF]):
        return
    state = state_of(board, turn=turn)
    wanted = naive.inputs(*board)
    for encoding in (RAW, HITS, RICH):
        x = np.full(MOST_INPUTS, np.nan, np.float32)
        _inputs(encoding, state, x)
        assert np.all(np.isnan(x[SIZES[encoding] :]))  # nothing is written beyond
        assert x[: SIZES[encoding]] == pytest.approx(wanted[: SIZES[encoding]], abs=1e-5)


def test_the_best_play_is_the_one_after_which_the_other_is_worst_off():
    net = shipped("td10")
    record, arrays, rng = record_of(net), net.arrays(), new_rng(1)
    decisions = [state for state in random_games(1, 5) if 1 < len(legal(state)) < 6]
    for state in decisions[:: len(decisions) // 2]:
        worth = []
        for action in legal(state):
            after = clone(state)
            api.play(after[0], action)
            if api.is_over(after[0]):
                worth.append(abs(api.outcome(after[0])))
                continue
            roller, other = board_of(after, int(after["turn"][0]))
            y = naive_network.outputs(arrays, np.array(naive.inputs(roller, other)))
            worth.append(-(2 * y[0] - 1 + y[1] + y[2] - y[3] - y[4]))
        chosen = legal(state).index(int(_sample(record, state, rng)))
        assert worth[chosen] == pytest.approx(max(worth), abs=1e-5)


def test_lin1_plays_as_the_network_that_it_is():
    net = shipped("lin1")
    slow, fast, rng = record_of(net), linear_record(net), new_rng(1)
    for state in random_games(2, 9):
        assert _sample(slow, state, rng) == _sample(fast, state, rng)
        chances = np.zeros((2, 5))
        values = [_estimate(policy, state, room) for policy, room in zip((slow, fast), chances, strict=True)]
        assert values[0] == pytest.approx(values[1], abs=1e-5)
        assert chances[0] == pytest.approx(chances[1], abs=1e-5)


@pytest.mark.parametrize("name", ["lin1", "lin3", "td10"])
def test_an_estimate_is_the_same_for_either_colour(name):
    policy = make_player(name, "backgammon").policy.record()
    for state in random_games(1, 3):
        state["dice"] = 0
        board = board_of(state, int(state["turn"][0]))
        chances = np.zeros((2, 5))
        one = _estimate(policy, state_of(board, turn=1), chances[0])
        two = _estimate(policy, state_of(board, turn=2), chances[1])
        assert one == pytest.approx(-two, abs=1e-6)
        assert -3 <= one <= 3
        assert chances[0, 0] == pytest.approx(1 - chances[1, 0], abs=1e-6)
        assert chances[0, 1:3] == pytest.approx(chances[1, 3:5], abs=1e-6)


def test_an_ended_game_is_worth_its_outcome():
    for name in ("lin1", "td10"):
        policy = make_player(name, "backgammon").policy.record()
        state = start()
        state["points"][0, 0] = 0
        state["points"][0, 0, OFF] = CHECKERS
        state["held"][0, 0] = state["made"][0, 0] = 0
        chances = np.zeros(5)
        assert _estimate(policy, state, chances) == api.outcome(state[0])
        assert chances.tolist() == [1.0, 1.0, 1.0, 0.0, 0.0]


def test_noise_makes_lin2_of_lin1():
    one, two, rng = Lin1().record(), Lin2().record(), new_rng(1)
    states = [state for state in random_games(1, 3) if len(legal(state)) > 3]
    same = np.mean([_sample(one, state, rng) == _sample(two, state, rng) for state in states])
    assert 0 < same < 1
    quiet = Lin2(noise=0.0).record()
    assert all(_sample(one, state, rng) == _sample(quiet, state, rng) for state in states)


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("lin1:policy.weights=nowhere.npz", "there is no weight file nowhere.npz"),
        ("td80:policy.weight=x", "did you mean"),
        ("lin2:policy.noise=-1", "noise"),
    ],
)
def test_wrong_specs_get_a_sentence(spec, says):
    with pytest.raises(InputError, match=says):
        make_player(spec, "backgammon").choose_action(None)


def test_lin1_refuses_other_networks():
    with pytest.raises(InputError, match="is another network"):
        linear_record(shipped("td10"))


def test_policies_take_files(tmp_path):
    shipped("td10").save(tmp_path / "mine.npz")
    mine, rng = Td10(weights=str(tmp_path / "mine.npz")).record(), new_rng(1)
    ours = Td10().record()
    state = next(random_games(1, 1))
    assert _sample(mine, state, rng) == _sample(ours, state, rng)
    assert ENCODINGS["rich"] == int(mine["encoding"][0])
