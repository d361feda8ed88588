"""Values of 3×3 patterns: classes up to symmetry, drawings, and the file that is shipped."""

import numpy as np
import pytest

from playout.games.go.policy import pattern_values as learnt
from playout.games.go.policy.patterns import SHIFTS
from playout.games.go.state import BLACK, WHITE


def code_of(text):
    """The view that a drawing shows, X Black and O White."""
    rows = text.split()
    return sum(
        ".XO#".index(rows[row][column]) << shift
        for row, line in enumerate(SHIFTS)
        for column, shift in enumerate(line)
        if shift is not None
    )


def symmetric(text):
    """A drawing turned and mirrored in all eight ways."""
    square = np.array([list(row) for row in text.split()])
    for start in (square, square.T):
        for turn in range(4):
            yield " ".join("".join(row) for row in np.rot90(start, turn))


@pytest.mark.parametrize("text", ["XO. ... ###", "XO. X.. #O.", "... O.X X..", "#.. #.X ###"])
def test_turns_mirrors_and_colours_share_a_class(text):
    views = {int(learnt.classes()[code_of(view)]) for view in symmetric(text)}
    assert len(views) == 1
    swapped = text.translate(str.maketrans("XO", "OX"))
    assert int(learnt.classes_for(np.array([code_of(swapped)]), WHITE)[0]) in views
    assert int(learnt.classes_for(np.array([code_of(text)]), BLACK)[0]) in views


def test_a_drawing_is_its_view():
    for code in learnt.real_classes():
        assert code_of(learnt.drawing(code)) == code


def test_there_are_as_many_classes_as_burnside_counts():
    """Colourings of 8, 5 and 3 neighbours by three colours, up to the symmetries that keep the edge."""
    middle = (3**8 + 2 * 3**2 + 3**4 + 4 * 3**5) // 8
    side = (3**5 + 3**3) // 2
    corner = (3**3 + 3**2) // 2
    assert len(learnt.real_classes()) == middle + side + corner


def test_the_shipped_values_are_complete_and_in_range():
    values = learnt.shipped()
    assert set(values.patterns) <= {learnt.drawing(code) for code in learnt.real_classes()}
    assert min(values.patterns.values()) >= 1
    assert max(values.patterns.values()) == learnt.HIGHEST
    assert {"command", "games", "choices", "version"} <= set(values.how)
    assert len(values.patterns) > 900


def test_what_was_learnt_is_go():
    """A hane is better than a move with nothing around it, an empty triangle worse."""
    patterns = learnt.shipped().patterns
    hane, nothing, triangle = (
        next(patterns[view] for view in symmetric(text) if view in patterns)
        for text in ("XO. ... ...", "... ... ...", "XX. X.. ...")
    )
    assert hane > 3 * nothing
    assert triangle < nothing


def test_the_table_has_the_values_of_the_file_for_both_players():
    values = learnt.shipped()
    table = learnt.table(values)
    for text, value in values.patterns.items():
        for view in symmetric(text):
            swapped = view.translate(str.maketrans("XO", "OX"))
            assert table[code_of(view), BLACK - 1] == value
            assert table[code_of(swapped), WHITE - 1] == value


def test_a_file_is_read_as_it_was_written():
    values = learnt.Values({"... ... ...": 2.5}, 1.5, {1: 0.5}, {2: 3.0}, {"games": 1})
    assert learnt.Values.from_text(values.text()) == values
