"""Results from files: what is right is read, what is wrong is named with its line."""

import json

import pytest

from playout.arena.results import load, load_all
from playout.arena.store import GameRecord, Pair, Store
from playout.errors import InputError


def written(tmp_path, text):
    path = tmp_path / "games"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize(
    "text",
    [
        "black,white,score\na,b,1\nb,a,0.5\n",
        "a,b,1\nb,a,.5",
        "\ufeffBlack, White, Score\r\n\r\na, b, 1.0\r\nb, a, 0.5\r\n",
        "score,moves,white,black\n1,30,b,a\n0.5,30,a,b\n",
        '{"black": "a", "white": "b", "score": 1}\n\n{"black": "b", "white": "a", "score": 0.5, "x": [1]}\n',
        '"a","b",1\n"b","a","0.5"\n',
    ],
)
def test_lists_of_games(text, tmp_path):
    found = load(written(tmp_path, text))
    assert found.games == [("a", "b", 1.0), ("b", "a", 0.5)]
    assert list(found.players) == ["a", "b"]


def test_names_may_be_specs(tmp_path):
    spec = "mogo:sims=100,policy=mogo"
    found = load(written(tmp_path, f'"{spec}",uct,0\n'))
    assert found.games == [(spec, "uct", 0.0)]


def record(number, black, white, winner, **more):
    return GameRecord(
        number=number,
        pair=(number + 1) // 2,
        black=black,
        white=white,
        winner=winner,
        result="B+1",
        reason=more.pop("reason", "score"),
        moves=f"E5 {'ABCDE'[number]}1",
        **more,
    )


def test_a_run(tmp_path):
    path = tmp_path / "event.db"
    players = {"Ann": ("uct", "1"), "Bob": ("flat", "1")}
    with Store.begin(path, {"size": 9, "anchors": {"Ann": 1500}}, players) as store:
        store.plan([Pair(1, "Ann", "Bob", 1), Pair(2, "Ann", "Bob", 2)])
        store.add(record(1, "Ann", "Bob", "black"))
        store.add(record(2, "Bob", "Ann", None))
        store.add(record(3, "Ann", "Bob", None, reason="void"))
    found = load(path)
    assert found.games == [("Ann", "Bob", 1.0), ("Bob", "Ann", 0.5)]
    assert found.players == {"Ann": "uct", "Bob": "flat"}
    assert (found.uncounted, found.anchors) == (1, {"Ann": 1500.0})


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "has no games"),
        ("black,white,score\n", "has no games"),
        ("a,b,1\na,b\n", "line 2: a game is black,white,score, not 'a,b'"),
        ("a,b,1\na,b,2\n", "line 2: the score '2' is not 1, 0.5 or 0"),
        ("a,b,won\n", "line 1: the score 'won'"),
        ("a,b,nan\n", "line 1: the score 'nan'"),
        ("a,,1\n", "line 1: white is '', which is no player's name"),
        ("a,b\x1b[2J,1\n", "line 1: the name .* has control characters"),
        ("a," + "b" * 200_000 + ",1\n", "line 1: "),
        ('{"black": "a"', "line 1: that is not JSON"),
        ("{" * 100_000, "line 1: that is not JSON"),
        ('{"black": "a"}\n', "line 1: a game needs black, white and score"),
        ('{"black": "a", "white": 3, "score": 1}\n', "line 1: white is '3', which is no player's name"),
        ('{"black": "a", "white": "b", "score": true}\n', "line 1: the score 'True'"),
        ('{"black": "a", "white": "b", "score": 1}\n[1]\n', "line 2: a game needs black"),
        (json.dumps({"black": "a", "white": "b", "score": 10**400}), "line 1: "),
        (b"\x89PNG\r\n\x1a\n\xff\xfe\x00", "neither a run of playout nor a list of games"),
        (b"SQLite format 3\0 and then nothing", "games"),
    ],
)
def test_wrong_files_are_one_sentence(text, sentence, tmp_path):
    with pytest.raises(InputError, match=sentence) as error:
        load(written(tmp_path, text))
    assert "games'" in str(error.value)
    assert len(str(error.value)) < 400


def test_what_is_no_file(tmp_path):
    with pytest.raises(InputError, match="is not a file"):
        load(tmp_path)
    with pytest.raises(InputError, match="there is no file"):
        load(tmp_path / "nothing")


def event(path, specs, anchors):
    with Store.begin(
        path, {"anchors": anchors}, {name: (spec, "1") for name, spec in specs.items()}
    ) as store:
        store.plan([Pair(1, *specs, 1)])
        store.add(record(1, *specs, "black"))
    return path


def test_several_files_together(tmp_path):
    first = event(tmp_path / "a.db", {"Ann": "uct", "Bob": "flat"}, {"Bob": 1000})
    second = event(tmp_path / "b.db", {"Ann": "uct", "Cid": "rave"}, {})
    found = load_all([first, second, written(tmp_path, "Cid,Dan,0\n")])
    assert found.games == [("Ann", "Bob", 1.0), ("Ann", "Cid", 1.0), ("Cid", "Dan", 0.0)]
    assert found.players == {"Ann": "uct", "Bob": "flat", "Cid": "rave", "Dan": ""}
    assert found.anchors == {"Bob": 1000.0}


def test_files_that_do_not_go_together(tmp_path):
    first = event(tmp_path / "a.db", {"Ann": "uct", "Bob": "flat"}, {"Bob": 1000})
    other = event(tmp_path / "b.db", {"Ann": "rave", "Bob": "flat"}, {})
    with pytest.raises(InputError, match=r"player 'Ann' is 'uct' elsewhere and 'rave' in .*b\.db"):
        load_all([first, other])
    held = event(tmp_path / "c.db", {"Ann": "uct", "Bob": "flat"}, {"Bob": 1200})
    with pytest.raises(InputError, match="anchor 'Bob' is 1000 elsewhere and 1200 in"):
        load_all([first, held])
    with pytest.raises(InputError, match="is given twice"):
        load_all([first, tmp_path / ".." / tmp_path.name / "a.db"])
