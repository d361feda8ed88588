"""MANGO's heuristic for new nodes, slowly: the urgency of a move."""

from naive.go import PASS, Go, Point
from naive.mango import capture_escape, pattern_value
from playout.games.go.policy.pattern_values import shipped


def urgency(game: Go, point: Point | None, last: Point | None, settings: dict[str, float]) -> float:
    """(V_ce + V_p × line) × proximity; a pass has 1."""
    if point is PASS:
        return 1.0
    known = shipped()
    line = 1 + min(*point, game.side - 1 - point[0], game.side - 1 - point[1])
    value = pattern_value(game, point) ** settings["pattern_exponent"] * known.lines.get(line, 1.0)
    value += capture_escape(game, point, settings["capture_value"], settings["escape_value"])
    if last is not PASS:
        rows, columns = abs(point[0] - last[0]), abs(point[1] - last[1])
        value *= known.distances.get(rows + columns + max(rows, columns), 1.0)
    return value
