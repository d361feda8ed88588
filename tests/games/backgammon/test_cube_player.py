"""What players do with the cube, in games and matches."""

from dataclasses import dataclass

import numpy as np
import pytest
from checkers import side, state_of

from playout import make_player
from playout.arena.match import match
from playout.games.backgammon.as_position import BackgammonPosition, with_cube
from playout.games.backgammon.cube_player import appraise, cube_decision, decide, tallies_by
from playout.games.backgammon.doubling import DOUBLE, PASS, ROLL, TAKE
from playout.games.backgammon.game import GAME, Options
from playout.kernel import implements, new_rng, record_type
from playout.player.api import MoveInfo
from playout.player.simple import PolicyPlayer, PolicySettings
from playout.policy import api

SURE = record_type([("chances_it_names", "f8", (5,))])


@implements(api.estimate, SURE)
def estimate(policy, state, chances):
    for k in range(5):
        chances[k] = policy.chances_it_names[k]
    return 0.0


@implements(api.sample, SURE)
def sample(policy, state, rng):
    return np.uint32(0)


@dataclass(frozen=True)
class Sure:
    """A policy that has one opinion of all states; chances are player 1's."""

    chances: tuple[float, ...]

    def record(self):
        return np.array([(self.chances,)], SURE)


def sure(*chances):
    return PolicyPlayer("sure", PolicySettings(), Sure((*chances, *[0.0] * (5 - len(chances)))))


def at_start(turn=1, **facts):
    """The first position, with a player on roll who may double."""
    state = state_of((side(p6=5, p8=3, p13=5, p24=2), side(p6=5, p8=3, p13=5, p24=2)), turn=turn)
    for name, value in facts.items():
        state[name] = value
    return BackgammonPosition.from_state(with_cube(state))


@pytest.mark.small
@pytest.mark.parametrize(
    ("chances", "turn", "action", "answer"),
    [
        ((0.5,), 1, ROLL, TAKE),
        ((0.75,), 1, DOUBLE, TAKE),
        ((0.85,), 1, DOUBLE, PASS),
        ((0.9, 0.6), 1, ROLL, PASS),  # too good
        ((0.25,), 2, DOUBLE, TAKE),  # the chances are player 1's
        ((0.15,), 2, DOUBLE, PASS),
        ((0.75,), 2, ROLL, TAKE),
    ],
)
def test_who_has_an_estimate_doubles_and_takes_by_it(chances, turn, action, answer):
    position, player = at_start(turn), sure(*chances)
    found = decide(player, position)
    assert found.to_play == turn
    assert found.moves[0].action == action
    asked = decide(player, position.play("double"))
    assert asked.to_play == 3 - turn
    assert asked.moves[0].action == answer
    values = {move.action: move.score_lead for move in asked.moves}
    assert values[answer] == max(values.values())
    assert values[PASS] == -1


@pytest.mark.small
def test_nothing_is_decided_where_dice_lie():
    position = at_start().play("roll").play("31")
    assert decide(sure(0.9), position) is None


@pytest.mark.small
def test_who_has_no_estimate_rolls_and_takes():
    player = make_player("random:seed=1", GAME)
    position = at_start()
    assert tallies_by(player, position) is None
    assert cube_decision(player, position) is None
    assert player.choose(position) == "roll"
    assert player.choose(position.play("double")) == "take"


@pytest.mark.parametrize("spec", ["flat:sims=2,seed=1", "uct:sims=20,seed=1", "rollout:trials=72,seed=1"])
def test_searches_double_by_simulations(spec):
    player = make_player(spec, GAME)
    ahead = BackgammonPosition.from_state(with_cube(state_of((side(p1=8), side(p1=9)))))
    behind = BackgammonPosition.from_state(with_cube(state_of((side(p1=12), side(p1=8)))))
    assert player.choose(ahead) == "double"
    assert player.choose(behind) == "roll"
    assert player.choose(ahead.play("double")) == "pass"
    assert player.value(ahead) > 0.6  # of what lies between -3 and 3
    (found,) = player.thoughts(behind)
    assert {move.action for move in found.moves} == {ROLL, DOUBLE}
    player.ponder(behind)
    player.close()


@pytest.mark.small
def test_moves_are_worth_what_the_score_and_the_cube_make_of_them():
    chances = (0.6, 0.3, 0.0, 0.1, 0.0)

    def worth(cubed, **facts):
        state = state_of((side(p6=5, p8=3, p13=5, p24=2), side(p6=5, p8=3, p13=5, p24=2)), dice=(3, 1))
        for name, value in facts.items():
            state[name] = value
        position = BackgammonPosition.from_state(with_cube(state) if cubed else state)
        move = MoveInfo(position.parse("8/5 6/5"), 1, (0.4 + 3) / 6, 0, 0, (), chances=chances)
        return appraise(position, move)

    assert worth(False) == pytest.approx(0.4)
    # The last game of a match: gammons count nothing.
    assert worth(False, length=5, score=(4, 4)) == pytest.approx(0.2)
    # Who owns the cube has more of it than who does not.
    owned, others = worth(True, owner=1, cube=1), worth(True, owner=2, cube=1)
    assert others < 0.4 < owned


def test_matches_with_the_cube_are_played():
    options = {"length": 2, "cube": True, "match": True}
    found = match("lin1", "random", 2, seed=1, game=GAME, options=options)
    assert found.games == 2
    assert found.points in (-1.0, 0.0, 1.0)  # matches, not points


@pytest.mark.small
def test_a_whole_match_by_hand():
    players = {1: sure(0.5), 2: sure(0.5)}
    position, luck = GAME.new_position(Options(length=1, cube=True, match=True)), new_rng(3)
    rng = np.random.default_rng(1)
    position.settle(luck)
    while not position.is_over:
        found = decide(players[position.to_play], position)
        assert found is None  # nobody has use for the cube
        position.play(int(rng.choice(position.legal_moves()))).settle(luck)
    assert position.verdict().detail.endswith(("1 to 0", "2 to 0", "3 to 0"))
