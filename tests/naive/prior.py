"""The handcrafted prior, slowly: what it thinks of a move, from its description."""

from naive.go import EMPTY, PASS, Go, Point, opponent
from naive.mogo import capturing_moves, has_room, in_atari, is_pattern, pattern_moves, saving_moves


def is_lonely(game: Go, point: Point) -> bool:
    """Whether no stone stands within two lines of a point."""
    return all(
        color == EMPTY
        for (row, column), color in game.board.items()
        if abs(row - point[0]) <= 2 and abs(column - point[1]) <= 2
    )


def judge(game: Go, point: Point | None, last: Point | None) -> float:
    """H(s, a)."""
    if point is PASS:
        return 0.1
    me = game.to_play
    if is_lonely(game, point):
        line = 1 + min(*point, game.side - 1 - point[0], game.side - 1 - point[1])
        return {1: 0.1, 2: 0.35, 3: 0.55}.get(line, 0.5)
    room = has_room(game, point)
    value = 0.5 if room else 0.2
    if any(liberty == point for _, liberty in in_atari(game, opponent(me))):
        value = max(value, 0.9)
    elif room and any(liberty == point for _, liberty in in_atari(game, me)):
        value = max(value, 0.85)
    if room:
        near = last is not PASS and abs(point[0] - last[0]) + abs(point[1] - last[1]) <= 3
        value += 0.05 * near
        if is_pattern(game, point, me):
            value += 0.1 + 0.05 * near
    return min(value, 1.0)


def as_printed(game: Go, point: Point | None, last: Point | None) -> float:
    """Q_mogo(s, a) of the thesis: 1 what MoGo's rules play, 0 what its policy never plays, else a half."""
    found: set[Point] = set()
    if last is not PASS:
        found = saving_moves(game, last) or pattern_moves(game, last)
    found = found or capturing_moves(game)
    if point in found:
        return 1.0
    return 0.0 if point is PASS or game.is_eye(point, game.to_play) else 0.5
