"""Nothing that is not ours is written over: every command and function that takes the name of a file."""

import json
import os
import socket
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest

from playout.arena.export import GAME, open_folder
from playout.cli import main
from playout.errors import InputError
from playout.files import check_output, json_kind, text_kind, write_text
from playout.games.go.board import Board
from playout.games.go.draw import SVG
from playout.games.go.learn.positions import FILES as DATA_SETS
from playout.games.go.memory.shapes import Shapes, features_of
from playout.games.go.memory.store import FILES as WEIGHTS
from playout.games.go.memory.store import Weights
from playout.games.go.sgf import SGF, from_board
from playout.gtp.server import Server
from playout.picture import PNG, new_figure, png

SECRET = "root:x:0:0:root:/root:/bin/bash\n"
NOTE = text_kind("a note", "note:")


def foreign_png() -> bytes:
    """A PNG of somebody else."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"tEXt", b"Software\0Matplotlib")
        + chunk(b"IDAT", zlib.compress(b"\0\0"))
        + chunk(b"IEND", b"")
    )


@pytest.fixture
def secret(tmp_path):
    path = tmp_path / "secret.txt"
    path.write_text(SECRET)
    return path


# -- the rule -----------------------------------------------------------------------------------------


def test_what_is_new_empty_or_ours_may_be_written(tmp_path):
    path = tmp_path / "here"
    check_output(path, NOTE)
    path.touch()
    check_output(path, NOTE)
    write_text(path, "note: one", NOTE)
    write_text(path, "note: two", NOTE)
    assert path.read_text() == "note: two"


@pytest.mark.parametrize("kind", [NOTE, SGF, PNG, SVG, GAME, json_kind("facts", kind="ours")])
@pytest.mark.parametrize("content", [SECRET.encode(), b"\0" * 100, foreign_png(), b'{"kind": "theirs"}'])
def test_what_is_not_ours_is_refused(tmp_path, kind, content):
    path = tmp_path / "theirs"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"is there already and is not .* choose another name, or give --f"):
        check_output(path, kind)
    with pytest.raises(InputError, match=r"choose another name$"):
        check_output(path, kind, force=None)
    check_output(path, kind, force=True)
    assert path.read_bytes() == content


def test_what_we_write_is_ours(tmp_path):
    for kind, content in (
        (PNG, png(new_figure(1, 1))),
        (SGF, from_board(Board(5)).to_sgf().encode()),
        (GAME, from_board(Board(5)).to_sgf().encode()),
        (SVG, Board(5)._repr_svg_().encode()),
    ):
        (tmp_path / "file").write_bytes(content)
        check_output(tmp_path / "file", kind)


def test_a_link_is_what_it_leads_to(tmp_path, secret):
    (tmp_path / "link").symlink_to(secret)
    with pytest.raises(InputError, match="is not a note"):
        check_output(tmp_path / "link", NOTE)
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere" / "file")
    with pytest.raises(InputError, match="there is no folder"):
        check_output(tmp_path / "dangling", NOTE)
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    with pytest.raises(InputError, match="cannot be written"):
        check_output(tmp_path / "circle", NOTE)


def test_folders_sockets_and_names_that_cannot_be(tmp_path, secret):
    with pytest.raises(InputError, match="is a folder"):
        check_output(tmp_path, NOTE, force=True)
    for path in (secret / "below", tmp_path / ("x" * 300), "a\0b"):
        with pytest.raises(InputError, match=r"cannot be written|no folder"):
            check_output(path, NOTE, force=True)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "s"))
        with pytest.raises(InputError, match="is neither a file"):
            check_output(tmp_path / "s", NOTE, force=True)


def test_terminals_and_pipes_may_be_written(tmp_path):
    write_text(os.devnull, "note", NOTE)
    os.mkfifo(tmp_path / "pipe")
    check_output(tmp_path / "pipe", NOTE)
    reading, writing = os.pipe()
    write_text(f"/dev/fd/{writing}", "note: five", NOTE)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        assert pipe.read() == "note: five"


def test_what_is_write_protected_is_refused(tmp_path, monkeypatch):
    (tmp_path / "note").write_text("note: one")
    monkeypatch.setattr(os, "access", lambda path, mode: not str(path).endswith("note"))
    with pytest.raises(InputError, match="write-protected"):
        check_output(tmp_path / "note", NOTE)
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(InputError, match="write-protected"):
        check_output(tmp_path / "new", NOTE)


# -- who asks it --------------------------------------------------------------------------------------


def test_gtp_writes_a_game_over_a_game_only(tmp_path, secret):
    say = Server("uniform").execute
    assert say(f"printsgf {secret}").startswith("? cannot write file: ")
    assert secret.read_text() == SECRET
    game = tmp_path / "a game.sgf"
    assert say(f"printsgf {game}").startswith("=")
    say("play b c3")
    assert say(f"printsgf {game}").startswith("=")
    assert "B[" in game.read_text()
    assert say(f"printsgf {tmp_path}").startswith("?")
    assert say(f"printsgf {tmp_path}/no/game.sgf").startswith("?")


COMMANDS = {
    "plot": "plot results.csv --output {}",
    "artificial-game": "reproduce artificial-game --output {} --simulations 2 --steps 4",
    "shapes": "show shapes shipped --size 5 --count 1 --output {}",
    "search": "show search --size 3 --player td-search:sims=20 --output {}",
    "svg": "sgf game.sgf --svg {}",
    "positions": "data positions --size 3 --sims 0 --exact 100 --count 1 --output {}",
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_replaces_what_is_not_ours_only_by_force(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("results.csv").write_text("black,white,score\na,b,1\nb,a,1\n")
    Path("game.sgf").write_text("(;SZ[5];B[cc])")
    output = Path("theirs.npz" if name == "positions" else "theirs.png")
    output.write_text(SECRET)
    words = COMMANDS[name].format(output).split()
    assert main(words) == 2
    assert "is there already and is not" in (said := capsys.readouterr().err)
    assert said.count("\n") == 1
    assert output.read_text() == SECRET
    assert main([*words, "--force"]) == 0
    assert output.read_bytes() != SECRET.encode()
    assert main(words) == 0  # now it is ours


def test_the_json_beside_an_archive_is_not_replaced_either(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("package.json").write_text('{"name": "mine"}')
    assert main(COMMANDS["positions"].format("package.npz").split()) == 2
    assert "package.json is there already" in capsys.readouterr().err
    assert Path("package.json").read_text() == '{"name": "mine"}'


def test_weights_replace_weights_only(tmp_path):
    shapes = Shapes(side=3, sizes=(1,))
    weights = Weights(shapes, np.zeros(features_of(shapes).unique, np.float32))
    path = tmp_path / "w.npz"
    weights.save(path)
    weights.save(path)
    assert WEIGHTS.is_ours(path)
    assert not DATA_SETS.is_ours(path)
    np.savez(path, mine=np.zeros(3))
    with pytest.raises(InputError, match="is not a weight file"):
        weights.save(path)
    weights.save(path, force=True)
    (tmp_path / "w.json").write_text(json.dumps({"kind": "mine"}))
    with pytest.raises(InputError, match="is not the JSON of a weight file"):
        weights.save(path)


def test_games_are_not_saved_over_games_of_others(tmp_path):
    (tmp_path / "00001.sgf").write_text("(;AP[CGoban:3];B[aa])")
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match=r"00001\.sgf is there already"):
        open_folder(tmp_path)
    open_folder(tmp_path, force=True)
    (tmp_path / "00001.sgf").write_text(from_board(Board(5)).to_sgf())
    open_folder(tmp_path)
