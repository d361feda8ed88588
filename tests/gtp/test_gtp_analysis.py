"""Analysis over GTP, as Sabaki and Lizzie send for it and read it."""

import re
import time

import pytest
from gtp_talk import Pipe, Watcher, parse_infos, parse_root, position, say

from playout.games.go.board import Board
from playout.gtp.server import Server


@pytest.fixture
def server():
    return Server("uniform:seed=1")


def test_lz_analyze(server):
    say(server, "boardsize 5")
    head, line = server.execute("5 lz-analyze 50").split("\n")
    assert head == "=5"
    infos = parse_infos(line)
    assert len(infos) == 26
    for order, info in enumerate(infos):
        assert list(info) == ["move", "visits", "winrate", "prior", "lcb", "order", "pv"]
        assert info["order"] == str(order)
        assert info["pv"].split()[0] == info["move"]
        assert 0 <= int(info["lcb"]) <= int(info["winrate"]) <= 10_000
        assert int(info["visits"]) > 0
    assert "ownership" not in line


def test_kata_analyze(server):
    say(server, "boardsize 5", "komi -20", "play B C3")
    line = server.execute(
        "kata-analyze W 50 ownership true maxmoves 3 pvVisits true rootInfo true minmoves 2"
    )
    infos = parse_infos(line)
    assert len(infos) == 3
    assert all("." in info["winrate"] for info in infos), "Sabaki takes an integer for ten-thousandths"
    assert {"scoreLead", "scoreMean", "utility", "prior", "lcb", "order"} <= set(infos[0])
    assert len({info["scoreLead"] for info in infos}) > 1, "each move has its own"
    root = parse_root(line)
    assert list(root) == ["visits", "utility", "winrate", "scoreMean", "scoreLead"]
    assert root["winrate"] == infos[0]["winrate"]
    assert int(root["visits"]) > sum(int(info["visits"]) for info in infos)
    owners = [float(word) for word in line.split(" ownership ")[1].split()]
    assert len(owners) == 25
    assert owners[12] < 0  # White asks, and Black has the centre
    black = server.execute("kata-analyze B ownership true")
    assert float(black.split(" ownership ")[1].split()[12]) > 0
    assert float(parse_infos(black)[0]["scoreLead"]) > 0 > float(infos[0]["scoreLead"])
    for line in ("kata-analyze B", "kata-analyze B rootInfo false", "lz-analyze B rootInfo true"):
        assert "rootInfo" not in server.execute(line)


@pytest.mark.parametrize("name", ["uct", "rave", "mogo"])
def test_tree_players_tell_the_rave_value_and_the_owners(name):
    server = Server(f"{name}:seed=1")
    say(server, "boardsize 5", "komi 0.5", "play B C3")
    kata = server.execute("kata-analyze w 10 ownership true")
    lz = server.execute("lz-analyze w 10")
    for line, whole in ((kata, 1.0), (lz, 10_000.0)):
        infos = parse_infos(line.split("\n")[1])
        assert len(infos) > 10
        assert all(list(info)[-1] == "pv" for info in infos)
        values = [float(info["rave"]) for info in infos if "rave" in info]
        assert bool(values) == (name != "uct")
        assert all(0 <= value <= whole for value in values)
        assert all(list(info)[-3:] == ["rave", "order", "pv"] for info in infos if "rave" in info)
    owners = [float(word) for word in kata.split(" ownership ")[1].split()]
    assert len(owners) == 25
    assert owners[12] < 0, "White asks, and Black has the centre"
    say(server, "clear_board")
    assert re.search(r"\nplay [A-E][1-5]$", server.execute("kata-genmove_analyze b 10 ownership true"))


def test_analysis_leaves_the_position(server):
    say(server, "boardsize 5", "play B C3")
    before = position(server)
    for line in ("lz-analyze", "kata-analyze b 1", "kata-analyze w interval 1", "lz-analyze black"):
        say(server, line)
    assert position(server) == before


def test_avoid_and_allow(server):
    say(server, "boardsize 3")
    moves = [i["move"] for i in parse_infos(server.execute("lz-analyze b 9 allow b A1,B2 1"))]
    assert sorted(moves) == ["A1", "B2"]
    moves = [i["move"] for i in parse_infos(server.execute("lz-analyze 9 avoid b A1,B2 30 avoid w A1,C3 30"))]
    assert "A1" not in moves
    assert "C3" in moves
    for _ in range(5):
        assert say(server, "lz-genmove_analyze b 9 allow b A1 1", "undo") == ""
        assert server.execute("kata-genmove_analyze b 9 allow b A1 1").endswith("\nplay A1")
        say(server, "undo")


@pytest.mark.parametrize("command", ["lz-genmove_analyze", "kata-genmove_analyze"])
def test_genmove_analyze_reports_and_plays(command):
    server = Server("flat:sims=300,seed=1")
    twin = Server("flat:sims=300,seed=1")
    say(server, "boardsize 5")
    head, *lines, last = server.execute(f"4 {command} b 5").split("\n")
    assert head == "=4"
    assert lines
    assert all(parse_infos(line) for line in lines)
    played = say(server, "last_move")
    assert last == "play " + played.removeprefix("black ")
    assert say(twin, "boardsize 5", "genmove b") == last.removeprefix("play "), "looking on changes nothing"


TREES = ("uct", "mogo", "mango")


def games(spec, moves=4):
    """Answers to genmove_analyze in a game, each with what a twin answers to genmove."""
    server, twin = Server(spec), Server(spec)
    say(server, "boardsize 7")
    say(twin, "boardsize 7")
    for k in range(moves):
        asked = f"{('kata', 'lz')[k // 2 % 2]}-genmove_analyze {'bw'[k % 2]} 1"
        extra = " ownership true rootInfo true" if k % 2 else ""
        yield server.execute(asked + extra).split("\n"), say(twin, f"genmove {'bw'[k % 2]}")


SEEDED = ("uniform:seed={}", "flat:sims=100,seed={}", *(f"{name}:sims=300,seed={{}}" for name in TREES))
SPECS = [*(spec.format(seed) for spec in SEEDED for seed in range(3)), "shapes", "rlgo1:depth=2"]


@pytest.mark.parametrize("spec", SPECS)
def test_the_last_line_is_of_the_search_that_plays(spec):
    for (head, *lines, last), plain in games(spec):
        assert head == "="
        assert last == f"play {plain}", "looking on changes nothing"
        assert parse_infos(lines[-1])[0]["move"] == plain, "what is played comes first"


def test_the_lines_grow_into_the_last_one():
    server = Server("mogo:sims=3000,seed=1")
    _, *lines, _ = server.execute("kata-genmove_analyze b 1 rootInfo true").split("\n")
    visits = [int(parse_root(line)["visits"]) for line in lines]
    assert visits[-1] == 3000, "all simulations of the move and no others"
    assert visits == sorted(visits)
    assert visits[0] < 3000, "it tells while it thinks"


def test_looking_between_moves_changes_none():
    spec = "mogo:sims=300,seed=5"
    watched, alone = Server(spec), Server(spec)
    for k in range(6):
        color = "bw"[k % 2]
        say(watched, f"kata-analyze {color} 1 ownership true", f"lz-analyze {color}")
        assert say(watched, f"genmove {color}") == say(alone, f"genmove {color}")
    for spec in ("flat:sims=20,seed=5", "uniform:seed=5"):
        watched, alone = Server(spec), Server(spec)
        say(watched, "boardsize 5", "kata-analyze b")
        say(alone, "boardsize 5")
        assert say(watched, "genmove b") == say(alone, "genmove b")


def test_each_move_has_the_lead_of_its_own_simulations():
    server = Server("uct:sims=2000,seed=1")
    server.session.board = Board.from_text(
        """
        . X O . .
        O X O . .
        O X O . .
        O X O . .
        O X O . .""",
        komi=-6.5,
    )
    *_, line, last = server.execute("kata-genmove_analyze b 1000").split("\n")
    leads = {info["move"]: float(info["scoreLead"]) for info in parse_infos(line)}
    assert last == "play A5", "it takes four stones, or loses five"
    assert leads.pop("A5") == pytest.approx(10 - 15 + 6.5, abs=3)
    assert max(leads.values()) < -10


def test_what_needs_no_search_has_no_line():
    server = Server("mogo:sims=200,seed=1")
    say(server, "boardsize 5", "komi 0.5")
    for point in ("C1", "C2", "C3", "C4", "C5"):
        say(server, f"play b {point}", "play w pass")
    assert server.execute("lz-genmove_analyze b 10") == "=\nplay pass"
    resigning = Server("mogo:sims=200,seed=1,resign=1,resign_turns=1")
    _, *lines, last = resigning.execute("lz-genmove_analyze b 10").split("\n")
    assert last == "play resign"
    assert parse_infos(lines[-1])


def test_a_player_that_fails_is_an_error_and_not_an_empty_answer():
    server = Server("mogo:sims=none")
    assert server.execute("3 lz-genmove_analyze b 10").startswith("?3 player mogo has sims=none")
    assert Server(Watcher()).execute("lz-genmove_analyze b").startswith("? player watcher does not analyse")


@pytest.fixture
def pipe():
    found = Pipe("uniform:seed=1")
    yield found
    found.close()


def test_sabaki(pipe):
    for line in ("0 name", "1 version", "2 protocol_version", "3 list_commands"):
        pipe.send(line)
    assert pipe.answer()[0].startswith("=0 playout")
    assert re.fullmatch(r"=1 \d+\.\d+.*", pipe.answer()[0])
    assert pipe.answer() == ["=2 2"]
    commands = pipe.answer()
    # It takes the first of these that it finds.
    assert next(c for c in ("analyze", "kata-analyze", "lz-analyze") if c in commands) == "kata-analyze"
    for line in ("4 boardsize 9", "5 komi 6.5", "6 clear_board", "7 play B E5", "8 kata-analyze W 10"):
        pipe.send(line)
    assert [pipe.answer() for _ in range(4)] == [["=4"], ["=5"], ["=6"], ["=7"]]
    assert pipe.line() == "=8"
    for _ in range(3):
        infos = parse_infos(pipe.line())
        assert len(infos) == 81
    pipe.send("9 protocol_version")
    assert all(parse_infos(line) for line in pipe.answer())
    assert pipe.answer() == ["=9 2"]
    pipe.send("10 kata-genmove_analyze W 10")
    head, *infos, last = pipe.answer()
    assert head == "=10"
    assert infos
    assert re.fullmatch(r"play ([A-J][1-9]|pass|resign)", last)
    pipe.send("11 quit")
    assert pipe.answer() == ["=11"]


def test_lizzie(pipe):
    for line in ("1 name", "2 version", "3 boardsize 9", "4 komi 7.5", "5 lz-analyze 10"):
        pipe.send(line)
    assert pipe.answer()[0].startswith("=1 ")
    assert pipe.answer()[0].startswith("=2 ")
    assert pipe.answer() == ["=3"]
    assert pipe.answer() == ["=4"]
    assert pipe.line() == "=5"
    first = parse_infos(pipe.line())
    later = parse_infos(pipe.line())
    assert int(later[0]["visits"]) > int(first[0]["visits"])
    pipe.send("6 play B E5")
    pipe.send("7 lz-analyze 10")
    pipe.answer()
    assert pipe.answer() == ["=6"]
    assert pipe.line() == "=7"
    assert "E5" not in [info["move"] for info in parse_infos(pipe.line())]
    pipe.send("8 name")
    pipe.answer()
    assert pipe.answer()[0].startswith("=8 ")
    pipe.send("9 time_settings 0 2 1")
    pipe.send("10 lz-genmove_analyze W 10")
    assert pipe.answer() == ["=9"]
    assert pipe.answer()[-1].startswith("play ")
    pipe.send("11 kata-analyze 10 ownership true")
    assert pipe.line() == "=11"
    assert len(pipe.line().split(" ownership ")[1].split()) == 81
    pipe.send("")  # a bare newline stops it too
    pipe.answer()
    pipe.send("12 undo")
    assert pipe.answer() == ["=12"]


def test_analysis_stops_at_once_and_at_the_end_of_input(pipe):
    pipe.send("lz-analyze 100000")
    assert pipe.line() == "="
    assert pipe.line().startswith("info move ")
    began = time.monotonic()
    pipe.send("protocol_version")
    assert pipe.answer() == []
    assert pipe.answer() == ["= 2"]
    assert time.monotonic() - began < 2
    pipe.send("lz-analyze 100000")  # and now the fixture hangs up


def test_analysis_has_its_first_line_before_anything_is_known(pipe):
    """The ``=`` comes at once, also where the first simulations take long."""
    pipe.send("boardsize 19")
    assert pipe.answer() == ["="]
    pipe.send("kata-analyze b 10")
    assert pipe.line() == "="
