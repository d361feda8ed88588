"""Boards of backgammon for tests: drawn at random, from random games, or by hand; GNU Backgammon's plays."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from hypothesis import strategies as st

from playout.games import api
from playout.games.backgammon.rules import CHOICES
from playout.games.backgammon.state import BAR, CHECKERS, OFF, place, start
from playout.kernel import clone, new_rng


def state_of(board, dice=(0, 0), turn=1):
    """A state from a naive board, the player to move first."""
    state = start()
    place(state, *(board if turn == 1 else board[::-1]))
    state["dice"], state["turn"], state["opening"] = dice, turn, 0
    return state


def board_of(state, player=1):
    """The naive board of a state; player: whose checkers stand first."""
    one, two = (tuple(int(n) for n in side) for side in state["points"][0])
    return (one, two) if player == 1 else (two, one)


def is_consistent(state):
    """Whether the sets of points say what the checkers do."""
    again = clone(state)
    place(again, *board_of(state))
    return again.tobytes() == state.tobytes()


def legal(state):
    """The legal actions of a state."""
    moves = np.zeros(CHOICES, np.uint16)
    return [int(action) for action in moves[: api.legal_moves(state[0], moves)]]


def side(**counts):
    """A player's checkers: p6=2 are two on point 6, bar=1; the rest are off."""
    found = [0] * (BAR + 1)
    for name, count in counts.items():
        found[BAR if name == "bar" else int(name[1:])] = count
    found[OFF] = CHECKERS - sum(found)
    return tuple(found)


@st.composite
def boards(draw):
    """Boards of any kind: some with many at home, on the bar or off."""
    sides = []
    taken = set()
    for _ in range(2):
        reach = draw(st.sampled_from([6, 8, 12, 24]))
        free = [p for p in range(1, reach + 1) if BAR - p not in taken]
        counts = [0] * (BAR + 1)
        counts[BAR] = draw(st.sampled_from([0, 0, 0, 1, 2, 3]))
        counts[OFF] = draw(st.sampled_from([0, 0, 3, 11, 12 - counts[BAR], 14 - counts[BAR]]))
        where = st.sampled_from(draw(st.sampled_from([free, free[-8:], free[:3]])) or [OFF])
        for _ in range(CHECKERS - sum(counts)):
            counts[draw(where)] += 1
        taken = {p for p in range(1, BAR) if counts[p]}
        sides.append(tuple(counts))
    return sides[0], sides[1]


def random_games(count, seed):
    """States before a play, from random games."""
    rng, luck = np.random.default_rng(seed), new_rng(seed)
    for _ in range(count):
        state = start()
        while not api.is_over(state[0]):
            if api.is_chance(state[0]):
                api.roll(state[0], luck[0])
            else:
                yield clone(state)
                api.play(state[0], int(rng.choice(legal(state))))


needs_gnubg = pytest.mark.skipif(
    shutil.which("gnubg") is None, reason="GNU Backgammon is not installed (Debian: gnubg)"
)


def plays_of_gnubg(asked, folder):
    """GNU Backgammon's legal plays for pairs of a position ID and a roll."""
    return ask_gnubg("gnubg_plays.py", [f"{word} {large} {small}" for word, (large, small) in asked], folder)


def ask_gnubg(script, lines, folder):
    """What a script that runs inside GNU Backgammon answers to some lines."""
    questions, answers = folder / "asked", folder / "told"
    questions.write_text("".join(f"{line}\n" for line in lines))
    script = Path(__file__).with_name(script)
    environment = {**os.environ, "PLAYOUT_ASKED": str(questions), "PLAYOUT_TOLD": str(answers)}
    subprocess.run(
        ["gnubg", "-t", "-q", "-r", "-p", str(script)],
        env={**environment, "HOME": str(folder)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        timeout=900,
        check=True,
    )
    return json.loads(answers.read_text())
