"""Imports point one way: an algorithm never imports a game, and nothing imports what stands on top of it.

Every import counts, also those inside functions, those for types alone, and modules that are named in a
string.
"""

import ast
import re
from pathlib import Path

import pytest

import playout

SOURCES = Path(playout.__file__).parent

# Each knows only its own row and those above it.
HOUSE = [
    ["errors", "files", "settings", "picture", "kernel"],
    ["games.api", "games.game", "games.position", "games.record", "games.registry"],
    ["policy", "memory", "search", "learn", "runs", "games.check"],
    ["player"],
    ["external"],
    ["games", "bridges"],
    ["gtp"],
    ["arena"],
    ["tune"],
    [
        "analysis",
        "bench",
        "bench_backgammon",
        "bench_games",
        "bench_tasks",
        "calibrator",
        "warmup",
        "plots",
        "search_plot",
        "reproduce",
    ],
    ["cli", "__main__"],
]
# The plugs: where something below names, as a word, what a user asks for. Nothing is imported until then.
PLUGS = {("games.registry", "games"), ("games.registry", "bridges"), ("games.go.game", "gtp.client")}
MODULE = re.compile(r"playout(\.[a-z_0-9]+)+")


def row_of(module: str) -> int:
    """The row of the house that a module stands in: that of the longest name which fits."""
    fits = [
        (len(name), row)
        for row, names in enumerate(HOUSE)
        for name in names
        if module == name or module.startswith(f"{name}.")
    ]
    assert fits, f"{module} has no place in the house: give it one in HOUSE"
    return max(fits)[1]


def imported(tree: ast.Module) -> set[str]:
    """What a module imports, or names, of the package."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                inside = SOURCES.parent / node.module.replace(".", "/") / alias.name
                is_module = inside.with_suffix(".py").exists() or inside.is_dir()
                found.add(f"{node.module}.{alias.name}" if is_module else node.module)
        elif (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and MODULE.fullmatch(node.value)
            and (SOURCES.parent / (node.value.replace(".", "/") + ".py")).exists()
        ):
            found.add(node.value)
    return {name.removeprefix("playout.") for name in found if name.startswith("playout.")}


def modules() -> dict[str, Path]:
    return {
        ".".join(path.relative_to(SOURCES).with_suffix("").parts).removesuffix(".__init__"): path
        for path in sorted(SOURCES.rglob("*.py"))
        if path != SOURCES / "__init__.py"  # what a user finds by name; it stands beside the house
    }


@pytest.mark.parametrize("module", modules())
def test_imports_point_one_way(module):
    mine = row_of(module)
    for other in imported(ast.parse(modules()[module].read_text("utf-8"))):
        if any(module == plug and (other == to or other.startswith(f"{to}.")) for plug, to in PLUGS):
            continue
        assert row_of(other) <= mine, f"{module} imports {other}, which stands above it"


def test_no_algorithm_knows_a_game():
    for module, path in modules().items():
        if module.split(".")[0] in ("policy", "memory", "search", "learn", "player", "external"):
            found = imported(ast.parse(path.read_text("utf-8")))
            assert not [name for name in found if re.match(r"games\.(go|toy|backgammon)\b", name)], module


def test_the_reader_of_imports_sees_them_all():
    text = """
import playout.games.go.board
from playout.games.go import rules
def f():
    from playout.arena.match import match
    return import_module("playout.gtp.client")
"""
    assert imported(ast.parse(text)) >= {
        "games.go.board",
        "games.go.rules",
        "arena.match",
        "gtp.client",
    }


def test_the_house_stands_as_the_design_has_it():
    assert row_of("games.go.board") > row_of("player.searcher") > row_of("search.tree") > row_of("games.api")
