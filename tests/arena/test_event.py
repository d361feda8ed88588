"""Events: under engines of every badness, on threads, broken off and gone on with; always the same games."""

import dataclasses
import os
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from places import SUPPORT

from playout.arena.event import CannotPlay, Event, Run
from playout.arena.pool import Threads
from playout.arena.referee import REASONS, Terms
from playout.arena.schedule import Gauntlet, RoundRobin, Swiss
from playout.arena.store import GameRecord, Store
from playout.errors import InputError

SMALL = Terms(size=5, komi=0.5, engine_timeout=20)
OURS = {"uniform": "uniform", "policy": "mogo-policy", "flat": "flat:sims=1"}
TIMES = ("black_seconds", "white_seconds", "move_seconds", "started", "ended")


def games_of(event: Event, threads: int = 1, path: Path | None = None) -> list[GameRecord]:
    with Threads(threads) as pool, Run(event, pool, path) as run:
        yielded = list(run.play())
        kept = list(run.store.games())
    assert {game.number for game in yielded} <= {game.number for game in kept}
    return kept


def without_times(games: list[GameRecord]) -> list[GameRecord]:
    return [dataclasses.replace(game, **dict.fromkeys(TIMES)) for game in games]


# -- the same games, whoever plays them --------------------------------------------------------------------


@pytest.mark.parametrize("schedule", [RoundRobin(3), Gauntlet(3, ("flat",)), Swiss(4, seed=5)])
def test_threads_do_not_change_the_games(schedule):
    event = Event(players=OURS, schedule=schedule, terms=SMALL, seed=7, opening=1)
    one = games_of(event)
    assert [game.number for game in one] == list(range(1, event.total() + 1))
    assert without_times(games_of(event, threads=4)) == without_times(one)
    other = dataclasses.replace(event, seed=8)
    assert without_times(games_of(other)) != without_times(one)


def test_a_pair_has_one_opening_and_both_colours():
    event = Event(players=OURS, schedule=RoundRobin(2), terms=SMALL, seed=1, opening=2)
    games = games_of(event)
    for first, second in zip(games[::2], games[1::2], strict=True):
        assert (first.pair, first.opening) == (second.pair, second.opening)
        assert (first.black, first.white) == (second.white, second.black)
        assert first.moves.startswith(first.opening)
        assert second.moves.startswith(first.opening)
        assert first.black_seed != second.white_seed
    assert len({game.opening for game in games}) == 2  # one a round


def test_openings_are_played_in_turn():
    event = Event(
        players={"uniform": "uniform", "policy": "mogo-policy"},
        schedule=RoundRobin(3),
        terms=SMALL,
        openings=["C3", "B2 D4"],
    )
    assert [game.opening for game in games_of(event)] == ["C3", "C3", "B2 D4", "B2 D4", "C3", "C3"]


def test_an_event_that_was_broken_off_goes_on(tmp_path):
    event = Event(players=OURS, schedule=Swiss(4, seed=2), terms=SMALL, seed=2)
    whole = games_of(event)
    path = tmp_path / "run.db"
    for count in (1, 2, 3):
        with Threads(2) as pool, Run(event, pool, path) as run:
            games = run.play()
            for _ in range(count):
                next(games)
            games.close()
        with Store.open(path) as store:
            assert len(list(store.games())) >= count
    assert without_times(games_of(event, path=path)) == without_times(whole)
    with Threads(1) as pool, Run(event, pool, path) as run:
        assert list(run.play()) == []


def test_more_rounds_and_more_players_go_on(tmp_path):
    path = tmp_path / "run.db"
    event = Event(players=OURS, schedule=RoundRobin(1), terms=SMALL, seed=2)
    first = games_of(event, path=path)
    longer = dataclasses.replace(event, schedule=RoundRobin(2))
    assert without_times(games_of(longer, path=path)) == without_times(games_of(longer))
    joined = dataclasses.replace(longer, players={**OURS, "new": "flat:sims=2"})
    games = games_of(joined, path=path)
    assert games[: len(first)] == first
    assert len(games) == joined.total() == 24
    assert sum("new" in (game.black, game.white) for game in games) == 12


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"terms": Terms(size=6, komi=0.5, engine_timeout=20)}, "size was 5 and is now 6"),
        ({"seed": 3}, "seed was 2 and is now 3"),
        ({"opening": 1}, "opening was 0 and is now 1"),
        ({"openings": ["C3"]}, 'openings was .* and is now ."C3".'),
        (
            {"players": {**OURS, "flat": "flat:sims=9"}},
            'player flat was "flat:sims=1" and is now "flat:sims=9"',
        ),
        ({"players": {"uniform": "uniform", "flat": "flat:sims=1"}}, "player policy is gone"),
    ],
)
def test_what_would_mix_results_is_refused(tmp_path, change, message):
    path = tmp_path / "run.db"
    event = Event(players=OURS, schedule=RoundRobin(1), terms=SMALL, seed=2)
    games = games_of(event, path=path)
    with Threads(1) as pool, pytest.raises(InputError, match=message):
        Run(dataclasses.replace(event, **change), pool, path)
    with Store.open(path) as store:
        assert list(store.games()) == games
        assert store.settings == event.settings()


def test_players_that_cannot_start_are_refused_before_anything_is_written(tmp_path):
    event = Event(players={**OURS, "none": "gtp:no-such-engine"}, schedule=RoundRobin(1), terms=SMALL)
    with Threads(1) as pool, pytest.raises(CannotPlay, match="no program 'no-such-engine'") as caught:
        Run(event, pool, tmp_path / "run.db")
    assert caught.value.name == "none"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"opening": -1}, "does not fit"),
        ({"opening": 7}, "does not fit: at most 6"),
        ({"opening": 1, "openings": ["C3"]}, "not with both"),
        ({"opening": 1, "terms": Terms(size=5, max_moves=2)}, "no game left"),
    ],
)
def test_impossible_openings_are_refused(settings, message):
    with pytest.raises(InputError, match=message):
        Event(**{"players": OURS, "schedule": RoundRobin(1), "terms": SMALL, **settings})


# -- copies ---------------------------------------------------------------------------------------------


def test_identical_games_count_once():
    players = {"a": "uniform:seed=1", "b": "mogo-policy:seed=2"}
    event = Event(players=players, schedule=RoundRobin(3), terms=SMALL, seed=1)
    for threads in (1, 4):
        games = games_of(event, threads)
        assert [(game.counted, game.same_as) for game in games] == [(1, None)] * 2 + [(0, 1), (0, 2)] * 2
    counted = games_of(dataclasses.replace(event, count_copies=True))
    assert all(game.counted for game in counted)
    opened = games_of(dataclasses.replace(event, opening=1))
    assert all(game.counted for game in opened)


# -- stopping -------------------------------------------------------------------------------------------


class After:
    """Ends a match after some pairs."""

    def __init__(self, pairs: int) -> None:
        self.pairs, self.seen = pairs, list[list[float]]()

    def verdict(self, pair_scores) -> str:
        self.seen.append(list(pair_scores))
        return "accept" if len(pair_scores) >= self.pairs else "go on"


def test_a_stopping_rule_sees_pairs_in_order_and_ends_the_match(tmp_path):
    players = {"flat": "flat:sims=2,policy=mogo", "uniform": "uniform"}

    def event(stopping: After) -> Event:
        return Event(players=players, schedule=RoundRobin(50), terms=SMALL, seed=4, stopping=stopping)

    one, four = After(5), After(5)
    alone, together = games_of(event(one)), games_of(event(four), threads=4, path=tmp_path / "run.db")
    counted = [game for game in alone if game.counted]
    assert one.seen == four.seen
    assert len(one.seen) == 5
    assert len(counted) == 10
    assert without_times([game for game in together if game.counted]) == without_times(counted)
    pairs = zip(counted[::2], counted[1::2], strict=True)
    points = [first.points("flat") + second.points("flat") for first, second in pairs]
    assert one.seen[-1] == points
    again = After(5)
    with Threads(1) as pool, Run(event(again), pool, tmp_path / "run.db") as run:
        assert list(run.play()) == []
        assert run.verdict == "accept"
    assert again.seen == one.seen


# -- the zoo --------------------------------------------------------------------------------------------


class Zoo:
    """Engines of every badness, and whether any of them is still there."""

    def __init__(self, folder: Path) -> None:
        self.script = shutil.copy(SUPPORT / "zoo.py", folder / "zoo.py")

    def __getitem__(self, kind: str) -> str:
        return "gtp:" + shlex.join([sys.executable, "-S", "-E", str(self.script), *kind.split()])

    def alive(self) -> list[str]:
        """The command lines of engines that are still there."""
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                    dead = (entry / "stat").read_text().rpartition(")")[2].split()[0] == "Z"
                except OSError:
                    continue
                if str(self.script) in command and not dead:
                    found.append(command)
        return found

    def assert_empty(self) -> None:
        end = time.monotonic() + 5
        while left := self.alive():
            assert time.monotonic() < end, left
            time.sleep(0.02)


@pytest.fixture
def zoo(tmp_path):
    (tmp_path / "zoo").mkdir()
    made = Zoo(tmp_path / "zoo")
    yield made
    made.assert_empty()


# How games against each of them end.
ENDS = {
    "crasher": "failure",
    "killed": "failure",
    "hanger": "time",
    "illegal": "illegal move",
    "elsewhere": "failure",
    "garbage": "failure",
    "gibberish": "time",
    "slow": "score",
    "deaf": "score",
    "closer": "failure",
    "flooder": "time",
    "refuser": "void",
    "mute": "void",
    "dead": "void",
}


@pytest.mark.parametrize("keep_engines", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_an_event_with_the_whole_zoo_ends_and_adds_up(zoo, tmp_path, keep_engines):
    bad = {kind: zoo[f"{kind} {{seed}}" if ENDS[kind] == "void" else kind] for kind in ENDS}
    players = {"policy": "mogo-policy", "sound": zoo["sound"], **bad}
    event = Event(
        players=players,
        schedule=Gauntlet(1, ("policy", "sound")),
        terms=Terms(size=5, komi=0.5, engine_timeout=1.0),
        keep_engines=keep_engines,
    )
    games = games_of(event, threads=8, path=tmp_path / "run.db")
    assert len(games) == event.total() == 4 * len(ENDS)
    for game in games:
        bad, good = (game.black, game.white) if game.black in ENDS else (game.white, game.black)
        assert (game.reason, bad) == (ENDS[bad], bad), game.detail
        assert game.reason in REASONS
        assert game.detail
        if game.reason in ("failure", "time", "illegal move"):
            assert game.winner == ("black" if game.black == good else "white")
            assert f"this is the {bad}" in (game.black_stderr if game.black == bad else game.white_stderr)
        assert game.counted == (game.reason != "void")
        assert good != "sound" or "Zoo sound 1" in (game.black_version, game.white_version)
    zoo.assert_empty()


@pytest.mark.parametrize(
    ("kind", "cause"),
    [("refuser", "unacceptable size"), ("mute", "did not answer 'boardsize 5'"), ("dead", "exit code 1")],
)
def test_an_engine_that_cannot_begin_is_refused_before_the_first_game(zoo, kind, cause, tmp_path):
    players = {"policy": "mogo-policy", kind: zoo[kind]}
    event = Event(players=players, schedule=RoundRobin(1), terms=Terms(size=5, engine_timeout=0.5))
    with Threads(1) as pool, pytest.raises(CannotPlay, match=cause) as refused:
        Run(event, pool, tmp_path / "run.db")
    assert refused.value.name == kind
    assert not (tmp_path / "run.db").exists()


def test_ctrl_c_ends_the_waiting_for_an_engine_that_is_mute_from_the_beginning():
    event = Event(players={"a": "uniform", "b": "gtp:cat"}, schedule=RoundRobin(1), terms=Terms(size=5))
    timer = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
    begin = time.monotonic()
    timer.start()
    with Threads(1) as pool, pytest.raises(KeyboardInterrupt):
        Run(event, pool)
    timer.join()
    assert time.monotonic() - begin < 10


@pytest.mark.parametrize("kind", ["hanger", "slow"])
@pytest.mark.parametrize("limit", [{"move_timeout": 0.2}, {"clock": "0.2"}])
def test_too_slow_for_the_clock(zoo, kind, limit):
    players = {"policy": "mogo-policy:seed=1", kind: zoo[f"{kind} 1"]}
    terms = Terms(size=5, engine_timeout=20, **limit)
    games = games_of(Event(players=players, schedule=RoundRobin(1), terms=terms), threads=2)
    assert [game.reason for game in games] == ["time", "time"]
    assert [game.winner for game in games] == ["black", "white"]


def test_engines_get_the_seed_of_the_game(tmp_path):
    # The seed stands in the command line; what comes after the kind says when to misbehave: never.
    script = shutil.copy(SUPPORT / "zoo.py", tmp_path / "zoo.py")
    spec = "gtp:" + shlex.join([sys.executable, "-S", "-E", str(script), "sound"]) + " {seed}"
    event = Event(players={"policy": "mogo-policy", "zoo": spec}, schedule=RoundRobin(2), terms=SMALL)
    games = games_of(event)
    seeds = [game.black_seed if game.black == "zoo" else game.white_seed for game in games]
    assert len(set(seeds)) == 4
    assert all(0 <= seed < 2**31 for seed in seeds)


def test_much_of_what_engines_say_is_kept_of_games_that_end_by_a_fault(tmp_path):
    script = tmp_path / "talker.py"
    script.write_text(
        "import sys\n"
        "for line in sys.stdin:\n"
        "    number, name, *rest = line.split()\n"
        "    print('x' * 999, name, file=sys.stderr)\n"
        "    if name == 'genmove' and sys.argv[1] == 'crash' and int(number) > 20: sys.exit(1)\n"
        "    print(f'={number} ' + {'genmove': 'pass', 'name': 'Talker'}.get(name, '') + '\\n', flush=True)\n"
        "    if name == 'quit': break\n"
    )
    specs = {how: "gtp:" + shlex.join([sys.executable, str(script), how]) for how in ("crash", "well")}
    event = Event(players={"uniform": "uniform:seed=3", **specs}, schedule=RoundRobin(1), terms=SMALL)
    games = [game for game in games_of(event) if "uniform" in (game.black, game.white)]
    said = {game.reason: game.black_stderr or game.white_stderr for game in games}
    assert set(said) == {"failure", "score"}
    assert len(said["score"]) == 8192
    assert said["score"].endswith("quit\n")
    assert 10_000 < len(said["failure"]) <= 65_536


def test_engines_are_kept_from_game_to_game(zoo):
    players = {"policy": "mogo-policy", "sound": zoo["sound"]}
    event = Event(players=players, schedule=RoundRobin(2), terms=SMALL, keep_engines=True)
    with Threads(1) as pool, Run(event, pool) as run:
        games = run.play()
        next(games)
        assert len(zoo.alive()) == 1
        assert [game.reason for game in games] == ["score"] * 3
    zoo.assert_empty()


def test_breaking_off_ends_hung_engines_at_once(zoo):
    players = {"policy": "mogo-policy", "hanger": zoo["hanger 1"], "mute": zoo["mute {seed}"]}
    event = Event(players=players, schedule=RoundRobin(5), terms=Terms(size=5, engine_timeout=300))
    with Threads(4) as pool, Run(event, pool) as run:
        games = run.play()
        timer = threading.Timer(1.5, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        begin = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            next(games)
        timer.join()
    assert time.monotonic() - begin < 10
    zoo.assert_empty()


# -- kill -9 --------------------------------------------------------------------------------------------

TOML = """
rounds = 12
size = 5
komi = 0.5
opening = 1
seed = 5
threads = 2
[players]
uniform = "uniform"
flat = "flat:sims=2"
zoo = {spec}
"""


def table_of(path: Path) -> list[GameRecord]:
    with Store.open(path) as store:
        return without_times(list(store.games()))


def test_kill_9_in_mid_tournament_changes_nothing(zoo, tmp_path):
    """Killed again and again, the tournament ends with the same games, and no engine is left."""
    for name in ("whole", "killed"):
        (tmp_path / f"{name}.toml").write_text(TOML.format(spec=repr(zoo["sound"])))

    def command(name: str) -> subprocess.Popen:
        return subprocess.Popen(
            [sys.executable, "-m", "playout", "tournament", str(tmp_path / f"{name}.toml"), "--json"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def count() -> int:
        try:
            with Store.open(tmp_path / "killed.db") as store:
                return len(store.numbers())
        except InputError:  # it is not there yet
            return 0

    seen = 0
    for target in (3, 20):
        process = command("killed")
        end = time.monotonic() + 120
        while count() < target and process.poll() is None and time.monotonic() < end:
            time.sleep(0.005)
        process.kill()
        process.communicate()
        assert seen <= count() < 72
        seen = count()
        assert seen >= target
        zoo.assert_empty()
    outputs = []
    for name in ("killed", "whole"):
        out, errors = command(name).communicate(timeout=120)
        assert "Traceback" not in errors
        outputs.append(out.replace("killed", "whole"))
    assert table_of(tmp_path / "killed.db") == table_of(tmp_path / "whole.db")
    assert len(table_of(tmp_path / "whole.db")) == 72
    assert outputs[0] == outputs[1]
