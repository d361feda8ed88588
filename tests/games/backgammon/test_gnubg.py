"""GNU Backgammon as a player and a judge: what it says, and when it dies, hangs or is not there."""

import contextlib
import os
import signal
import subprocess
import sys
import textwrap

import pytest
from checkers import boards, needs_gnubg, side, state_of
from hypothesis import given, settings
from processes import wait_until_gone

from playout.arena.match import match
from playout.errors import InputError
from playout.games.backgammon.as_position import BackgammonPosition
from playout.games.backgammon.engines.gnubg import (
    GnuBackgammon,
    GnubgPlayer,
    GnubgSettings,
    board_line,
    in_our_words,
)
from playout.games.backgammon.game import GAME
from playout.games.backgammon.state import BAR, CHECKERS, MAY_DOUBLE, OFFERED, START, place
from playout.player.api import EngineError
from playout.player.registry import make_player

OPENING = "4HPwATDgc/ABMA"
# Position, dice, best play, its equity at 0 plies and at 2, as GNU Backgammon 1.07 gives them.
KNOWN = [
    (OPENING, (3, 1), "8/5 6/5", 0.1590, 0.1588),
    ("+50DBABttwFgBA", (5, 4), "21/12*", 0.6007, 0.6034),
    ("2B6TAxCw28jBAA", (5, 2), "13/8 11/9", 0.2548, 0.2568),
]


@pytest.fixture(scope="module")
def judge():
    with GnuBackgammon() as found:
        yield found


@given(boards())
@settings(max_examples=30)
def test_a_board_is_written_from_the_side_of_who_is_on_roll(board):
    for turn in (1, 2):
        words = board_line(state_of(board, (6, 2), turn)[0]).split(":")
        points = [int(word) for word in words[6:32]]
        mine, theirs = board
        assert points[1:BAR] == [mine[k] - theirs[BAR - k] for k in range(1, BAR)]
        assert (points[0], points[BAR]) == (-theirs[BAR], mine[BAR])
        assert [int(word) for word in words[33:37]] == [6, 2, 6, 2]
        assert [int(word) for word in words[45:47]] == [mine[0], theirs[0]]
        on_board = sum(n for n in points if n > 0)
        assert on_board + mine[0] == CHECKERS
        assert len(":".join(words)) < 200


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [("8/5 6/5 ", "8/5 6/5"), ("25/22* 6/0", "bar/22* 6/off"), ("6/0(2)", "6/off(2)"), ("", "pass")],
)
def test_its_plays_in_our_words(theirs, ours):
    assert in_our_words(theirs) == ours


@needs_gnubg
@pytest.mark.parametrize(("word", "dice", "play", "zero", "two"), KNOWN)
def test_known_positions(judge, word, dice, play, zero, two):
    position = BackgammonPosition.from_id(word, dice)
    action = position.parse(in_our_words(judge.play(position.record[0])))
    assert position.spell(action) == play
    after = position.play(action).record
    assert -judge.evaluate(after, plies=0).equity == pytest.approx(zero, abs=1e-4)
    assert -judge.evaluate(after, plies=2).equity == pytest.approx(two, abs=1e-4)
    found = judge.evaluate(after, plies=0)
    equity = 2 * found.win - 1 + found.win_gammon + found.win_backgammon
    assert found.equity == pytest.approx(equity - found.lose_gammon - found.lose_backgammon, abs=1e-5)


@needs_gnubg
def test_dice_that_lie_there_do_not_matter_to_an_evaluation(judge):
    position = BackgammonPosition.from_id(OPENING)
    before = judge.evaluate(position.record, 0)
    assert judge.evaluate(position.play("31").record, 0) == before
    assert position.dice == (3, 1)


@needs_gnubg
def test_a_match_against_it_repeats():
    results = [match("gnubg:noise=0.05", "random", 4, game="backgammon", seed=3) for _ in range(2)]
    assert results[0] == results[1]
    assert results[0].a_wins + results[0].b_wins == 4
    assert results[0].points > 0


@needs_gnubg
def test_one_process_serves_a_match(monkeypatch):
    started = []
    monkeypatch.setattr(
        GnubgPlayer, "_start", lambda self, start=GnubgPlayer._start: started.append(1) or start(self)
    )
    match("gnubg", "random", 4, game="backgammon", seed=1)
    assert len(started) == 2  # to see whether it can play, and for the games


@needs_gnubg
def test_one_that_was_killed_says_so_and_is_started_again():
    player = make_player("gnubg", "backgammon")
    position = BackgammonPosition.from_id(OPENING, (3, 1))
    os.kill(player.engine._process.pid, signal.SIGKILL)
    with pytest.raises(EngineError, match="was ended by signal 9 when it was asked 'board:me"):
        player.choose_action(position)
    assert position.spell(player.choose_action(position)) == "8/5 6/5"
    number = player.engine._process.pid
    player.close()
    wait_until_gone(number)


@needs_gnubg
def test_it_dies_with_us():
    code = textwrap.dedent("""
        import time
        from playout.games.backgammon.engines.gnubg import GnuBackgammon
        judge = GnuBackgammon()
        print(judge._process.pid, flush=True)
        time.sleep(100)
    """)
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        number = int(process.stdout.readline())
        process.kill()
    wait_until_gone(number)


@pytest.mark.parametrize(
    ("script", "words"),
    [
        (
            "import sys; sys.exit('no display')",
            "ended with exit code 1 when it was asked 'external'; it said: no",
        ),
        ("import time; time.sleep(100)", "was not ready within 0.5 seconds"),
    ],
)
def test_what_does_not_start_is_one_sentence(tmp_path, script, words):
    program = tmp_path / "fake"
    program.write_text(f"#!{sys.executable}\n{script}\n")
    program.chmod(0o755)
    with pytest.raises(EngineError, match=words):
        GnuBackgammon(GnubgSettings(command=str(program), timeout=0.5 if "ready" in words else 30.0))


def test_one_that_stops_answering_is_not_waited_for(tmp_path):
    program = tmp_path / "fake"
    program.write_text(
        f"#!{sys.executable}\nimport socket, time\n"
        "line = socket.socket(socket.AF_UNIX); line.bind('gnubg'); line.listen(); talk = line.accept()\n"
        "time.sleep(100)\n"
    )
    program.chmod(0o755)
    with GnuBackgammon(GnubgSettings(command=str(program))) as judge:
        judge.timeout = 0.3
        with pytest.raises(EngineError, match=r"did not answer 'evaluation fibsboard .* within 0.3 seconds"):
            judge.evaluate(BackgammonPosition.from_id(OPENING).record)
        assert not judge.alive


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("gnubg:command=no-such-gnubg", "there is no program 'no-such-gnubg' on this machine"),
        ("gnubg:plies=9", "plies"),
        ("gnubg:noise=-1", "noise"),
        ("gnubg:depth=2", "player gnubg has no setting 'depth'"),
    ],
)
def test_wrong_specs(spec, words):
    with pytest.raises(InputError, match=words):
        make_player(spec, "backgammon")


@needs_gnubg
def test_it_decides_about_the_cube():
    position = GAME.new_position(GAME.options(cube=True))
    far_ahead = side(p1=2), side(p6=2)
    player = make_player("gnubg", "backgammon")
    with contextlib.closing(player):
        for board, said in (((START, START), "roll"), (far_ahead, "double")):
            state = position.record.copy()
            place(state, *board)
            state["doubling"], state["opening"] = MAY_DOUBLE, 0
            asked = position.at(state)
            assert asked.spell(player.choose_action(asked)) == said
            state["doubling"] = OFFERED
            asked = position.at(state)
            assert asked.to_play == 2
            assert asked.spell(player.choose_action(asked)) == {"roll": "take", "double": "pass"}[said]
