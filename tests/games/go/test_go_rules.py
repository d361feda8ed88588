"""The rules of Go, against two witnesses: a naive engine, and drawings of what Go players know."""

import random
from collections import Counter
from itertools import product

import numpy as np
import pytest
from draw import COLORS, board, empty_board, points, show, tidy, to_place, to_point
from hypothesis import given, settings
from hypothesis import strategies as st
from naive.go import Go, Point

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
    SUM_BITS,
    WHITE,
    ZOBRIST,
    in_atari,
    look_around,
    only_liberty,
)
from playout.games.go.view import is_eye
from playout.kernel import kernel

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
            eyes[p] = is_eye(state.around[p], BLACK) + 2 * is_eye(state.around[p], WHITE)
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
        self.on_board = np.flatnonzero(state.color != EDGE).tolist()
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


def compare(state, game: Go, hashes: dict[str, int]) -> list[Point]:
    """Assert that the record holds the naive engine's position in every field; return the legal points."""
    engine = Answers(state)
    on_board = [to_point(*place) for place in game.board]
    colors = {to_point(*place): COLORS.get(letter, EMPTY) for place, letter in game.board.items()}
    assert engine.on_board == sorted(on_board)
    assert {p: engine.color[p] for p in on_board} == colors
    assert engine.to_play == COLORS[game.to_play]
    assert engine.ko == (to_point(*game.ko) if game.ko else 0)
    assert engine.margin == game.margin()
    assert engine.area_score == game.area_score()
    assert is_over(state) == game.is_over()

    legal = game.legal_points()
    assert engine.legal == {PASS, *(to_point(*place) for place in legal)}
    assert sorted(engine.legal_moves) == sorted(engine.legal)

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
    return legal


def play_both(side, suicide, eye_filling, passes, rng, hashes) -> Counter[str]:
    """A random game in both engines, compared after every move and stopped after 3 moves a point.

    Returns how often it came to what makes Go hard.
    """
    state, game = empty_board(side, suicide), Go(side, suicide)
    record, events = [], Counter()
    try:
        legal = compare(state, game, hashes)
        while not game.is_over() and len(record) < 3 * side * side:
            choices = legal if eye_filling else game.policy_moves()
            move = rng.choice(choices) if choices and rng.random() >= passes else None
            record.append(move)
            if move:
                _, taken, lost = game.result(move)
                events.update(captures=len(taken) > 1, suicides=len(lost) > 1)
            game.play(move)
            play(state, to_point(*move) if move else PASS)
            legal = compare(state, game, hashes)
            events.update(kos=game.ko is not None)
    except AssertionError as error:
        raise AssertionError(f"{error}\nsuicide={suicide}, after {record}:\n{game}") from error
    events.update(games=1, ended=game.is_over())
    return events


GAMES = {2: 3000, 3: 3600, 4: 2000, 5: 1000, 6: 240, 7: 120, 8: 60, 9: 40}
# One batch has games of every kind: suicide legal or not, eyes filled or not, none to many passes.
BATCH = list(product([False, True], [False, True], [0.0, 0.0, 0.0, 0.03, 0.2]))


@pytest.mark.parametrize("side", GAMES)
def test_random_games_agree_with_the_naive_engine(side):
    assert sum(GAMES.values()) >= 10_000
    events: Counter[str] = Counter()
    hashes: dict[str, int] = {}

    @settings(max_examples=GAMES[side] // len(BATCH), deadline=None)
    @given(seed=st.integers(0, 2**32 - 1))
    def play_a_batch(seed):
        rng = random.Random(seed)
        for suicide, eye_filling, passes in BATCH:
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


@pytest.mark.parametrize("side", [13, 19])
def test_a_random_game_on_a_large_board_agrees_with_the_naive_engine(side):
    assert play_both(side, False, False, 0.0, random.Random(side), {})["ended"]


@pytest.mark.small
def test_the_sums_of_liberties_have_room_on_the_largest_board():
    """One chain, a column and ten rows, that touches every empty point from two or three sides."""
    tooth, gap = "X " * 19, "X " + ". " * 18
    comb = "\n".join([tooth, gap] * 9 + [tooth])
    compare(board(comb), Go.drawn(comb), {})


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
def test_two_stones_may_be_retaken_by_one():
    text = """
        . X O O .
        X O a X O
        . X O O .
        . . . . .
        . . . . ."""
    b = board(text, to_play="X")
    play(b, points(text)["a"])
    assert is_legal(b, to_point(1, 1))
    play(b, to_point(1, 1))
    assert show(b) == tidy("""
        . X O O .
        X O . . O
        . X O O .
        . . . . .
        . . . . .""")
    assert b.ko == 0


@pytest.mark.small
def test_single_stones_taken_on_two_sides_are_no_ko():
    text = """
        X O a O X
        . X O X .
        . . . . .
        . . . . .
        . . . . ."""
    b = board(text, to_play="X")
    play(b, points(text)["a"])
    assert show(b).startswith("X . X . X")
    assert b.ko == 0


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


@pytest.mark.small
def test_suicide_is_an_option():
    text = """
        a X O . .
        X O O . .
        O . . . .
        . . . . .
        . . . . ."""
    assert not is_legal(board(text, to_play="X"), points(text)["a"])
    b = board(text, to_play="X", suicide=True)
    assert is_legal(b, points(text)["a"])
    play(b, points(text)["a"])
    assert show(b) == tidy("""
        . . O . .
        . O O . .
        O . . . .
        . . . . .
        . . . . .""")
    assert b.margin == -4


@pytest.mark.small
def test_suicide_of_a_single_stone_gives_no_ko():
    text = """
        a O . .
        O . . .
        . . . .
        . . . ."""
    b = board(text, to_play="X", suicide=True)
    play(b, points(text)["a"])
    assert show(b) == tidy(text)
    assert b.ko == 0


@pytest.mark.small
@pytest.mark.parametrize(("to_play", "legal"), [("X", True), ("O", False)])
def test_a_stone_without_liberties_may_be_played_to_capture(to_play, legal):
    text = """
        a O X . .
        O O X . .
        X X X . .
        . . . . .
        . . . . ."""
    assert is_legal(board(text, to_play), points(text)["a"]) == legal


@pytest.mark.small
@pytest.mark.parametrize(
    ("to_play", "after"),
    [
        (
            "X",
            """
            X . X .
            X . X .
            O X . .
            . . . .""",
        ),
        (
            "O",
            """
            O O X .
            . O X .
            O X . .
            . . . .""",
        ),
    ],
)
def test_who_plays_first_in_mutual_atari_captures(to_play, after):
    text = """
        a O X .
        X O X .
        O X . .
        . . . ."""
    b = board(text, to_play)
    play(b, points(text)["a"])
    assert show(b) == tidy(after)


EYES = {
    "in a corner": """
        e X . .
        X . . .
        . . . .
        . . . .""",
    "false in a corner": """
        f X . .
        X O . .
        . . . .
        . . . .""",
    "at the edge": """
        . X e X
        . . X .
        . . . .
        . . . .""",
    "false at the edge": """
        . X f X
        . O X .
        . . . .
        . . . .""",
    "in the middle with one enemy diagonal": """
        . X O .
        X e X .
        . X . .
        . . . .""",
    "false in the middle": """
        . X O .
        X f X .
        O X . .
        . . . .""",
    "false with one neighbour of the enemy": """
        X X X .
        X f O .
        X X X .
        . . . .""",
    "false with one empty neighbour": """
        X X X .
        X f . .
        X X X .
        . . . .""",
}


@pytest.mark.small
@pytest.mark.parametrize("text", EYES.values(), ids=EYES)
def test_eyes(text):
    ((kind, p),) = points(text).items()
    assert Answers(board(text)).eyes[p] == (BLACK if kind == "e" else 0)
    enemy = text.translate(str.maketrans("XO", "OX"))
    assert Answers(board(enemy)).eyes[p] == (WHITE if kind == "e" else 0)


AREAS = {
    "an empty board is neutral": (
        0,
        """
        . . .
        . . .
        . . .""",
    ),
    "one stone owns the board": (
        -9,
        """
        . . .
        . O .
        . . .""",
    ),
    "a region that reaches both is neutral": (
        5 - 10,
        """
        . X . O .
        X X . O .
        . . . O .
        X . . O .
        . . . O .""",
    ),
    "played out to single points": (
        5 - 11,
        """
        . X O .
        X X O O
        X O . O
        O O O O""",
    ),
    "a single neutral point": (
        8 - 7,
        """
        . X O O
        X X . O
        X X O .
        . X O O""",
    ),
    "a seki: eyes count, shared liberties do not": (
        (23 + 2) - (20 + 2),
        """
        . X O . X O .
        X X O . X O O
        . X O O X O .
        X X O X X O O
        X X O X X O O
        X X O X X O O
        X X O X X O O""",
    ),
}


@pytest.mark.small
@pytest.mark.parametrize(("score", "text"), AREAS.values(), ids=AREAS)
def test_area(score, text):
    assert rules.area_score(board(text)) == score
    assert Go.drawn(text).area_score() == score


@pytest.mark.small
@pytest.mark.parametrize(("komi", "result"), [(8.5, 1.0), (9.0, 0.5), (9.5, 0.0)])
def test_outcome_after_two_passes(komi, result):
    b = board("""
        . . .
        . X .
        . . .""")
    b.komi = komi
    play(b, PASS)
    assert not is_over(b)
    play(b, PASS)
    assert is_over(b)
    assert outcome(b) == result


@pytest.mark.small
def test_a_game_stopped_at_its_limit_is_a_draw():
    b = empty_board(3)
    b.limit = 1
    play(b, to_point(1, 1))
    assert is_over(b)
    assert outcome(b) == 0.5
