"""Tunings from TOML: what is wrong is refused by name, before the first game; any engine is tuned."""

import contextlib
import json
import sys

import pytest
from places import SUPPORT

from playout.cli import main
from playout.errors import InputError
from playout.player.registry import make_player, split_spec
from playout.tune.file import read_tuning
from playout.tune.job import TuningJob

ENGINE = f"{sys.executable} {SUPPORT / 'settings_engine.py'}"
TOY = """
game = "tic-tac-toe"
player = "uct:sims=8"
opponent = "random"
samples = 6
ratio = 0.34
batch = 4
generations = 2
{more}
[parameters.exploration]
range = [0.01, 4]
scale = "log"
"""
OUTSIDE = f"""
player = "gtp:{ENGINE} --seed {{seed}} --pace {{pace}}"
opponent = "uniform"
size = 2
komi = 0.5
samples = 6
ratio = 0.34
batch = 4
generations = 2
[parameters.strength]
range = [0, {{high}}]
default = 2
gtp = "strength {{value}}"
[parameters.style]
choices = ["calm", "{{word}}"]
default = "calm"
gtp = "style {{value}}"
[parameters.pace]
range = [1, {{pace}}]
default = 3
type = "integer"
[verification]
games = 20
"""


@pytest.fixture
def file(tmp_path):
    def write(text):
        path = tmp_path / "toy.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def outside(high="10", word="wild", pace="9", command="strength"):
    text = OUTSIDE.replace("{high}", high).replace("{word}", word)
    text = text.replace('"strength {value}"', f'"{command} {{value}}"')
    return text.replace("range = [1, {pace}]", f"range = [1, {pace}]")


def toy(more="", **changes):
    text = TOY.replace("{more}", more)
    for old, new in changes.items():
        text = text.replace(old, new)
    return text


WRONG = [
    ("range = [0.01, 4]", "range = [4, 0.01]", "line 10: parameter exploration: .* is the wrong way round"),
    ("range = [0.01, 4]", "range = [2, 2]", "parameter exploration: the range 2 to 2 is empty"),
    ("range = [0.01, 4]", "range = [0, 4]", "exploration: a logarithmic scale cannot go below 0|through 0"),
    ("range = [0.01, 4]", "range = [-1, 4]", "exploration: a logarithmic scale cannot go through 0"),
    ("range = [0.01, 4]", "range = [0.01]", "line 11: parameter exploration: a range is two numbers"),
    ("range = [0.01, 4]", "", "parameter exploration: there is no range"),
    ("range = [0.01, 4]", "range = [1, 4]", "the default 0.5 is not from 1 to 4"),
    ("range = [0.01, 4]", 'choices = ["a"]', "choices are two words or more"),
    ('scale = "log"', 'scale = "cubic"', "line 12: scale='cubic' is not"),
    ('scale = "log"', 'gtp = "set {value}"', "exploration: uct is no engine that takes GTP commands"),
    ('scale = "log"', "defualt = 1", "no key 'defualt'; did you mean default"),
    (
        "[parameters.exploration]",
        "[parameters.explore]",
        "explore: uct has no setting .explore.; did you mean exploration",
    ),
    ("batch = 4", "bach = 4", "line 7: there is no key 'bach'; did you mean batch"),
    ("batch = 4", "batch = 1", "batch='1' is not a whole number from 2"),
    ("batch = 4", 'method = "random"', "random does not end by itself: give games"),
    ("ratio = 0.34", "ratio = 0.95", "leaves none out"),
    ('player = "uct:sims=8"', "", "there is no player"),
    ("uct:sims=8", "uct:sims=8,exploration=1", "sets it already: leave it out there"),
    ("uct:sims=8", "ucd:sims=8", "no player 'ucd'"),
    ('opponent = "random"', "", "there is no opponent"),
]


@pytest.mark.parametrize(("old", "new", "words"), WRONG)
def test_what_is_wrong_is_said_with_its_place(file, old, new, words):
    with pytest.raises(InputError, match=words):
        read_tuning(file(toy(**{old: new})))


def test_no_parameters_no_toml_no_file(file, tmp_path):
    with pytest.raises(InputError, match=r"there is no table \[parameters.NAME\]"):
        read_tuning(file(TOY.split("[parameters")[0].format(more="")))
    with pytest.raises(InputError, match="this is not TOML"):
        read_tuning(file("player ="))
    with pytest.raises(InputError, match="there is no such file"):
        read_tuning(tmp_path / "none.toml")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('gtp = "strength {value}"', 'gtp = "strength"', r"parameter strength: there is no {value} in gtp"),
        ('gtp = "strength {value}"', "", "parameter strength reaches the engine nowhere"),
        ('gtp = "strength {value}"', 'setting = "strength"', "strength: a program outside has no settings"),
        ("default = 2\n", "", "parameter strength: there is no default to compare with"),
        ("--pace {pace}", "", "parameter pace reaches the engine nowhere"),
    ],
)
def test_an_engine_must_be_reached(file, old, new, words):
    with pytest.raises(InputError, match=words):
        read_tuning(file(outside().replace(old, new, 1)))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"high": "11"}, "parameter strength = 11 is refused: .*strength 11 is not from 0 to 10"),
        ({"word": "loud"}, "parameter style = loud is refused: .*no style loud"),
        ({"pace": "12"}, "parameter pace = 12 is refused"),
        ({"command": "stronger"}, "parameter strength = 2 is refused: .*stronger 2'"),
    ],
)
def test_an_engine_that_rejects_a_setting_is_refused_before_the_first_game(file, changes, words):
    path = file(outside(**changes))
    with pytest.raises(InputError, match=words):
        TuningJob(path)
    assert not (path.parent / "toy-tuned").exists()


def test_an_opponent_that_cannot_play_is_refused(file):
    with pytest.raises(InputError, match=r"toy\.toml: the opponent: .*no program 'nobody'"):
        TuningJob(file(outside().replace('"uniform"', '"gtp:nobody"')))


def test_a_setting_of_ours_out_of_its_range_is_refused(file):
    with pytest.raises(InputError, match="parameter exploration = 200 is refused"):
        TuningJob(file(toy(**{"range = [0.01, 4]": "range = [0.01, 200]"})))


def test_an_engine_is_tuned_over_gtp_and_its_command_line(file, capsys):
    path = file(outside())
    assert main(["tune", str(path), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert set(report["best"]) == {"strength", "style", "pace"}
    assert {"best", "gain", "interval", "verdict"} <= set(report)
    spec = report["player"]
    assert f"&& strength {report['best']['strength']:g}" in spec
    assert f"--pace {report['best']['pace']}" in spec
    best = str(path.parent / "toy-tuned" / "best.toml")
    assert split_spec(best) == split_spec(spec)
    with pytest.raises(InputError, match="takes no settings"):
        split_spec(f"{best}:sims=3")
    with contextlib.closing(make_player(best)) as player:
        assert player.name == "settings"
    # The same again plays nothing, and says the same.
    assert main(["tune", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == report


def test_the_tuned_player_is_one_for_other_commands(file, capsys):
    path = file(
        toy("seed = 4") + "[verification]\ngames = 4\n[[verification.self_play]]\nset = { sims = 4 }\n"
    )
    assert main(["tune", str(path)]) == 0
    out = capsys.readouterr().out
    assert "exploration" in out
    assert "gain found" in out
    assert "tuned and default, sims 4" in out
    folder = path.parent / "toy-tuned"
    assert {found.name for found in folder.iterdir()} >= {
        "games.db", "learning.png", "parameters.png", "best.toml", "report.json"
    }  # fmt: skip
    best = str(folder / "best.toml")
    name, values = split_spec(f"{best}:sims=3", "tic-tac-toe")
    assert (name, values["sims"]) == ("uct", "3")
    assert make_player(best, "tic-tac-toe").settings.sims == 8
    with pytest.raises(InputError, match="plays tic-tac-toe, and not go"):
        make_player(best)
    with pytest.raises(InputError, match="cannot be read"):
        make_player("nowhere.toml")
    assert main(["match", best, "random", "--game", "tic-tac-toe", "--games", "2"]) == 0


def test_a_file_with_no_player_in_it_is_none(tmp_path):
    for text in ("", "player = 3", 'player = "me.toml"', "player ="):
        (tmp_path / "me.toml").write_text(text)
        with pytest.raises(InputError, match="not a file with a player in it"):
            make_player(str(tmp_path / "me.toml"))


@pytest.mark.gnugo
def test_gnu_go_is_tuned_by_its_command_line(file, tmp_path):
    path = file(
        'player = "gtp:gnugo --mode gtp --level {level} --seed {seed}"\n'
        'opponent = "uniform"\nsize = 5\nsamples = 2\nratio = 0.5\nbatch = 2\ngenerations = 1\n'
        '[parameters.level]\nrange = [0, 3]\ntype = "integer"\ndefault = 1\n'
    )
    with TuningJob(path) as job:
        (generation,) = job.run()
    assert generation.total == 4
    assert job.best()["level"] in (0, 1, 2, 3)
