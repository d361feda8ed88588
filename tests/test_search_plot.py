"""The picture of a search: every value and every shape is there, and can be read."""

import itertools

import pytest
from matplotlib.axis import Axis
from matplotlib.text import Text

from playout.games.go.board import Board
from playout.games.go.insight import look_inside
from playout.picture import SMALL
from playout.search_plot import search_figure


def looked(size: int, spec: str, moves: str = "") -> tuple:
    board = Board(size, komi=0.5)
    for move in moves.split():
        board.play(move)
    return look_inside(board, f"{spec}:sims=30,seed=1"), board


def texts(figure) -> list[Text]:
    """All that is written beside the names of ticks."""
    figure.draw_without_rendering()
    ticks = {id(text) for axis in figure.findobj(Axis) for text in axis.findobj(Text)}
    return [text for text in figure.findobj(Text) if text.get_text().strip() and id(text) not in ticks]


@pytest.mark.parametrize(
    ("size", "spec", "moves", "columns"),
    [(5, "dyna2", "C3 C2 D2", 3), (9, "td-search", "E5 C3 G3 C5", 1), (3, "dyna2", "", 3)],
)
def test_it_has_all_values_and_is_legible(size, spec, moves, columns):
    found, board = looked(size, spec, moves)
    figure = search_figure(found, "a game, move 4", 8, not found.standing)
    shown = texts(figure)
    points = [move for move in found.moves if move.move != "pass"]
    numbers = [text for text in shown if text.get_zorder() == 4]
    assert len(numbers) == columns * len(points)
    assert all(text.get_fontsize() >= SMALL for text in shown)
    room = figure.bbox.padded(2)
    boxes = [text.get_window_extent() for text in shown]
    assert all(room.contains(box.x0, box.y0) and room.contains(box.x1, box.y1) for box in boxes)
    pairs = itertools.combinations((box.padded(-1) for box in boxes), 2)
    assert not any(one.overlaps(other) for one, other in pairs)
    head = figure.get_suptitle().replace("\n", " ")
    mover = "White" if board.to_play == 2 else "Black"
    for words in (found.player, "a game, move 4", f"{mover} to move", "30 simulations", found.chosen):
        assert words in head


def test_shapes_have_their_weights_and_whom_they_are_good_for():
    found, _ = looked(5, "dyna2", "C3 C2 D2")
    shown = [text.get_text() for text in texts(search_figure(found, "a game", 3, False))]
    for memory in ("long-term", "short-term", "sum"):
        for shape in found.heaviest(memory, 3):
            weight = shape.of(memory)
            assert f"{'Black' if weight > 0 else 'White'} {abs(weight):.3f}" in shown
