"""MoGo's four rules (Silver 2009, section 4.6.3), slowly, over the naive rules of Go."""

import itertools

from naive.go import EMPTY, PASS, Go, Point, opponent

# Drawn as in the policy: X and O the colours, x and o anything but them, # the edge, ? anything.
EITHER_SIDE = [
    "XOX ... ???",
    "XO. ... ?.?",
    "XO? X.. x.?",
    "XO? O.o ?o?",
    "?X? O.O ooo",
    "X.? O.? ###",
    "?X? x.O ###",
    "?XO x.x ###",
    "?OX X.O ###",
]
ONLY_X = ["XOO ... ?.?"]


def has_room(game: Go, point: Point) -> bool:
    """Whether a stone here would have two liberties or more; two captured stones count as room."""
    board, taken, _ = game.result(point)
    return len(taken) > 1 or len(game.chain(board, point)[1]) > 1


def in_atari(game: Go, player: str) -> list[tuple[set[Point], Point]]:
    """A player's chains with one liberty, and that liberty."""
    return [
        (stones, next(iter(liberties)))
        for stones, liberties in game.chains()
        if len(liberties) == 1 and game.board[next(iter(stones))] == player
    ]


def saving_moves(game: Go, last: Point, hopeless: bool = False) -> set[Point]:
    """Rule 1: moves after which stones that the last move put into atari have two liberties."""
    found = set()
    for stones, liberty in in_atari(game, game.to_play):
        if not any(near in stones for near in game.neighbours(last)):
            continue
        attackers = {
            escape
            for enemies, escape in in_atari(game, opponent(game.to_play))
            if any(near in stones for enemy in enemies for near in game.neighbours(enemy))
        }
        for move in {liberty} | attackers:
            if game.is_legal(move):
                board, taken, _ = game.result(move)
                saved = len(game.chain(board, next(iter(stones)))[1]) > 1
                if saved or (move == liberty and (len(taken) > 1 or hopeless)):
                    found.add(move)
    return found


def matches(game: Go, point: Point, drawing: str, x: str) -> bool:
    """Whether a drawing, turned and mirrored in any way, fits around a point."""
    rows = drawing.split()
    for turns, mirror in itertools.product(range(4), (False, True)):
        turned = [list(row) for row in rows]
        for _ in range(turns):
            turned = [list(row) for row in zip(*turned[::-1], strict=True)]
        if mirror:
            turned = [row[::-1] for row in turned]
        if all(
            fits(game.board.get((point[0] + r - 1, point[1] + c - 1), "#"), turned[r][c], x)
            for r in range(3)
            for c in range(3)
        ):
            return True
    return False


def fits(seen: str, symbol: str, x: str) -> bool:
    """Whether what stands on a point is what a symbol asks for."""
    o = opponent(x)
    if symbol in "xo":
        return seen != (x if symbol == "x" else o)
    return symbol == "?" or seen == {"X": x, "O": o}.get(symbol, symbol)


def is_pattern(game: Go, point: Point, player: str) -> bool:
    """Whether a pattern tells a player to play here."""
    return any(matches(game, point, drawing, x) for drawing in EITHER_SIDE for x in "XO") or any(
        matches(game, point, drawing, player) for drawing in ONLY_X
    )


def pattern_moves(game: Go, last: Point, self_atari: bool = False) -> set[Point]:
    """Rule 2: points around the last move where a pattern matches."""
    return {
        point
        for point in (*game.neighbours(last), *game.diagonals(last))
        if game.board[point] == EMPTY
        and game.is_legal(point)
        and is_pattern(game, point, game.to_play)
        and (self_atari or has_room(game, point))
    }


def capturing_moves(game: Go) -> set[Point]:
    """Rule 3: liberties of enemy chains in atari."""
    return {move for _, move in in_atari(game, opponent(game.to_play)) if game.is_legal(move)}


def mogo_moves(game: Go, last: Point | None, **settings: bool) -> set[Point | None]:
    """The moves among which the policy chooses, all equally likely."""
    on = {
        "saves": True,
        "patterns": True,
        "captures": True,
        "hopeless_saves": False,
        "pattern_self_atari": False,
        "random_self_atari": True,
        **settings,
    }
    found: set[Point | None] = set()
    if last is not PASS and on["saves"]:
        found = set(saving_moves(game, last, on["hopeless_saves"]))
    if not found and last is not PASS and on["patterns"]:
        found = set(pattern_moves(game, last, on["pattern_self_atari"]))
    if not found and on["captures"]:
        found = set(capturing_moves(game))
    if not found:
        found = set(game.policy_moves())
        if not on["random_self_atari"]:
            found = {move for move in found if move is not PASS and has_room(game, move)} or {PASS}
    return found
