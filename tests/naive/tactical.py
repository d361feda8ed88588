"""The tactical policy and prior, slowly, from their descriptions."""

from naive import tactics
from naive.go import EMPTY, PASS, Go, Point, opponent
from naive.mogo import capturing_moves, has_room, in_atari, pattern_moves
from naive.prior import is_lonely


def chain_of(game: Go, point: Point) -> tuple[set[Point], set[Point]]:
    """The stones and the liberties of the chain of a stone."""
    return game.chain(game.board, point)


def own_chains(game: Go, last: Point, liberties: int) -> list[tuple[set[Point], set[Point]]]:
    """The mover's chains next to the last move that have so many liberties."""
    found = []
    for near in game.neighbours(last):
        if game.board[near] == game.to_play:
            chain = chain_of(game, near)
            if len(chain[1]) == liberties and chain not in found:
                found.append(chain)
    return found


def captures_for(game: Go, stones: set[Point]) -> set[Point]:
    """Moves that capture a neighbour of a chain."""
    return {
        liberty
        for enemies, liberty in in_atari(game, opponent(game.to_play))
        if any(near in stones for enemy in enemies for near in game.neighbours(enemy)) and liberty != game.ko
    }


def escapes(game: Go, stones: set[Point], liberty: Point) -> bool:
    """Whether a chain in atari gets away at its liberty."""
    if not game.is_legal(liberty):
        return False
    return freedom(game, liberty) > 2 or (
        freedom(game, liberty) == 2 and tactics.runs_free(game, min(stones))
    )


def freedom(game: Go, point: Point) -> int:
    """Liberties of the mover's stone here; of each chain it captures two stones count."""
    board, taken, _ = game.result(point)
    liberties = set(game.chain(board, point)[1]) - taken
    for near in game.neighbours(point):
        if near in taken:
            liberties.add(near)
            if len(chain_of(game, near)[0]) > 1:
                liberties.add((near, "and another of its chain"))
    return len(liberties)


def catch(game: Go, stone: Point) -> Point | None:
    """Where a ladder begins that catches a chain of two liberties; None if none does."""
    hunted = game.copy()
    if not tactics.hunt(hunted, stone):
        return None
    (begin,) = (p for p in game.board if game.board[p] == EMPTY and hunted.board[p] != EMPTY)
    return None if tactics.runs_free(hunted, stone) else begin


def rule_moves(game: Go, last: Point | None, rule: str) -> set[Point]:
    """What one rule suggests after the last move."""
    if rule == "capture_any":
        return capturing_moves(game)
    if last is PASS:
        return set()
    if rule == "vital_points":
        return {p for p in tactics.vital_points(game, last) if game.is_legal(p)}
    if rule == "match_patterns":
        return pattern_moves(game, last)
    stones, liberties = chain_of(game, last)
    found: set[Point] = set()
    if rule == "capture_last" and len(liberties) == 1:
        (p,) = liberties
        large = tactics.stones_after(game, p, game.to_play) >= 3
        snapback = len(stones) == 1 and not has_room(game, p) and large
        if game.is_legal(p) and not snapback:
            found.add(p)
    if rule == "rescue":
        for chain, (liberty,) in own_chains(game, last, 1):
            found |= captures_for(game, chain)
            if escapes(game, chain, liberty):
                found.add(liberty)
    if rule == "attack" and len(liberties) == 2:
        p = catch(game, last)
        if p is not None and has_room(game, p):
            found.add(p)
    if rule == "defend":
        for chain, ways in own_chains(game, last, 2):
            if catch(game, min(chain)) is not None:
                found |= captures_for(game, chain)
                found |= {p for p in ways if game.is_legal(p) and freedom(game, p) > 2}
    return found


RULES = ("vital_points", "capture_last", "rescue", "attack", "defend", "match_patterns", "capture_any")


def policy_moves(game: Go, last: Point | None, rules: tuple[str, ...] = RULES) -> set[Point | None]:
    """The moves among which the policy chooses if it always asks these rules and no other."""
    asked = [rule for rule in RULES if rule in rules]
    groups = [["vital_points"], ["capture_last", "rescue"], *([rule] for rule in RULES[3:])]
    for group in groups:
        found = set().union(*(rule_moves(game, last, rule) for rule in group if rule in asked))
        if found:
            return found
    return set(game.policy_moves())


def steps_from(game: Go, last: Point) -> dict[Point, int]:
    """How far each point is from the last move; all stones of a chain are one place."""

    def place(point: Point) -> frozenset[Point]:
        return frozenset({point} if game.board[point] == EMPTY else chain_of(game, point)[0])

    steps, here, far = {}, {place(last)}, 0
    while here:
        for group in here:
            steps.update(dict.fromkeys(group, far))
        beyond = {near for group in here for point in group for near in game.neighbours(point)}
        here, far = {place(point) for point in beyond if point not in steps}, far + 1
    return steps


def features(game: Go, point: Point | None, last: Point | None) -> set[str]:
    """The features of a move, but for the value of its pattern."""
    if point is PASS:
        return {"pass"}
    me = game.to_play
    line = 1 + min(*point, game.side - 1 - point[0], game.side - 1 - point[1])
    found = {f"line {min(5, line)}"}
    if last is not PASS:
        found.add(f"steps {min(4, steps_from(game, last).get(point, 4))}")
        rows, columns = abs(point[0] - last[0]), abs(point[1] - last[1])
        found.add(f"distance {min(12, rows + columns + max(rows, columns))}")
    if is_lonely(game, point):
        return found | {f"lonely {min(5, line)}"}
    if point in tactics.vital_points_of(game, game.board):
        found.add("vital")
    liberties = freedom(game, point)
    if liberties == 1:
        found.add("self_atari" if tactics.stones_after(game, point, me) == 1 else "big_self_atari")
    for near in game.neighbours(point):
        color = game.board[near]
        if color == EMPTY:
            continue
        stones, ways = chain_of(game, near)
        big = "big_" if len(stones) > 1 else ""
        if color != me:
            if ways == {point}:
                found.add(big + "capture")
            elif liberties > 1 and len(ways) == 2:
                found.add("atari")
                after = game.copy()
                after.play(point)
                if not tactics.runs_free(after, near):
                    found.add(big + "catch")
        elif ways == {point}:
            free = liberties > 2 or (liberties == 2 and tactics.runs_free(game, near))
            found.add(big + "escape" if free else "hopeless")
        elif liberties > 2 and len(ways) == 2:
            found.add("extend")
            if catch(game, near) is not None:
                found.add("defend")
    return found
