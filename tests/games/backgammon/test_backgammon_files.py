"""Matches in files, what others write, broken ones; drawings; a position in the hands of people."""

import io
import os
import subprocess

import pytest
from checkers import needs_gnubg, random_games, side, state_of
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from playout.arena.match import match
from playout.arena.terms import Terms
from playout.cli import main
from playout.cli.session import Session
from playout.errors import InputError
from playout.games.backgammon import files, mat, sgf
from playout.games.backgammon.as_position import BackgammonPosition
from playout.games.backgammon.draw import svg, text
from playout.games.backgammon.record import ROLL, match_of
from playout.games.record import Note
from playout.games.registry import find_game
from playout.kernel import new_rng
from playout.player.registry import make_player

GAME = find_game("backgammon")
SCORED = """\
; [Site "a server"]

 3 point match

 Game 1
 Ann B. : 0                         Bob : 0
  1)                                31: 8/5 6/5
  2) 52: 24/22 13/8                 66: 24/18(2) 13/7(2)
  3)  Doubles => 2                   Takes
  4) 43: 13/10 13/9                  21: 13/11 6/5
                                     Wins 2 points

 Game 2
 Ann B. : 0                         Bob : 2
  1) 31: 8/5 6/5                    62: 24/18 13/11
      Wins 1 point

 Game 3
 Ann B. : 1                         Bob : 2
  1) 64: 24/14                       Doubles => 2
  2)  Drops                          Wins 1 point and the match
"""


def turns(match):
    return [game.turns for game in match.games]


@pytest.mark.small
def test_a_match_in_two_columns():
    found = mat.read(SCORED)
    assert found.names == ("Ann B.", "Bob")
    assert found.length == 3
    assert [(game.winner, game.points) for game in found.games] == [(2, 2), (1, 1), (2, 1)]
    assert [game.first["score"][0].tolist() for game in found.games] == [[0, 0], [0, 2], [1, 2]]
    assert [bool(game.first["crawford"][0]) for game in found.games] == [False, True, False]
    first = found.games[0]
    assert [turn.player for turn in first.turns] == [2, 1, 2, 1, 2, 1, 2]
    *_, (_, last) = first.states()
    assert (last["cube"][0], last["owner"][0]) == (1, 2)


@pytest.mark.small
def test_the_same_match_in_every_form():
    found = mat.read(SCORED)
    assert turns(mat.read(mat.write(found))) == turns(found)
    assert mat.write(mat.read(mat.write(found))) == mat.write(found)
    as_sgf = sgf.read(sgf.write(found))
    assert turns(as_sgf) == turns(found)
    assert (as_sgf.names, as_sgf.length) == (found.names, found.length)
    assert mat.write(as_sgf) == mat.write(found)
    assert [game.resigned for game in found.games] == [True, True, False]


@needs_gnubg
def test_gnubg_reads_what_we_write(tmp_path):
    found = mat.read(SCORED)
    (tmp_path / "ours.mat").write_text(mat.write(found))
    (tmp_path / "ours.sgf").write_text(sgf.write(found))
    commands = "import mat ours.mat\nexport match mat one.mat\nload match ours.sgf\nsave match two.sgf\n"
    (tmp_path / "commands").write_text(commands)
    words = ["gnubg", "-t", "-q", "-r", "-c", "commands"]
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    home = {**os.environ, "HOME": str(tmp_path)}
    subprocess.run(words, cwd=tmp_path, env=home, timeout=100, check=True, **quiet)
    assert turns(files.load(tmp_path / "one.mat")) == turns(found)
    assert turns(files.load(tmp_path / "two.sgf")) == turns(found)


# As GNU Backgammon 1.07 writes it, shortened: White is its player on the left.
GNUBG = (
    b"(;FF[4]GM[6]CA[UTF-8]AP[GNU Backgammon:1.07.001]MI[length:3][game:0][ws:0][bs:0]PW[gnubg]PB[root]"
    b"RU[Crawford]RE[B+2R];W[21mkxw]A[0][mkxw E ver 3 0.498605];B[65aggl];W[32wuxu];B[66aglrlrlr];W[31mjhg]"
    b";B[43yddg];W[53ytjg];B[43yddg];W[62ywmg];B[double];W[take];B[52ybbg])"
)


@pytest.mark.small
def test_a_game_of_gnubg():
    found = files.read(GNUBG)
    assert found.names == ("root", "gnubg")
    assert (found.games[0].winner, found.games[0].points) == (1, 2)
    words = [
        files.spell(state[0], turn.action) for turn, state in found.games[0].states() if turn.kind == ROLL
    ]
    assert words[:4] == ["24/23 13/11", "24/13", "24/21 23/21", "24/18 13/7(3)"]
    assert words[-1] == "bar/18*"


@pytest.mark.small
@pytest.mark.parametrize("seed", [1, 2])
def test_random_games_come_back(seed):
    position, luck = GAME.new_position(), new_rng(seed)
    player = make_player("random", GAME, seed=seed)
    while not position.is_over:
        position.settle(luck)
        position.play(player.choose_action(position))
    played = match_of(position, ("a]b\\c", "née"))
    for text_of in (mat.write, sgf.write):
        again = files.read(text_of(played).encode())
        assert turns(again) == turns(played)
        assert again.games[0].winner == position.winner
        assert again.games[0].points == abs(position.outcome)
    assert sgf.read(sgf.write(played)).names == played.names


BROKEN = [
    ("", "there is no game in it"),
    (" Game 1\n nobody", "line 2: 'nobody' is not the players with their scores"),
    (" 500 point match", "line 1: a match to 500 points is too long, 99 are most"),
    (SCORED.replace("31: 8/5", "71: 8/5", 1), "line 7: a die shows 1 to 6, and not '7'"),
    (SCORED.replace("24/22 13/8", "24/1", 1), "line 8: '24/1' is no legal play of 5-2: legal are"),
    (SCORED.replace("Takes", "Beavers"), "line 9: 'Beavers' is not read"),
    (SCORED.replace("=> 2", "=> 3", 1), "line 9: a cube of '3' is no power of two"),
    (SCORED.replace(" Takes", "", 1), "line 10: a double has to be taken or dropped first"),
    (
        SCORED.replace(" Doubles => 2                   Takes", "                                 Takes", 1),
        "line 9: ",
    ),
    (
        SCORED.replace("  2) 52: 24/22 13/8   ", "  2)                   "),
        "line 8: it is the other player's turn",
    ),
    (SCORED.replace("  4) 43", "  what"), "line 10: 'what"),
    (SCORED.replace("13/10 13/9", "????"), "line 10: '\\?\\?\\?\\?' is no play"),
    (SCORED.replace("62: 24/18 13/11", " Doubles => 2"), "line 15: nobody may double in the Crawford game"),
    (SCORED.replace("Bob : 2", "Bob : 3"), "line 14: a match to 3 points is over at 0 to 3"),
    (SCORED.replace("1) 64: 24/14 ", "1) 64: 24/14 43: 6/2 11:"), "there are 4 turns in a row"),
    ("(;GM[1]SZ[9])", "game 1: this is no backgammon: GM is '1', and not 6"),
    ("(;GM[6];B[71hefe])", "game 1: move 1: a die shows 1 to 6, and not '7'"),
    ("(;GM[6];B[31aaaa])", "game 1: move 1: .* is not a play"),
    ("(;GM[6];B[31x])", "game 1: move 1: '31x' is no move, as in 31hefe"),
    ("(;GM[6];B[take])", "there is no double that this player could take or drop"),
    ("(;GM[6]CV[3];B[31])", "a cube of '3' is no power of two"),
    ("(;GM[6]AW[f]CV[2];B[31])", r"a position that is set up \(AW\) is not read"),
    ("(;GM[6]MI[length:x])", "length 'x' is not a whole number"),
    ("(;GM[6]MI[length:7])(;GM[6]MI[length:5])", "game 2: it is of a match to 5 points"),
]


@pytest.mark.small
@pytest.mark.parametrize(("broken", "sentence"), BROKEN)
def test_broken_files_get_a_sentence(broken, sentence, tmp_path):
    path = tmp_path / "game.mat"
    path.write_text(broken)
    with pytest.raises(InputError, match=sentence) as refused:
        files.load(path)
    assert "\n" not in str(refused.value)


@pytest.mark.small
@settings(deadline=None)
@given(st.data())
def test_damaged_files_are_read_or_refused(data):
    whole = data.draw(st.sampled_from([SCORED.encode(), GNUBG]))
    at, more = data.draw(st.integers(0, len(whole))), data.draw(st.binary(max_size=6))
    damaged = whole[:at] + more + whole[at + data.draw(st.integers(0, 40)) :]
    try:
        found = files.read(damaged)
    except InputError:
        return
    assert turns(mat.read(mat.write(found))) == turns(found)


@pytest.mark.small
def test_files_that_are_none(tmp_path):
    with pytest.raises(InputError, match="cannot be read: there is no such file"):
        files.load(tmp_path / "none.mat")
    (tmp_path / "large.mat").write_bytes(b" " * (files.MAX_BYTES + 1))
    with pytest.raises(InputError, match="it has over 4 megabytes"):
        files.load(tmp_path / "large.mat")


@pytest.mark.small
def test_a_record_is_walked_through_and_written_with_notes(tmp_path):
    (tmp_path / "a.mat").write_text(SCORED)
    record = GAME.read_record(tmp_path / "a.mat", 1)
    steps = list(record.steps())
    words = ["8/5 6/5", "roll", "24/22 13/8", "roll", "24/18(2) 13/7(2)"]
    words += ["double", "take", "13/10 13/9", "roll", "13/11 6/5"]
    assert [step.before.spell(step.action) for step in steps] == words
    assert record.moves == len(steps)
    assert [step.player for step in steps] == [2, 1, 1, 2, 2, 1, 2, 1, 2, 2]
    assert record.result == "O+2"
    whole = GAME.read_record(tmp_path / "a.mat")
    assert whole.result == "O+2 X+1 O+1"
    assert whole.moves == sum(GAME.read_record(tmp_path / "a.mat", k).moves for k in (1, 2, 3))
    with pytest.raises(InputError, match="there is no game 4: the match has 3"):
        GAME.read_record(tmp_path / "a.mat", 4)
    ending, written = GAME.write_notes(
        record, [Note(f"note {k}]", 0.5, None, k == 1, line=[0]) for k in range(10)]
    )
    assert ending == ".sgf"
    assert "C[note 1\\]\nnote 2\\]]BM[1]" in written  # of the roll, and of the play
    assert "B[double]C[note 5\\]]\n" in written
    assert turns(files.read(written.encode()))[0] == turns(mat.read(SCORED))[0]


# -- drawings -----------------------------------------------------------------------------------------------

DRAWN = """\
+-13--14--15--16--17--18-+----+-19--20--21--22--23--24-+  O: 168 pips, 0 off, score 4 of 7
|  X           O   O     |  O |  O                   X |
|  X               O     |    |  O                   X |
|  X               O     |    |  O                     |
|                        |    |                        |
|                        |    |                        |
|                        |BAR |                        |  X has 4-3
|  6                     |    |                        |
|  O                     |    |      X                 |
|  O                     |    |  X   X                 |
|  O                     |    |  X   X               X |
|  O   O           X     |    |  X   X               X |  cube 2
+-12--11--10---9---8---7-+----+--6---5---4---3---2---1-+  X: 135 pips, 0 off, score 3 of 7"""
SEEN = "XGID=aB---DC-A--afC--ac-c----B-:1:1:1:43:3:4:0:7:10"


@pytest.mark.small
def test_the_board_as_text():
    position = BackgammonPosition.from_id(SEEN)
    assert str(position) == DRAWN
    other = text(position.record[0], 2).splitlines()
    assert other[0].endswith("X: 135 pips, 0 off, score 3 of 7")
    assert other[-1].endswith("O: 168 pips, 0 off, score 4 of 7")
    assert other[1] == "|  O   O           X     |    |  X   X               X |  cube 2"


@pytest.mark.small
def test_every_checker_is_in_the_picture():
    for state in random_games(1, 2):
        for player in (1, 2):
            picture = svg(state[0], player)
            dark, light = picture.count('fill="#2b2b2b" stroke'), picture.count('fill="#f7f3e8" stroke')
            more = sum(max(0, int(n) - 5) for side in state["points"][0] for n in side[1:])
            assert dark + light - 2 == 30 - more  # two dice beside the checkers
            assert picture.startswith("<svg")
            assert picture.endswith("</svg>")


# -- in the hands of people and players -----------------------------------------------------------------


@pytest.mark.small
def test_a_position_has_history_and_words():
    position = GAME.new_position()
    assert position.is_chance
    position.play("31").play("8/5 6/5").play("66")
    assert position.spelled_moves() == ["31", "8/5 6/5", "66"]
    assert position.dice == (6, 6)
    assert position.undo().undo().dice == (3, 1)
    with pytest.raises(InputError, match="'37' cannot happen now"):
        GAME.new_position().play("37")
    with pytest.raises(InputError, match="event 0 cannot happen now"):
        GAME.new_position().play(0)  # a double


@pytest.mark.small
def test_results_count_points():
    position = BackgammonPosition.from_id("XGID=-A--o---------------------:2:1:1:21:0:0:0:0:10")
    verdict = position.play("1/off").verdict()
    assert (position.outcome, verdict.winner, verdict.result) == (3.0, 1, "X+12")
    assert verdict.detail == "X wins a backgammon with the cube on 4"
    given_up = GAME.new_position().play("31").play("resign")
    assert (given_up.outcome, given_up.result()) == (-3.0, "O+3R")


def test_all_searches_play_it(tmp_path):
    for spec in ("flat:sims=4", "uct:sims=30"):
        assert match(spec, "random", 2, game="backgammon", seed=1).reasons == {"score": 2}
    match("random", "random", 2, game="backgammon", seed=1, sgf=tmp_path / "out")
    assert len(list((tmp_path / "out").iterdir())) == 2
    for path in (tmp_path / "out").iterdir():
        assert path.suffix == ".mat"
        assert files.load(path).games[0].winner


def test_a_game_in_the_terminal(monkeypatch, tmp_path):
    monkeypatch.setenv("PLAYOUT_GAMES_DIR", str(tmp_path))
    screen, lines = io.StringIO(), iter(["24/1", "moves", "", "undo", "quit"])

    def ask(prompt):
        line = next(lines)
        return line or session.board.spell(session.board.legal_moves()[0])

    player = make_player("random:seed=1", GAME)
    session = Session(Terms(GAME), 1, player, Console(file=screen, width=120), ask)
    session.run()
    shown = screen.getvalue()
    assert "'24/1' is no legal play of" in shown
    assert "Chance: " in shown
    assert "X: 167 pips" in shown
    assert session.board.to_play == 1


def test_who_cannot_move_is_not_asked(monkeypatch, tmp_path):
    monkeypatch.setenv("PLAYOUT_GAMES_DIR", str(tmp_path))
    shut_out = side(bar=1, p6=14), side(p1=2, p2=2, p3=2, p4=2, p5=2, p6=2)
    board = BackgammonPosition.from_state(state_of(shut_out, (5, 2)))
    screen, asked = io.StringIO(), []

    lines = iter(["", "undo"])

    def ask(prompt):
        assert board.to_play == 1
        assert board.legal_moves() != [0]
        asked.append(board.id)
        try:
            return next(lines) or board.spell(board.legal_moves()[0])
        except StopIteration:
            raise EOFError from None

    player = make_player("random:seed=1", GAME)
    Session(Terms(GAME), 1, player, Console(file=screen, width=120), ask, board=board).run()
    assert "You cannot move." in screen.getvalue()
    assert board.moves[0] == (1, 0)
    assert asked[0] == asked[-1]  # undo goes back to a decision


def test_suites_ask_by_id(tmp_path, capsys):
    line = '{"position": "4HPwATDgc/ABMA", "dice": [3, 1], "right": ["8/5 6/5"]}\n'
    (tmp_path / "suite.jsonl").write_text(line)
    assert main(["suite", str(tmp_path / "suite.jsonl"), "random", "--game", "backgammon", "--json"]) == 0
    assert '"positions": 1' in capsys.readouterr().out
