"""The GTP server: lines in, answers out, as a call, over streams and as a process."""

import re
import subprocess
import sys

import pytest
from gtp_talk import converse, say

from playout.gtp.server import Server

EXPECTED = """
    protocol_version name version known_command list_commands quit boardsize clear_board komi
    fixed_handicap place_free_handicap set_free_handicap play genmove reg_genmove undo time_settings
    kgs-time_settings time_left final_score final_status_list kgs-genmove_cleanup loadsgf printsgf
    showboard cputime set_random_seed get_random_seed gogui-analyze_commands playout-get-param
    playout-set-param kata-analyze lz-analyze kata-genmove_analyze lz-genmove_analyze is_legal
    all_legal list_stones captures countlib findlib query_boardsize get_komi get_handicap
    move_history last_move color
"""


@pytest.fixture
def server():
    return Server("uniform:seed=1")


def test_ids_comments_tabs_and_line_ends(server):
    text = b"1 name\r\n\n   \n# nothing\n2\tknown_command\t name # why\nproto\x01col\x00_version\n3 undo\n"
    name, *rest = converse(server, text).split("\n\n")
    assert name == "=1 playout uniform"
    assert rest == ["=2 true", "= 2", "?3 cannot undo: there is no move to take back", ""]


def test_last_line_needs_no_newline(server):
    assert converse(server, b"protocol_version") == "= 2\n\n"


def test_quit_answers_and_ends(server):
    assert converse(server, b"7 quit\nname\n") == "=7\n\n"


def test_all_commands_are_listed_and_known(server):
    listed = say(server, "list_commands").split("\n")
    assert set(EXPECTED.split()) <= set(listed)
    assert "analyze" not in listed, "Sabaki would send it"
    assert all(say(server, f"known_command {name}") == "true" for name in listed)
    assert say(server, "known_command analyze") == "false"


def test_no_answer_has_a_blank_line_inside(server):
    say(server, "boardsize 5", "play B C3", "play W C2", "play B pass", "play W pass")
    for name in EXPECTED.split():
        for words in ("", " B", " C3", " B C3", " 3", " dead", " x y z"):
            if name not in ("quit", "printsgf"):
                answer = server.execute(name + words)
                assert re.match(r"[=?]", answer)
                assert "\n\n" not in answer


# -- the process ------------------------------------------------------------------------------------

CODE = "from playout.gtp.server import serve_stdio; serve_stdio({!r})"


def run(spec: str, text: bytes) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-c", CODE.format(spec)], input=text, capture_output=True, timeout=300, check=False
    )


def test_process_end_to_end():
    text = (
        b"1 boardsize 5\n2 play B C3\n3 genmove W\n4 final_score\n5 lz-analyze\n6 undo\n7 last_move\n8 quit\n"
    )
    done = run("uniform:seed=1", text)
    assert done.returncode == 0
    assert b"Traceback" not in done.stderr
    answers = done.stdout.decode().split("\n\n")
    assert [answer.split()[0] for answer in answers[:-1]] == [f"={k}" for k in range(1, 9)]
    assert answers[6] == "=7 black C3"
    assert answers[8] == ""


def test_process_ends_after_quit_though_its_input_stays_open():
    process = subprocess.Popen(
        [sys.executable, "-c", CODE.format("uniform:seed=1")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with process:
        process.stdin.write(b"quit\n")
        process.stdin.flush()
        assert process.wait(60) == 0
        assert process.stdout.read() == b"=\n\n"
        assert process.stderr.read() == b""


def test_process_ends_quietly_when_nobody_listens():
    process = subprocess.Popen(
        [sys.executable, "-c", CODE.format("uniform:seed=1")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with process:
        process.stdout.close()
        process.stdin.write(b"lz-analyze 1\n")
        process.stdin.flush()
        assert process.wait(60) == 0
        assert process.stderr.read() == b""


def test_the_first_answers_come_before_anything_is_compiled():
    code = (
        "import numba.core.dispatcher as d\n"
        "def fail(*a): raise SystemExit('compiled')\n"
        "d.Dispatcher.compile = fail\n" + CODE.format("uniform:seed=1")
    )
    text = b"protocol_version\nname\nversion\nlist_commands\nknown_command play\nquit\n"
    done = subprocess.run([sys.executable, "-c", code], input=text, capture_output=True, check=False)
    assert done.stdout.startswith(b"= 2\n\n= playout uniform\n\n= ")
    assert b"compiled" not in done.stderr
