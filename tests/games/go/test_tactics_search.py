"""Tactics that the strongest player must find, drawn as boards.

Komi lies between what the right move leads to and what the others do: the right move wins the game, all
others lose it. Every position was checked by reasoning (`why`), by GNU Go, which plays the right move in all
of them, and by UCT with 150,000 simulations of the uniform policy, which knows nothing of Go but its rules.

Letters are empty points. `right` names those that must be played, `wrong` those that must not.
"""

from dataclasses import dataclass

import pytest
from draw import grid, points

from playout.errors import InputError
from playout.games.go.board import Board
from playout.games.go.coords import vertex
from playout.player.registry import make_player

PLAYER = "mogo:sims=5000"
SEEDS = (1, 2, 3)


@dataclass(frozen=True)
class Problem:
    """A board, who moves, which letters are right or wrong, and why."""

    board: str
    to_play: str
    komi: float
    right: str
    why: str
    wrong: str = ""

    def start(self) -> Board:
        rows = (" ".join(letter if letter in "XO" else "." for letter in row) for row in grid(self.board))
        return Board.from_text("\n".join(rows), to_play=self.to_play, komi=self.komi)

    def names(self, letters: str) -> set[str]:
        """The letters' points as a board names them."""
        return {vertex(points(self.board)[letter], len(grid(self.board))) for letter in letters}


def move(board, seed):
    return make_player(f"{PLAYER},seed={seed}").choose(board)


# -- eye shapes: White's group on top has one eye space and nothing else; Black's move kills it, White's own
# makes two eyes. Below, Black and a white group live.

BELOW = """
    X X X X X X X
    X . X . O O O
    X X . . O . O
    . X X . O O ."""

THREE_IN_A_ROW = f"""
    O b a c O X .
    O O O O O X X
    X X X X X . X{BELOW}"""

BENT_THREE = f"""
    a b O X . X .
    c O O X X X X
    O O X X X . X{BELOW}"""

PYRAMID_FOUR = f"""
    O b a c O X .
    O O d O O X X
    X O O O X . X{BELOW}"""

BULKY_FIVE = f"""
    O b a c O X .
    O d e O O X X
    O O O O X . X{BELOW}"""

# The same groups, dead already; the neutral point z decides.

BELOW_ALL_BUT_DONE = """
    X X X X X X X
    X . X X O O O
    X X . X O . O
    . X X z O O ."""

DEAD_THREE = f"""
    O b X c O X .
    O O O O O X X
    X X X X X . X{BELOW_ALL_BUT_DONE}"""

DEAD_FOUR = f"""
    O b X c O X .
    O O d O O X X
    X O O O X . X{BELOW_ALL_BUT_DONE}"""

DEAD_FIVE = f"""
    O b X c O X .
    O d e O O X X
    O O O O X . X{BELOW_ALL_BUT_DONE}"""

FALSE_EYE = """
    . O a d X X .
    O O O O X . X
    X X X O c X X
    X . X X X X .
    X X . . O O O
    . X X . O . O
    X X X . O O ."""

SECOND_EYE = """
    . O a O X X .
    O O O b O X X
    X X X O O X .
    X . X X X X X
    X X . . O O O
    . X X . O . O
    X X X . O O ."""

# -- two groups that need each other, with a white stone in atari between them

CUT = """
    . O . O . O .
    O O O O . . O
    O . O O O . O
    O O O O O O O
    X X X O X X X
    X b X a X d X
    X c X O X e X"""

SNAPBACK = """
    X b a O O . O
    X O O X O O O
    X X X X O . O
    . X . X O . O
    X X . X O O .
    . X . . . O O
    X X X X O O ."""

# -- races: Black's chain on the second row against White's on the first

RACE = """
    s O O O e . .
    X X X O f X .
    b c O X X . X
    O O O X . X .
    . O . X X X X
    O O O O X . X
    . O . O X X ."""

SEKI = """
    p O O O X . X
    X q X O X X X
    X X X O X . X
    O O O X X X X
    . O . O X . .
    O O O O X X X
    . O O a X . X"""

KO = """
    . X . X O . O
    X X . X O O .
    . X . X O . O
    X . X O a O O
    . X . X O . O
    X X . X O . O
    . X . X O O ."""

# -- White's five stones on the fourth row cut Black's five below them off

LADDER = """
    . X . X . . . . .
    X X X X . . . . .
    . X . X . . . . .
    X X X X . . . . .
    X X X X b d . . .
    O O O O O a . . .
    X X X X X c . . .
    O O . O O O O O .
    . O . O . O . O ."""

IN_ATARI = LADDER.replace("O O O O O a", "O O O O O X")

IN_ATARI_WITH_FRIENDS = """
    . X . X . . . . .
    X X X X . . . . .
    . X . X . . O . .
    X X X X . O . . .
    X X X X b d . . .
    O O O O O X . . .
    X X X X X c . . .
    O O . O O O O O .
    . O . O . O . O ."""

THREE = "a in the middle leaves no room for two eyes, or makes two at once"
BENT = "the corner a touches both other points"
PYRAMID = "a touches the three other points; from any other, White still gets a"
FIVE = "after a, three in a row or a bent three are left, of which the middle is the other's"
DEAD = "Black's stone on the vital point is enough: another move there, of either side, gives z away"
RACE_WHY = (
    "three liberties each, one of them (s) shared: whoever moves first wins by filling one from outside, and"
    " loses by filling s, which takes a liberty from both"
)
SEKI_WHY = (
    "p and q are the only liberties of both chains: whoever plays there is taken; what is left is the last"
    " neutral point a, and it decides"
)

PROBLEMS = {
    "kill three in a row": Problem(THREE_IN_A_ROW, "X", 17.5, "a", THREE),
    "live with three in a row": Problem(THREE_IN_A_ROW, "O", 17.5, "a", THREE),
    "kill a bent three": Problem(BENT_THREE, "X", 17.5, "a", BENT),
    "live with a bent three": Problem(BENT_THREE, "O", 17.5, "a", BENT),
    "kill a pyramid four": Problem(PYRAMID_FOUR, "X", 17.5, "a", PYRAMID),
    "live with a pyramid four": Problem(PYRAMID_FOUR, "O", 17.5, "a", PYRAMID),
    "kill a bulky five": Problem(BULKY_FIVE, "X", 17.5, "a", FIVE),
    "live with a bulky five": Problem(
        BULKY_FIVE, "O", 17.5, "abe", "a makes two eyes; b and e leave four in a bent line, which live"
    ),
    "leave a dead three alone": Problem(DEAD_THREE, "X", 30, "z", DEAD),
    "give up a dead three": Problem(DEAD_THREE, "O", 30, "z", DEAD),
    "leave a dead four alone": Problem(DEAD_FOUR, "X", 30, "z", DEAD),
    "give up a dead four": Problem(DEAD_FOUR, "O", 30, "z", DEAD),
    "leave a dead five alone": Problem(DEAD_FIVE, "X", 30, "z", DEAD),
    "make an eye false": Problem(
        FALSE_EYE, "X", 17.5, "d", "White then has the corner alone; after a, White takes it from d"
    ),
    "make a second eye": Problem(FALSE_EYE, "O", 17.5, "d", "d makes an eye of a; a itself leaves one eye"),
    "take the stones that hold an eye": Problem(
        SECOND_EYE, "X", 17.5, "b", "takes three stones in atari, and with them the eye at a"
    ),
    "save the stones that hold an eye": Problem(
        SECOND_EYE, "O", 17.5, "b", "connects: the corner and a live"
    ),
    "connect": Problem(CUT, "X", -20, "a", "takes a stone and joins two groups of one eye each"),
    "cut": Problem(CUT, "O", -20, "a", "saves the stone and leaves two groups of one eye each"),
    "snapback": Problem(
        SNAPBACK,
        "X",
        2.5,
        "a",
        "if White takes it from b, three stones have one liberty: a; b lets White connect",
    ),
    "connect before the snapback": Problem(
        SNAPBACK, "O", 2.5, "a", "joins the two stones to their friends; b leaves one liberty"
    ),
    "race: outside liberties first": Problem(RACE, "X", 7.5, "ef", RACE_WHY),
    "race: outside liberties first, for White": Problem(RACE, "O", 7.5, "bc", RACE_WHY),
    "leave a seki alone": Problem(SEKI, "X", 7.5, "a", SEKI_WHY),
    "leave a seki alone, for White": Problem(SEKI, "O", 7.5, "a", SEKI_WHY),
    "take the ko": Problem(KO, "X", 7.5, "a", "the ko is worth four points and White has no threat"),
    "fill the ko": Problem(KO, "O", 7.5, "a", "otherwise Black takes it, as above"),
    "capture in a ladder": Problem(
        LADDER,
        "X",
        7.5,
        "a",
        "White can only run along b, where nobody waits; after b or d, White gets out by a",
    ),
    "do not run in a ladder": Problem(
        IN_ATARI, "O", 20.5, "", "each step loses one stone more: the five are lost", wrong="b"
    ),
    "run in a ladder to friends": Problem(
        IN_ATARI_WITH_FRIENDS, "O", -1.5, "b", "friends in the way: the five get out and take the five below"
    ),
}


@pytest.mark.parametrize("problem", PROBLEMS.values(), ids=PROBLEMS)
def test_the_player_finds_it(problem):
    for seed in SEEDS:
        chosen = move(problem.start(), seed)
        if problem.right:
            assert chosen in problem.names(problem.right), problem.why
        assert chosen not in problem.names(problem.wrong), problem.why


def test_every_letter_is_a_legal_move():
    """Wrong moves are possible ones: no problem is solved by the rules."""
    for name, problem in PROBLEMS.items():
        board = problem.start()
        named = problem.names("".join(points(problem.board)))
        assert (
            len({vertex(p, board.size) for p in board.legal_moves()} - problem.names(problem.right)) >= 3
        ), name
        assert problem.names(problem.right + problem.wrong) <= named
        assert all(board.is_legal(at) for at in problem.names(problem.right + problem.wrong)), name


KO_WITH_A_THREAT = """
    . X . X O . O
    X X . X O O .
    . X X X O . O
    X . X k X O O
    . X X X O . O
    X X X O t O O
    . X X O u O ."""


@pytest.mark.parametrize("seed", SEEDS)
def test_a_ko_is_retaken_after_a_threat(seed):
    """White takes at k. Black may not retake at once; t or u threaten two stones, White has no such threat,
    and without the ko Black is two points behind."""
    ko = Problem(KO_WITH_A_THREAT, "O", 3.5, "tu", "")
    board = ko.start().play("D4")
    with pytest.raises(InputError, match="retake a ko"):
        board.copy().play("E4")
    threat = move(board, seed)
    assert threat in ko.names("tu")
    board.play(threat)
    (answer,) = ko.names("tu") - {threat}
    board.play(answer)
    assert move(board, seed) == "E4"
