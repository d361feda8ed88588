"""The promised rate of false stops holds, and GNU Backgammon's rule breaks it on the same trials."""

import json

import numpy as np
import pytest

from playout.cli import main
from playout.reproduce.false_stops import (
    KINDS,
    POINTS,
    Dice,
    FalseStops,
    JointDeviations,
    chances_of,
    measure,
)


def test_the_promised_rate_holds_over_two_thousand_decisions():
    """Close candidates with dice of their own, the hardest; a promise of 10 %, so that some may fail."""
    settings = FalseStops(decisions=2000, most=4, gap=0.003, shared=0.2, trials=1500, confidence=0.9)
    ours, theirs = measure(settings)
    assert ours.decisions == theirs.decisions == 2000
    assert ours.interval[1] < 0.1
    assert ours.decided > 20
    assert theirs.rate > 2 * ours.rate
    assert theirs.interval[0] > 0.03


def test_common_dice_and_a_margin_keep_it_too():
    for changes in ({"shared": 1.0, "gap": 0.02}, {"margin": 0.2, "gap": 0.1, "most": 6}):
        ours, _ = measure(FalseStops(decisions=300, trials=1200, confidence=0.8, **{"most": 3, **changes}))
        assert ours.interval[1] < 0.2
        assert ours.decided > 30


def test_simulated_candidates_have_the_means_that_are_said():
    rng = np.random.default_rng(1)
    for _ in range(20):
        chances = chances_of(FalseStops(), rng)
        assert chances.sum(axis=1) == pytest.approx(1)
        assert (np.diff(chances @ POINTS) <= 0).all()  # the best comes first
    values = Dice(chances, 0.7, rng).roll(40_000)
    assert values.mean(axis=1) == pytest.approx(chances @ POINTS, abs=0.05)
    assert np.corrcoef(values[:2])[0, 1] > 0.4  # common dice
    assert abs(np.corrcoef(Dice(chances, 0.0, rng).roll(40_000)[:2])[0, 1]) < 0.05


def test_gnu_backgammons_rule_is_as_described():
    """Out: who is 2.5 joint standard deviations behind, from 144 trials on."""
    rng = np.random.default_rng(1)
    values = rng.normal(size=(2, 288))
    values -= values.mean(axis=1, keepdims=True)
    joint = np.sqrt((values.var(axis=1) / 287).sum())
    for gap, left in ((2.45, 2), (2.55, 1)):
        rule = JointDeviations(2)
        rule.add(values[:, :100] + np.array([[0], [-100.0]]))
        assert rule.active.size == 2  # too soon
        rule = JointDeviations(2)
        rule.add(values + np.array([[gap * joint], [0.0]]))
        assert rule.active.size == left


def test_the_command_prints_both_rules_for_every_kind_of_decision(capsys):
    assert main(["reproduce", "false-stops", "--decisions", "2", "--trials", "200", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert set(told) == set(KINDS)
    for ours, theirs in told.values():
        assert (ours["rule"], theirs["rule"]) == ("playout", "GNU Backgammon")
        assert ours["decisions"] == 2
        assert 0 <= ours["interval"][0] <= ours["rate"] <= ours["interval"][1] <= 1
    assert main(["reproduce", "false-stops", "--decisions", "2", "--trials", "200"]) == 0
    assert "GNU Backgammon" in capsys.readouterr().out


def test_pruning_chooses_as_the_whole_rollout_does_and_saves_trials(capsys, tmp_path):
    """On openings, where plays differ much: nearly always the same play, for a part of the trials."""
    suite = tmp_path / "openings.jsonl"
    rolls = [(3, 1), (6, 1), (4, 2), (5, 3), (6, 5), (2, 1), (4, 1), (6, 4)]
    lines = [{"position": "4HPwATDgc/ABMA", "dice": roll, "right": ["24/23"]} for roll in rolls]
    for line, (large, small) in zip(lines, rolls, strict=True):
        line["right"] = [f"13/{13 - large - small}"]
    suite.write_text("\n".join(json.dumps(line) for line in lines))
    words = ["reproduce", "pruning", str(suite), "--player", "rollout:base=lin1,trials=2000", "--json"]
    assert main(words) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["positions"] == 8
    assert found["same"] >= 7 / 8
    assert 0 <= found["lost"] < 0.01
    assert found["trials"] < found["all_trials"]
    assert found["saved"] > 0.2
    assert main([*words[:-1], "--first", "1"]) == 0
    assert capsys.readouterr().out.startswith("1 of 1 plays are those of the whole rollouts")
    assert main([*words[:3], "--player", "flat"]) == 2
    assert "player flat makes no rollouts" in capsys.readouterr().err
