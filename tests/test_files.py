"""Files are written whole or not at all."""

import os
import stat

import pytest

from playout.files import write_text


def test_a_file_is_written_and_replaced(tmp_path):
    path = tmp_path / "game.sgf"
    write_text(path, "one")
    write_text(path, "two ○")
    assert path.read_text(encoding="utf-8") == "two ○"
    assert list(tmp_path.iterdir()) == [path]


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "game.sgf"
    write_text(path, "one")
    monkeypatch.setattr(os, "fsync", lambda descriptor: (_ for _ in ()).throw(OSError(28, "disk full")))
    with pytest.raises(OSError, match="disk full"):
        write_text(path, "two")
    assert path.read_text() == "one"
    assert list(tmp_path.iterdir()) == [path]


def test_permissions_are_those_of_any_new_file(tmp_path):
    (tmp_path / "plain").write_text("")
    write_text(tmp_path / "ours", "")
    assert stat.S_IMODE((tmp_path / "ours").stat().st_mode) == stat.S_IMODE(
        (tmp_path / "plain").stat().st_mode
    )


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real").write_text("one")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write_text(tmp_path / "link", "two")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "two"


def test_what_is_no_file_is_not_replaced(tmp_path):
    write_text(os.devnull, "nothing")
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)
    with pytest.raises(IsADirectoryError):
        write_text(tmp_path, "nothing")


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FileNotFoundError) as error:
        write_text(tmp_path / "nowhere" / "game.sgf", "one")
    assert str(error.value.filename).endswith("game.sgf")
