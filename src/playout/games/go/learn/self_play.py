"""Games of a tree search against itself, for learners: every position with what the search thinks of it."""

import argparse
from collections.abc import Callable, Iterator

import numpy as np

from playout.errors import InputError
from playout.files import check_output, text_kind
from playout.games.api import tree_moves
from playout.games.go.board import Board
from playout.games.go.prior import PRIORS
from playout.games.go.state import AREA
from playout.search.mcts import TreeSearch

LEARNT = text_kind("what was learnt", '{\n"patterns"', '{\n "how"')  # patterns; moves
SETTLED = 0.08  # a game is over for the learner when one side wins so few simulations
OPENING = 4  # random moves, at most, that begin a game; they are not learnt from


def searched_positions(
    new_search: Callable[[int], TreeSearch],
    games: int,
    sims: int,
    size: int,
    seed: int,
    wander: float = 0.0,
) -> Iterator[tuple[int, Board, np.ndarray]]:
    """The number of the game, the position and the children of its root, for every position.

    new_search: makes a search from a seed. wander: how often a game goes on with a move drawn by its
    visits instead of the most visited one.
    """
    dice = np.random.default_rng(seed)
    for game in range(games):
        search = new_search(int(dice.integers(2**32)))
        board = Board(size)
        for _ in range(int(dice.integers(OPENING + 1))):
            board.play(int(dice.choice(board.legal_moves()[:-1])))
        while not board.is_over and len(board.moves) < 2 * size * size:
            root = board.simulation_root()
            buffer = np.zeros(AREA + 1, np.uint16)
            actions = [int(p) for p in buffer[: tree_moves(root[0], buffer)] if board.is_legal(int(p))]
            search.start(root, actions)
            search.run(sims)
            children = search.children()
            best = children[np.argmax(children["visits"])]
            if not SETTLED < best["wins"] / max(1, best["visits"]) < 1 - SETTLED:
                break
            yield game, board, children
            action = int(best["action"])
            if wander > 0 and dice.random() < wander:
                action = int(dice.choice(children["action"], p=children["visits"] / children["visits"].sum()))
            board.play(action)


def given(
    module: str, description: str, games: int, sims: int, prior: str, arguments: list[str] | None
) -> tuple[argparse.Namespace, str]:
    """What the command line of a learner says about its games, and the command that says all of it."""
    prog = f"python -m {module}"
    parser = argparse.ArgumentParser(prog=prog, description=description)
    parser.add_argument("--games", type=int, default=games, help=f"games to play ({games})")
    parser.add_argument("--sims", type=int, default=sims, help=f"simulations a move ({sims})")
    parser.add_argument(
        "--prior", default=prior, choices=tuple(PRIORS), help=f"prior of the search ({prior})"
    )
    parser.add_argument("--size", type=int, default=9, help="board size (9)")
    parser.add_argument("--seed", type=int, default=1, help="random seed (1)")
    parser.add_argument("--output", required=True, help="file to write")
    parser.add_argument("--force", action="store_true", help="write over a file that is not ours")
    words = parser.parse_args(arguments)
    try:
        check_output(words.output, LEARNT, words.force)
    except InputError as error:
        parser.error(str(error))
    command = (
        f"{prog} --games {words.games} --sims {words.sims} --prior {words.prior}"
        f" --size {words.size} --seed {words.seed}"
    )
    return words, command
