"""Policies that are played directly."""

import numpy as np
import pytest

from playout.errors import InputError
from playout.games.game import Game, state_type
from playout.games.go.board import Board
from playout.games.go.memory.shapes import Shapes, features_of
from playout.games.go.memory.store import Weights
from playout.games.go.policy import Softmax
from playout.games.go.policy.shape_policy import PAPER
from playout.player.registry import make_player, make_policy, settings_of


def moves(spec, count=12):
    """The first moves of a player against itself."""
    player, board = make_player(spec), Board(5)
    for _ in range(count):
        board.play(player.choose(board))
    return board.moves


def test_any_policy_can_be_a_player():
    assert moves("policy:seed=3") == moves("uniform:seed=3")
    assert moves("policy:policy=mogo,seed=3") == moves("mogo-policy:seed=3")
    assert moves("policy:policy=mogo,seed=3") != moves("policy:policy=mogo,seed=4")


def test_learnt_weights_are_a_setting(tmp_path):
    shapes = Shapes(side=5, sizes=PAPER)
    theta = np.zeros(features_of(shapes).unique, np.float32)
    Weights(shapes, theta).save(tmp_path / "even.npz")
    theta[:] = np.linspace(-4, 4, theta.size)
    Weights(shapes, theta).save(tmp_path / "wild.npz")
    even, wild = (
        f"policy:policy=softmax,seed=1,policy.weights={tmp_path / name}.npz" for name in ("even", "wild")
    )
    assert moves(even) == moves(even)
    assert moves(even) != moves(wild)
    with pytest.raises(InputError, match="no setting"):
        make_player("policy:policy=uniform,policy.weights=x")


def test_a_softmax_policy_is_named_by_its_learner_or_its_file(tmp_path):
    assert moves("policy:policy=mm,seed=1") == moves("policy:policy=softmax,policy.weights=mm,seed=1")
    shapes = Shapes(side=5, sizes=PAPER)
    file = tmp_path / "w.npz"
    Weights(shapes, np.zeros(features_of(shapes).unique, np.float32)).save(file)
    named = moves(f"policy:policy={file},seed=1")
    assert named == moves(f"policy:policy=softmax,policy.weights={file},seed=1")
    assert named != moves("policy:policy=mm,seed=1")
    found = settings_of("flat", {"policy": "balanced", "policy.temperature": "2"})
    assert [found[key] for key in ("policy", "policy.weights", "policy.temperature")] == [
        "softmax",
        "balanced",
        2.0,
    ]
    assert make_policy("balanced:temperature=2") == Softmax(weights="balanced", temperature=2.0)
    assert make_policy(str(file)) == Softmax(weights=str(file))


@pytest.mark.parametrize(
    ("make", "spec", "sentence"),
    [
        (make_player, "flat:policy=balancd", "policy='balancd' is not a name; did you mean balanced?"),
        (
            make_player,
            "flat:policy=mm,policy.weights=x",
            "leave policy.weights out, or name the policy softmax",
        ),
        (make_player, "uniform:policy=mm", "player uniform has no setting 'policy'"),
        (make_policy, "mm:weights=x", "policy mm is softmax with weights of its own: leave weights out"),
        (make_policy, "two-steps", "there is no policy 'two-steps'; did you mean two-step?"),
    ],
)
def test_a_wrong_name_is_refused(make, spec, sentence):
    with pytest.raises(InputError) as error:
        make(spec)
    assert sentence in str(error.value)


def count_up(state, action):
    state.passes_made += 1


def only_pass(state, moves):
    moves[0] = 1
    return 1


def test_flat_passes_where_nothing_else_is_legal():
    kind = state_type([("passes_made", "u1")])
    game = Game(
        name="passes",
        summary="nothing but passes",
        state=kind,
        start=lambda: np.zeros(1, kind),
        play=count_up,
        legal_moves=only_pass,
        is_over=lambda state: state.passes_made == 3,
        outcome=lambda state: 0.5,
        to_play=lambda state: 1 + state.passes_made % 2,
        actions=2,
        choices=1,
        moves=3,
        silent=1,
    )
    assert make_player("flat:sims=4,seed=1", game).choose_action(game.new_position()) == 1
