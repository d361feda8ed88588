"""MANGO's urgencies (Chaslot et al. 2008, section 2.1.3), slowly, over the naive rules of Go."""

from naive.go import PASS, Go, Point, opponent
from naive.mogo import has_room, in_atari
from playout.games.go.policy.pattern_values import shipped


def drawn(game: Go, point: Point) -> list[str]:
    """The eight points around a move as its player sees them, in three rows."""
    marks = {game.to_play: "X", opponent(game.to_play): "O", ".": "."}
    return [
        "".join(
            "."
            if (row, column) == (0, 0)
            else marks.get(game.board.get((point[0] + row, point[1] + column)), "#")
            for column in (-1, 0, 1)
        )
        for row in (-1, 0, 1)
    ]


def turned(rows: list[str]) -> list[str]:
    """A drawing after a quarter turn."""
    return ["".join(column) for column in zip(*rows[::-1], strict=True)]


def pattern_value(game: Go, point: Point) -> float:
    """The value of the pattern around a move, whichever way it is drawn in the file."""
    rows, known = drawn(game, point), shipped()
    for _ in range(4):
        for view in (rows, [row[::-1] for row in rows]):
            if " ".join(view) in known.patterns:
                return known.patterns[" ".join(view)]
        rows = turned(rows)
    return known.unknown


def capture_escape(game: Go, point: Point, capture: float, escape: float) -> float:
    """V_ce: the stones that a move captures and those that it takes out of atari at their liberty."""
    me = game.to_play
    captured = sum(len(stones) for stones, liberty in in_atari(game, opponent(me)) if liberty == point)
    saved = sum(len(stones) for stones, liberty in in_atari(game, me) if liberty == point)
    return capture * captured + escape * saved * has_room(game, point)


def is_near(point: Point, last: Point | None, diagonals: bool) -> bool:
    """Whether a move is within a Manhattan distance of 1 from the last one, or around it."""
    if last is PASS:
        return False
    row, column = abs(point[0] - last[0]), abs(point[1] - last[1])
    return max(row, column) <= 1 if diagonals else row + column <= 1


def urgencies(
    game: Go,
    last: Point | None,
    *,
    capture_value: float = 5000.0,
    escape_value: float = 500.0,
    pattern_exponent: float = 1.0,
    proximity_factor: float = 150.0,
    diagonals: bool = False,
) -> dict[Point, float]:
    """U of every move that is legal and fills no eye; empty if there is only pass."""
    return {
        point: (
            capture_escape(game, point, capture_value, escape_value)
            + pattern_value(game, point) ** pattern_exponent
        )
        * (proximity_factor if is_near(point, last, diagonals) else 1.0)
        for point in game.policy_moves()
        if point is not PASS
    }
