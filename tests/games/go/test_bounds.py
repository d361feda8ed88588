"""Every player, policy and prior of Go in every kind of position, with bounds checks on.

Compiled code has none otherwise: a wrong index reads or writes other memory. `make test-bounds` runs this.
"""

import random

import numba
import numpy as np
import pytest

from playout.games.go import coords
from playout.games.go.board import Board
from playout.games.go.game import GAME
from playout.games.go.memory.move_weights import MoveWeights
from playout.games.go.memory.shapes import Shapes, features_of
from playout.games.go.memory.store import Weights
from playout.games.go.policy import POLICIES
from playout.games.go.policy.feature_softmax import COUNT
from playout.games.go.prior import PRIORS
from playout.games.go.state import BLACK, EMPTY, PASS, WHITE
from playout.player.api import RESIGN
from playout.player.registry import make_player, players_of

pytestmark = [
    pytest.mark.small,
    pytest.mark.skipif(
        not numba.config.BOUNDSCHECK or bool(numba.config.DISABLE_JIT),
        reason="bounds are checked with NUMBA_BOUNDSCHECK=1: make test-bounds",
    ),
]
# Few trees are compiled, and each policy and each prior is in one. {policy}, {values}: files of weights.
SPECS = [
    "uniform",
    "mogo-policy",
    "policy:policy=tactical",
    "policy:policy=mango",
    "policy:policy=shapes,policy.weights={values}",
    "policy:policy={policy}",
    "flat:sims=2,policy={moves}",
    "flat:sims=2,policy=uniform",
    "rollout:base=uniform,trials=2",
    "shapes:weights={values}",
    "rlgo1:depth=2,seconds=0.02,weights={values}",
    "td-search:sims={sims},shapes=1+2",
    "dyna2:sims={sims},shapes=1+2,long_term={values}",
    "rlgo:sims={sims},shapes=1+2,long_term={values},depth=2",
    "uct:policy=mogo,prior=even,sims={sims}",
    "mogo:policy=tactical,prior=tactical,sims={sims}",
    "mango:sims={sims}",
    "rave:policy=uniform,prior=grandfather,sims={sims}",
    "uct:policy=softmax,policy.weights={policy},prior=handcrafted,sims={sims}",
    "rave:policy=shapes,policy.weights={values},prior=shapes,prior.weights={values},sims={sims}",
    "rave:policy=uniform,prior=td-search,prior.td_sims=2,prior.long_term={values},sims={sims}",
]
MANGO = ("mango", "urgency")  # what the player `mango` is made of
SIDES = (2, 3, 4, 5, 7, 9, 13, 19)
# The shortest game after which a search once read other memory: a suicide left a last move without a stone.
SUICIDE = "E1 C1 A2 E2 A4 E3 B3 D5 D2 D3 A3 C2"
MOVES = 10_000


def test_nobody_is_left_out():
    words = " ".join(SPECS)
    assert {spec.partition(":")[0] for spec in SPECS} == set(players_of(GAME))
    assert all(name in (*MANGO, "softmax") or f"policy={name}" in words for name in POLICIES)
    assert all(name in MANGO or f"prior={name}" in words for name in PRIORS)


@pytest.fixture(scope="module")
def players(tmp_path_factory):
    """The players for a board size; where 3×3 shapes do not fit, learnt values are of smaller ones."""
    shapes = Shapes(side=5, sizes=(1, 2), sharing="independent")
    theta = np.random.default_rng(1).normal(size=features_of(shapes).unique).astype(np.float32)
    paths = {}
    for name, learner in (("policy", "balance"), ("values", {"rule": "logistic"})):
        paths[name] = tmp_path_factory.mktemp("bounds") / f"{name}.npz"
        Weights(shapes, theta, {"learner": learner}).save(paths[name])
    paths["moves"] = tmp_path_factory.mktemp("bounds") / "moves.npz"
    MoveWeights(np.random.default_rng(2).normal(size=COUNT).astype(np.float32)).save(paths["moves"])
    words = {False: {**paths, "values": "shipped"}, True: paths}
    found = {
        small: {spec: make_player(spec.format(sims=20, **named)) for spec in SPECS}
        for small, named in words.items()
    }
    yield lambda side: found[side < 3]
    for player in (*found[False].values(), *found[True].values()):
        player.close()


def filled(board, moves, dice, eyes=True):
    """The board after random moves; eyes: also into one's own, and by suicide."""
    for _ in range(moves):
        found = (board.legal_moves() if eyes else board.candidates())[:-1]
        if not found:
            break
        board.play(dice.choice(found))
    return board


def set_up(side, suicide, dice, share):
    """Random stones on so many of the points, chains without a liberty taken away."""
    board = Board(side, suicide=suicide)
    points = coords.board_points(side)
    for p in dice.sample(points, max(1, int(share * len(points)))):
        for color in dice.sample((BLACK, WHITE), 2):
            if board.color_at(p) == EMPTY and board.is_legal(p, color):
                board.play(p, color)
    stones = board.stones(BLACK), board.stones(WHITE)
    return Board(side, suicide=suicide).set_up(*stones, dice.choice((BLACK, WHITE)))


def positions(side, suicide, dice):
    """Early, late and overfull boards, by moves and by set-up."""
    area = side * side
    rules = {"suicide": suicide, "superko": dice.choice(("positional", "situational", "simple"))}
    yield Board(side, **rules)
    yield filled(Board(side, **rules), area // 2, dice)
    yield filled(Board(side, **rules), 2 * area, dice, eyes=False)
    yield filled(Board(side, **rules), 3 * area, dice)
    yield filled(Board(side, **rules), area, dice).play(PASS)
    for share in (0.3, 0.7, 1.0):
        yield set_up(side, suicide, dice, share)


def let_all_play(players, board):
    for spec, player in players(board.size).items():
        player.new_game()
        now = board.copy()
        for _ in range(2):  # a tree that is kept sees the second move
            move = player.choose_action(now)
            assert move == RESIGN or now.is_legal(move), spec
            if move == RESIGN or now.play(move).is_over:
                break


@pytest.mark.parametrize("suicide", [False, True])
@pytest.mark.parametrize("side", SIDES)
def test_all_play_everywhere(players, side, suicide):
    dice = random.Random(10 * side + suicide)
    for board in positions(side, suicide, dice):
        if not board.is_over:
            let_all_play(players, board)


def test_after_a_suicide(players):
    board = Board(5, 7.5, suicide=True)
    for vertex in SUICIDE.split():
        board.play(vertex)
    let_all_play(players, board)
    dice = random.Random(1)
    for _ in range(40):
        let_all_play(players, filled(Board(5, 7.5, suicide=True), dice.randrange(5, 60), dice))


@pytest.mark.parametrize("side", [2, 5])
def test_after_ten_thousand_moves(players, side):
    board = filled(Board(side, superko="simple", suicide=True), MOVES, random.Random(side))
    assert len(board.moves) == MOVES
    let_all_play(players, board)
