"""The figures of TD search: their specs are players, matches go on, pictures are drawn."""

import json

import pytest
from typer.testing import CliRunner

from playout.cli.app import app
from playout.errors import InputError
from playout.player.registry import make_player
from playout.reproduce import td_search
from playout.reproduce.td_search import FIGURES, Duel, Figure, figures


@pytest.mark.parametrize("name", FIGURES)
def test_the_players_of_a_figure_can_be_made(name):
    specs = {spec for duel in FIGURES[name].duels for spec in (duel.a, duel.b)} - {td_search.GNU_GO}
    for spec in specs:
        make_player(spec).close()
    labels = [duel.label for duel in FIGURES[name].duels]
    assert len(set(labels)) == len(labels)


def test_an_unknown_figure_is_refused():
    with pytest.raises(InputError, match="'swich' is not one of them; did you mean switch"):
        figures(["swich"])
    with pytest.raises(InputError, match="point: '501' is not one of them; did you mean 500"):
        figures(["uct"], ["250", "501"])


def test_points_are_chosen_by_their_labels():
    found = figures(["uct", "no-policy", "lag"], ["250", "500"])
    assert {name: [duel.label for duel in figure.duels] for name, figure in found.items()} == {
        "uct": ["250", "500"],
        "no-policy": ["500"],
    }


def test_a_figure_is_played_drawn_and_goes_on(tmp_path, monkeypatch):
    duels = (Duel("one", "td-search:sims=10", "uniform", 1, 4), Duel("two +", "uniform", "uniform", 2, 4))
    monkeypatch.setitem(FIGURES, "tiny", Figure("0", "Tiny", "players", duels))

    def run(games, *more):
        words = ["reproduce", "td-search", "--output", str(tmp_path), "--figure", "tiny"]
        done = CliRunner().invoke(app, [*words, "--games", str(games), *more])
        assert done.exit_code == 0, done.output
        return done.stdout

    first = json.loads(run(2, "--json"))["tiny"]
    assert [(row["label"], row["games"]) for row in first] == [("one", 2), ("two +", 2)]
    assert {path.name for path in tmp_path.glob("*.db")} == {"tiny-one.db", "tiny-two-+.db"}
    assert (tmp_path / "td-tiny.png").read_bytes().startswith(b"\x89PNG")
    assert "tiny (0): Tiny" in run(4)
    again = json.loads(run(4, "--json"))["tiny"]
    assert [row["games"] for row in again] == [4, 4]
