"""Local shape features: how many there are, who shares with whom."""

import pytest
from naive import shapes as naive

from playout.errors import InputError
from playout.games.go.memory.shapes import Features, Shapes, parse_sizes

pytestmark = pytest.mark.small


def test_the_counts_of_table_5_1():
    features = Features(Shapes(side=9))
    by_size = features.facts()["by_size"]
    assert by_size["1"] == {"total": 243, "max_active": 81, "independent": 1, "dependent": 15}
    assert by_size["2"] == {"total": 5184, "max_active": 64, "independent": 8, "dependent": 344}
    assert by_size["3"] == {"total": 964_467, "max_active": 49, "independent": 1418, "dependent": 61_517}
    assert (features.total, features.unique, features.max_active) == (969_894, 63_303, 388)


@pytest.mark.parametrize(("side", "weights"), [(5, 107), (6, 155)])
def test_the_counts_of_small_boards(side, weights):
    assert Features(Shapes(side=side, sizes=(1, 2))).unique == weights


@pytest.mark.parametrize("side", [2, 3, 4, 5])
@pytest.mark.parametrize("rule", ["dependent", "independent", "none"])
def test_the_counts_are_the_naive_ones(side, rule):
    for size in (1, 2):
        assert Features(Shapes(side=side, sizes=(size,), sharing=rule)).unique == naive.unique(
            side, size, rule
        )


@pytest.mark.slow
def test_the_counts_of_3x3_shapes_are_the_naive_ones():
    for rule, weights in (
        ("independent", 1418),
        ("dependent", Features(Shapes(side=4, sizes=(3,))).unique - 1418),
    ):
        assert naive.unique(4, 3, rule) == weights


def test_without_sharing_every_feature_has_a_weight():
    features = Features(Shapes(side=5, sharing="none"))
    assert features.unique == features.total


@pytest.mark.parametrize(
    ("colour", "stage", "sets"), [("either", 0, 1), ("own", 0, 2), ("all", 0, 3), ("own", 10, 10)]
)
def test_sets_for_colours_and_stages(colour, stage, sets):
    features = Features(Shapes(side=5, sizes=(1,), colour=colour, stage=stage))
    assert features.sets == sets
    assert features.unique == 7 * sets


@pytest.mark.parametrize("rule", ["both", "dependent", "independent", "none"])
def test_an_example_has_the_weight_it_is_an_example_of(rule):
    features = Features(Shapes(side=5, sizes=(1, 2), sharing=rule))
    seen = set()
    for weight in range(features.unique):
        shape = features.example(weight)
        name, sign = naive.sharing(
            (shape.size, *(shape.place or (0, 0)), "".join(shape.rows())), 5, shape.sharing
        )
        assert sign != 0
        seen.add((shape.sharing, name))
    assert len(seen) == features.unique


def test_theta_and_pairs():
    features = Features(Shapes(side=3, sizes=(1, 2), colour="all"))
    theta = [float(k) for k in range(features.unique)]
    pairs = features.pairs(theta)
    assert features.theta(pairs).tolist() == theta
    assert (pairs[0::2] == -pairs[1::2]).all()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"sizes": ()}, "sizes: no size"),
        ({"sizes": (4,)}, "sizes: 4 is not one of 1, 2, 3"),
        ({"sizes": (1, 1)}, "twice"),
        ({"side": 2, "sizes": (3,)}, "does not fit"),
        ({"side": 20}, "board size"),
        ({"sharing": "indepndent"}, "did you mean independent"),
        ({"colour": "red"}, "colour: 'red'"),
        ({"stage": -1}, "stage: -1"),
    ],
)
def test_wrong_settings_are_refused_by_name(wrong, message):
    with pytest.raises(InputError, match=message):
        Shapes(**wrong)


@pytest.mark.parametrize("words", ["", ",", "1;2", "one", "1,,x", "²"])
def test_wrong_words_for_sizes(words):
    with pytest.raises(InputError, match="sizes"):
        parse_sizes(words)
