"""The command line: every command, every exit code, and nothing but one sentence for wrong input."""

import json
import os
import pty
import re
import select
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import playout
from playout.cli import main
from playout.warmup import drop_cache

COMMANDS = (
    *("play", "gtp", "bench", "warmup", "players", "match", "tournament", "games", "sgf"),
    *("rate", "plot", "suite", "cgos"),
)
SGF = "(;GM[1]FF[4]SZ[5]KM[0.5]PB[Ann]PW[Bob]RE[B+24.5];B[cc];W[];B[])"


def run(*words: str, stdin: str = "", **variables: str) -> subprocess.CompletedProcess:
    """A command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "playout", *words],
        input=stdin,
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "COLUMNS": "100", **variables},
    )


def start(*words: str) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-m", "playout", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


@pytest.fixture
def record(tmp_path):
    path = tmp_path / "game.sgf"
    path.write_text(SGF)
    return path


# -- help, version, speed -----------------------------------------------------------------------------


def test_every_command_has_help_with_an_example(capsys):
    assert main(["--help"]) == 0
    listed = capsys.readouterr().out
    for command in COMMANDS:
        assert command in listed
        assert main([command, "--help"]) == 0
        shown = capsys.readouterr().out
        assert f"Example: playout {command}" in shown


@pytest.mark.parametrize("command", COMMANDS)
def test_examples_are_spelled_right(command, capsys):
    main([command, "--help"])
    shown = " ".join(capsys.readouterr().out.split())
    options = re.findall(r"--[a-z-]+", shown.split("Example: ")[1])
    assert all(shown.count(option) >= 2 for option in options)


def test_version(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"playout {playout.__version__}\n"


def best_time(*words: str) -> float:
    times = []
    for _ in range(5):
        begin = time.perf_counter()
        subprocess.run([sys.executable, *words], check=True, stdout=subprocess.DEVNULL)
        times.append(time.perf_counter() - begin)
    return min(times)


def test_importing_and_help_are_quick():
    bare = best_time("-c", "pass")
    assert best_time("-c", "import playout") - bare < 0.5
    assert best_time("-m", "playout", "--help") < 1.0


def test_importing_loads_nothing_heavy():
    script = (
        "import playout, sys; print([m for m in ('numba', 'numpy', 'typer', 'rich') if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_public_names_are_there():
    for name in playout.__all__:
        assert getattr(playout, name) is not None
    assert set(playout.__all__) <= set(dir(playout))
    with pytest.raises(AttributeError, match="no attribute 'Bord'"):
        playout.Bord  # noqa: B018


# -- wrong input --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["pley"], "no such command 'pley'. Did you mean 'play'"),
        (["match", "uniform"], "missing argument"),
        (["match", "uniform", "unifrom"], "there is no player 'unifrom'; did you mean uniform?"),
        (["match", "flat:sim=3", "uniform"], "player flat has no setting 'sim'; did you mean sims?"),
        (["match", "uniform", "uniform", "--games", "0"], "at least 1"),
        (["match", "uniform", "uniform", "--size", "nine"], "--size"),
        (["match", "uniform", "uniform", "--size", "20"], "board size '20'"),
        (["match", "uniform", "uniform", "--komi", "nan"], "komi='nan' is not a number"),
        (["match", "uniform", "gtp:no-such-engine"], "there is no program 'no-such-engine'"),
        (["play", "--sise", "9"], "no such option: --sise"),
        (["play", "--size", "1"], "board size '1'"),
        (["play", "--player", "flta"], "there is no player 'flta'; did you mean flat?"),
        (["play", "--color", "green"], "colour 'green' is neither black nor white"),
        (["play", "--handicap", "99"], "handicap 99 does not fit"),
        (["gtp", "--player", "flta"], "there is no player 'flta'; did you mean flat?"),
        (["bench", "lihgt-9"], "there is no benchmark 'lihgt-9'; did you mean light-9"),
        (["bench", "light-9", "--reference", "nothing.py"], "the reference 'nothing.py' is not a file"),
        (["sgf", "nothing.sgf"], "'nothing.sgf' cannot be read: No such file or directory"),
        (["sgf", "/dev/null"], "'/dev/null' cannot be read"),
    ],
)
def test_wrong_input_is_one_sentence_and_exit_code_2(words, sentence, capsys):
    assert main(words) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("playout: ")
    assert captured.err.count("\n") == 1
    assert sentence in captured.err


def test_without_a_command_help_is_shown(capsys):
    assert main([]) == 2
    assert "Commands:" in capsys.readouterr().err


def test_a_folder_that_is_not_there_is_wrong_input(record, capsys):
    assert main(["sgf", str(record), "--svg", "/no/such/folder/board.svg"]) == 2
    assert capsys.readouterr().err == "playout: there is no folder /no/such/folder to write board.svg in\n"


def test_a_full_disk_is_exit_code_1(record, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(
        os, "fsync", lambda file: (_ for _ in ()).throw(OSError(28, "No space left on device"))
    )
    assert main(["sgf", str(record), "--svg", str(tmp_path / "board.svg")]) == 1
    assert capsys.readouterr().err.endswith("playout: No space left on device\n")


def test_a_reader_that_goes_away_is_no_traceback():
    command = f"{shlex.quote(sys.executable)} -m playout players --json"
    found = subprocess.run(
        ["bash", "-c", f"set -o pipefail; for k in 1 2 3; do {command}; done | head -c 10"],
        capture_output=True,
        text=True,
    )
    assert "Traceback" not in found.stderr
    assert "Exception" not in found.stderr


def test_a_closed_or_full_output_is_no_traceback():
    program = f"{shlex.quote(sys.executable)} -m playout players"
    for redirection, code in ((">&-", 0), ("> /dev/full", 1)):
        found = subprocess.run(["bash", "-c", f"{program} {redirection}"], capture_output=True, text=True)
        assert found.returncode == code, found.stderr
        assert "Traceback" not in found.stderr


# -- commands -----------------------------------------------------------------------------------------


def test_players_lists_names_settings_and_meanings(capsys):
    assert main(["players"]) == 0
    shown = capsys.readouterr().out
    assert all(word in shown for word in ("uniform", "mogo-policy", "flat", "gtp", "sims", "100"))
    assert main(["players", "--json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert rows["flat"]["game"] == "go"
    assert rows["flat"]["settings"]["sims"]["default"] == 100


def test_match_prints_the_agreed_fields(capsys):
    words = ["match", "flat:sims=5", "uniform", "--games", "3", "--size", "5", "--komi", "0.5", "--seed", "1"]
    assert main([*words, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert {"games", "a_wins", "b_wins", "draws", "void", "score", "interval", "elo"} <= set(facts)
    assert facts["games"] == 3
    assert facts["interval"][0] <= facts["score"] <= facts["interval"][1]
    assert main(words) == 0
    shown = capsys.readouterr().out
    assert f"{facts['a_wins']} – {facts['b_wins']}" in shown


def test_match_stopped_by_ctrl_c_shows_what_there_is(tmp_path):
    process = start(
        "match", "uniform", "uniform", "--games", "1000000", "--size", "5", "--sgf", str(tmp_path), "--json"
    )
    end = time.monotonic() + 120
    while len(list(tmp_path.glob("*.sgf"))) < 3 and time.monotonic() < end:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in errors
    assert errors.splitlines()[-1] == "playout: stopped"
    assert 3 <= json.loads(out)["games"] <= len(list(tmp_path.glob("*.sgf")))
    assert not list(tmp_path.glob(".*"))


@pytest.mark.parametrize("words", [["gtp"], ["bench", "mogo-9", "--repeats", "1000"], ["warmup"]])
def test_ctrl_c_at_any_moment_is_exit_code_130(words, tmp_path):
    for delay in (0.3, 1.0, 2.5, 3.1):
        process = subprocess.Popen(
            [sys.executable, "-m", "playout", *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PLAYOUT_CACHE_DIR": str(tmp_path / str(delay))},
        )
        time.sleep(delay)
        running = process.poll() is None
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        assert running
        # Where it hits code in exec(), Python itself ends by the signal; a shell says 130 to both.
        assert process.returncode in (130, -signal.SIGINT), errors
        assert "Traceback" not in errors


def test_bench_prints_the_agreed_fields(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PLAYOUT_REFERENCE", raising=False)
    words = ["bench", "light-9", "--repeats", "2", "--seconds", "0.01"]
    assert main([*words, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)["light-9"]
    assert facts["per_second"] > 0
    assert {"threads": 1, "unit": None}.items() <= facts.items()
    assert {"spread", "moves_per_second"} <= set(facts)
    assert main(words) == 0
    assert "no reference" in capsys.readouterr().out


def test_bench_lists_its_names(capsys):
    assert main(["bench", "--list"]) == 0
    assert "light-9 " in capsys.readouterr().out


def test_warmup_leaves_nothing_to_compile():
    # In the cache that all tests use: make test has warmed it up already.
    assert run("warmup").returncode == 0
    again = run("warmup")
    assert again.stdout.startswith("0 kernels compiled")
    game = run("play", "--size", "5")
    answers = run("gtp", stdin="boardsize 5\ngenmove b\nfinal_score\nall_legal w\nquit\n")
    assert "compiling" not in again.stderr + game.stderr + answers.stderr


@pytest.mark.slow
def test_warmup_from_an_empty_cache(tmp_path):
    first = run("warmup", PLAYOUT_CACHE_DIR=str(tmp_path))
    assert first.returncode == 0
    assert int(first.stdout.split()[0]) > 5
    assert "compiling kernels (first run only)" in first.stderr
    again = run("warmup", "--clean", PLAYOUT_CACHE_DIR=str(tmp_path))
    assert again.stdout.split()[0] == first.stdout.split()[0]


def test_dropping_the_cache_takes_only_what_is_ours(tmp_path, monkeypatch):
    for name in ("kernels-1", "kernels-2", "mine"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("PLAYOUT_CACHE_DIR", str(tmp_path))
    assert drop_cache() == tmp_path
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]
    assert run("warmup", "--clena").returncode == 2


def test_sgf_shows_a_position_and_its_score(record, capsys, tmp_path):
    assert main(["sgf", str(record), "--svg", str(tmp_path / "board.svg")]) == 0
    shown = capsys.readouterr().out
    assert " 3 . . X . . 3" in shown
    assert all(words in shown for words in ("Ann", "Bob", "komi 0.5", "B+24.5 (counted)"))
    assert (tmp_path / "board.svg").read_text().startswith("<svg")


def test_sgf_in_the_middle_of_a_game(record, capsys):
    assert main(["sgf", str(record), "--move", "1", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["move"], facts["moves"], facts["last"], facts["to_play"]) == (1, 3, "B C3", "W")
    assert facts["score_is"] == "estimated"
    assert main(["sgf", str(record), "--move", "4"]) == 2
    assert "move 4 is not in the game, which has 3 moves" in capsys.readouterr().err


# -- play ---------------------------------------------------------------------------------------------


def test_play_without_a_terminal_shows_a_game_and_ends():
    found = run("play", "--size", "5")
    assert found.returncode == 0
    assert found.stdout.startswith("There is no terminal to play in")
    assert re.search(r"(wins by|A draw)", found.stdout)
    assert "\x1b" not in found.stdout


class Terminal:
    """A command in a terminal, as a person has it."""

    def __init__(self, *words: str, **variables: str) -> None:
        self.seen = ""
        self.pid, self.screen = pty.fork()
        if self.pid == 0:
            os.environ.update({"TERM": "xterm-256color", "COLUMNS": "100", **variables})
            os.execv(sys.executable, [sys.executable, "-m", "playout", *words])

    def type(self, text: str) -> None:
        time.sleep(0.3)  # nobody types in the very moment in which the prompt appears
        os.write(self.screen, text.encode())

    def wait_for(self, text: str, seconds: float = 120) -> str:
        """Read until a text shows up that was not there before; what was read."""
        end = time.monotonic() + seconds
        while text not in self.seen:
            assert self._read(end), self.seen
        before, _, self.seen = self.seen.partition(text)
        return before

    def exit_code(self, seconds: float = 60) -> int:
        end = time.monotonic() + seconds
        while self._read(end):
            pass
        if time.monotonic() >= end:
            os.kill(self.pid, signal.SIGKILL)
        code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        os.close(self.screen)
        return code

    def _read(self, end: float) -> bool:
        """Read some of what is shown; False when there is no more, or none in time."""
        if not select.select([self.screen], [], [], max(0.0, end - time.monotonic()))[0]:
            return False
        try:
            data = os.read(self.screen, 4096)
        except OSError:  # Linux's way to say that nobody is there any more
            return False
        self.seen += data.decode("utf-8", "replace")
        return bool(data)


def test_play_in_a_terminal():
    game = Terminal("play", "--size", "5", "--player", "uniform:seed=1")
    game.wait_for("move 1> ")
    game.type("c3\n")
    assert "●" in game.wait_for("move 3> ")
    game.type("hlep\n")
    game.wait_for("did you mean help?")
    game.type("quit\n")
    assert game.exit_code() == 0


def test_ctrl_d_and_ctrl_c_leave_a_game():
    game = Terminal("play", "--size", "5", "--player", "uniform")
    game.wait_for("move 1> ")
    game.type("\x04")
    assert game.exit_code() == 0
    game = Terminal("play", "--size", "5", "--player", "uniform")
    game.wait_for("move 1> ")
    game.type("\x03")
    assert game.exit_code() == 130
    assert "Traceback" not in game.seen


def test_without_colours_boards_are_plain():
    game = Terminal("play", "--size", "5", "--player", "uniform", NO_COLOR="1")
    game.wait_for("move 1> ")
    game.type("c3\n")
    shown = game.wait_for("move 3> ")
    assert "X" in shown
    assert "●" not in shown
    game.type("quit\n")
    game.exit_code()


# -- the Makefile and CI ------------------------------------------------------------------------------

ROOT = Path(__file__).parent.parent


@pytest.mark.skipif(not (ROOT / "Makefile").exists(), reason="not in a checkout")
def test_make_knows_what_the_readme_promises():
    for target in ("play", "test", "test-all", "bench", "lint"):
        found = subprocess.run(["make", "-n", target], cwd=ROOT, capture_output=True, text=True)
        assert found.returncode == 0, found.stderr
