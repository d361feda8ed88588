"""Dyna-Q: against dictionaries, against dynamic programming, and with and without planning."""

import chain
import pytest
from naive.dyna_q import DynaQ as Naive

from playout.errors import InputError
from playout.kernel import new_rng
from playout.learn.dyna_q import DynaQ
from playout.learn.tabular import Tabular
from playout.search.learnt_model import Model


@pytest.mark.small
@pytest.mark.parametrize("planning", [0, 4])
def test_it_learns_and_plans_as_the_naive_twin(planning):
    settings = Tabular(method="q-learning", alpha=0.3, epsilon=0.3)
    learner = DynaQ(settings, planning=planning, seed=3)
    naive = Naive(new_rng(3), planning, initial=0.0, epsilon=0.3, alpha=0.3)
    returns = learner.returns(chain.start(), 10)
    assert returns == pytest.approx([naive.episode(chain.start()) for _ in range(10)])
    for place in range(chain.LAST + 1):
        found = learner.values(chain.start(place), chain.actions(place))
        assert found == pytest.approx([naive.q[place, action] for action in chain.actions(place)])
    assert learner.learnt.episodes == 10
    assert learner.model.pairs == sorted(set(learner.model.pairs), key=learner.model.pairs.index)


def test_it_finds_the_optimal_values():
    learner = DynaQ(Tabular(method="q-learning", alpha=0.01, epsilon=0.5), planning=30, seed=1)
    learner.learn(chain.start(), 2500)
    for place, expected in enumerate(chain.optimal()):
        assert learner.values(chain.start(place), chain.actions(place)) == pytest.approx(expected, abs=0.6)


@pytest.mark.small
def test_wrong_input_gets_a_sentence():
    with pytest.raises(InputError, match="planning: -1"):
        DynaQ(planning=-1)
    with pytest.raises(InputError, match="not by sarsa"):
        DynaQ(Tabular(method="sarsa"))
    with pytest.raises(InputError, match="full with 4 pairs"):
        DynaQ(Tabular(method="q-learning", capacity=4, epsilon=1.0), seed=1).learn(chain.start(), 50)
    with pytest.raises(InputError, match="full with 3 states"):
        DynaQ(Tabular(method="q-learning", epsilon=1.0), model=Model(states=3), seed=1).learn(
            chain.start(), 9
        )
