"""The look of all pictures: lines that can be told apart, and names that can be read."""

import itertools
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.text import Text

import playout
from playout.picture import COLORS, SMALL, Label, label_ends, line_style, new_figure, spread

SOURCES = Path(playout.__file__).parent


def test_lines_differ_in_more_than_colour():
    looks = [line_style(k) for k in range(28)]
    assert len({(look["color"], look["linestyle"]) for look in looks}) == 28
    assert len({(look["linestyle"], look["marker"]) for look in looks[:8]}) == 8


@pytest.mark.parametrize("points", [1, 5, 101])
def test_a_line_has_some_markers_however_long_it_is(points):
    for k in range(10):
        first, every = line_style(k, points)["markevery"]
        assert 0 <= first < every
        assert 1 <= len(range(first, points, every)) <= 13


@given(st.lists(st.floats(-0.5, 1.5), max_size=12).map(sorted), st.floats(0.01, 0.08))
def test_names_get_their_room_in_order(places, room):
    found = spread(places, room)
    assert len(found) == len(places)
    assert all(high - low >= room - 1e-6 for low, high in itertools.pairwise(found))
    assert all(-1e-6 <= place <= 1 + 1e-6 for place in found)


def test_who_has_room_stays():
    assert spread([0.1, 0.5, 0.9], 0.2) == [0.1, 0.5, 0.9]


@pytest.mark.parametrize("scale", ["linear", "log"])
def test_no_name_lies_over_another(scale):
    figure = new_figure(6, 4)
    axis = figure.subplots()
    axis.set_xscale(scale)
    ends = [0.5, 0.5, 0.51, 0.9, 1.0, 1.0]
    for k, end in enumerate(ends):
        axis.plot([1, 10], [0, end], **line_style(k))
    label_ends(axis, [Label(10, end, f"line {k}", COLORS[k]) for k, end in enumerate(ends)])
    figure.draw_without_rendering()
    boxes = [Text.get_window_extent(text) for text in axis.texts]  # without the line to the end
    assert len(boxes) == len(ends)
    assert all(box.x0 > axis.get_window_extent().x1 for box in boxes)
    assert all(box.x1 <= figure.bbox.x1 for box in boxes)
    assert not any(one.overlaps(other) for one, other in itertools.combinations(boxes, 2))


def test_no_picture_has_colours_or_small_letters_of_its_own():
    for path in SOURCES.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if "new_figure" in text:
            assert not re.findall(r"tab:\w+|\bC\d\b|f\"C\{", text), path
            assert all(int(size) >= SMALL for size in re.findall(r"fontsize=(\d+)", text)), path
