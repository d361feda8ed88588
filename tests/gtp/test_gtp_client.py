"""Engines that hang, die, babble and lie: the client says what happened, and nothing is left behind."""

import gc
import os
import shlex
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest

from playout.errors import InputError
from playout.external import program as outside
from playout.games.go import coords
from playout.games.go.board import Board
from playout.games.go.state import PASS
from playout.gtp.client import Engine, EngineError, GtpPlayer, NoAnswer, Refusal, WrongMove
from playout.player.api import RESIGN
from playout.player.registry import make_player

# A small engine: it keeps a log of what it was asked and answers from a table.
ENGINE = """
import sys, time, os, subprocess
answers = {answers!r}
log = open({log!r}, "a")
for line in sys.stdin:
    number, _, command = line.strip().partition(" ")
    print(command, file=log, flush=True)
    name = command.split()[0]
    status, text = "=", answers.get(command, answers.get(name, ""))
    if text.startswith("?"):
        status, text = "?", text[1:]
    if text.startswith("!"):
        exec(text[1:])
        continue
    print(status + number + " " + text + "\\n", flush=True)
    if name == "quit":
        break
"""


class Fake:
    """A command line that runs the small engine, and the log of what it was asked."""

    def __init__(self, folder, **answers: str) -> None:
        answers = {"name": "Fake", "known_command": "true", "genmove": "pass"} | answers
        self._log = folder / "log"
        script = folder / "engine.py"
        script.write_text(ENGINE.format(answers=answers, log=str(self._log)))
        self.command = f"{shlex.quote(sys.executable)} {shlex.quote(str(script))}"

    @property
    def asked(self) -> list[str]:
        return self._log.read_text().splitlines() if self._log.exists() else []


@pytest.fixture
def fake(tmp_path):
    return lambda **answers: Fake(tmp_path, **answers)


def is_running(pid: int) -> bool:
    """Whether a process is there and is no zombie."""
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until_gone(pid: int) -> None:
    deadline = time.monotonic() + 5
    while is_running(pid):
        assert time.monotonic() < deadline, f"process {pid} is still there"
        time.sleep(0.02)


# -- the engine -------------------------------------------------------------------------------------


def test_asking(fake):
    made = fake(name="Fake Go", list_commands="one\ntwo", bad="?no such luck", empty="")
    with Engine(made.command, timeout=20) as engine:
        assert engine.ask("name") == "Fake Go"
        assert engine.ask("list_commands") == "one\ntwo"
        assert engine.ask("empty") == ""
        with pytest.raises(Refusal, match=r"refused 'bad': no such luck"):
            engine.ask("bad")
        assert engine.ask("name") == "Fake Go"
        assert engine.knows("anything")
        with pytest.raises(InputError, match="one line"):
            engine.ask("name\nquit")
    assert made.asked[-1] == "quit"
    with pytest.raises(EngineError, match="closed"):
        engine.ask("name")


@pytest.mark.parametrize(
    "talk",
    [
        "print('= 7\\n')",  # no number though asked
        "print('=' + number + ' 7\\r\\n\\r')",  # Windows' line ends
        "print('hello\\nDebug: = 3\\n\\n=99999 8\\n\\n=' + number + ' 7\\n')",  # chatter, and a stale answer
        "sys.stdout.buffer.write(b'\\xff\\x00\\n=' + number.encode() + b'\\t7\\x07\\n\\n')",
        "print('=' + number + '\\t  7  \\n')",
    ],
)
def test_sloppy_answers_are_understood(fake, talk):
    with Engine(fake(odd=f"!{talk}; sys.stdout.flush()").command, timeout=20) as engine:
        assert engine.ask("odd") == "7"


@pytest.mark.parametrize(
    ("talk", "message"),
    [
        ("time.sleep(1000)", "did not answer 'odd' within 0.5 seconds"),
        ("print('=' + number + ' half an answer', flush=True)", "did not answer 'odd' within 0.5 seconds"),
        ("[print('babble') for _ in iter(int, 1)]", "did not answer 'odd' within 0.5 seconds"),
        ("[print('=' + number + ' x') for _ in iter(int, 1)]", "(does not end its|did not) answer"),
        ("[sys.stdout.write('x' * 65536) for _ in iter(int, 1)]", "did not answer 'odd' within 0.5 seconds"),
        ("sys.exit(3)", "ended with exit code 3 when it was asked 'odd'"),
        ("os.kill(os.getpid(), 11)", "was ended by signal 11 when it was asked 'odd'"),
        ("raise SystemError('kaputt')", "exit code 1 when it was asked 'odd'; it said: .*kaputt"),
        ("os.close(1); time.sleep(1000)", "closed its output when it was asked 'odd'"),
    ],
)
def test_failures_are_told_and_the_engine_is_killed(fake, talk, message):
    engine = Engine(fake(odd=f"!{talk}").command, timeout=20)
    pid = engine._process.pid
    assert engine.ask("name") == "Fake"
    began = time.monotonic()
    with pytest.raises(EngineError, match=message):
        engine.ask("odd", timeout=0.5)
    assert time.monotonic() - began < 5
    assert not engine.alive
    wait_until_gone(pid)
    engine.close()


def test_children_die_with_their_engine(fake, tmp_path):
    note = tmp_path / "child"
    start = f"open({str(note)!r}, 'w').write(str(subprocess.Popen(['sleep', '1000']).pid))"
    engine = Engine(fake(spawn=f"!{start}; print('=\\n', flush=True)").command, timeout=20)
    engine.ask("spawn")
    child = int(note.read_text())
    assert is_running(child)
    engine.close()
    wait_until_gone(child)


def test_an_engine_that_ignores_quit_is_killed(fake):
    engine = Engine(fake(quit="!signal = 1; time.sleep(1000)").command, timeout=20)
    pid = engine._process.pid
    began = time.monotonic()
    engine.close()
    assert time.monotonic() - began < 4
    wait_until_gone(pid)


def test_killing_an_engine_wakes_who_waits_for_it(fake):
    engine = Engine(fake(odd="!time.sleep(1000)").command, timeout=100)
    timer = threading.Timer(0.5, engine.kill)
    timer.start()
    began = time.monotonic()
    with pytest.raises(EngineError, match="when it was asked 'odd'"):
        engine.ask("odd")
    assert time.monotonic() - began < 10
    assert not engine.alive


def test_what_an_engine_says_on_stderr_is_kept(fake):
    talk = "[print('line', k, 'x' * 1000, file=sys.stderr) for k in range(200)]; print('=\\n', flush=True)"
    with Engine(fake(odd=f"!{talk}", name="!print('hello', file=sys.stderr); sys.exit(1)").command) as engine:
        engine.ask("odd")
        end = time.monotonic() + 10
        kept = ""
        while "line 199 " not in kept and time.monotonic() < end:
            kept += engine.take_errors()
            time.sleep(0.01)
        assert kept.splitlines()[-1].startswith("line 199 ")
        with pytest.raises(EngineError, match="it said: hello"):
            engine.ask("name")
        assert engine.take_errors() == "hello\n"
        assert engine.take_errors() == ""


def test_not_all_of_it_is_kept(fake):
    talk = "[print('line', k, 'x' * 1000, file=sys.stderr) for k in range(200)]; sys.exit(1)"
    with Engine(fake(odd=f"!{talk}").command) as engine:
        with pytest.raises(EngineError):
            engine.ask("odd")
        kept = engine.take_errors()
    assert len(kept) <= outside.MAX_ERRORS
    assert kept.splitlines()[-1].startswith("line 199 ")
    assert "line 1 " not in kept


def test_a_forgotten_engine_is_killed(fake):
    engine = Engine(fake().command, timeout=20)
    pid = engine._process.pid
    assert engine.ask("name") == "Fake"
    del engine
    gc.collect()
    wait_until_gone(pid)


def test_engines_die_with_the_program(fake):
    code = textwrap.dedent(f"""
        from playout.gtp.client import Engine
        engine = Engine({fake().command!r})
        engine.ask("name")
        print(engine._process.pid, flush=True)
        raise RuntimeError
    """)
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 1
    wait_until_gone(int(done.stdout))


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("", "an engine needs a command line"),
        ("   ", "an engine needs a command line"),
        ("no-such-engine-anywhere --mode gtp", "there is no program 'no-such-engine-anywhere'"),
        ("'unclosed", "is not readable"),
        ("/", "there is no program '/'"),
        ("cat\0", "null character"),
    ],
)
def test_commands_that_cannot_start(command, message):
    with pytest.raises(EngineError, match=message):
        make_player(f"gtp:{command}")


def test_a_file_that_is_no_program(tmp_path):
    path = tmp_path / "engine"
    path.write_bytes(b"\x7fELF nonsense")
    path.chmod(0o755)
    with pytest.raises(EngineError, match="cannot be started"):
        Engine([str(path)])


def test_games_folders_are_searched(monkeypatch, tmp_path):
    program = tmp_path / "some-engine"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setattr(outside, "GAMES", str(tmp_path))
    assert outside.find_command("some-engine -x") == [str(program), "-x"]


# -- the player -------------------------------------------------------------------------------------


def test_only_new_moves_are_sent(fake):
    made = fake(genmove="D4")
    player = make_player(f"gtp:{made.command}")
    assert player.name == "Fake"
    board = Board(9, 6.5).play("E5").play("C3")
    assert player.choose_action(board) == coords.parse_vertex("D4", 9)
    assert made.asked == [
        "name",
        *("boardsize 9", "clear_board", "komi 6.5", "play B E5", "play W C3", "genmove B"),
    ]
    board.play("D4").play("pass")
    made._log.write_text("")
    with pytest.raises(EngineError, match="engine Fake plays 'D4', which is not legal"):
        player.choose(board)
    assert made.asked == ["play W pass", "genmove B"]
    player.close()


def test_another_game_is_replayed(fake):
    made = fake()
    player = GtpPlayer(made.command)
    board = Board(5).play("C3").play("C2")
    player.choose(board)
    for other in (board.copy().undo(), Board(5).play("B2"), Board(4), Board(5).place_handicap(["A1", "B2"])):
        made._log.write_text("")
        assert player.choose_action(other) == PASS
        assert made.asked[:2] == [f"boardsize {other.size}", "clear_board"]
        assert made.asked[-1] == f"genmove {'BW'[other.to_play - 1]}"
    assert "set_free_handicap B2 A1" in made.asked
    made._log.write_text("")
    other.komi = 0.5
    player.choose(other)
    # The engine has passed on its board, which did not happen on ours.
    assert made.asked[:2] == ["boardsize 5", "clear_board"]
    assert made.asked[3:] == ["set_free_handicap B2 A1", "komi 0.5", "genmove W"]
    player.new_game()
    made._log.write_text("")
    player.choose(other)
    assert made.asked[0] == "boardsize 5"
    player.close()


def test_a_position_is_set_up(fake):
    made = fake()
    player = GtpPlayer(made.command)
    board = Board.from_text(
        """
        . X O
        . . .
        . O .""",
        to_play="W",
    )
    player.choose(board)
    assert made.asked[3:] == ["play B B3", "play W C3", "play W B1", "komi 7.5", "genmove W"]
    player.close()


def test_the_clock_is_told(fake):
    made = fake()
    player = GtpPlayer(made.command)
    player.clock.set(100.9, 30, 5)
    board = Board(9)
    player.choose(board)
    player.clock.left(20.5, 3)
    player.choose(board.play("pass"))
    told = [line for line in made.asked if line.startswith("time")]
    assert told == ["time_settings 100 30 5", "time_left B 100 0", "time_left W 20 3"]
    player.close()


def test_an_engine_without_a_clock_still_plays(fake):
    player = GtpPlayer(fake(time_settings="?unknown command", time_left="?unknown command").command)
    player.clock.set(100)
    assert player.choose_action(Board(9)) == PASS
    player.close()


@pytest.mark.parametrize(
    ("said", "move"), [("E5", "E5"), ("e5", "E5"), ("PASS", "pass"), ("pass", "pass"), ("E5 \t", "E5")]
)
def test_moves_are_understood(fake, said, move):
    player = GtpPlayer(fake(genmove=said).command)
    assert player.choose(Board(9)) == move
    player.close()


def test_getting_ready_takes_its_time_but_moves_do_not(fake):
    made = fake(
        boardsize="!time.sleep(0.6); print('=\\n', flush=True)", genmove="!time.sleep(0.6)", version="7"
    )
    player = GtpPlayer(made.command)
    assert player.version == "Fake 7"
    player.timeout = 0.3
    board = Board(5).play("C3")
    player.begin(board)
    assert made.asked == ["name", "version", "boardsize 5", "clear_board", "komi 7.5", "play B C3"]
    with pytest.raises(NoAnswer, match=r"'genmove W' within 0\.3 seconds"):
        player.choose(board)
    player.close()


def test_illegal_moves_have_an_error_of_their_own(fake):
    player = GtpPlayer(fake(genmove="C3").command)
    with pytest.raises(WrongMove):
        player.choose(Board(5).play("C3"))
    player.close()


def test_an_engine_without_a_version(fake):
    player = GtpPlayer(fake(version="?unknown command").command)
    assert player.version == "Fake"
    player.close()


def test_resigning(fake):
    player = GtpPlayer(fake(genmove="Resign").command)
    assert player.choose_action(Board(9)) == RESIGN
    player.close()


@pytest.mark.parametrize("said", ["", "Z99", "A1 B1", "I am lost", "\x01", "J10", "C3", "?no idea"])
def test_wrong_moves_are_told(fake, said):
    player = GtpPlayer(fake(genmove=said).command)
    board = Board(9).play("C3")
    before = str(board)
    with pytest.raises(EngineError, match="engine Fake"):
        player.choose(board)
    assert str(board) == before
    player.close()


def test_the_last_words_of_an_engine_are_waited_for(fake, monkeypatch):
    read = outside._read_errors

    def slowly(*args):
        time.sleep(0.3)
        read(*args)

    monkeypatch.setattr(outside, "_read_errors", slowly)
    with (
        Engine(fake(odd="!sys.exit('no licence')").command, timeout=20) as engine,
        pytest.raises(EngineError, match="exit code 1 when it was asked 'odd'; it said: no licence"),
    ):
        engine.ask("odd")


def test_a_player_comes_back_after_its_engine_died(fake, tmp_path):
    once = tmp_path / "once"
    die = f"!open({str(once)!r}, 'x').close() if not os.path.exists({str(once)!r}) else None; os._exit(7)"
    made = fake(genmove=die)
    player = GtpPlayer(made.command)
    board = Board(5).play("C3")
    with pytest.raises(EngineError, match="exit code 7"):
        player.choose(board)
    made._log.write_text("")
    with pytest.raises(EngineError, match="exit code 7"):
        player.choose(board)
    assert made.asked == ["name", "boardsize 5", "clear_board", "komi 7.5", "play B C3", "genmove W"]
    player.close()


def test_a_hung_engine_costs_its_timeout(fake):
    player = GtpPlayer(fake(genmove="!time.sleep(1000)").command, timeout=20)
    player.timeout = 0.3
    began = time.monotonic()
    with pytest.raises(EngineError, match=r"engine Fake did not answer 'genmove B' within 0\.3 seconds"):
        player.choose(Board(5))
    assert time.monotonic() - began < 5
    player.close()


def test_it_does_not_analyse(fake):
    player = GtpPlayer(fake().command)
    with pytest.raises(InputError, match="does not analyse"):
        player.analyse(Board(5))
    player.close()


def test_our_own_server_as_an_engine():
    code = "from playout.gtp.server import serve_stdio; serve_stdio('uniform:seed=1')"
    player = make_player(f"gtp:{shlex.quote(sys.executable)} -c {shlex.quote(code)}")
    assert player.name == "playout uniform"
    board = Board(5)
    while not board.is_over:
        board.play(player.choose(board))
    player.close()


def test_ctrl_c_while_waiting_kills_the_engine(fake):
    """In a program of its own, as a real Ctrl-C goes to one."""
    code = textwrap.dedent(f"""
        from playout.gtp.client import Engine
        engine = Engine({fake(odd="!time.sleep(1000)").command!r})
        print(engine._process.pid, flush=True)
        engine.ask("odd")
    """)
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        pid = int(process.stdout.readline())
        time.sleep(0.3)
        os.kill(process.pid, signal.SIGINT)
        assert process.wait(20) != 0
    wait_until_gone(pid)


def test_time_in_which_we_are_stopped_is_not_the_engines(fake):
    """As by Ctrl-Z: the engine takes 4 seconds and has 2.5, but for 2.5 of them nobody waits."""
    code = textwrap.dedent(f"""
        from playout.external import program
        from playout.gtp import client
        program.SLICE, program.STOPPED = 0.1, 0.5
        engine = client.Engine({fake(odd="!time.sleep(4); print('= well', chr(10), flush=True)").command!r})
        engine.ask("name")
        print("asks", flush=True)
        print(engine.ask("odd", timeout=2.5), flush=True)
        try:
            engine.ask("odd", timeout=0.5)
        except client.NoAnswer:
            print("late", flush=True)
    """)
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "asks\n"
        time.sleep(0.5)
        os.kill(process.pid, signal.SIGSTOP)
        time.sleep(2.5)
        os.kill(process.pid, signal.SIGCONT)
        assert process.stdout.read() == "well\nlate\n"


@pytest.mark.gnugo
@pytest.mark.skipif(not shutil.which("gnugo"), reason="GNU Go is not installed")
def test_gnu_go_by_its_spec():
    player = make_player("gtp:gnugo --mode gtp --level 0 --seed 1")
    assert player.name == "GNU Go"
    board = Board(9).place_handicap(4)
    assert board.is_legal(player.choose(board))
    player.close()
