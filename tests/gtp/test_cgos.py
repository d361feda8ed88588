"""The CGOS client against a small server of ours: whole games, broken lines, nonsense, and time."""

import contextlib
import json
import os
import random
import re
import shlex
import signal
import socket
import subprocess
import sys
import threading
import time

import pytest
from cgos_server import PASS as SERVER_PASS
from cgos_server import Server, random_move

from playout.cli import main
from playout.errors import InputError
from playout.games.go.sgf import load
from playout.games.go.state import PASS
from playout.gtp import cgos
from playout.gtp.cgos import Account, Client
from playout.gtp.client import EngineError
from playout.player.api import RESIGN, Player
from playout.player.clock import Clock
from playout.player.registry import make_player


class Roamer(Player):
    """Plays anywhere that is no eye of its own; counts how often it is asked."""

    name = "roamer"

    def __init__(self) -> None:
        self.settings, self.clock = None, Clock()
        self.rng = random.Random(2)
        self.asked: list[tuple[int, float]] = []  # moves so far, and seconds left
        self.begun = 0

    def new_game(self) -> None:
        self.begun += 1

    def choose_action(self, board) -> int:
        self.asked.append((len(board.moves), self.clock.main))
        return self.rng.choice([p for p in board.candidates() if p != PASS] or [PASS])


def connected(server: Server, player: Player | None = None, **more) -> Client:
    account = Account(
        user="our-bot", password=more.pop("password", "secret"), host="127.0.0.1", port=server.port
    )
    more = {"log": lambda line: None, "wait": lambda attempt: 0.01, "lag": 0.0, **more}
    return Client(player or Roamer(), account, **more)


# -- games --------------------------------------------------------------------------------------------


def test_games_are_played_to_the_end(tmp_path):
    said = []
    with Server(games=4, size=5) as server:
        player = Roamer()
        client = connected(server, player, games=4, sgf=tmp_path, log=said.append)
        tally = client.run()
        assert server.quit.wait(5)
    assert tally.games == len(server.results) == 4
    assert (tally.won, tally.lost, tally.drawn) == (server.counts()[True], server.counts()[False], 0)
    assert not any("Illegal" in result or "Time" in result for _, result, _ in server.results)
    assert player.begun == 4
    assert server.heard[:3] == [f"e1 playout {cgos.__version__}", "our-bot", "secret"]
    assert server.heard[-1] == "quit"
    records = [load(path) for path in sorted(tmp_path.iterdir())]
    assert [record.result for record in records] == [
        result.removesuffix(".0") for _, result, _ in server.results
    ]
    assert "our-bot" in records[0].black + records[0].white
    assert records[0].board().score() == pytest.approx(
        float(server.results[0][1][2:]) * (1 if server.results[0][1][0] == "B" else -1)
    )
    shown = "\n".join(said)
    assert "game 1: Black against rival(1800), 5×5, komi 0.5, 60 s" in shown
    assert "game 4: " in shown
    assert "secret" not in shown
    assert "\x1b" not in shown


@pytest.mark.parametrize(
    "faults",
    [
        {1: "cut", 4: "cut"},
        {2: "half", 9: "half"},
        {1: "deaf", 5: "deaf"},
        {3: "heard", 8: "heard"},
        {2: "garbage", 6: "garbage"},
        {k: ("cut", "half", "deaf", "heard")[k % 4] for k in range(1, 20)},
    ],
    ids=["cut", "half", "deaf", "heard", "garbage", "all"],
)
def test_games_go_on_after_whatever_the_network_does(faults):
    with Server(games=3, faults=faults) as server:
        player = Roamer()
        tally = connected(server, player, games=3).run()
    assert tally.games == len(server.results) == 3
    assert (tally.won, tally.lost) == (server.counts()[True], server.counts()[False])
    assert not any("Illegal" in result or "Time" in result for _, result, _ in server.results)
    assert not server.faults
    breaks = sum(fault != "garbage" for fault in faults.values())
    assert server.connections == 1 + breaks
    # A game that goes on is no new game, and no position is thought about twice.
    assert player.begun == 3
    by_game = "".join(
        " " if before >= after else "."
        for (before, _), (after, _) in zip(player.asked, player.asked[1:], strict=False)
    )
    assert by_game.count(" ") == 2


def test_a_game_that_ended_while_we_were_away_is_not_waited_for():
    said = []
    with Server(games=3, faults={2: "lost"}) as server:
        tally = connected(server, games=2, log=said.append).run()
    assert tally.games == 2
    assert len(server.results) == 3
    assert "game 1: ended while we were away" in said


def test_games_that_cannot_be_saved_are_no_reason_to_stop(tmp_path, monkeypatch):
    said = []

    def full(path, text, kind, force):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(cgos, "write_text", full)
    with Server(games=2) as server:
        assert connected(server, games=2, sgf=tmp_path, log=said.append).run().games == 2
    assert "game 2 cannot be saved: No space left on device" in said


def test_a_login_that_is_refused_because_of_the_old_one_is_tried_again():
    with Server(games=1, busy=3) as server:
        assert connected(server, games=1).run().games == 1
    assert server.connections == 4


def test_a_server_that_never_lets_us_in_is_left_alone():
    with Server(games=1, busy=1000) as server, pytest.raises(OSError, match="has not let us in 20 times"):
        connected(server, games=1).run()


def test_a_wrong_password_is_not_tried_again():
    with Server() as server, pytest.raises(InputError, match="refuses us: Sorry, password doesn't match"):
        connected(server, password="wrong").run()
    assert server.connections == 1


def test_there_is_nobody():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    account = Account(user="our-bot", password="secret", host="127.0.0.1", port=port)
    with pytest.raises(OSError, match="there is no connection to 127"):
        Client(Roamer(), account).run()


# -- moves --------------------------------------------------------------------------------------------


def test_after_the_opponents_pass_a_won_board_is_passed():
    def passes(go, rng):
        return SERVER_PASS

    with Server(games=2, size=5, opponent=passes) as server:
        player = Roamer()
        tally = connected(server, player, games=2).run()
    # As Black: one stone, the pass, and the board is ours. As White the empty board with komi is won.
    assert [result for _, result, _ in server.results] == ["B+24.5", "W+0.5"]
    assert len(player.asked) == 1
    assert tally.won == 2


def test_an_engine_that_fails_gets_another_chance_and_then_resigns():
    class Frail(Roamer):
        failures = 0

        def choose_action(self, board):
            if len(board.moves) in (2, 3) and self.failures < 2:
                self.failures += 1
                raise EngineError("engine frail has died")
            return super().choose_action(board)

    class Dead(Roamer):
        def choose_action(self, board):
            raise EngineError("engine dead has died")

    with Server(games=1) as server:
        connected(server, Frail(), games=1).run()
    assert "Resign" not in server.results[0][1]
    with Server(games=9) as server, pytest.raises(InputError, match="has failed in 3 games in a row"):
        connected(server, Dead(), games=9).run()
    assert [result for _, result, _ in server.results] == ["W+Resign", "B+Resign", "W+Resign"]


def test_an_illegal_move_is_never_sent():
    class Cheat(Roamer):
        def choose_action(self, board):
            return (
                board.moves[0].point
                if board.moves and board.moves[0].point != PASS
                else super().choose_action(board)
            )

    with Server(games=1) as server:
        connected(server, Cheat(), games=1).run()
    assert server.results[0][1] == "W+Resign"


def test_resignation():
    class Quitter(Roamer):
        def choose_action(self, board):
            return RESIGN

    with Server(games=2) as server:
        assert connected(server, Quitter(), games=2).run().lost == 2
    assert [result for _, result, _ in server.results] == ["W+Resign", "B+Resign"]


# -- time ---------------------------------------------------------------------------------------------


def test_the_clock_is_the_servers():
    with Server(games=1, level=30_000) as server:
        player = Roamer()
        connected(server, player, games=1).run()
        left = [seconds for _, seconds in player.asked]
    assert 29 < left[0] <= 30
    assert left == sorted(left, reverse=True)
    with Server(games=1, level=30_000) as server:
        player = Roamer()
        connected(server, player, games=1, lag=0.1).run()
    assert player.asked[0][1] == pytest.approx(30 - 0.1 * 20, abs=0.5)


def test_a_search_keeps_its_time():
    player = make_player("uct:sims=none,policy=uniform,memory=20,early_stop=never,seed=1")
    with Server(games=2, level=3000) as server:
        connected(server, player, games=2).run()
    player.close()
    assert not any("Time" in result for _, result, _ in server.results), server.results


def test_a_game_lost_on_time_is_lost():
    class Slow(Roamer):
        def choose_action(self, board):
            time.sleep(0.3)
            return super().choose_action(board)

    with Server(games=1, level=200) as server:
        assert connected(server, Slow(), games=1).run().lost == 1
    assert server.results[0][1] == "W+Time"


def test_a_server_that_falls_silent_in_a_game_is_called_again(monkeypatch):
    monkeypatch.setattr(cgos, "GRACE", 0.2)
    monkeypatch.setattr(cgos, "LOGGING_IN", 5.0)
    slept = []

    def sleepy(go, rng):
        if not slept:
            slept.append(time.sleep(3.0))
        return random_move(go, rng)

    with Server(games=1, level=1500, opponent=sleepy) as server:
        connected(server, games=1).run()
    assert server.connections == 2


# -- nonsense -----------------------------------------------------------------------------------------


class Liar:
    """Says what it is told to each connection, then hangs up."""

    def __init__(self, *scripts: bytes) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.scripts = list(scripts)
        self.heard = b""
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        for script in self.scripts:
            line, _ = self._listener.accept()
            with line, contextlib.suppress(OSError):  # the client hangs up in the middle of a long lie
                line.sendall(script)
                line.shutdown(socket.SHUT_WR)
                line.settimeout(10)
                while chunk := line.recv(4096):
                    self.heard += chunk
        self._listener.close()


END = b"setup 9 5 0.5 1000 a our-bot\ngameover 2026-01-01 B+1\n"


@pytest.mark.parametrize(
    "script",
    [
        b"",
        b"setup 1 99 7.5 60000 a b\n",
        b"setup 1 9 nan 60000 a b\n",
        b"setup 1 9 7.5 soon a b\n",
        b"setup 1 9\n",
        b"setup 1 9 7.5 60000 a b E5 1 E5 1\n",
        b"setup 1 9 7.5 60000 a b" + b" pass 1" * 6000 + b"\n",
        b"genmove b 1000\n",
        b"play b E5 1000\n",
        b"setup 1 9 7.5 60000 a b\ngenmove w 1000\n",
        b"setup 1 9 7.5 60000 a b\ngenmove green 1000\n",
        b"setup 1 9 7.5 60000 a b\ngenmove b\n",
        b"setup 1 9 7.5 60000 a b\ngenmove b never\n",
        b"setup 1 9 7.5 60000 a b\nplay w E5 1\n",
        b"setup 1 9 7.5 60000 a b\nplay b Z9 1\n",
        b"setup 1 9 7.5 60000 a b\nplay b E5 1e999\n",
        b"x" * 200_000,
        b"\x00\xff" * 1000 + b"\n",
    ],
    ids=range(18),
)
def test_nonsense_is_hung_up_on_and_tried_again(script):
    said = []
    liar = Liar(script, END)
    account = Account(user="our-bot", password="secret", host="127.0.0.1", port=liar.port)
    client = Client(Roamer(), account, games=1, wait=lambda attempt: 0.0, log=said.append)
    assert client.run().games == 1
    assert any("the connection is lost" in line for line in said)
    assert all(len(line) < 400 and line.isprintable() for line in said)


def test_waits_grow_while_nothing_is_achieved():
    waits = []
    liar = Liar(*[b"info hello\n"] * 4, END)
    account = Account(user="our-bot", password="secret", host="127.0.0.1", port=liar.port)
    Client(
        Roamer(), account, games=1, log=lambda line: None, wait=lambda attempt: waits.append(attempt) or 0.0
    ).run()
    assert waits == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("account", "sentence"),
    [
        ({"user": "x", "password": "secret"}, "the user name 'x' does not suit CGOS: 3 to 18 letters"),
        ({"user": "our bot", "password": "secret"}, "the user name 'our bot'"),
        ({"user": "our-bot", "password": "a b c"}, "the password does not suit CGOS: 3 to 16"),
        ({"user": "our-bot", "password": "x" * 17}, "the password does not suit"),
        ({"user": "our-bot", "password": "abc\n"}, "the password does not suit"),
        ({"user": "our-bot", "password": "secret", "port": 0}, "port 0"),
    ],
)
def test_wrong_accounts(account, sentence):
    with pytest.raises(InputError, match=sentence) as error:
        Account(**account)
    assert account["password"] not in str(error.value).replace("3 to 16", "")
    assert "secret" not in repr(Account(user="our-bot", password="secret"))


# -- the command --------------------------------------------------------------------------------------


def command(server: Server, *words: str) -> list[str]:
    return [
        "cgos",
        "--player",
        "uniform:seed=1",
        "--user",
        "our-bot",
        "--server",
        f"127.0.0.1:{server.port}",
        *words,
    ]


def test_the_command(tmp_path, capsys, monkeypatch):
    secret = tmp_path / "secret"
    secret.write_text("secret\n")
    with Server(games=2) as server:
        words = command(server, "--password-file", str(secret), "--games", "2", "--json", "--lag", "0")
        assert main([*words, "--sgf", str(tmp_path / "games")]) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out)["games"] == 2
    assert len(list((tmp_path / "games").iterdir())) == 2
    assert "secret" not in captured.err
    monkeypatch.setenv("PLAYOUT_CGOS_PASSWORD", "other")
    with Server(games=2) as server:
        assert main(command(server)) == 2
    assert "refuses us: Sorry, password doesn't match" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "missing option '--player'"),
        (["--player", "uniform", "--user", "abc"], "the password is missing: give --password-file, or set"),
        (
            ["--player", "uniform", "--user", "abc", "--password-file", "no"],
            "'no' cannot be read: No such file",
        ),
        (
            ["--player", "uniform", "--user", "abc", "--password-file", "/dev/null"],
            "has no password on its first",
        ),
        (["--player", "uniform", "--user", "abc", "--server", "x"], "--server 'x' is not HOST:PORT"),
        (["--player", "uniform", "--user", "a b c", "--password-file", "FILE"], "the user name 'a b c'"),
        (["--player", "unifrom", "--user", "abc", "--password-file", "FILE"], "did you mean uniform?"),
        (
            ["--player", "uniform", "--user", "abc", "--password-file", "FILE", "--games", "0"],
            "0 games are none",
        ),
        (["--player", "uniform", "--user", "abc", "--password-file", "FILE", "--lag", "-1"], "a lag of -1"),
    ],
)
def test_wrong_words(words, sentence, tmp_path, capsys, monkeypatch):
    monkeypatch.delenv("PLAYOUT_CGOS_PASSWORD", raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "FILE").write_text("secret")
    assert main(["cgos", *words]) == 2
    captured = capsys.readouterr()
    assert sentence in captured.err
    assert captured.err.count("\n") == 1


def test_ctrl_c_stops_after_the_game_and_leaves_nothing_behind():
    script = "import sys,time\nfor l in sys.stdin:\n  w=l.split()\n  time.sleep(0.3*(w[1]=='genmove'))\n"
    script += "  print('='+w[0]+' '+('pass' if w[1]=='genmove' else '')+'\\n', flush=True)"
    engine = f"gtp:{sys.executable} -c {shlex.quote(script)}"

    def long(go, rng):  # never two passes in a row
        return rng.choice(go.policy_moves()) if len(go.seen) < 14 else SERVER_PASS

    with Server(games=5, opponent=long) as server:
        process = subprocess.Popen(
            [sys.executable, "-m", "playout", *command(server)[:1], "--player", engine, *command(server)[3:]],
            env={**os.environ, "PLAYOUT_CGOS_PASSWORD": "secret"},
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            text=True,
        )
        end = time.monotonic() + 120
        while server.asked < 2 and time.monotonic() < end:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "stopping after this game" in errors
    assert "Traceback" not in errors
    assert len(server.results) == 1
    assert server.heard[-1] == "quit"
    assert re.search(r"game 1: (won|lost)", errors)
