"""Each feature of simulations on drawn boards: at every point a yes or a no.

X or O is to play after a move of the other at l (or after none). The points with an a have the feature, the
others do not.
"""

import numpy as np
import pytest
from draw import board, grid, to_point

from playout.games.api import play
from playout.games.go.policy.feature_policy import FeaturePolicy
from playout.games.go.policy.feature_softmax import COUNT
from playout.games.go.policy.move_features import PRIOR, SIMULATIONS, TABLE, names_for, simulation_names
from playout.kernel import kernel
from playout.policy.softmax import collect, credit, forget, probability

NAMES = simulation_names()
BOARDS = {
    "capture": ("X", "O X . . . / a X . . . / X . . . . / . . . . . / . . . . l"),
    "big_capture": ("X", "O O a . . / X X . . . / . . . . . / . . . . . / . . . . l"),
    "capture_last": ("X", ". . . . . / . X . . . / X l a . . / . X . . . / . . . . ."),
    "capture_saves": ("X", "X O a . . / . X . . . / . . . . . / . . . . . / . . . . ."),
    "self_atari": ("X", "a O . . . / . . . . . / . . . . . / . . . . . / . . . . ."),
    "big_self_atari": ("X", "X a O . . / O . . . . / . . . . . / . . . . . / . . . . ."),
    "escape": ("X", ". . . . . / . O . . . / O X a . . / . l . . . / . . . . ."),
    "big_escape": ("X", ". O O . . / O X X a . / . O l . . / . . . . . / . . . . ."),
    "hopeless": ("X", "X l . . . / a . O . . / . O . . . / . . . . . / . . . . ."),
    "run": ("X", ". . . . . / . O . . . / O X a . . / . O . . . / . . . . l"),
    "extend": ("X", ". . . . . / . . a . . / . O X a . / . . l . . / . . . . ."),
    "atari_last": ("X", ". . . . . / . X . . . / X l a . . / . a . . . / . . . . ."),
    "catch_last": ("X", ". a l a . / . . X . . / . . . . . / . . . . . / . . . . ."),
    "race": ("O", ". . . . . / . . . . . / a X X X . / l O O X . / X a O . ."),
    "vital": ("X", ". a . l . / O O O O . / . . . . . / . . . . . / . . . . ."),
    "connect": ("X", ". . . . . / . . . . . / . X a X . / . . . . . / . . . . ."),
    "cut": ("X", ". . . . . / . . . . . / . O a O . / . . . . . / . . . . ."),
    "corner 1-1": ("X", "a . . . a / . . . . . / . . X . . / . . . . . / a . . . a"),
    "corner 2-1": ("X", ". a . a . / a . . . a / . . X . . / a . . . a / . a . a ."),
    "corner 2-2": ("X", ". . . . . / . a . a . / . . X . . / . a . a . / . . . . ."),
    "line 1": ("X", ". . a . . / . . . . . / a . X . a / . . . . . / . . a . ."),
    "line 2": ("X", ". . . . . / . . a . . / . a . a . / . . a . . / . . . . ."),
    "line 3": ("X", ". . . . . / . . . . . / . . a . . / . . . . . / . . . . ."),
    "line 4": ("X", " / ".join([*[". . . . . . ."] * 3, ". . . a . . .", *[". . . . . . ."] * 3])),
    "line 5": (
        "X",
        " / ".join([*[". . . . . . . . ."] * 4, ". . . . a . . . .", *[". . . . . . . . ."] * 4]),
    ),
    "distance 2": ("X", ". . . . . / . . a . . / . a l a . / . . a . . / . . . . ."),
    "distance 3": ("X", ". . . . . / . a . a . / . . l . . / . a . a . / . . . . ."),
    "distance 4": ("X", ". . a . . / . . . . . / a . l . a / . . . . . / . . a . ."),
}


@kernel
def describe(policies, state, actions, chances, table):
    number = probability(policies[0], state, actions, chances)
    for k in range(number):
        forget(policies[0])
        credit(policies[0], state, actions[k], 1.0)
        collect(policies[0], 1.0, 1.0, table[actions[k]])
    return number


def having(text, to_play):
    """By feature: the places that have it; and all places that may be played."""
    text = text.replace("/", "\n")
    rows = grid(text)
    places = [(r, c) for r, row in enumerate(rows) for c in range(len(row))]
    last = [place for place in places if rows[place[0]][place[1]] == "l"]
    state = board(text, to_play if not last else {"X": "O", "O": "X"}[to_play])
    if last:
        play(state, to_point(*last[0]))
    actions, chances, table = np.zeros(400, np.uint16), np.zeros(400), np.zeros((450, COUNT))
    describe(FeaturePolicy(len(rows)).records, state, actions, chances, table)
    found = {
        name: {place for place in places if table[to_point(*place), k]} for k, name in enumerate(NAMES[:40])
    }
    return found, {place for place in places if rows[place[0]][place[1]] == "a"}


@pytest.mark.small
@pytest.mark.parametrize("name", BOARDS)
def test_who_has_it_and_who_has_not(name):
    to_play, text = BOARDS[name]
    found, expected = having(text, to_play)
    assert found[name] == expected


def test_a_ladder_needs_room_or_none():
    """A stone with two liberties in the middle of nothing is caught from neither side; at the edge it is."""
    free, _ = having(". . . . . . / . . X . . . / . X l . . . / . . . . . . / . . . . . . / . . . . . .", "X")
    assert free["atari_last"]
    caught, _ = having("l . . . . / X . . . . / . . . . . / . . . . . / . . . . .", "X")
    assert caught["atari_last"] == set()  # in the corner it has one liberty: it is captured
    edge, _ = having(". X l . . . / . . X . . . / . . . . . . / . . . . . . / . . . . . . / . . . . . .", "X")
    assert edge["capture"] == {(0, 3)}


@pytest.mark.small
def test_the_table_is_whole_and_every_feature_is_explained():
    assert len({feature.name for feature in TABLE}) == len(TABLE)
    assert all(feature.meaning for feature in TABLE)
    assert set(names_for(SIMULATIONS)) | set(names_for(PRIOR)) == {feature.name for feature in TABLE}
    drawn = sum(len(text.replace("/", " ").split()) for _, text in BOARDS.values())
    assert drawn >= 500  # yes or no at so many points
