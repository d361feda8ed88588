"""The rules of our policies speak of features of moves: what a rule suggests has one of its features."""

import numpy as np
import pytest
from naive import mango, tactical
from naive import move_features as naive
from naive.go import Go

from playout.games.go.policy.move_features import SIMULATIONS, names_for, simulation_names

PATTERNS = {n.removeprefix("pattern ") for n in simulation_names() if n.startswith("pattern ")}
# By rule of `tactical` and term of MANGO's urgency; docs/adjusting.md has them as a table.
FEATURES = {
    "vital_points": {"vital"},
    "capture_last": {"capture_last"},
    "rescue": {"escape", "big_escape", "capture_saves"},
    "attack": {"catch_last"},
    "defend": {"extend", "capture", "big_capture"},
    "match_patterns": {"distance 2", "distance 3"},
    "capture_any": {"capture", "big_capture"},
    "capture_value": {"capture", "big_capture"},
    "escape_value": {"escape", "big_escape", "run", "hopeless"},  # MANGO reads no ladder
}


def suggested(game, last, rule):
    if rule.endswith("_value"):
        worth = {name: float(name == rule) for name in ("capture_value", "escape_value")}
        points = [p for p in game.legal_points() if mango.capture_escape(game, p, *worth.values()) > 0]
        return set(points)
    return tactical.rule_moves(game, last, rule)


@pytest.mark.parametrize("rule", FEATURES)
def test_what_a_rule_suggests_has_one_of_its_features(rule):
    assert FEATURES[rule] <= set(names_for(SIMULATIONS))
    seen = 0
    for seed in range(12):
        dice = np.random.default_rng(seed)
        game, last, before = Go(5), None, None
        for _ in range(50):
            if game.is_over():
                break
            if last is not None:
                for move in suggested(game, last, rule):
                    found = naive.features(game, move, last, before, PATTERNS)
                    assert found & FEATURES[rule], (str(game), game.to_play, move, found)
                    seen += 1
            moves = game.policy_moves()
            last, before = moves[dice.integers(len(moves))], last
            game.play(last)
    assert seen >= 5
