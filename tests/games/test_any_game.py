"""Players, matches, tournaments, stores and suites in a game that is not Go, and in anybody's file."""

import json
import shutil
import sqlite3
from importlib.metadata import EntryPoint
from pathlib import Path

import numpy as np
import pytest

from playout.arena.match import Match, match
from playout.arena.store import Store
from playout.arena.terms import Terms
from playout.arena.tournament import Tournament
from playout.cli import main
from playout.errors import InputError
from playout.games.registry import find_game, game_names
from playout.games.toy import tictactoe
from playout.player.registry import make_player, player_table, players_of

TICTACTOE = "tic-tac-toe"
FILE = Path(tictactoe.__file__)


@pytest.mark.parametrize("name", ["random", "policy", "flat", "uct", "rave", "alphabeta"])
def test_every_kind_of_player_plays_tictactoe(name):
    player = make_player(f"{name}:seed=1" if name != "alphabeta" else name, TICTACTOE)
    position = find_game(TICTACTOE).new_position()
    while not position.is_over:
        before = position.record.tobytes()
        action = player.choose_action(position)
        assert position.record.tobytes() == before
        assert position.is_legal(action)
        position.play(action)
    assert 0 <= position.outcome <= 1
    if name not in ("random", "policy"):  # one played directly is not asked then
        with pytest.raises(InputError, match="the game is over"):
            player.choose(position)


@pytest.mark.parametrize("name", ["flat", "uct", "rave", "alphabeta"])
def test_searches_see_a_win_and_a_threat(name):
    player = make_player(f"{name}:depth=9" if name == "alphabeta" else f"{name}:sims=2000,seed=1", TICTACTOE)
    win = find_game(TICTACTOE).new_position().play("a1").play("a3").play("b1").play("b3")
    assert player.choose(win) == "c1"
    assert player.value(win) > 0.95
    threat = find_game(TICTACTOE).new_position().play("a1").play("b2").play("b1")
    assert player.choose(threat) == "c1"


def test_searches_tell_what_they_think():
    position = find_game(TICTACTOE).new_position().play("b2")
    for name in ("flat", "uct", "rave", "random"):
        analysis = next(iter(make_player(f"{name}:seed=1", TICTACTOE).analyse(position)))
        assert {move.action for move in analysis.moves} == set(position.legal_moves())
        assert analysis.ownership is None
        assert analysis.to_play == 2


def test_a_game_has_the_players_that_make_sense_in_it():
    rows = player_table(TICTACTOE)
    assert {row["game"] for row in rows} == {TICTACTOE}
    known = ["random", "policy", "flat", "rollout", "uct", "rave", "alphabeta", "td-search", "dyna2"]
    assert list(players_of(find_game(TICTACTOE))) == known
    assert "gtp" in {row["name"] for row in player_table()}
    with pytest.raises(InputError, match="there is no player 'mogo' of tic-tac-toe"):
        make_player("mogo", TICTACTOE)
    with pytest.raises(InputError, match="policy='mogo' is not a name; one of: random"):
        make_player("uct:policy=mogo", TICTACTOE)


def test_a_match_is_repeatable_and_counts():
    settings = {"game": TICTACTOE, "seed": 3, "opening": 1}
    first = match("uct:sims=50", "random", 12, **settings)
    assert first == match("uct:sims=50", "random", 12, threads=2, **settings)
    assert first.a_wins > 8
    assert first.games == 12


def test_a_store_knows_its_game(tmp_path):
    path = tmp_path / "run.db"
    for games in (2, 4):
        with Match("random", "flat", games, game=TICTACTOE, seed=1, store=path) as event:
            assert len(list(event.play())) == 2
    with Store.open(path) as store:
        assert store.settings["game"] == TICTACTOE
        assert all(
            game.moves.split()[0] in ["a1", "a2", "a3", "b1", "b2", "b3", "c1", "c2", "c3"]
            for game in store.games()
        )
    with pytest.raises(InputError, match=r"is of tic-tac-toe, and not of go"):
        Match("uniform", "flat", 4, seed=1, store=path)


def test_a_store_of_go_from_before_there_were_games_goes_on(tmp_path):
    path = tmp_path / "old.db"
    settings = {"size": 5, "komi": 0.5, "seed": 1}
    with Match("uniform", "uniform", 2, store=path, **settings) as event:
        list(event.play())
    with Store.open(path) as store:
        old = {key: value for key, value in store.settings.items() if key != "game"}
    with sqlite3.connect(path) as database:
        database.execute("UPDATE meta SET value = ? WHERE key = 'settings'", (json.dumps(old),))
    with Match("uniform", "uniform", 4, store=path, **settings) as event:
        assert len(list(event.play())) == 2


def test_a_tournament_of_a_file_beside_it(tmp_path):
    shutil.copy(FILE, tmp_path / "mine.py")
    (tmp_path / "event.toml").write_text(
        'game = "mine.py"\nrounds = 1\nseed = 1\n[players]\na = "random"\nb = "flat:sims=20"\n'
    )
    with Tournament(tmp_path / "event.toml") as event:
        games = list(event.play())
    assert len(games) == 2
    assert {game.reason for game in games} == {"score"}
    with Store.open(tmp_path / "event.db") as store:
        assert store.settings["game_version"] == find_game(str(tmp_path / "mine.py")).version


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ('game = "chess"', "event.toml, line 1: there is no game 'chess'"),
        ("game = 3", "event.toml, line 1: game = 3 is not a name in quotes"),
        ('game = "tic-tac-toe"\nsize = 9', "event.toml, line 2: there is no key 'size'"),
        (
            'game = "none.py"',
            "event.toml, line 1: the game '.*none.py' cannot be read: there is no such file",
        ),
    ],
)
def test_a_tournament_of_no_game_is_refused_with_the_line(line, sentence, tmp_path):
    (tmp_path / "event.toml").write_text(line + '\n[players]\na = "random"\nb = "random"\n')
    with pytest.raises(InputError, match=sentence):
        Tournament(tmp_path / "event.toml")


def test_terms_name_what_is_wrong():
    with pytest.raises(InputError, match="a game of tic-tac-toe has no setting 'size'; known: clock"):
        Terms(TICTACTOE, size=3)
    with pytest.raises(InputError, match="there is no game 'tictactoe'; did you mean tic-tac-toe"):
        Terms("tictactoe")


def test_a_suite_of_another_game(tmp_path, capsys):
    path = tmp_path / "suite.jsonl"
    path.write_text(
        '{"moves": ["a1", "a3", "b1", "b3"], "right": ["c1"]}\n{"moves": [], "value": 0.5, "name": "even"}\n'
    )
    assert main(["suite", str(path), "alphabeta:depth=9", "--game", TICTACTOE, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)["alphabeta:depth=9"]
    assert facts["solved"] == 1
    assert facts["mse"] == 0.0
    path.write_text('{"moves": ["a1"], "right": ["a1"]}\n')
    assert main(["suite", str(path), "uct", "--game", TICTACTOE]) == 2
    assert "line 1: 'a1' is no legal move" in capsys.readouterr().err


def test_the_command_line_lists_and_refuses_games(capsys, tmp_path):
    assert main(["games", "--json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert list(rows) == game_names()
    assert rows["go"]["options"]["size"]["default"] == 9
    assert "uct" in rows[TICTACTOE]["players"]
    (tmp_path / "empty.py").write_text("x = 1\n")
    for words, sentence in (
        (["match", "uct", "uct", "--game", "gos"], "there is no game 'gos'; did you mean go?"),
        (["players", "--game", str(tmp_path / "empty.py")], "there is no GAME = Game(…) in it"),
        (["bench", "--game", TICTACTOE, "uctt"], "there is no benchmark 'uctt'; did you mean uct"),
        (["match", "uct", "uct", "--game", TICTACTOE, "--set", "x"], "--set 'x' is not KEY=VALUE"),
        (
            ["match", "uct", "uct", "--game", TICTACTOE, "--size", "3"],
            "game tic-tac-toe has no setting 'size'",
        ),
        (["play", "--game", TICTACTOE, "--color", "green"], "--color 'green' is not one of first, second"),
    ):
        assert main(words) == 2, words
        assert sentence in capsys.readouterr().err


@pytest.mark.parametrize("name", [name for name in game_names() if name != "go"])
def test_every_game_that_comes_along_is_played_in_a_match(name):
    result = match("random", "random", 2, game=name, seed=1, max_moves=40)
    assert result.void == 0
    assert set(result.reasons) <= {"score", "length"}


CORNERS = """

from dataclasses import dataclass

from playout.kernel import implements, record_type
from playout.memory import api as memory
from playout.settings import setting

CORNERS = record_type([("worth_of_a_corner", "f4")])


@dataclass(frozen=True, kw_only=True)
class Corners:
    worth: float = setting(1.0, "of a corner", low=-10, high=10)

    def parts(self):
        return np.array([(self.worth,)], CORNERS), np.zeros(1, np.uint32), np.zeros(2, np.float32)


@implements(memory.look, CORNERS)
def look(corners, index, weights, state):
    pass


@implements(memory.choices, CORNERS)
def choices(corners, state, actions):
    return legal_moves_of(state, actions)


@implements(memory.after_values, CORNERS)
def after_values(corners, index, weights, state, actions, count, values):
    for k in range(count):
        is_corner = actions[k] in (0, 2, 6, 8)
        values[k] = (corners.worth_of_a_corner if state.turn == 1 else -corners.worth_of_a_corner) * is_corner


"""


def test_a_game_brings_values_for_alpha_beta(tmp_path):
    text = FILE.read_text().replace("GAME = Game(", CORNERS + "GAME = Game(memories={'corners': Corners},")
    text = text.replace("legal_moves_of", "tree_moves").replace(
        "from playout.games.game", "from playout.games.api import tree_moves\nfrom playout.games.game"
    )
    (tmp_path / "corners.py").write_text(text)
    game = find_game(str(tmp_path / "corners.py"))
    for worth, kind in ((1, {"a1", "a3", "c1", "c3"}), (-1, {"b1", "b2", "b3", "a2", "c2"})):
        player = make_player(f"alphabeta:values=corners,values.worth={worth},depth=1", game)
        for first in ([], ["b2"] if worth > 0 else ["a1"]):
            position = game.new_position()
            for move in first:
                position.play(move)
            assert player.choose(position) in kind
    assert 0.7 < make_player("alphabeta:values=corners,depth=1", game).value(game.new_position()) < 0.75
    with pytest.raises(InputError, match="values='edges' is not a name; one of: blank, corners"):
        make_player("alphabeta:values=edges", game)


def test_an_installed_package_brings_its_games(monkeypatch, tmp_path):
    shutil.copy(FILE, tmp_path / "installed_game.py")
    monkeypatch.syspath_prepend(tmp_path)
    entries = [
        EntryPoint("noughts", "installed_game", "playout.games"),
        EntryPoint("gone", "no_such_module", "playout.games"),
    ]
    monkeypatch.setattr("playout.games.registry._installed", lambda: entries)
    assert game_names()[-2:] == ["noughts", "gone"]
    assert match("random", "random", 2, game="noughts", seed=1).games == 2
    with pytest.raises(
        InputError, match="the game 'gone' of an installed package is broken: No module named"
    ):
        find_game("gone")


def test_games_of_others_are_saved_as_text(tmp_path):
    result = match("random", "random", 2, game=TICTACTOE, seed=1, sgf=tmp_path / "games")
    assert result.games == 2
    text = (tmp_path / "games" / "00001.txt").read_text()
    assert "game: tic-tac-toe" in text
    assert "first: random" in text


def test_bench_of_any_game(capsys):
    words = ["bench", "random", "uct", "--game", TICTACTOE, "--repeats", "1", "--seconds", "0.01", "--json"]
    assert main(words) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["random"]["per_second"] > 1000
    assert figures["uct"]["per_second"] > 100


def test_positions_undo_copy_and_draw():
    position = find_game(TICTACTOE).new_position().play("b2").play("a1")
    other = position.copy().play("c3")
    assert len(position.moves) == 2
    assert len(other.moves) == 3
    assert position.undo().undo().spelled_moves() == []
    assert np.array_equal(position.record, find_game(TICTACTOE).new_position().record)
    assert "X" in str(other)
    assert other._repr_svg_().startswith("<svg")
    with pytest.raises(InputError, match="'a1' is no legal move"):
        other.play("a1")
    assert other.play("resign").winner == 1
    assert other.result() == "1+R"
