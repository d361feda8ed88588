"""Games of a run as files."""

from dataclasses import replace

import pytest

from playout.arena.export import export, save, saving
from playout.arena.match import Match
from playout.arena.store import GameRecord, Store
from playout.errors import InputError
from playout.games.go.files import to_sgf
from playout.games.go.sgf import load, read

SETTINGS = {"size": 5, "komi": 0.5, "superko": "positional"}
GAME = GameRecord(
    number=7, pair=4, black="Ann", white="Bob", winner=None, result="Void", reason="void", moves="C3 pass D2"
)


def test_a_game_as_sgf():
    game = read(to_sgf(GAME, SETTINGS).to_sgf().encode())
    assert (game.size, game.komi, game.black, game.white, game.result) == (5, 0.5, "Ann", "Bob", "Void")
    board = game.board()
    assert (board["C3"], board["D2"], len(board.moves)) == ("X", "X", 3)


def test_what_engines_said_is_beside_it(tmp_path):
    save(replace(GAME, white_stderr="thinking…\n"), SETTINGS, tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["00007.sgf", "00007.white.stderr"]
    assert (tmp_path / "00007.white.stderr").read_text() == "thinking…\n"


def test_a_run_is_exported_as_its_match_saves_it(tmp_path):
    path = tmp_path / "run.db"
    with Match("uniform", "mogo-policy", 3, size=5, seed=1, store=path, sgf=tmp_path / "now") as match:
        assert len(list(match.play())) == 3
    with Store.open(path) as store:
        assert export(store, tmp_path / "later") == 3
    for name in ("00001.sgf", "00002.sgf", "00003.sgf"):
        assert (tmp_path / "now" / name).read_bytes() == (tmp_path / "later" / name).read_bytes()
    # Another time the match has nothing to play, and saves what is missing or wrong.
    (tmp_path / "now" / "00002.sgf").write_text("(;AP[playout:0];B[aa])")
    (tmp_path / "now" / "00003.sgf").unlink()
    with Match("uniform", "mogo-policy", 3, size=5, store=path, sgf=tmp_path / "now") as match:
        assert list(match.play()) == []
    assert load(tmp_path / "now" / "00002.sgf").result == load(tmp_path / "later" / "00002.sgf").result
    assert (tmp_path / "now" / "00003.sgf").exists()


def test_a_game_that_is_kept_when_ctrl_c_comes_is_saved_too(tmp_path):
    with Store.memory(SETTINGS) as store:

        def games():
            yield store.add(replace(GAME, number=1))
            store.add(replace(GAME, number=2))
            raise KeyboardInterrupt

        seen = saving(games(), store, tmp_path)
        assert next(seen).number == 1
        with pytest.raises(KeyboardInterrupt):
            next(seen)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["00001.sgf", "00002.sgf"]


def test_a_folder_that_cannot_be_made_is_refused(tmp_path):
    (tmp_path / "file").touch()
    with Store.memory(SETTINGS) as store, pytest.raises(InputError, match=r"the folder .* cannot be made"):
        export(store, tmp_path / "file")
