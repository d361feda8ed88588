"""`playout rate` and `playout plot` as users have them."""

import json
import subprocess
import sys

import pytest

from playout.cli import main

GAMES = [
    "mogo,gnugo,1",
    "gnugo,mogo,0",
    "mogo,td-100,1",
    "td-100,mogo,1",
    "td-200,td-100,1",
    "gnugo,td-200,0.5",
]


@pytest.fixture
def run(tmp_path):
    path = tmp_path / "event.csv"
    path.write_text("\n".join(GAMES * 3))
    return path


def test_the_table_and_the_cross_table(run, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    assert main(["rate", str(run)]) == 0
    shown = capsys.readouterr().out
    assert "LOS" in shown
    line = next(line for line in shown.splitlines() if "gnugo" in line)
    assert line.split()[1:4] == ["gnugo", "1800", "anchor"]
    assert "1.5/3" in shown
    assert "18 games; first move" in shown
    assert "held: gnugo = 1800" in shown
    assert main(["rate", str(run), "--no-cross", "--anchor", "none"]) == 0
    shown = capsys.readouterr().out
    assert "1.5/3" not in shown
    assert "the mean rating is 0" in shown


def test_a_narrow_terminal_gets_shares(run, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "34")
    assert main(["rate", str(run)]) == 0
    shown = capsys.readouterr().out
    assert "1.5/3" not in shown
    assert "50%" in shown


def test_json(run, capsys):
    assert main(["rate", str(run), "--json", "--anchor", "td-100=1000", "--anchor", "mogo=1200"]) == 0
    facts = json.loads(capsys.readouterr().out)
    rows = {row["name"]: row for row in facts["players"]}
    assert (rows["td-100"]["elo"], rows["mogo"]["elo"]) == (1000, 1200)
    assert rows["td-200"]["interval"][0] < rows["td-200"]["elo"] < rows["td-200"]["interval"][1]
    assert rows["mogo"]["against"]["gnugo"] == {"points": 6.0, "games": 6}
    assert facts["games"] == 18
    assert {"first_move", "draw_rate", "anchors", "uncounted"} <= set(facts)


def test_the_picture_is_beside_the_run_or_where_it_should_be(run, tmp_path, capsys):
    assert main(["plot", str(run)]) == 0
    assert capsys.readouterr().out.strip() == str(tmp_path / "event.png")
    assert (tmp_path / "event.png").read_bytes().startswith(b"\x89PNG")
    assert main(["plot", str(run), "--kind", "points", "--output", str(tmp_path / "b.png")]) == 0
    assert (tmp_path / "b.png").exists()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["rate", "nothing.db"], "there is no file 'nothing.db'"),
        (["rate", "RUN", "--anchor", "mogo"], "--anchor 'mogo' is not NAME=ELO"),
        (["rate", "RUN", "--anchor", "=7"], "is not NAME=ELO"),
        (["rate", "RUN", "--anchor", "mogo=inf"], "is not NAME=ELO"),
        (["rate", "RUN", "--anchor", "mogi=7"], "'mogi' is not among the players; did you mean mogo?"),
        (["rate", "RUN", "--prior", "-1"], "a prior of -1"),
        (["plot", ""], "'.' is not a file"),
        (["plot", "RUN", "--kind", "pie"], "'pie' is no kind of picture"),
        (["plot", "RUN", "--output", "p.jpg"], "'p.jpg' should end in .png"),
    ],
)
def test_wrong_input_is_one_sentence_and_nothing_is_written(
    words, sentence, run, tmp_path, capsys, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    assert main([str(run) if word == "RUN" else word for word in words]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert sentence in captured.err
    assert list(tmp_path.iterdir()) == [run]


def test_a_folder_that_is_not_there(run, capsys):
    assert main(["plot", str(run), "--output", "/no/such/folder/x.png"]) == 2
    assert "there is no folder /no/such/folder" in capsys.readouterr().err


def test_pictures_are_imported_only_for_pictures(run):
    script = (
        "import sys; from playout.cli import main; main(['rate', sys.argv[1]]); "
        "print('matplotlib' in sys.modules)"
    )
    found = subprocess.run(
        [sys.executable, "-c", script, str(run)], capture_output=True, text=True, check=True
    )
    assert found.stdout.splitlines()[-1] == "False"
