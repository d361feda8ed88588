"""REINFORCE and actor–critic: against dictionaries, the gradient by differences, and dynamic programming."""

import chain
import numpy as np
import pytest
from naive.policy_gradient import Policy
from toy_memories import Keyed

from playout.errors import InputError
from playout.games.api import facts_of
from playout.games.toy import tictactoe
from playout.kernel import new_rng
from playout.learn.policy_gradient import PolicyGradient, PolicyLearner

KINDS = [
    {"method": "actor-critic"},
    {"method": "actor-critic", "critic": "compatible"},
    {"method": "reinforce"},
    {"method": "reinforce", "baseline": "none"},
]


@pytest.mark.small
@pytest.mark.parametrize("by", [(1, 0), (2, 3)], ids=["table", "coarse"])
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_policies_and_values_are_those_of_the_equations(kind, by):
    kind = {"beta": 2.0, "alpha": 0.3, "baseline": "value", **kind}
    learner, facts = PolicyLearner(Keyed(by), PolicyGradient(**kind), seed=5), facts_of(chain.CHAIN)
    naive = Policy(
        Keyed(by).naive, new_rng(5), unknown=0.5, low=facts.low, high=facts.high, **kind
    )  # 0 is the middle of the bounds
    returns = learner.returns(chain.start(), 15)
    assert returns == pytest.approx([naive.episode(chain.start()) for _ in range(15)], abs=1e-6)
    for place in range(chain.LAST + 1):
        state = chain.start(place)
        assert learner.probabilities(state) == pytest.approx(naive.pi(state), abs=1e-4)
        wanted = facts.low + naive.v(state) * (facts.high - facts.low)
        assert learner.value(state) == pytest.approx(wanted, abs=1e-3)


@pytest.mark.parametrize("kind", KINDS[:3], ids=str)
def test_it_finds_the_best_policy(kind):
    steps = {"td-error": (5.0, 0.05), "compatible": (0.5, 0.3), None: (2.0, 0.05)}
    critic = kind.get("critic", "td-error") if kind["method"] == "actor-critic" else None
    kind = {"beta": steps[critic][0], "alpha": steps[critic][1], **kind}
    learner = PolicyLearner(Keyed(), PolicyGradient(**kind), seed=2)
    for _ in range(20):
        for place in range(chain.LAST + 1):
            learner.learn(chain.start(place), 300)
    for place, values in enumerate(chain.optimal()):
        pi, order = learner.probabilities(chain.start(place)), np.argsort(values)
        if values[order[-1]] - values[order[-2]] > 0.3:
            assert pi.argmax() == order[-1]
            assert pi.max() > 0.7


@pytest.mark.small
def test_the_same_seed_gives_the_same_weights():
    one, two = (PolicyLearner(Keyed(), seed=3) for _ in range(2))
    one.learn(chain.start(), 9)
    two.learn(chain.start(), 9)
    for mine, theirs in zip(one.weights, two.weights, strict=True):
        assert np.array_equal(mine, theirs)


@pytest.mark.small
def test_wrong_settings_get_a_sentence():
    for wrong, sentence in (
        ({"method": "reinforced"}, "did you mean reinforce"),
        ({"beta": 0.0}, "beta"),
        ({"alpha": -1.0}, "alpha"),
        ({"baseline": "mean"}, "baseline"),
        ({"critic": "compatable"}, "did you mean compatible"),
    ):
        with pytest.raises(InputError, match=sentence):
            PolicyGradient(**wrong)
    learner = PolicyLearner(Keyed())
    learner.learn(chain.start(), 1)
    with pytest.raises(InputError, match="belong to one game"):
        learner.learn(tictactoe.start(), 1)
