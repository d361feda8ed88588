"""Learn values of 3×3 patterns from games of our own tree search.

    python -m playout.games.go.learn.patterns --games 600 --output pattern_values.json

Heuristic MC–RAVE plays against itself with few simulations. In each position the move it chose has won
against all others that it could have chosen. What it saw of a move are the members of a team
(`minorize`): its 3×3 pattern, its line, its distance from the last move, whether it captures, and whether
it takes stones out of atari. So what belongs to the others is not put down to the pattern.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

import numpy as np

import playout
from playout.files import write_text
from playout.games.api import tree_moves
from playout.games.go.board import Board
from playout.games.go.learn.self_play import LEARNT, given, searched_positions
from playout.games.go.policy import Mogo
from playout.games.go.policy.pattern_values import HIGHEST, Values, classes_for, distance, drawing
from playout.games.go.prior import PRIORS
from playout.games.go.state import AREA, PASS, STRIDE
from playout.games.go.tactics import has_room, stones_in_atari
from playout.kernel import kernel
from playout.learn.minorize import NOBODY, minorize
from playout.search.mcts import Selection, TreeSearch

LINES = (1, 2, 3, 4)  # from the edge; those further in count alike
DISTANCES = tuple(range(2, 13))  # from the last move; those further off count alike
TACTICS = ("captures", "escapes")
SEARCH = Selection(
    rave="mse", bias=0.05, experience=5.0, amaf_experience=10.0, first_only=True, expand_at=4, silent=PASS
)


@dataclass(frozen=True)
class Choice:
    """A position's moves as the learner sees them, one row each, and which was chosen.

    Columns of `moves`: class of pattern, line, distance from the last move (0 if none), whether it
    captures, whether it takes stones out of atari.
    """

    moves: np.ndarray
    chosen: int


@kernel
def _look(board, moves, found):
    """The moves of a position and, a row each, their views and their tactics; how many there are."""
    count = tree_moves(board, moves)
    me = board.to_play
    for k in range(count):
        p = np.uint32(moves[k])
        if p != PASS:
            found[k, 0] = board.around[p]
            found[k, 1] = stones_in_atari(board, p, np.uint8(3 - me)) > 0
            found[k, 2] = stones_in_atari(board, p, me) > 0 and has_room(board, p, me)
    return count


def choice(board: Board, point: int) -> Choice | None:
    """What was chosen among what; None for a pass or where there was no choice."""
    record = board.simulation_root()[0]
    buffer, found = np.zeros(AREA + 1, np.uint16), np.zeros((AREA + 1, 3), np.int64)
    count = _look(record, buffer, found) - 1  # the last one is pass
    moves, found = buffer[:count].astype(int), found[:count]
    if count < 2 or point not in moves:
        return None
    rows, columns = np.divmod(moves, STRIDE)
    side = board.size
    line = np.minimum(np.minimum(rows, columns), side + 1 - np.maximum(rows, columns))
    last = int(record.last)
    apart = np.zeros(count, int)
    if last != PASS:
        steps = zip(rows - last // STRIDE, columns - last % STRIDE, strict=True)
        apart = np.array([distance(int(row), int(column)) for row, column in steps])
    patterns = classes_for(found[:, 0], board.to_play)
    table = np.column_stack([patterns, line, apart, found[:, 1], found[:, 2]])
    return Choice(table, int(np.flatnonzero(moves == point)[0]))


def self_play(
    games: int, sims: int, size: int, seed: int, prior: str = "handcrafted"
) -> Iterator[list[Choice]]:
    """The choices of each game."""

    def new_search(seed: int) -> TreeSearch:
        return TreeSearch(SEARCH, Mogo(), PRIORS[prior](), nodes=100_000, seed=seed)

    positions = searched_positions(new_search, games, sims, size, seed)
    for _, game in groupby(positions, key=lambda found: found[0]):
        choices = [
            choice(board, int(children["action"][np.argmax(children["visits"])]))
            for _, board, children in game
        ]
        yield [found for found in choices if found is not None]


def learn(choices: Iterable[Choice], steps: int = 30, ties: float = 1.0) -> Values:
    """Values of patterns, lines and distances by minorization–maximization."""
    choices = list(choices)
    rows = np.concatenate([c.moves for c in choices])
    sizes = np.array([len(c.moves) for c in choices])
    starts = np.concatenate([[0], np.cumsum(sizes)])
    winners = starts[:-1] + np.array([c.chosen for c in choices])
    codes, pattern = np.unique(rows[:, 0], return_inverse=True)
    columns = [pattern]
    count = codes.size
    firsts = []
    for k, known in enumerate((LINES, DISTANCES, (1,), (1,)), start=1):
        firsts.append(count)
        place = np.searchsorted(known, rows[:, k])
        inside = np.isin(rows[:, k], known)
        columns.append(np.where(inside, count + place, NOBODY))
        count += len(known)
    gamma = minorize(np.column_stack(columns), starts, winners, strengths=count, steps=steps, ties=ties)
    scale = HIGHEST / gamma[: codes.size].max()
    return Values(
        patterns={
            drawing(int(code)): round(max(1.0, float(value) * scale), 2)
            for code, value in zip(codes, gamma, strict=False)
        },
        unknown=round(scale, 2),
        lines={line: round(float(gamma[firsts[0] + k]), 4) for k, line in enumerate(LINES)},
        distances={far: round(float(gamma[firsts[1] + k]), 4) for k, far in enumerate(DISTANCES)},
        how={
            "choices": len(choices),
            "steps": steps,
            "ties": ties,
            **{name: round(float(gamma[firsts[2 + k]]), 4) for k, name in enumerate(TACTICS)},
        },
    )


def main(arguments: list[str] | None = None) -> None:
    """The command: play, learn, write."""
    words, command = given(
        "playout.games.go.learn.patterns",
        "Learn values of 3×3 patterns from self-play.",
        600,
        300,
        "handcrafted",
        arguments,
    )
    choices: list[Choice] = []
    played = 0
    try:
        for played, game in enumerate(
            self_play(words.games, words.sims, words.size, words.seed, words.prior), start=1
        ):
            choices += game
            print(f"\r{played} games, {len(choices)} moves", end="", file=sys.stderr, flush=True)
    except KeyboardInterrupt:
        print("\nstopped: learning from what there is", file=sys.stderr)
    values = learn(choices)
    how = {
        "what": "values of 3×3 patterns, our own: learnt from self-play of heuristic MC–RAVE",
        "command": command,
        "version": playout.__version__,
        "games": played,
        **values.how,
    }
    write_text(words.output, Values(**{**values.__dict__, "how": how}).text(), LEARNT, words.force)
    print(f"\n{len(values.patterns)} patterns from {len(choices)} moves: {words.output}", file=sys.stderr)


if __name__ == "__main__":
    main()
