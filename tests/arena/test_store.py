"""The store: what is kept, what counts, who may write, and what is refused."""

import multiprocessing
import os
import shutil
import sqlite3
from dataclasses import replace
from itertools import permutations

import pytest

from playout import __version__
from playout.arena.store import FORMAT, GameRecord, Pair, Store
from playout.errors import InputError

PLAYERS = {"a": ("uniform", "1"), "b": ("gtp:b", "2")}
SETTINGS = {"size": 9, "komi": 7.5, "seed": 3, "games": 10}


def game(number: int, winner: str | None = "black", moves: str = "E5 C3", **facts: object) -> GameRecord:
    pair = Pair((number + 1) // 2, "a", "b", 1)
    black, white = pair.colors(number)
    return GameRecord(
        number=number,
        pair=pair.pair,
        black=black,
        white=white,
        winner=winner,
        moves=moves,
        **{"result": "B+R", "reason": "resignation", **facts},
    )


def fill(store: Store, *games: GameRecord) -> Store:
    store._join(PLAYERS)
    store.plan(Pair(pair, "a", "b", pair) for pair in range(1, 9))
    for played in games:
        store.add(played)
    return store


def test_what_is_kept_is_there_again(tmp_path):
    path = tmp_path / "run.db"
    games = [
        game(
            1, detail="B resigned", black_stderr="näh\n", black_seconds=1.5, black_seed=7, move_seconds="1 2"
        ),
        game(2, None, "pass pass", result="0", reason="score"),
        game(3, "white", result="W+T", reason="time"),
    ]
    with fill(Store.begin(path, SETTINGS), *games):
        pass
    assert [entry.name for entry in tmp_path.iterdir()] == ["run.db"]
    with Store.open(path) as store:
        assert store.settings == SETTINGS
        assert store.players() == {"a": "uniform", "b": "gtp:b"}
        assert store.versions() == {"a": "1", "b": "2"}
        assert store.results() == [("a", "b", 1.0), ("b", "a", 0.5), ("a", "b", 0.0)]
        assert list(store.games()) == games
        assert list(store.games(2)) == games[1:2]
        assert store.numbers() == {1, 2, 3}
        assert store.pairs()[1] == Pair(2, "a", "b", 2, "")
        with pytest.raises(OSError, match="cannot be written"):
            store.add(game(4))
    assert [entry.name for entry in tmp_path.iterdir()] == ["run.db"]


def test_void_games_do_not_count():
    store = fill(Store.memory(SETTINGS), game(1, None, result="Void", reason="void"), game(3))
    assert store.results() == [("a", "b", 1.0)]
    assert [played.counted for played in store.games()] == [0, 1]


@pytest.mark.parametrize("order", list(permutations([1, 3, 5])))
def test_of_copies_the_first_counts_in_whatever_order_they_come(order):
    store = fill(Store.memory(SETTINGS), *(game(number) for number in order))
    assert [(played.counted, played.same_as) for played in store.games()] == [(1, None), (0, 1), (0, 1)]


@pytest.mark.parametrize(
    "other",
    [game(2), game(3, moves="E5 C4"), game(3, result="B+T", reason="time"), game(3, "white", result="W+R")],
)
def test_what_is_no_copy(other):
    store = fill(Store.memory(SETTINGS), game(1), other)
    assert len(store.results()) == 2


def test_faults_are_no_copies_of_each_other_and_copies_may_count():
    store = fill(Store.memory(SETTINGS), game(1, reason="failure"), game(3, reason="failure"))
    assert len(store.results()) == 2
    store.add(game(5))
    store.add(game(7), count_copies=True)
    assert len(store.results()) == 4


def test_a_game_is_kept_once():
    store = fill(Store.memory(SETTINGS), game(1))
    with pytest.raises(sqlite3.IntegrityError):
        store.add(game(1, moves="A1"))
    assert len(store.results()) == 1


def test_games_after_the_decision_do_not_count():
    store = fill(Store.memory(SETTINGS), game(1), game(3, moves="A1"), game(5, moves="A2"))
    store.discount(1, "too late")
    assert [played.counted for played in store.games()] == [1, 0, 0]
    assert [played.detail for played in store.games()] == ["", "too late", "too late"]


def test_the_same_settings_go_on_and_others_are_refused(tmp_path):
    path = tmp_path / "run.db"
    fill(Store.begin(path, SETTINGS), game(1)).close()
    before = path.read_bytes()
    with pytest.raises(
        InputError, match=r"would mix results: komi was 7.5 and is now 6.5; rules was null and"
    ):
        Store.begin(path, {**SETTINGS, "komi": 6.5, "rules": "odd"}, PLAYERS, may_change=["games"])
    with pytest.raises(InputError, match="games was 10 and is now 20"):
        Store.begin(path, {**SETTINGS, "games": 20}, PLAYERS)
    assert path.read_bytes() == before
    with Store.begin(path, {**SETTINGS, "games": 20}, PLAYERS, may_change=["games"]) as store:
        assert store.settings["games"] == 20
        assert len(store.results()) == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"a": ("flat", "1")}, 'player a was "uniform" and is now "flat"'),
        ({"b": ("gtp:b", "3")}, 'player b was "2" and is now "3"'),
        ({"b": None}, "player b is gone"),
    ],
)
def test_players_may_come_but_not_change(tmp_path, change, message):
    path = tmp_path / "run.db"
    fill(Store.begin(path, SETTINGS, PLAYERS), game(1)).close()
    players = {name: facts for name, facts in {**PLAYERS, **change}.items() if facts}
    with pytest.raises(InputError, match=message):
        Store.begin(path, SETTINGS, players)
    with Store.begin(path, SETTINGS, {**PLAYERS, "c": ("flat", "1")}) as store:
        assert list(store.players()) == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("UPDATE meta SET value = '99' WHERE key = 'format'", f"has format 99, and .* reads format {FORMAT}"),
        ("DELETE FROM meta", "is not a run of playout"),
        ("DROP TABLE meta", "is not a run of playout"),
    ],
)
def test_other_formats_are_refused(tmp_path, change, message):
    path = tmp_path / "run.db"
    Store.begin(path, SETTINGS).close()
    with sqlite3.connect(path) as db:
        db.execute(change)
    db.close()
    for attempt in (Store.open, lambda file: Store.begin(file, SETTINGS)):
        with pytest.raises(InputError, match=message):
            attempt(path)


def test_runs_of_another_version_are_read_but_not_gone_on_with(tmp_path):
    path = tmp_path / "run.db"
    Store.begin(path, SETTINGS).close()
    with sqlite3.connect(path) as db:
        db.execute("UPDATE meta SET value = '\"0.0.1\"' WHERE key = 'version'")
    db.close()
    Store.open(path).close()
    with pytest.raises(InputError, match=f"playout was 0.0.1 and is now {__version__}"):
        Store.begin(path, SETTINGS)


def test_what_is_no_run_is_refused_and_left_alone(tmp_path):
    text = tmp_path / "notes.db"
    text.write_text("my notes, not a database at all, and rather longer than a header " * 20)
    for attempt in (Store.open, lambda file: Store.begin(file, SETTINGS)):
        with pytest.raises(InputError, match="is not a run of playout"):
            attempt(text)
        with pytest.raises(InputError, match="is not a file"):
            attempt(tmp_path)
        with pytest.raises(InputError, match="there is no"):
            attempt(tmp_path / "nowhere" / "run.db")
    with pytest.raises(InputError, match="there is no run"):
        Store.open(tmp_path / "run.db")
    assert [path.name for path in tmp_path.iterdir()] == ["notes.db"]


@pytest.mark.parametrize("killed_after", ["open", "header", "lock"])
def test_a_run_that_was_killed_before_it_began_is_a_new_run(tmp_path, killed_after):
    path = tmp_path / "run.db"
    path.touch()
    if killed_after == "header":
        with sqlite3.connect(path) as db:
            db.execute("PRAGMA journal_mode = WAL")
        db.close()
        assert path.stat().st_size > 0
    if killed_after == "lock":
        (tmp_path / "run.db.lock").touch()
    assert not Store.exists(path)
    with Store.begin(path, SETTINGS) as store:
        assert store.settings == SETTINGS


def test_one_writes_and_many_read(tmp_path):
    path = tmp_path / "run.db"
    with fill(Store.begin(path, SETTINGS), game(1)) as writer:
        with pytest.raises(InputError, match="another process is at work on the run"):
            Store.begin(path, SETTINGS, PLAYERS)
        with Store.open(path) as reader:
            assert len(reader.results()) == 1
            writer.add(game(3, moves="A1"))
            assert len(reader.results()) == 2
    Store.begin(path, SETTINGS, PLAYERS).close()


def _write_and_die(path: str) -> None:
    store = fill(Store.begin(path, SETTINGS), game(1))
    with store._transaction():
        store._db.execute("DELETE FROM games")
        os._exit(9)


def test_a_kill_leaves_what_was_kept(tmp_path):
    path = tmp_path / "run.db"
    process = multiprocessing.get_context("spawn").Process(target=_write_and_die, args=(str(path),))
    process.start()
    process.join(60)
    assert process.exitcode == 9
    with Store.begin(path, SETTINGS, PLAYERS) as store:
        assert list(store.games()) == [game(1)]
        store.add(replace(game(3), moves="A1"))
        copy = shutil.copy(path, tmp_path / "copy.db")
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["copy.db", "run.db"]
    assert copy


def test_a_run_that_may_only_be_read(tmp_path):
    path = tmp_path / "kept" / "run.db"
    path.parent.mkdir()
    fill(Store.begin(path, SETTINGS), game(1)).close()
    path.chmod(0o444)
    path.parent.chmod(0o555)
    try:
        with Store.open(path) as store:
            assert len(store.results()) == 1
    finally:
        path.parent.chmod(0o755)
