"""What the commands of GTP 2, KGS and GNU Go do."""

import re
import time

import pytest
from boards import SENDING_TWO
from gtp_talk import Watcher, position, say

from playout.errors import InputError
from playout.games.go import sgf
from playout.games.go.board import Board
from playout.gtp.server import Server
from playout.player.api import RESIGN, Player
from playout.player.clock import Clock


@pytest.fixture
def server():
    return Server("uniform:seed=1")


def test_a_game_by_hand(server):
    say(
        server,
        "boardsize 9",
        "komi 5.5",
        "clear_board",
        "play B E5",
        "play white e4",
        "play b D4",
        "play W pass",
    )
    assert say(server, "get_komi") == "5.5"
    assert say(server, "query_boardsize") == "9"
    assert say(server, "list_stones black") == "E5 D4"
    assert say(server, "color E4") == "white"
    assert say(server, "color A1") == "empty"
    assert say(server, "move_history") == "white pass\nblack D4\nwhite E4\nblack E5"
    assert say(server, "last_move") == "white pass"
    assert say(server, "undo", "last_move") == "black D4"
    assert say(server, "play B F4", "countlib E4") == "1"
    assert say(server, "findlib E4") == "E3"
    assert say(server, "play B E3", "captures black") == "1"
    assert say(server, "list_stones white") == ""
    assert say(server, "is_legal W E4") == "0"
    assert say(server, "is_legal W A1") == "1"
    legal = say(server, "all_legal W").split()
    assert len(legal) == 81 - 5
    assert "E4" not in legal
    board = say(server, "showboard")
    assert board.startswith("\n   A B C D E F G H J\n 9 ")
    assert "(X)" in board


def test_boardsize_keeps_komi_and_rules(server):
    say(
        server,
        "komi 0.5",
        "playout-set-param superko simple",
        "playout-set-param suicide true",
        "boardsize 13",
    )
    assert say(server, "get_komi") == "0.5"
    assert say(server, "playout-get-param superko") == "simple"
    assert say(server, "playout-get-param suicide") == "true"


def test_genmove_plays_for_either_colour_and_can_be_taken_back(server):
    say(server, "boardsize 5")
    first = say(server, "genmove w")
    second = say(server, "genmove w")
    assert say(server, "move_history") == f"white {second}\nwhite {first}"
    before = say(server, "move_history")
    third = say(server, "reg_genmove b")
    assert say(server, f"is_legal b {third}") == "1"
    assert say(server, "move_history") == before
    assert say(server, "undo", "undo", "move_history") == ""


def test_the_same_seed_gives_the_same_game():
    def game() -> list[str]:
        server = Server("uniform:seed=5")
        return [say(server, f"genmove {'bw'[k % 2]}") for k in range(30)]

    assert game() == game()


def test_play_goes_on_after_two_passes(server):
    say(server, "boardsize 5", "play B pass", "play W pass", "play B C3")
    assert say(server, "genmove W") not in ("pass", "resign")


def test_a_player_that_resigns_leaves_the_position():
    class Loser(Player):
        name, settings, clock = "loser", None, Clock()

        def choose_action(self, board: Board) -> int:
            return RESIGN

    server = Server(Loser())
    say(server, "play B E5")
    before = position(server)
    assert say(server, "genmove W") == "resign"
    assert say(server, "reg_genmove W") == "resign"
    assert position(server) == before
    assert "superko" in say(server, "playout-get-param")
    assert server.execute("playout-set-param seed 1").startswith("? there is no parameter 'seed'")
    assert server.execute("lz-analyze") == "? player loser does not analyse"


@pytest.mark.parametrize("failure", [RuntimeError("two\n\nlines"), ZeroDivisionError(), InputError("no")])
def test_an_exception_in_a_player_is_an_answer(failure):
    class Broken(Player):
        name, settings, clock = "broken", None, Clock()

        def choose_action(self, board: Board) -> int:
            board.play("A1")  # a player has no business to, and we do not mind
            raise failure

    server = Server(Broken())
    before = position(server)
    answer = server.execute("genmove b")
    assert answer.startswith("? ")
    assert "\n" not in answer
    assert "Traceback" not in answer
    assert position(server) == before


def test_an_illegal_choice_is_refused():
    class Wrong(Player):
        name, settings, clock = "wrong", None, Clock()

        def choose_action(self, board: Board) -> int:
            return board.moves[0].point

    server = Server(Wrong())
    say(server, "play B E5")
    assert server.execute("genmove w") == "? player wrong chose E5, which is not legal"


# -- handicap ---------------------------------------------------------------------------------------


def test_handicaps(server):
    say(server, "boardsize 19")
    assert say(server, "fixed_handicap 5") == "D4 Q16 D16 Q4 K10"
    assert say(server, "get_handicap") == "5"
    assert server.execute("fixed_handicap 2").startswith("? board not empty: ")
    assert "White to play" in say(server, "showboard")
    assert len(say(server, "clear_board", "place_free_handicap 9").split()) == 9
    assert len(say(server, "clear_board", "place_free_handicap 300").split()) == 9, "fewer is allowed"
    say(server, "clear_board", "set_free_handicap A1 B2 C3")
    assert say(server, "list_stones b") == "C3 B2 A1"
    assert say(server, "clear_board", "get_handicap") == "0"


@pytest.mark.parametrize("size", range(2, 20))
def test_free_handicap_on_every_size(server, size):
    stones = say(server, f"boardsize {size}", "place_free_handicap 2").split()
    assert len(stones) == 2
    assert sorted(say(server, "list_stones b").split()) == sorted(stones)


# -- time -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "shown"),
    [
        ((), (0, 0, 0, False)),
        (("time_settings 600 30 5",), (600, 30, 5, True)),
        (("time_settings 0 1 0",), (0, 1, 0, False)),
        (("kgs-time_settings none",), (0, 0, 0, False)),
        (("kgs-time_settings absolute 300",), (300, 0, 0, True)),
        (("kgs-time_settings canadian 300 60 10",), (300, 60, 10, True)),
        (("kgs-time_settings byoyomi 300 30 5",), (300, 30, 1, True)),
        (("kgs-time_settings byoyomi 300 30 5", "time_left b 20 4"), (0, 20, 1, True)),
        (("kata-time_settings fischer 300 5", "time_left b 20 0"), (20, 0, 0, True)),
        (("kata-time_settings byoyomi 300 30 5",), (300, 30, 1, True)),
        (("kata-time_settings none",), (0, 0, 0, False)),
        (("time_settings 600 30 5", "time_left b 99 0", "time_left w 5 5"), (99, 30, 5, True)),
        (("time_settings 600 30 5", "time_left b 12 3"), (0, 12, 3, True)),
        (("time_settings 600 30 5", "time_left b 12 3", "clear_board"), (600, 30, 5, True)),
    ],
)
def test_the_clock_that_the_player_sees(lines, shown):
    player = Watcher()
    say(Server(player), *lines, "genmove b")
    assert player.seen == [shown]


def test_the_time_systems_that_katago_lists(server):
    assert say(server, "kata-list_time_settings") == "none absolute byoyomi canadian fischer"
    for line, sentence in (
        ("kata-time_settings fischer 10", "fischer takes 2 numbers, not 1"),
        ("kata-time_settings fisher 10 1", "unknown time system 'fisher'; did you mean fischer?"),
        ("kgs-time_settings fischer 10 1", "unknown time system 'fischer'"),
        ("kata-time_settings fischer 10 -1", "times are not negative"),
    ):
        assert server.execute(line).startswith(f"? syntax error: {sentence}")


def test_a_player_warms_up_before_its_clock_runs():
    class Warm(Watcher):
        warmed = 0

        def warm_up(self, size: int = 9) -> None:
            self.warmed += 1

    player = Warm()
    server = Server(player)
    say(server, "boardsize 5", "genmove b", "kgs-time_settings none")
    assert player.warmed == 0
    say(server, "time_settings 5 0 0", "time_left b 5 0", "genmove b", "time_settings 9 0 0")
    assert player.warmed == 1
    only_told = Warm()
    say(Server(only_told), "time_left b 5 0")
    assert only_told.warmed == 1


def test_a_fischer_clock_keeps_its_own_account(server):
    say(server, "kata-time_settings fischer 100 10", "genmove b")
    assert 109 < server.session.clocks[1].main < 110
    assert server.session.clocks[2].main == 100
    assert say(server, "clear_board") == ""
    assert server.session.clocks[1].main == 100


def test_thinking_takes_time_off_the_clock():
    class Slow(Watcher):
        def choose_action(self, board: Board) -> int:
            time.sleep(0.2)
            return super().choose_action(board)

    server = Server(Slow())
    say(server, "time_settings 100 0 0", "genmove b")
    assert 98 < server.session.clocks[1].main < 99.9
    assert server.session.clocks[2].main == 100


# -- the end of the game ----------------------------------------------------------------------------

# Black's wall lives, White's two stones inside are dead; White owns the right.
FINISHED = """
    . X . X O . .
    X X X X O O O
    O O . X O . O
    . . . X O O .
    X X X X X O O
    . X . . X O .
    X X X X X O O"""


@pytest.fixture
def finished():
    server = Server("uniform:seed=1")
    server.session.board = Board.from_text(FINISHED, komi=7.5)
    say(server, "play B pass", "play W pass")
    return server


def test_final_status_and_score(finished):
    assert say(finished, "final_status_list dead").split() == ["A5", "B5"]
    assert "A5" not in say(finished, "final_status_list alive")
    assert say(finished, "final_status_list seki") == ""
    assert "C5" in say(finished, "final_status_list black_territory").split()
    assert "F7" in say(finished, "final_status_list white_territory").split()
    assert say(finished, "final_status_list dame") == ""
    assert say(finished, "final_score") == "B+5.5"  # 31 against 18
    say(finished, "playout-set-param scoring alive")
    assert say(finished, "final_status_list dead") == ""
    # The two stones and what only they touch change hands; what both touch is nobody's.
    assert say(finished, "final_score") == finished.session.board.result()


def test_seki_is_told_only_of_a_finished_game():
    server = Server("uniform:seed=1")
    server.session.board = Board.from_text(
        """
        . X O . X O .
        X X O X X O O
        . X O X X O .
        X X O X X O O
        X X O X X O O
        X X O X X O O
        X X O . X O O""",
        komi=0,
    )
    assert say(server, "final_status_list seki") == ""
    say(server, "play B pass", "play W pass")
    assert say(server, "final_status_list dead") == ""
    seki = [f"C{k}" for k in range(1, 8)] + [f"D{k}" for k in range(2, 7)] + [f"E{k}" for k in range(1, 8)]
    assert sorted(say(server, "final_status_list seki").split()) == sorted(seki)
    assert not set(say(server, "final_status_list alive").split()) & set(seki)
    assert say(server, "final_status_list dame") == "D7 D1"
    assert say(server, "final_status_list black_territory") == "A7 A5"


@pytest.mark.parametrize("ask", ["genmove", "kgs-genmove_cleanup", "kata-genmove_analyze"])
@pytest.mark.parametrize("spec", ["mogo:sims=300,seed=1", "flat:sims=30,seed=1"])
def test_play_after_two_passes_is_thought_of(ask, spec):
    """As it stands Black is behind, and White's two stones are there to be taken."""
    server = Server(spec)
    server.session.board = Board.from_text(FINISHED, komi=7.5)
    say(server, "play B pass", "play W pass")
    assert say(server, "reg_genmove b") != "pass"
    assert server.session.board.is_over, "to ask changes nothing of the game"
    moves = []
    while len(moves) < 20 and moves[-1:] != ["pass"]:
        moves.append(server.execute(f"{ask} b").split()[-1])
        say(server, "play W pass")
    assert moves[-1] == "pass"
    assert len(moves) > 3
    board = server.session.board
    assert board.is_over
    assert board.score() > 0, "it passes when it is ahead as the game stands"
    if ask == "kgs-genmove_cleanup":
        assert board["A5"] == board["B5"] == ".", "they were taken first"


def test_analysis_goes_on_after_two_passes():
    server = Server("uct:seed=1")
    say(server, "boardsize 5", "play B C3", "play W pass", "play B pass")
    visits = [int(count) for count in re.findall(r"visits (\d+)", server.execute("lz-analyze w 10"))]
    assert sum(visits) >= 256


def test_cleanup_takes_the_dead_stones(finished):
    say(finished, "playout-set-param seed 3")
    for _ in range(30):
        if not say(finished, "list_stones w").startswith("A5") and "A5" not in say(finished, "list_stones w"):
            break
        assert say(finished, "kgs-genmove_cleanup b") != "pass"
        say(finished, "play w pass")
    assert say(finished, "color A5") == "empty"
    assert say(finished, "color B5") == "empty"


def test_cleanup_by_a_player_that_only_passes():
    server = Server(Watcher())
    server.session.board = Board.from_text(FINISHED)
    moves = []
    while len(moves) < 20 and say(server, "color A5") == "white":
        moves.append(say(server, "kgs-genmove_cleanup b"))
        say(server, "play w pass")
    assert "pass" not in moves
    assert len(moves) == 3  # C5, A4 and B4 in some order
    assert say(server, "kgs-genmove_cleanup b") == "pass"


# -- files ------------------------------------------------------------------------------------------


def test_sgf_out_and_in(server, tmp_path):
    path = tmp_path / "a game.sgf"
    say(server, "boardsize 9", "komi 6.5", "fixed_handicap 2", "play W E5", "play B pass", f"printsgf {path}")
    before = position(server)
    assert say(server, "printsgf").startswith("(;FF[4]")
    say(server, "boardsize 5", f"loadsgf {path}")
    assert position(server) == before
    assert say(server, f"loadsgf {path} 2", "move_history") == "white E5"
    assert say(server, f"loadsgf {path} 1", "move_history") == ""
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a game.sgf"]


def test_loading_up_to_a_move(server, tmp_path):
    path = tmp_path / "to D4"  # a name that ends like a move
    path.write_text("(;GM[1]SZ[5]KM[6.5];B[bb];W[cc];B[];W[aa])")
    assert say(server, f"loadsgf {path}") == "black"
    assert say(server, f"loadsgf {path} c3") == "white"
    assert say(server, "move_history") == "black B4"
    assert say(server, f"loadsgf {path} PASS", "last_move") == "white C3"
    assert say(server, f"loadsgf {path} 3", "last_move") == "white C3"
    for number in ("0", "1", "B4"):
        assert say(server, f"loadsgf {path} {number}", "move_history") == ""
    assert say(server, f"loadsgf {path} 99999999999999999999", "last_move") == "white A5"
    before = position(server)
    for vertex, reason in (("D1", "no move of the game is D1"), ("T19", "point 'T19' is not on a 5x5 board")):
        assert server.execute(f"loadsgf {path} {vertex}").startswith(f"? cannot load file: {reason}")
    assert position(server) == before


def test_a_file_without_komi_leaves_the_one_that_was_set(server, tmp_path, capsys):
    with_komi, without, unreadable = (tmp_path / name for name in ("with", "without", "unreadable"))
    with_komi.write_text("(;GM[1]SZ[9]KM[0];B[ee])")
    without.write_text("(;GM[1]SZ[9];B[ee])")
    unreadable.write_text("(;GM[1]SZ[9]KM[six];B[ee])")
    assert say(server, "komi 5.5", f"loadsgf {with_komi}", "get_komi") == "0"
    assert capsys.readouterr().err == ""
    for path in (without, unreadable):
        assert say(server, "komi 5.5", f"loadsgf {path}", "get_komi") == "5.5"
        assert capsys.readouterr().err == "playout: the file has no komi (KM); komi 5.5 holds\n"


def test_what_may_not_be_played_may_not_be_loaded(server, tmp_path):
    """One rule of repetition for both: White sends two stones, Black returns one, and White repeats."""
    path = tmp_path / "long.sgf"
    board = Board.from_text(SENDING_TWO, to_play="W", superko="simple").play("A5").play("C5").play("B5")
    path.write_text(sgf.from_board(board).to_sgf())
    say(server, "play B E5")
    before = position(server)
    answer = server.execute(f"loadsgf {path}")
    assert answer.startswith("? cannot load file: move 3 of the game breaks a rule: ")
    assert answer.endswith("after playout-set-param superko simple it can be loaded")
    assert position(server) == before
    assert say(server, f"loadsgf {path} 3") == "white"
    assert server.execute("play W B5").startswith("? illegal move: ")
    say(server, "playout-set-param superko simple", "play W B5", "playout-set-param superko simple")
    assert say(server, f"loadsgf {path}", "last_move") == "white B5"


def test_a_bad_sgf_leaves_the_game(server, tmp_path):
    (tmp_path / "bad.sgf").write_bytes(b"\x00\xffno game")
    say(server, "play B E5")
    before = position(server)
    for file in ("bad.sgf", "absent.sgf", "."):
        assert server.execute(f"loadsgf {tmp_path}/{file}").startswith("? cannot load file: ")
    assert server.execute(f"printsgf {tmp_path}/no/such/folder.sgf").startswith("? cannot write ")
    assert position(server) == before


# -- parameters -------------------------------------------------------------------------------------


def test_every_setting_can_be_read_and_set():
    server = Server("flat:sims=10,policy=mogo,policy.captures=false,seed=1")
    listed = dict(line.split(" ", 1) for line in say(server, "playout-get-param").split("\n"))
    assert listed["sims"] == "10"
    assert listed["policy.captures"] == "false"
    for name, value in listed.items():
        assert say(server, f"playout-get-param {name}") == value
        say(server, f"playout-set-param {name} {value}")
    say(server, "playout-set-param sims 20", "playout-set-param policy.captures true")
    assert server.session.player.settings.sims == 20
    assert say(server, "playout-get-param policy.captures") == "true"
    say(server, "playout-set-param policy uniform")
    assert "policy.captures" not in say(server, "playout-get-param")
    assert say(server, "set_random_seed 9", "get_random_seed") == "9"
    assert say(server, "playout-set-param seed none", "get_random_seed") == "none"
    assert "[bool] suicide 0" in say(server, "playout-param").split("\n")
    assert say(server, "playout-param suicide 1", "playout-get-param suicide") == "true"


def test_rules_change_in_the_middle_of_a_game(server):
    say(server, "boardsize 5", "playout-set-param suicide true")
    say(server, "play B A2", "play W A3", "play W B2", "play W B1", "play B A1")  # suicide of two stones
    assert say(server, "color A2") == "empty"
    before = position(server)
    answer = server.execute("playout-set-param suicide false")
    assert answer.startswith("? move 5 of the game breaks a rule: ")
    assert position(server) == before
    say(server, "undo", "playout-set-param suicide false")
    assert server.execute("play B A1").startswith("? illegal move: ")


def test_ownership_is_by_the_players_policy():
    """Uniformly random moves leave much more open than MoGo's rules."""
    answers = [
        say(Server(spec), "boardsize 7", "play b C3", "play w E5", "playout-ownership 300")
        for spec in ("uniform", "mogo-policy", "flat:policy=mogo", "uct:policy=uniform", "shapes")
    ]
    assert answers[0] == answers[3]
    assert answers[1] == answers[2] == answers[4], "MoGo's where there is none"
    assert answers[0] != answers[1]


def test_what_gogui_can_show(server):
    known = say(server, "list_commands").split("\n")
    for line in say(server, "gogui-analyze_commands").split("\n"):
        kind, label, command = line.split("/")
        assert kind in ("string", "dboard", "plist", "param", "gfx")
        assert label
        assert command.split()[0] in known
    rows = say(server, "boardsize 5", "play B C3", "playout-ownership 100").strip().split("\n")
    assert [len(row.split()) for row in rows] == [5] * 5
    assert all(-1 <= float(word) <= 1 for row in rows for word in row.split())
