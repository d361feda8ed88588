"""What the documents show is what happens."""

import doctest
import re
import shlex
import subprocess
import sys

import pytest
from places import ROOT

from playout.arena import suite
from playout.arena.referee import REASONS
from playout.arena.store import GameRecord
from playout.arena.terms import Limits
from playout.arena.tournament import TournamentSettings, read_tournament
from playout.cli import main
from playout.games.go.game import GAME, GoOptions
from playout.player.registry import players_of
from playout.settings import describe, names
from playout.tune.cross_entropy import CrossEntropySettings
from playout.tune.file import TuningSettings, read_tuning
from playout.tune.methods import PeerSettings
from playout.tune.tuner import Batches

DOCUMENTS = (
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "docs/adjusting.md",
    "docs/analysis.md",
    "docs/architecture.md",
    "docs/arena.md",
    "docs/backgammon.md",
    "docs/bridges.md",
    "docs/gtp.md",
    "docs/ratings.md",
    "docs/results.md",
    "docs/rollouts.md",
    "docs/td-search.md",
    "docs/tuner.md",
    "docs/tuning.md",
    "docs/your-game.md",
)

GROUPS = ("data", "problems", "reproduce", "show", "train")  # commands that have commands of their own

pytestmark = pytest.mark.skipif(not (ROOT / "README.md").exists(), reason="not in a checkout")


def blocks(document: str, language: str) -> list[str]:
    """The code blocks of a document."""
    text = (ROOT / document).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize(
    ("document", "examples"),
    [
        ("README.md", 6),
        ("docs/adjusting.md", 3),
        ("docs/analysis.md", 4),
        ("docs/backgammon.md", 6),
        ("docs/ratings.md", 4),
        ("docs/rollouts.md", 9),
        ("docs/td-search.md", 7),
        ("docs/tuner.md", 6),
    ],
)
def test_python_sessions_are_true(document, examples):
    text = "\n".join(blocks(document, "python"))
    test = doctest.DocTestParser().get_doctest(text, {}, document, document, 0)
    assert len(test.examples) >= examples
    assert doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test).failed == 0


@pytest.mark.parametrize(
    "document",
    [
        "README.md",
        "docs/adjusting.md",
        "docs/analysis.md",
        "docs/arena.md",
        "docs/backgammon.md",
        "docs/ratings.md",
        "docs/rollouts.md",
        "docs/td-search.md",
        "docs/tuner.md",
    ],
)
def test_the_commands_exist(document, capsys):
    text = "\n".join(blocks(document, "sh")).replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line]
    for line in lines:
        words = shlex.split(line, comments=True)
        if words[0] == "make":
            assert f"\n{words[1]}:" in (ROOT / "Makefile").read_text()
            continue
        program, command, *rest = words
        if program in ("dask", "pip"):
            continue
        assert program == "playout"
        named = [command, rest[0]] if command in GROUPS else [command]
        assert main([*named, "--help"]) == 0
        shown = capsys.readouterr().out
        assert all(word in shown for word in rest if word.startswith("--"))


def test_the_tournament_that_is_shown_is_one(tmp_path):
    (text,) = blocks("docs/arena.md", "toml")
    (tmp_path / "event.toml").write_text(text, encoding="utf-8")
    event = read_tournament(tmp_path / "event.toml").event()
    assert event.total() == 300
    prose = (ROOT / "docs" / "arena.md").read_text(encoding="utf-8")
    for key in ["game", *names(TournamentSettings), *names(Limits), *names(GoOptions)]:
        assert f"`{key}" in prose or f"\n{key} = " in prose, key
    for reason in REASONS:
        assert f"`{reason}`" in prose, reason
    for column in names(GameRecord):
        assert f"`{column}`" in prose, column


def test_the_tuning_that_is_shown_is_one(tmp_path):
    (text,) = blocks("docs/tuner.md", "toml")
    (tmp_path / "mango.toml").write_text(text, encoding="utf-8")
    found = read_tuning(tmp_path / "mango.toml")
    assert [parameter.name for parameter in found.space.parameters] == ["exploration", "expand", "policy"]
    prose = (ROOT / "docs" / "tuner.md").read_text(encoding="utf-8")
    defaults = {}
    for kind in (TuningSettings, CrossEntropySettings, Batches, PeerSettings):
        for key, facts in describe(kind).items():
            assert f"`{key}`" in prose, key
            defaults[key] = facts["default"]
    for row in re.findall(r"^\| (`.*?) \| (.*?) \|", prose, re.MULTILINE):
        for key, said in zip(re.findall("`(.*?)`", row[0]), row[1].split(", "), strict=True):
            if key != "game":
                assert said.strip('`"').lower() == str(defaults[key]).lower().replace("1.0", "1"), key
    read_tuning(ROOT / "docs" / "events" / "mango.toml")


@pytest.mark.parametrize("document", ["docs/architecture.md", "docs/adjusting.md"])
def test_the_example_of_an_own_part_prints_what_is_shown(document, tmp_path):
    script = blocks(document, "python")[-1]
    (shown,) = blocks(document, "text")
    (tmp_path / "own.py").write_text(script, encoding="utf-8")
    found = subprocess.run(
        [sys.executable, "own.py"], cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    assert found.returncode == 0, found.stderr
    assert found.stdout == shown


SEARCHERS = ("td-search", "dyna2", "rlgo")


def settings_rows() -> list[str]:
    """The table of settings as docs/td-search.md should have it."""
    own = {name: describe(players_of(GAME)[name].settings) for name in SEARCHERS}
    rows = ["| setting | default | meaning |", "|---|---|---|"]
    for key, facts in own["td-search"].items():
        values = [str(own[name][key]["default"]) for name in SEARCHERS]
        words = [value.lower() if value in ("None", "True", "False") else value for value in values]
        default = f"`{words[0]}`"
        if len(set(words)) > 1:
            default = ", ".join(f"{name} `{word}`" for name, word in zip(SEARCHERS, words, strict=True))
        rows.append(f"| `{key}` | {default} | {facts['help']} |")
    return rows


def test_the_settings_of_td_search_are_those_of_the_players():
    text = (ROOT / "docs" / "td-search.md").read_text(encoding="utf-8")
    shown = [line for line in text.splitlines() if line.startswith("| `") or line.startswith("| setting |")]
    expected = "\n".join(settings_rows())
    assert expected in text, f"the table should be\n{expected}"
    assert len(shown) == len(settings_rows()) - 1, "and there is nothing else in it"


def test_the_suite_of_the_document_is_one(tmp_path):
    (tmp_path / "suite.jsonl").write_text("".join(blocks("docs/ratings.md", "json")), encoding="utf-8")
    assert len(suite.load(tmp_path / "suite.jsonl")) == 2


@pytest.mark.parametrize("document", DOCUMENTS)
def test_links_lead_somewhere(document):
    text = (ROOT / document).read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#]+)\)", text):
        if not target.startswith("https://"):
            assert ((ROOT / document).parent / target).exists(), target


def test_the_map_names_every_folder():
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    sources = ROOT / "src" / "playout"
    for folder in sources.iterdir():
        if (folder / "__init__.py").exists() and folder.name != "games":
            assert f"`{folder.name}/`" in text
