"""RLGO's own weights, where they are at hand, have the values that RLGO gives: its program as a witness.

The file is not ours and does not come along: the tests look for it beside the checkout.
"""

import numpy as np
import pytest
from places import ROOT

from playout.games.go.board import Board
from playout.games.go.memory.shapes import SYMMETRIES, Shapes, features_of, moved
from playout.games.go.memory.short_term import ShortTerm
from playout.games.go.memory.store import Weights
from playout.games.go.policy import Mogo
from playout.player.registry import make_player
from playout.search.td_search import TDSearch, TDSettings

FILE = ROOT.parent / "shared" / "rlgo" / "SharedShapes-3x3.w"
SIDE = 9
FIRST = {1: 0, 2: 243, 3: 5427}  # where the features of a size begin, before any are shared
LINES = 3  # of text at the head of the file

pytestmark = pytest.mark.skipif(not FILE.exists(), reason="RLGO's weights are not here")


def members(size, sharing, place, cells):
    """The numbers of a shape's images, and of its images with colours exchanged; cells: rows from the top."""
    plain, exchanged = [], []
    span = SIDE + 1 - size
    for symmetry in SYMMETRIES:
        image = np.empty_like(cells)
        for r in range(size):
            for c in range(size):
                image[moved(symmetry, r, c, size - 1)] = cells[r, c]
        row, column = moved(symmetry, *place, SIDE - size) if place is not None else (SIDE - size, 0)
        x, y = column, SIDE - size - row  # from A1 on
        for found, colours in ((plain, image), (exchanged, np.array([0, 2, 1])[image])):
            code = sum(
                int(colours[size - 1 - j, i]) * 3 ** (j * size + i) for j in range(size) for i in range(size)
            )
            found.append(FIRST[size] + (y * span + x) * 3 ** (size * size) + code)
    return min(plain), min(exchanged)


@pytest.fixture(scope="module")
def rlgo(tmp_path_factory):
    """The weights in a file of ours: a class is numbered by its lowest member, sets one after the other."""
    content = FILE.read_bytes()
    start = 0
    for _ in range(LINES):
        start = content.index(b"\n", start) + 1
    theirs = np.frombuffer(content[start:], "<f4")
    features = features_of(Shapes(side=SIDE))
    assert theirs.size == features.unique == 63_303
    theta = np.zeros(features.unique, np.float32)
    done = 0
    for size in (1, 2, 3):
        for sharing in ("independent", "dependent"):
            lowest = {}
            for block in features.blocks:
                if (block.size, block.sharing) == (size, sharing):
                    for number in range(block.first, block.first + block.weights):
                        shape = features.example(number)
                        cells = np.array([[".XO".index(letter) for letter in row] for row in shape.rows()])
                        same, other = members(size, sharing, shape.place, cells)
                        lowest[min(same, other)] = number, 1 if same < other else -1
            for k, low in enumerate(sorted(lowest)):
                number, sign = lowest[low]
                theta[number] = sign * theirs[done + k]
            done += len(lowest)
    path = tmp_path_factory.mktemp("rlgo") / "rlgo.npz"
    Weights(Shapes(side=SIDE), theta, {"learner": {}}).save(path)
    return path


def test_values_are_those_of_rlgo(rlgo):
    player = make_player(f"shapes:weights={rlgo}")
    board = Board(SIDE)
    moves, values = player.values(board)
    found = {board.spell(move): float(value) for move, value in zip(moves, values, strict=True)}
    for move, value in (("E5", 0.6466), ("D4", 0.6726), ("A1", 0.2438)):
        assert found[move] == pytest.approx(value, abs=5e-4)
    assert max(found, key=found.__getitem__) in ("D4", "D6", "F4", "F6")
    board.play("E5").play("C3")
    moves, values = player.values(board)
    assert float(values[moves.index(board.parse("E6"))]) == pytest.approx(0.3721, abs=5e-4)


def test_they_serve_as_long_term_memory(rlgo):
    search = TDSearch(ShortTerm(long_term=str(rlgo)), Mogo(), TDSettings(), seed=1)
    search.start(Board(SIDE).simulation_root())
    board = Board(SIDE)
    value = 1 / (1 + np.exp(-0.6466))
    assert search.values([board.parse("E5")]) == pytest.approx([value], abs=2e-4)
