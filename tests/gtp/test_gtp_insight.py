"""What a search has learnt, over GTP."""

import re

import pytest
from gtp_talk import parse_infos, say

from playout.games.go.board import Board
from playout.games.go.insight import look_inside
from playout.gtp.server import Server

SHAPE = re.compile(
    r"[A-E][1-5] [.XO/]+ weight ([-+]\d\.\d+) long-term ([-+]\d\.\d+) short-term ([-+]\d\.\d+)"
)


@pytest.fixture
def server():
    server = Server("dyna2:sims=256,seed=1")
    say(server, "boardsize 5", "komi 0.5", "play b C3", "play w C2")
    return server


def test_shapes_of_the_last_search(server):
    first = say(server, "playout-shapes 3").split("\n")
    board = Board(5, 0.5).play("C3").play("C2")
    expected = look_inside(board, "dyna2:sims=256,seed=1").heaviest("sum", 3)
    for line, shape in zip(first, expected, strict=True):
        both, long_term, short_term = map(float, SHAPE.fullmatch(line).groups())
        assert line.startswith(f"{shape.at} {'/'.join(shape.rows)} ")
        assert both == pytest.approx(shape.weight, abs=1e-4)
        assert both == pytest.approx(long_term + short_term, abs=2e-4)
    assert len(say(server, "playout-shapes").split("\n")) == 10
    say(server, "genmove b")
    after_move = say(server, "playout-shapes 5")
    assert after_move == say(server, "playout-shapes 5"), "no new search"
    say(server, "kata-analyze w 10")
    assert say(server, "playout-shapes 5") != after_move, "an analysis is a search too"


def test_looking_changes_no_move(server):
    plain = Server("dyna2:sims=256,seed=1")
    say(plain, "boardsize 5", "komi 0.5", "play b C3", "play w C2")
    for line in ("playout-shapes", "playout-gfx-values", "playout-gfx-shapes 4", "kata-analyze b 10"):
        say(server, line)
    for color in "bwb":
        assert say(server, f"genmove {color}") == say(plain, f"genmove {color}")
        say(server, "playout-gfx-values")


def test_values_on_the_board_are_those_of_the_analysis(server):
    infos = parse_infos(say(server, "kata-analyze b 10").split("\n")[1])
    shades, labels, best, text = say(server, "playout-gfx-values").split("\n")
    words = labels.split()
    assert (words[0], best) == ("LABEL", f"SQUARE {infos[0]['move']}")
    shown = dict(zip(words[1::2], words[2::2], strict=True))
    for info in infos:
        if info["move"] != "pass":
            assert int(shown[info["move"]]) == pytest.approx(100 * float(info["winrate"]), abs=0.51)
    shaded = shades.split()
    assert shaded[0] == "INFLUENCE"
    assert all(-1 <= float(word) <= 1 for word in shaded[2::2])
    assert text == f"TEXT Black's chance to win in %, 256 simulations, best {infos[0]['move']}"


def test_a_move_is_told_while_it_is_thought_of(server):
    """At the first glance and when it is done; the move is that of genmove."""
    plain = Server("dyna2:sims=256,seed=1")
    say(plain, "boardsize 5", "komi 0.5", "play b C3", "play w C2")
    _, *infos, move = say(server, "kata-genmove_analyze b 1 ownership true").split("\n")
    assert len(infos) >= 2
    assert all(line.startswith("info move ") and " ownership " in line for line in infos)
    first, last = (sum(int(info["visits"]) for info in parse_infos(infos[k])) for k in (0, -1))
    assert 0 < first <= last
    assert move == f"play {say(plain, 'genmove b')}"
    assert parse_infos(infos[-1])[0]["move"] == move.split()[1]


def test_shapes_on_the_board_for_gogui(server):
    lines = say(server, "playout-gfx-shapes 2").split("\n")
    points = [line.split() for line in lines if line.startswith("COLOR")]
    assert {color for _, color, _ in points} <= {"#0072B2", "#D55E00"}
    assert len({point for _, _, point in points}) == len(points)
    assert sum(line.startswith("LABEL") for line in lines) in (1, 2)
    assert lines[-1].startswith("TEXT ")
    assert "gfx/Heaviest Shapes/playout-gfx-shapes" in say(server, "gogui-analyze_commands")


def test_after_two_passes_it_is_asked_as_if_nobody_had(server):
    say(server, "play b pass", "play w pass")
    assert "best" in say(server, "playout-gfx-values")


@pytest.mark.parametrize(
    ("player", "line", "reason"),
    [
        ("dyna2:sims=5", "playout-shapes 0", "0 is not a number of shapes from 1 to 1000"),
        ("dyna2:sims=5", "playout-shapes x", "syntax error: 'x' is not a whole number"),
        ("dyna2:sims=5", "playout-gfx-values 3", "syntax error: usage is playout-gfx-values"),
        ("uniform", "playout-shapes", "player uniform learns no shapes in its search"),
    ],
)
def test_wrong_lines_get_a_sentence(player, line, reason):
    server = Server(player)
    answer = server.execute(line)
    assert answer.startswith("? ")
    assert reason in answer
    assert "playout-shapes" not in say(Server("uniform"), "gogui-analyze_commands")
