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
from places import ROOT

import playout
from playout.cli import main
from playout.warmup import drop_cache

COMMANDS = (
    *("play", "gtp", "bench", "warmup", "players", "match", "tournament", "games", "sgf"),
    *("rate", "plot", "suite", "cgos"),
)
PATH = os.pathsep.join(
    filter(None, [str(Path(playout.__file__).parent.parent), os.environ.get("PYTHONPATH")])
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


@pytest.fixture(autouse=True)
def no_games_at_home(tmp_path, monkeypatch):
    monkeypatch.setenv("PLAYOUT_GAMES_DIR", str(tmp_path / "games"))


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


def test_players_has_a_line_for_each_and_a_table_for_one(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["players"]) == 0
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    assert len(lines) == 15 + 2
    assert max(map(len, lines)) <= 80
    assert "flat         simple Monte-Carlo search: most wins of equal simulations" in lines
    assert main(["players", "flat"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("flat: simple Monte-Carlo search")
    assert re.search(r"^sims +100 +simulations for every legal move", shown, re.MULTILINE)
    assert main(["players", "flaat"]) == 2
    assert capsys.readouterr().err == "playout: there is no player 'flaat'; did you mean flat?\n"


def test_players_gives_machines_all_settings(capsys):
    assert main(["players", "--json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert rows["flat"]["game"] == "go"
    assert rows["flat"]["settings"]["sims"]["default"] == 100
    assert main(["players", "uct", "--game", "nim", "--json"]) == 0
    [row] = json.loads(capsys.readouterr().out)
    assert (row["name"], row["game"]) == ("uct", "nim")
    assert main(["players", "--game", "nim"]) == 0
    assert "playout players uct" in capsys.readouterr().out


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
    assert facts["threads"] == 1
    assert facts["unit"] == facts["unit_same_size"] > 0  # beside our own calibrator, without being asked
    assert {"spread", "moves_per_second"} <= set(facts)
    assert main(words) == 0
    assert "own size" in capsys.readouterr().out


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


def test_warmup_of_players_that_are_named(capsys):
    assert main(["warmup", "--game", "tic-tac-toe", "flat:sims=2", "random"]) == 0
    capsys.readouterr()
    assert main(["warmup", "--game", "tic-tac-toe", "flat:sims=2", "random"]) == 0
    assert capsys.readouterr().out.startswith("0 kernels compiled")
    assert main(["warmup", "flta"]) == 2
    assert "did you mean flat?" in capsys.readouterr().err


def test_a_game_that_is_compiled_in_every_process_is_not_said_to_be_compiled_once(tmp_path):
    source = Path(playout.__file__).parent / "games" / "toy" / "nim.py"
    (tmp_path / "outside.py").write_text("MOST = 3\n")
    (tmp_path / "mynim.py").write_text("import outside\n" + source.read_text().replace('"nim"', '"mynim"'))
    found = run("warmup", "--game", str(tmp_path / "mynim.py"), "random", PYTHONPATH=f"{tmp_path}:{PATH}")
    assert "first run only" not in found.stderr
    assert "compiling (in every run): " in found.stderr
    assert "each process compiles them anew" in found.stdout


@pytest.mark.slow
def test_warmup_from_an_empty_cache(tmp_path):
    first = run("warmup", PLAYOUT_CACHE_DIR=str(tmp_path))
    assert first.returncode == 0
    assert int(first.stdout.split()[0]) > 5
    assert "compiling (first run only)" in first.stderr
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


def test_sgf_of_a_collection_says_so_and_lets_one_choose(tmp_path, capsys):
    path = tmp_path / "games.sgf"
    path.write_text(SGF + "\n" + SGF.replace("Ann", "Eve").replace("SZ[5]", "SZ[9]"))
    assert main(["sgf", str(path)]) == 0
    shown = capsys.readouterr().out
    assert "Ann" in shown
    assert "(game 1 of 2)" in shown
    assert f"'{path}' has 2 games, and this is the first: --game N shows another.\n" in shown
    assert main(["sgf", str(path), "--game", "2"]) == 0
    shown = capsys.readouterr().out
    assert "Eve" in shown
    assert "--game" not in shown
    assert main(["sgf", str(path), "--game", "2", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["game"], facts["games"], facts["size"]) == (2, 2, 9)
    assert main(["sgf", str(path), "--game", "3"]) == 2
    assert "there is no game 3: the file has 2 games" in capsys.readouterr().err


def test_help_lists_commands_with_whole_sentences(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["--help"]) == 0
    shown = capsys.readouterr().out
    assert "..." not in shown.split("Commands:")[1]
    assert (
        shown.index("  play ") < shown.index("  players ") < shown.index("  match ") < shown.index("  bench ")
    )


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


@pytest.mark.parametrize(("key", "code"), [("\x04", 0), ("\x03", 130)])
def test_ctrl_d_and_ctrl_c_leave_a_game_that_is_saved(key, code, tmp_path):
    game = Terminal("play", "--size", "5", "--player", "uniform", PLAYOUT_GAMES_DIR=str(tmp_path))
    game.wait_for("move 1> ")
    game.type("c3\n")
    game.wait_for("move 3> ")
    game.type(key)
    assert game.exit_code() == code
    assert "Traceback" not in game.seen
    [path] = tmp_path.iterdir()
    assert f"To go on: playout play {path} --player uniform" in "".join(game.seen.split("\r\n"))
    game = Terminal("play", str(path), "--player", "uniform", PLAYOUT_GAMES_DIR=str(tmp_path))
    assert "Going on after move 2. You are Black" in game.wait_for("move 3> ")
    game.type(key)
    assert game.exit_code() == code
    assert len(list(tmp_path.iterdir())) == 1


def test_ctrl_c_makes_the_machine_move_and_a_second_one_ends(tmp_path):
    words = ("play", "--size", "9", "--player", "mogo:sims=1000000000,memory=10", "--color", "white")
    game = Terminal(*words, PLAYOUT_GAMES_DIR=str(tmp_path))
    game.wait_for("Black thinks (Ctrl-C: move now)")
    game.type("\x03")
    shown = game.wait_for("move 2> ", 10)
    assert "Black plays " in shown
    assert shown.count("A B C D E F G H J") == 2  # above and below: one board
    game.type("a1\n")
    game.wait_for("Black thinks (Ctrl-C: move now)")
    os.write(game.screen, b"\x03")
    time.sleep(0.2)
    os.write(game.screen, b"\x03")
    assert game.exit_code() == 130
    assert "Traceback" not in game.seen
    assert len(list(tmp_path.iterdir())) == 1


def test_nineteen_lines_fit_into_a_terminal_of_80_by_24():
    game = Terminal("play", "--size", "19", "--player", "uniform:seed=1", COLUMNS="80")
    game.wait_for("move 1> ")
    for line in ("k10", "zork", "moves 1", "score", "help", "q16"):
        game.type(line + "\n")
        shown = game.wait_for("> ")
        lines = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown).split("\r\n")
        assert max(len(part.rpartition("\r")[2]) for part in lines) <= 80
        assert len([part for part in lines[1:] if part.strip("\r")]) + 1 <= 24  # the prompt too
    game.type("quit\n")
    assert game.exit_code() == 0


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


@pytest.mark.skipif(not (ROOT / "Makefile").exists(), reason="not in a checkout")
def test_make_knows_what_the_readme_promises():
    for target in ("play", "test", "test-all", "bench", "lint"):
        found = subprocess.run(["make", "-n", target], cwd=ROOT, capture_output=True, text=True)
        assert found.returncode == 0, found.stderr


def test_ctrl_c_is_not_lost_in_a_module_that_catches_everything(tmp_path):
    (tmp_path / "greedy.py").write_text(
        "import os, signal, time\n"
        "try:\n    os.kill(os.getpid(), signal.SIGINT)\n    time.sleep(0.01)\n"
        "except BaseException:\n    pass\n"
    )
    script = (
        "import sys, time\nfrom playout.cli import _keeping_interrupts\n"
        f"sys.path.insert(0, {str(tmp_path)!r})\n"
        "with _keeping_interrupts():\n    import greedy\n    time.sleep(20)\n"
    )
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert "KeyboardInterrupt" in found.stderr
