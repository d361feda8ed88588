"""The features of moves in simulations, slowly: from the rules and the board, found anew for every move."""

from naive import tactics
from naive.go import EMPTY, PASS, Go, Point, opponent
from naive.tactical import chain_of, freedom


def view(game: Go, point: Point) -> list[list[str]]:
    """The 3×3 points around a move as its player sees them: X his own, O the other's, # beyond the edge."""
    letters = {game.to_play: "X", opponent(game.to_play): "O", EMPTY: "."}
    return [
        [letters.get(game.board.get((point[0] + down, point[1] + right), ""), "#") for right in (-1, 0, 1)]
        for down in (-1, 0, 1)
    ]


def turned(rows: list[list[str]]) -> set[str]:
    """All drawings of a view, turned and mirrored."""
    found = set()
    for _ in range(4):
        rows = [list(row) for row in zip(*rows[::-1], strict=True)]
        for drawn in (rows, [row[::-1] for row in rows]):
            found.add(" ".join("".join(row) for row in drawn))
    return found


def apart(game: Go, point: Point, player: str) -> bool:
    """Whether neighbours of a point are stones of a player that nothing joins among its eight neighbours."""
    ring = {p for p in (*game.neighbours(point), *game.diagonals(point)) if game.board[p] == player}
    waiting = {p for p in game.neighbours(point) if p in ring}
    groups = 0
    while waiting:
        groups += 1
        reached = [waiting.pop()]
        for here in reached:
            reached += [p for p in game.neighbours(here) if p in ring and p not in reached]
        waiting -= set(reached)
    return groups > 1


def place(game: Go, point: Point) -> str:
    """Where on the board a point is."""
    near = sorted(1 + min(k, game.side - 1 - k) for k in point)
    return {(1, 1): "corner 1-1", (1, 2): "corner 2-1", (2, 2): "corner 2-2"}.get(
        (near[0], near[1]), f"line {min(5, near[0])}"
    )


def distance(point: Point, other: Point) -> int:
    across, along = abs(point[0] - other[0]), abs(point[1] - other[1])
    return across + along + max(across, along)


def features(
    game: Go, point: Point, last: Point | None, before: Point | None, patterns: set[str]
) -> set[str]:
    """All features of a move. patterns: the drawings that patterns are known by."""
    me, enemy = game.to_play, opponent(game.to_play)
    (drawn,) = turned(view(game, point)) & patterns
    found = {f"pattern {drawn}", place(game, point)}
    for name, move in (("distance", last), ("before", before)):
        if move is not PASS and distance(point, move) in (2, 3, 4):
            found.add(f"{name} {distance(point, move)}")
    found |= {name for name, player in (("connect", me), ("cut", enemy)) if apart(game, point, player)}
    liberties = freedom(game, point)
    if liberties == 1:
        found.add("self_atari" if tactics.stones_after(game, point, me) == 1 else "big_self_atari")
    for near in game.neighbours(point):
        if game.board[near] == EMPTY:
            continue
        stones, ways = chain_of(game, near)
        big = "big_" if len(stones) > 1 else ""
        moved_last = last in stones
        beside_last = last is not PASS and any(p in stones for p in game.neighbours(last))
        if game.board[near] == enemy and ways == {point}:
            found.add(big + "capture")
            if moved_last:
                found.add("capture_last")
            beside = {p for stone in stones for p in game.neighbours(stone) if game.board[p] == me}
            if any(len(chain_of(game, p)[1]) == 1 for p in beside):
                found.add("capture_saves")
        elif game.board[near] == enemy and moved_last and len(ways) == 2:
            if liberties > 1:
                found.add("atari_last")
                after = game.copy()
                after.play(point)
                if not tactics.runs_free(after, near):
                    found.add("catch_last")
            ours = [p for p in game.neighbours(last) if game.board[p] == me]
            if any(len(chain_of(game, p)[1]) == 2 for p in ours):
                found.add("race")
        elif game.board[near] == me and ways == {point}:
            if not beside_last:
                found.add("run" if liberties > 1 else "hopeless")
            elif liberties > 2 or (liberties == 2 and tactics.runs_free(game, near)):
                found.add(big + "escape")
            else:
                found.add("hopeless")
        elif game.board[near] == me and beside_last and len(ways) == 2 and liberties > 2:
            found.add("extend")
    if last is not PASS:
        for start in game.neighbours(last):  # the first eye space that has one
            vital = tactics.vital_points_of(game, [start])
            if vital:
                if point in vital:
                    found.add("vital")
                break
    return found
