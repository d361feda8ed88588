"""The rules of Go, against three witnesses: a naive engine, drawings, and the number of legal positions."""

import random
from collections import Counter

import numpy as np
import pytest
from draw import COLORS, board, empty_board, points, show, tidy, to_place, to_point
from hypothesis import given, settings
from hypothesis import strategies as st
from naive.go import Go

from playout.games.api import is_legal, is_over, legal_moves, outcome, play
from playout.games.go import rules
from playout.games.go.state import (
    AREA,
    BLACK,
    COUNT_BITS,
    EDGE,
    EMPTY,
    PASS,
    POINTS,
    STATE,
    SUM_BITS,
    WHITE,
    ZOBRIST,
    in_atari,
    look_around,
    only_liberty,
)
from playout.kernel import kernel


@pytest.fixture(autouse=True)
def wrapping_arithmetic():
    """Uncompiled, NumPy warns of the wrap-around that packed sums and hashes rely on."""
    with np.errstate(all="ignore"):
        yield


# ---------------------------------------------------------------------------------------------------
# What the tests know of the record: how to read it.


@kernel
def ask(state, legal, moves, around, eyes, only):
    """Everything the engine says of each point, in one call."""
    for point in range(POINTS):
        p = np.uint32(point)
        legal[p] = is_legal(state, p)
        color = state.color[p]
        if color != EDGE:
            around[p] = look_around(state, p)
        if color == EMPTY:
            eyes[p] = rules.is_eye(state.around[p], BLACK) + 2 * rules.is_eye(state.around[p], WHITE)
        elif color != EDGE:
            head = np.uint32(state.chain[p])
            only[p] = only_liberty(state, head) if in_atari(state, head) else 0
    return legal_moves(state, moves)


class Answers:
    """A record and what the engine says of it, as Python numbers and lists indexed by point."""

    def __init__(self, state):
        legal, eyes = np.zeros(POINTS, np.uint8), np.zeros(POINTS, np.uint8)
        around, only = np.zeros(POINTS, np.uint16), np.zeros(POINTS, np.uint16)
        moves = np.zeros(AREA + 1, np.uint16)
        count = ask(state, legal, moves, around, eyes, only)
        self.legal = set(np.flatnonzero(legal).tolist())
        self.legal_moves = moves[:count].tolist()
        self.eyes, self.only_liberty, self.seen_around = eyes.tolist(), only.tolist(), around.tolist()
        for field in ("around", "chain", "color", "empty", "following", "liberties", "place", "stones"):
            setattr(self, field, state[field].tolist())
        for field in ("ko", "margin", "n_empty", "to_play", "zobrist"):
            setattr(self, field, int(state[field]))
        self.area_score = rules.area_score(state)


KEYS = ZOBRIST.tolist()


def unpack(liberties: int) -> tuple[int, int, int]:
    """How many pseudo-liberties, the sum of their points, and the sum of their squares."""
    total = liberties >> COUNT_BITS
    return liberties & ((1 << COUNT_BITS) - 1), total & ((1 << SUM_BITS) - 1), total >> SUM_BITS


def circle(following: list[int], start: int) -> list[int]:
    """The stones of a chain in the order of its circular list."""
    stones = [start]
    while following[stones[-1]] != start:
        stones.append(following[stones[-1]])
    return stones


# ---------------------------------------------------------------------------------------------------
# Random games against the naive engine.


def compare(state, game: Go, hashes: dict[str, int]) -> None:
    """Assert that the record is the naive engine's position in everything it holds."""
    engine = Answers(state)
    on_board = [to_point(*place) for place in game.board]
    colors = {to_point(*place): COLORS.get(letter, EMPTY) for place, letter in game.board.items()}
    assert {p: c for p, c in enumerate(engine.color) if c != EDGE} == colors
    assert engine.to_play == COLORS[game.to_play]
    assert engine.ko == (to_point(*game.ko) if game.ko else 0)
    assert engine.margin == game.margin()
    assert engine.area_score == game.area_score()
    assert is_over(state) == game.is_over()

    legal = {to_point(*place) for place in game.legal_points()} | {PASS}
    assert engine.legal == legal
    assert sorted(engine.legal_moves) == sorted(legal)

    empty = [p for p in on_board if colors[p] == EMPTY]
    assert sorted(engine.empty[: engine.n_empty]) == empty
    assert all(engine.empty[engine.place[p]] == p for p in empty)
    for p in empty:
        place = to_place(p)
        assert engine.eyes[p] == game.is_eye(place, "X") + 2 * game.is_eye(place, "O")

    for stones, liberties in game.chains():
        members = {to_point(*stone) for stone in stones}
        (head,) = {engine.chain[p] for p in members}
        assert head in members
        assert engine.stones[head] == len(members)
        assert sorted(circle(engine.following, head)) == sorted(members)
        pseudo = [to_point(*n) for stone in stones for n in game.neighbours(stone) if n in liberties]
        assert unpack(engine.liberties[head]) == (len(pseudo), sum(pseudo), sum(p * p for p in pseudo))
        assert engine.only_liberty[head] == (to_point(*min(liberties)) if len(liberties) == 1 else 0)

    assert all(engine.around[p] == engine.seen_around[p] for p in on_board)
    scratch = 0
    for p in on_board:
        scratch ^= KEYS[colors[p]][p]
    assert engine.zobrist == scratch
    assert hashes.setdefault(str(game), engine.zobrist) == engine.zobrist


def play_both(side, suicide, eye_filling, passes, rng, hashes) -> Counter[str]:
    """A random game in both engines, compared after every move and stopped after 3 moves a point.

    Returns how often it came to what makes Go hard.
    """
    state, game = empty_board(side, suicide), Go(side, suicide)
    record, events = [], Counter()
    try:
        compare(state, game, hashes)
        while not game.is_over() and len(record) < 3 * side * side:
            choices = game.legal_points() if eye_filling else game.policy_moves()
            move = rng.choice(choices) if choices and rng.random() >= passes else None
            record.append(move)
            if move:
                _, taken, lost = game.result(move)
                events.update(captures=len(taken) > 1, suicides=len(lost) > 1)
            game.play(move)
            play(state, to_point(*move) if move else PASS)
            compare(state, game, hashes)
            events.update(kos=game.ko is not None)
    except AssertionError as error:
        raise AssertionError(f"{error}\nsuicide={suicide}, after {record}:\n{game}") from error
    events.update(games=1, ended=game.is_over())
    return events


BATCH = 20
GAMES = {2: 2400, 3: 3000, 4: 2400, 5: 1400, 6: 400, 7: 240, 8: 100, 9: 80}


@pytest.mark.parametrize("side", GAMES)
def test_random_games_agree_with_the_naive_engine(side):
    assert sum(GAMES.values()) >= 10_000
    events: Counter[str] = Counter()
    hashes: dict[str, int] = {}

    @settings(max_examples=GAMES[side] // BATCH, deadline=None)
    @given(
        seed=st.integers(0, 2**32 - 1),
        suicide=st.booleans(),
        eye_filling=st.booleans(),
        passes=st.sampled_from([0.0, 0.03, 0.2]),
    )
    def play_a_batch(seed, suicide, eye_filling, passes):
        rng = random.Random(seed)
        for _ in range(BATCH):
            events.update(play_both(side, suicide, eye_filling, passes, rng, hashes))

    play_a_batch()
    assert events["games"] >= GAMES[side]
    assert len(set(hashes.values())) == len(hashes), "two positions with one hash"
    # The witness is worth something only if its games see the hard rules; 2×2 has no room for a ko.
    assert all(events[name] for name in ("captures", "suicides", "ended"))
    assert events["kos"] or side == 2


@pytest.mark.small
@pytest.mark.parametrize("suicide", [False, True])
@pytest.mark.parametrize("side", [2, 3, 4])
def test_a_random_game_agrees_with_the_naive_engine(side, suicide):
    assert play_both(side, suicide, True, 0.0, random.Random(side), {})["games"] == 1


# ---------------------------------------------------------------------------------------------------
# Drawn positions.

KO = """
    . X O . .
    X O a O .
    . X O . .
    . . . . s
    . . . . t"""


@pytest.mark.small
def test_a_ko_may_not_be_retaken_at_once():
    b = board(KO, to_play="X")
    play(b, points(KO)["a"])
    taken = to_point(1, 1)
    assert show(b) == tidy("""
        . X O . .
        X . X O .
        . X O . .
        . . . . .
        . . . . .""")
    assert not is_legal(b, taken)
    play(b, points(KO)["s"])
    play(b, points(KO)["t"])
    assert is_legal(b, taken)


@pytest.mark.small
def test_a_pass_lifts_the_ko():
    b = board(KO, to_play="X")
    play(b, points(KO)["a"])
    play(b, PASS)
    assert b.ko == 0


@pytest.mark.small
def test_a_stone_taken_by_two_is_no_ko():
    text = """
        . X O . .
        X O a O .
        . X X O .
        . . O . .
        . . . . ."""
    b = board(text, to_play="X")
    play(b, points(text)["a"])
    assert b.ko == 0
    assert is_legal(b, to_point(1, 1)) == Go.drawn(show(b), "O").is_legal((1, 1))


@pytest.mark.small
def test_two_stones_taken_one_each_are_no_ko():
    text = """
        . X O . .
        X O a O .
        . X O X .
        . O X . .
        . . . . ."""
    b = board(text.replace("O a O", "O a X"), to_play="X")
    assert show(b)


@pytest.mark.small
def test_a_snapback_is_no_ko():
    text = """
        X O a O X
        X O b O X
        X X X X X
        . . . . .
        . . . . ."""
    b, at = board(text, to_play="X"), points(text)
    play(b, at["a"])
    play(b, at["b"])
    assert show(b) == tidy("""
        X O . O X
        X O O O X
        X X X X X
        . . . . .
        . . . . .""")
    assert is_legal(b, at["a"])
    play(b, at["a"])
    assert show(b) == tidy("""
        X . X . X
        X . . . X
        X X X X X
        . . . . .
        . . . . .""")
