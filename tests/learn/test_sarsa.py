"""Sarsa(λ) with features: against Algorithm 1 in plain Python, and against dynamic programming."""

import chain
import numpy as np
import pytest
from naive.sarsa import Sarsa as Naive
from toy_memories import Keyed

from playout.errors import InputError
from playout.games.api import facts_of
from playout.games.toy import tictactoe
from playout.kernel import new_rng
from playout.learn.sarsa import Sarsa, SarsaControl

KINDS = [
    {"rule": "linear"},
    {"rule": "linear", "lam": 0.8},
    {"rule": "linear", "lam": 1.0, "traces": "replacing"},
    {"rule": "nonlinear", "lam": 0.5, "initial": 1.0},
    {"rule": "logistic", "lam": 0.5, "initial": 1.0},
]


@pytest.mark.small
@pytest.mark.parametrize("by", [(1, 0), (2, 3)], ids=["table", "coarse"])
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_values_and_returns_are_those_of_the_pseudocode(kind, by):
    kind = {"alpha": 0.3, "epsilon": 0.3, "lam": 0.0, "traces": "accumulating", "initial": 0.0, **kind}
    learner = SarsaControl(Keyed(by), Sarsa(**kind), seed=5)
    facts = facts_of(chain.CHAIN)
    naive = Naive(Keyed(by).naive, new_rng(5), low=facts.low, high=facts.high, **kind)
    returns = learner.returns(chain.start(), 30)
    wanted = [naive.episode(chain.start()) for _ in range(30)]
    assert returns == pytest.approx([total for total, _ in wanted], abs=1e-5)
    assert learner.learnt.steps == sum(steps for _, steps in wanted)
    for place in range(chain.LAST + 1):
        q = [naive.q(chain.start(place), action) for action in chain.actions(place)]
        assert learner.values(chain.start(place), chain.actions(place)) == pytest.approx(q, abs=1e-4)


@pytest.mark.small
def test_an_episode_that_is_cut_off_believes_in_what_would_have_come():
    kind = {"alpha": 0.5, "epsilon": 0.3, "lam": 0.5, "initial": 3.0}
    learner = SarsaControl(Keyed(), Sarsa(longest=2, **kind), seed=1)
    facts = facts_of(chain.CHAIN)
    naive = Naive(
        Keyed().naive,
        new_rng(1),
        rule="linear",
        traces="accumulating",
        low=facts.low,
        high=facts.high,
        longest=2,
        **kind,
    )
    learner.learn(chain.start(), 9)
    for _ in range(9):
        naive.episode(chain.start())
    assert 0 < learner.learnt.cut < 9  # some come to an end in time
    q = [naive.q(chain.start(), action) for action in chain.actions(3)]
    assert learner.values(chain.start(), chain.actions(3)) == pytest.approx(q, abs=1e-5)


@pytest.mark.parametrize("kind", [{}, {"lam": 0.8}], ids=str)
def test_it_finds_the_values_of_the_best_soft_policy(kind):
    learner = SarsaControl(Keyed(), Sarsa(alpha=0.005, epsilon=0.3, **kind), seed=2)
    for _ in range(10):
        for place in range(chain.LAST + 1):
            learner.learn(chain.start(place), 3000)
    for place, expected in enumerate(chain.soft(0.3)):
        assert learner.values(chain.start(place), chain.actions(place)) == pytest.approx(expected, abs=0.3)


@pytest.mark.small
def test_the_same_seed_gives_the_same_weights():
    one, two = (SarsaControl(Keyed(), Sarsa(lam=0.5), seed=3) for _ in range(2))
    one.learn(chain.start(), 20)
    two.learn(chain.start(), 20)
    assert np.array_equal(one.weights, two.weights)


@pytest.mark.small
def test_wrong_settings_get_a_sentence():
    for wrong, sentence in (
        ({"rule": "squared"}, "rule='squared'"),
        ({"alpha": 0.0}, "alpha"),
        ({"epsilon": 2.0}, "epsilon"),
        ({"lam": -1.0}, "lam"),
        ({"plies": 3}, "plies"),
    ):
        with pytest.raises(InputError, match=sentence):
            Sarsa(**wrong)
    learner = SarsaControl(Keyed())
    learner.learn(chain.start(), 1)
    with pytest.raises(InputError, match="belong to one game"):
        learner.learn(tictactoe.start(), 1)
