"""The unit of the benchmarks: it plays what it says, it is no part of the rest, and it never changes."""

import ast
import hashlib
from pathlib import Path

import numpy as np
import pytest
from numba import njit
from scipy import stats

from playout import bench, calibrator
from playout.games.go.board import Board
from playout.games.go.coords import point, row_column
from playout.games.go.policy import Uniform
from playout.games.go.rules import area_score
from playout.games.go.state import PASS, STATE
from playout.kernel import new_rng
from playout.search.simulation import evaluate

SOURCE = Path(calibrator.__file__)
FROZEN = "194f1d058362a5412812518a4da270874bc77b1da543c1913eff12c3d694e823"
SURE = 4.5  # standard errors: by chance in one of 150,000 comparisons


def test_it_is_frozen():
    """Its text, not only what it computes: published figures are ratios to its speed."""
    found = hashlib.sha256(SOURCE.read_bytes().replace(b"\r\n", b"\n")).hexdigest()
    assert found == FROZEN, "calibrator.py was edited: that makes another unit, and old figures lose theirs"


def test_it_imports_nothing_of_ours():
    nodes = ast.walk(ast.parse(SOURCE.read_text("utf-8")))
    names = [n.module for n in nodes if isinstance(n, ast.ImportFrom)]
    assert names == ["numba"]


@njit
def step(board, rng, suitable):
    """Which moves may be played, and one that is drawn and made."""
    n = 0
    for k in range(board.n_free):
        if calibrator.may_play(board, np.uint32(board.free[k]), board.turn):
            suitable[n] = board.free[k]
            n += 1
    p = calibrator.draw(board, rng)
    calibrator.play(board, p)
    return p, n, calibrator.lead(board)


@njit
def drawn(board, rng, counts):
    for _ in range(counts.size * 500):
        counts[calibrator.draw(board, rng)] += 1


@njit
def playouts(roots, work, rng, leads, lengths):
    for k in range(leads.size):
        work[0] = roots[0]
        leads[k], lengths[k] = calibrator.playout(work[0], rng)


def empty(side):
    roots = np.zeros(1, calibrator.BOARD)
    roots["side"] = side
    calibrator.reset(roots[0])
    return roots


def number(seed):
    """The first random number of a seed."""
    return np.array([(seed * 0x9E3779B97F4A7C15 + 1) % 2**64], np.uint64)


def ours(p):
    return PASS if p == calibrator.PASS else point(p // calibrator.ROW - 1, p % calibrator.ROW - 1)


def theirs(p):
    row, column = row_column(p)
    return (row + 1) * calibrator.ROW + column + 1


@pytest.mark.parametrize(("side", "games"), [(2, 20), (3, 20), (5, 10), (9, 4), (19, 1)])
def test_its_moves_are_the_legal_ones_that_fill_no_eye(side, games):
    rng, suitable = number(side), np.zeros(400, np.uint16)
    kos = captures = 0
    for _ in range(games):
        work, board, score = empty(side), Board(side, superko="simple"), 0
        while not board.is_over and len(board.moves) < 3 * side * side:
            may = [p for p in board.candidates() if p != PASS]
            p, n, score = step(work[0], rng, suitable)
            assert sorted(map(ours, suitable[:n].tolist())) == sorted(may)
            assert (p == calibrator.PASS) == (not may)
            assert p == calibrator.PASS or ours(p) in may
            before = len(board.stones("B")) + len(board.stones("W"))
            board.play(ours(p))
            stones = {color: board.stones(color) for color in ("B", "W")}
            kos += int(work["ko"][0] != 0)
            captures += int(len(stones["B"]) + len(stones["W"]) < before)
            for color, value in (("B", calibrator.BLACK), ("W", calibrator.WHITE)):
                assert np.flatnonzero(work["colour"][0] == value).tolist() == sorted(
                    map(theirs, stones[color])
                )
        if board.is_over:
            assert score == board.area()
    assert captures > 0
    assert kos > 0 or side == 2


def test_each_move_is_equally_likely():
    rng, suitable = number(7), np.zeros(400, np.uint16)
    for moves in (0, 25, 60, 95):
        work = empty(9)
        for _ in range(moves):
            step(work[0], rng, suitable)
        counts = np.zeros(calibrator.POINTS, np.int64)
        _, n, _ = step(work.copy()[0], rng, suitable)
        assert n > 3
        drawn(work[0], rng, counts)
        assert set(np.flatnonzero(counts).tolist()) == set(suitable[:n].tolist())
        assert stats.chisquare(counts[suitable[:n]]).pvalue > 1e-5


@pytest.mark.parametrize(("side", "count"), [(5, 60_000), (9, 40_000), (13, 12_000), (19, 3_000)])
def test_games_are_as_long_and_end_as_those_of_our_uniform_policy(side, count):
    leads, lengths = np.zeros(count), np.zeros(count)
    playouts(empty(side), empty(side), number(side), leads, lengths)
    root, work, policies, rng = (
        Board(side).simulation_root(),
        np.empty(1, STATE),
        Uniform().record(),
        new_rng(side),
    )
    our_leads, our_lengths = np.zeros(count), np.zeros(count)
    for k in range(count):
        our_lengths[k] = evaluate(root, work, policies, 1, rng)[1]
        our_leads[k] = area_score(work[0])
    for a, b in ((leads, our_leads), (lengths, our_lengths), (leads**2, our_leads**2)):
        error = np.sqrt((a.var() + b.var()) / count)
        assert abs(a.mean() - b.mean()) < SURE * error
    assert stats.ks_2samp(leads, our_leads).pvalue > 1e-5
    assert stats.ks_2samp(lengths, our_lengths).pvalue > 1e-5


def test_a_benchmark_has_a_ratio_without_being_told_a_file(monkeypatch):
    monkeypatch.delenv("PLAYOUT_REFERENCE", raising=False)
    unit = bench.load_reference(bench.find_reference())
    wins, moves = unit(9)(1000)
    assert wins == 1000
    assert 105 < moves / 1000 < 117
    figure = bench.measure("light-5", unit, repeats=1, seconds=0.01)
    assert figure.unit > figure.unit_same_size > 0
