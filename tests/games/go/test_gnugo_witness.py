"""GNU Go plays along: the same legal moves, stones, prisoners and scores after every move of random games."""

import os
import random
import shutil
import subprocess

import numpy as np
import pytest
from draw import empty_board, to_place
from naive.go import Go

from playout.games.api import is_over, legal_moves, play
from playout.games.go.policy.uniform import UNIFORM
from playout.games.go.rules import area_score
from playout.games.go.state import AREA, BLACK, PASS, WHITE
from playout.kernel import new_rng
from playout.policy.api import sample

GNUGO = shutil.which("gnugo", path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/games"]))

pytestmark = [
    pytest.mark.gnugo,
    pytest.mark.skipif(GNUGO is None, reason="GNU Go is neither on PATH nor in /usr/games"),
]

COLUMNS = "ABCDEFGHJKLMNOPQRST"
NAMES = {BLACK: "black", WHITE: "white", "X": "black", "O": "white"}


class GnuGo:
    """GNU Go over GTP on a board of one size."""

    def __init__(self, side: int, suicide: bool = False, ko: str = "simple-ko") -> None:
        suicide_rule = "--allow-all-suicide" if suicide else "--forbid-suicide"
        self.process = subprocess.Popen(
            [GNUGO, "--mode", "gtp", "--chinese-rules", suicide_rule, f"--{ko}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.side = side
        self.ask(f"boardsize {side}", "komi 0")

    def __enter__(self) -> "GnuGo":
        return self

    def __exit__(self, *_) -> None:
        self.process.communicate("quit\n", timeout=10)

    def ask(self, *commands: str) -> list[str]:
        """Send commands in one go; return the answers."""
        self.process.stdin.write("\n".join(commands) + "\n")
        self.process.stdin.flush()
        return [self.answer(command) for command in commands]

    def answer(self, command: str) -> str:
        """The next answer, which ends at an empty line."""
        lines = []
        while not lines or lines[-1]:
            line = self.process.stdout.readline()
            assert line, f"GNU Go ended at '{command}'"
            lines.append(line.strip())
        text = " ".join(lines).strip()
        assert text.startswith("="), f"GNU Go answers '{command}' with '{text}'"
        return text[1:].strip()

    def vertex(self, place: tuple[int, int] | None) -> str:
        """The name GTP has for a row and column."""
        return "pass" if place is None else f"{COLUMNS[place[1]]}{self.side - place[0]}"

    def vertices(self, points) -> set[str]:
        """The names GTP has for points of the record."""
        return {self.vertex(to_place(int(p))) for p in points}


def score(text: str) -> float:
    """Black's lead from 'B+3.0', 'W+2.0' or '0'."""
    return 0.0 if text == "0" else float(text[2:]) * {"B": 1, "W": -1}[text[0]]


class RandomMover:
    """Chooses moves with the engine: the uniform policy, or any legal point however bad."""

    def __init__(self, seed: int, eye_filling: bool) -> None:
        self.rng, self.python_rng = new_rng(seed)[0], random.Random(seed)
        self.policy = np.zeros(1, UNIFORM)[0]
        self.eye_filling = eye_filling

    def __call__(self, state, legal: list[int]) -> int:
        if self.eye_filling:
            return self.python_rng.choice([p for p in legal if p != PASS] or [PASS])
        return int(sample(self.policy, state, self.rng))


def play_both(gnugo: GnuGo, state, choose) -> None:
    """A game stopped after 3 moves a point; compares everything GTP tells after every move."""
    gnugo.ask("clear_board")
    moves = np.zeros(AREA + 1, np.uint16)
    played = {BLACK: 0, WHITE: 0}
    while not is_over(state) and state["moves"] < 3 * gnugo.side**2:
        me = int(state["to_play"])
        legal = moves[: legal_moves(state, moves)].tolist()
        move = choose(state, legal)
        play(state, move)
        played[me] += move != PASS
        before, _, black, white, black_took, white_took = gnugo.ask(
            f"all_legal {NAMES[me]}",
            f"play {NAMES[me]} {gnugo.vertex(to_place(move))}",
            "list_stones black",
            "list_stones white",
            "captures black",
            "captures white",
        )
        assert {*before.split(), "pass"} == gnugo.vertices(legal)
        color = state["color"]
        black_stones, white_stones = np.flatnonzero(color == BLACK), np.flatnonzero(color == WHITE)
        assert set(black.split()) == gnugo.vertices(black_stones)
        assert set(white.split()) == gnugo.vertices(white_stones)
        assert int(black_took) == played[WHITE] - len(white_stones)
        assert int(white_took) == played[BLACK] - len(black_stones)


# Board size, whether suicide is legal, how many games.
EYE_FILLING_GAMES = [(9, False, 60), (9, True, 40), (13, False, 8), (13, True, 8), (19, False, 3)]
POLICY_GAMES = [(9, False, 80), (9, True, 20), (13, False, 15), (19, False, 5)]


def test_enough_games():
    assert sum(games for *_, games in EYE_FILLING_GAMES + POLICY_GAMES) >= 200


@pytest.mark.parametrize(("side", "suicide", "games"), EYE_FILLING_GAMES)
def test_games_that_fill_eyes(side, suicide, games):
    choose = RandomMover(seed=side, eye_filling=True)
    with GnuGo(side, suicide) as gnugo:
        for _ in range(games):
            play_both(gnugo, empty_board(side, suicide), choose)


@pytest.mark.parametrize(("side", "suicide", "games"), POLICY_GAMES)
def test_games_of_the_uniform_policy_and_their_scores(side, suicide, games):
    """GNU Go removes stones that it thinks dead, we never do: only where it finds none must the scores agree.

    Of 3,260 such games on 5×5 to 19×19 it found dead stones in none: who plays on until only eyes are left
    leaves nothing dead.
    """
    choose = RandomMover(seed=side, eye_filling=False)
    without_dead_stones = 0
    with GnuGo(side, suicide) as gnugo:
        for _ in range(games):
            state = empty_board(side, suicide)
            play_both(gnugo, state, choose)
            assert is_over(state)
            final, dead = gnugo.ask("final_score", "final_status_list dead")
            if not dead:
                without_dead_stones += 1
                assert score(final) == area_score(state)
    assert without_dead_stones >= 0.95 * games


@pytest.mark.parametrize("rule", ["positional", "situational"])
@pytest.mark.parametrize("side", [2, 3, 4])
def test_superko_of_the_naive_engine(side, rule):
    """The witness of superko needs a witness. Suicide is left out: GNU Go lets it repeat a position."""
    rng = random.Random(side)
    forbidden = 0
    with GnuGo(side, ko=f"{rule}-superko") as gnugo:
        for _ in range(40):
            gnugo.ask("clear_board")
            game, simple = Go(side, ko=rule), Go(side)
            while not game.is_over() and len(game.seen) < 4 * side**2:
                legal = game.legal_points()
                move = rng.choice(legal) if legal and rng.random() < 0.95 else None
                me = NAMES[game.to_play]
                before, _ = gnugo.ask(f"all_legal {me}", f"play {me} {gnugo.vertex(move)}")
                assert set(before.split()) == {gnugo.vertex(place) for place in legal}
                simple.board, simple.to_play, simple.ko = game.board, game.to_play, game.ko
                forbidden += len(simple.legal_points()) - len(legal)
                game.play(move)
    assert forbidden > 0, "no position tells superko from simple ko"
