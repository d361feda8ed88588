"""Options that are settings: names and defaults as people know them, values where they belong."""

import pytest
import typer

from playout.cli.app import app
from playout.cli.options import Commands, with_settings
from playout.errors import InputError
from playout.games.go.learn.training import Plan
from playout.games.go.memory.shapes import Shapes
from playout.memory.td import Learner

SHAPES = {"--size": 9, "--sizes": "1,2,3", "--sharing": "both", "--colour": "either", "--stage": 0}
LEARNER = {"--alpha": 0.1, "--epsilon": 0.1, "--lambda": 0.0, "--plies": 2}
KNOWN = {
    "train td": {
        **SHAPES,
        **LEARNER,
        **{"--rule": "logistic", "--traces": "accumulating", "--games": 1_000_000, "--komi": 7.5},
        **{"--seed": 1, "--threads": 1, "--output": None, "--json": False},
    },
    "train games": {
        **{"--alpha": 0.1, "--lambda": 0.0, "--weights": "shipped", "--size": None, "--output": None},
        **{"--json": False, "--force": False},
    },
    "show features": {**SHAPES, "--json": False},
    "reproduce learning-curves": {
        **{"--games": 200_000, "--default-games": 1_000_000, "--pairs": 10, "--threads": 1},
        **{"--figure": None, "--event": None, "--output": None},
        **{"--rate": False, "--list": False, "--force": False},
    },
    "reproduce balancing": {
        **{"--size": 5, "--komi": 7.5, "--positions": 20_000, "--search": "mogo", "--sims": 10_000},
        **{"--leaf-positions": 1000, "--leaf-sims": 2000, "--cycle-positions": 3000, "--exact": 100_000},
        **{"--updates": 100_000, "--seed": 1, "--threads": 1, "--pairs": 120, "--opening": 0},
        **{"--alpha": None, "--policies": None, "--event": None, "--output": None},
        **{"--rate": False, "--shipped": False, "--json": False},
    },
}


@pytest.mark.parametrize("words", KNOWN)
def test_options_are_those_that_people_know(words):
    command = typer.main.get_command(app)
    for word in words.split():
        command = command.get_command(None, word)
    found = {option.opts[0]: option.default for option in command.params if option.opts[0].startswith("--")}
    found.pop("--help", None)
    assert {flag: None if value == () else value for flag, value in found.items()} == KNOWN[words]


def told(words):
    """What a command with the settings of `train td` is told."""
    group, heard = typer.Typer(cls=Commands), []

    @group.callback()
    def _options() -> None:
        pass

    @group.command()
    @with_settings("playout.games.go.learn.training:Plan")
    def td(settings: Plan, threads: int = 1) -> None:
        heard.append((settings, threads))

    typer.main.get_command(group)(["td", *words], standalone_mode=False)
    return heard[0]


def test_settings_within_settings_are_options_each():
    assert told([]) == (Plan(), 1)
    words = "--size 5 --sizes 2,1 --colour own --lambda 0.5 --rule linear --games 7 --threads 2"
    shapes = Shapes(side=5, sizes=(1, 2), colour="own")
    assert told(words.split()) == (Plan(shapes=shapes, learner=Learner(lam=0.5, rule="linear"), games=7), 2)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--sizes", "1,x"], "sizes='1,x' is not whole numbers with commas"),
        (["--sizes", ","], "no size of shape is given"),
        (["--sizes", "4"], "sizes: 4 is not one of 1, 2, 3"),
        (["--rule", "lineer"], "rule='lineer' is not a name; did you mean linear"),
        (["--lambda", "2"], "lambda: 2 is not between 0 and 1"),
    ],
)
def test_wrong_settings_are_a_sentence(words, message):
    with pytest.raises(InputError, match=message):
        told(words)
