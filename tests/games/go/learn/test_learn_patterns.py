"""Learning pattern values: what a position shows, and what comes out of choices that are known."""

import numpy as np
from draw import to_point

from playout.games.go.board import Board
from playout.games.go.learn import patterns
from playout.games.go.policy.pattern_values import Values, drawing, real_classes


def test_a_choice_is_seen_as_it_stands():
    board = Board.from_text(
        """
        . . . . .
        . X O . .
        X O X . .
        . . X . .
        . . . . .""",
        to_play="X",
    ).play("A5", "W")
    taking = to_point(3, 1)
    found = patterns.choice(board, taking)
    rows = {int(p): row for p, row in zip(_moves(board), found.moves, strict=True)}
    assert found.moves[found.chosen].tolist() == rows[taking].tolist()
    pattern, line, apart, captures, escapes = rows[taking]
    assert (line, captures, escapes) == (2, 1, 0)
    assert apart == 3 + 1 + 3  # three rows down and one column to the side of A5
    assert drawing(int(pattern)).count("X") == 3


def _moves(board):
    buffer = np.zeros(400, np.uint16)
    count = patterns.tree_moves(board.simulation_root()[0], buffer)
    return buffer[: count - 1]


def test_no_choice_is_none():
    assert patterns.choice(Board(5), 0) is None


def test_a_preference_is_learnt_whatever_stands_beside_it():
    """Someone always prefers one pattern over another, and near moves over far ones."""
    dice = np.random.default_rng(1)
    good, bad, other = real_classes()[:3]
    choices = []
    for _ in range(3000):
        moves = np.zeros((8, 5), int)
        moves[:, 0] = dice.choice([good, bad, other], 8)
        moves[:, 1] = 5
        moves[:, 2] = dice.choice([2, 20], 8)
        worth = np.where(moves[:, 0] == good, 20.0, np.where(moves[:, 0] == bad, 0.1, 1.0))
        worth *= np.where(moves[:, 2] == 2, 6.0, 1.0)
        choices.append(patterns.Choice(moves, int(dice.choice(8, p=worth / worth.sum()))))
    values = patterns.learn(choices)
    assert values.patterns[drawing(good)] == 2433
    assert 100 < values.patterns[drawing(other)] < 150  # a twentieth
    assert 8 < values.patterns[drawing(bad)] < 16  # a two-hundredth
    assert 5 < values.distances[2] < 7


def test_self_play_makes_choices_of_whole_games():
    first, second = patterns.self_play(2, 30, 5, seed=1)
    assert len(first) > 3
    assert all(0 <= c.chosen < len(c.moves) for c in first + second)
    again = next(iter(patterns.self_play(1, 30, 5, seed=1)))
    assert [c.chosen for c in again] == [c.chosen for c in first]


def test_the_command_writes_a_file_that_can_be_read(tmp_path, capsys):
    target = tmp_path / "values.json"
    patterns.main(["--games", "2", "--sims", "20", "--size", "5", "--output", str(target)])
    values = Values.from_text(target.read_text("utf-8"))
    assert values.how["games"] == 2
    assert max(values.patterns.values()) == 2433
    assert "2 games" in capsys.readouterr().err
