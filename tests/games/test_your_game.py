"""The tutorial docs/your-game.md: every block of it is run, in order."""

import contextlib
import doctest
import io
import re
import shlex

import pytest
from places import ROOT

from playout.cli import main

PAGE = ROOT / "docs" / "your-game.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
SAVED = re.compile(r"`(\w+\.(?:py|toml))`[^`]*$")  # the file that the words before a block name

pytestmark = pytest.mark.skipif(not PAGE.exists(), reason="not in a checkout")


def run(command: str) -> str:
    """What a command of the page prints; it ends well, or the page shows what is wrong."""
    program, *words = shlex.split(command, comments=True)
    assert program == "playout"
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        code = main(words)
    assert code == (2 if "race.py" in words else 0), command
    return out.getvalue()


def test_every_block_of_the_tutorial_does_what_it_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = PAGE.read_text(encoding="utf-8")
    kinds, printed = [], ""
    for block in BLOCK.finditer(text):
        language, body = block.groups()
        kinds.append(language)
        before = text[: block.start()].rstrip()
        if language == "sh":
            printed = "".join(run(line) for line in body.splitlines())
        elif language == "text":
            assert printed == body
        elif body.startswith(">>>"):
            test = doctest.DocTestParser().get_doctest(body, {}, str(PAGE), str(PAGE), 0)
            assert doctest.DocTestRunner().run(test).failed == 0
        else:
            name = SAVED.search(before)
            assert name is not None, f"no name for the block after {before[-60:]!r}"
            (tmp_path / name.group(1)).write_text(body, encoding="utf-8")
    assert kinds.count("python") >= 4
    assert kinds.count("sh") >= 4
    # What the page tells the reader to change makes the broken example right.
    mended = (tmp_path / "race.py").read_text().replace("def happen", "@inner\ndef happen")
    (tmp_path / "mended.py").write_text(
        f"{mended.splitlines()[0]}\nfrom playout.kernel import inner\n{mended}"
    )
    assert main(["check", "mended.py"]) == 0


def test_the_lines_that_the_page_counts():
    text = PAGE.read_text(encoding="utf-8")
    four = next(body for language, body in BLOCK.findall(text) if language == "python")
    lines = len(four.splitlines())
    assert f"## Connect Four in {lines} lines" in text
    assert f"| `four.py` above | {lines} Python |" in text
    assert lines < 80
