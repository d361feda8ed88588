"""Who owns each point at the end of simulations; from it, which stones of a finished game are dead."""

from typing import NamedTuple

import numpy as np

from playout.games.go import coords
from playout.games.go.board import Board
from playout.games.go.policy.mogo import Mogo
from playout.games.go.rules import area
from playout.games.go.state import BLACK, POINTS, STATE, WHITE
from playout.games.go.view import owner
from playout.kernel import inner, kernel, new_rng
from playout.search.simulation import simulate
from playout.settings import checked


@inner
def _owner(board, p):
    """1 if Black has the point, -1 if White, 0 if neither: a stone, or empty and next to one colour."""
    color = board.color[p]
    if color == BLACK:
        return 1
    if color == WHITE:
        return -1
    return owner(board.around[p])


@kernel
def tally(roots, work, policies, points, simulations, rng, owners):
    """Add to owners[p] who owns p at the end of each simulation; return the summed areas and outcomes."""
    policy = policies[0]
    score = 0
    wins = 0.0
    for _ in range(simulations):
        work[0] = roots[0]
        z, _ = simulate(work[0], policy, rng[0])
        wins += z
        score += area(work[0])
        for k in range(points.size):
            owners[points[k]] += _owner(work[0], np.uint32(points[k]))
    return score, wins


class Ownership(NamedTuple):
    """What the ends of simulations have in common."""

    owners: np.ndarray  # each point's mean owner, 1 Black to -1 White, as rows from the top
    lead: float  # Black's mean lead, komi included
    winrate: float  # Black's share of the wins


def ownership(board: Board, policies: np.ndarray, simulations: int, rng: np.ndarray) -> Ownership:
    """Play on from a position, as if nobody had passed."""
    owners = np.zeros(POINTS, np.int64)
    points = np.array(coords.board_points(board.size), np.uint16)
    root = board.simulation_root()
    root["passes"] = 0
    work = np.empty(1, STATE)
    score, wins = tally(root, work, policies, points, simulations, rng, owners)
    mean = owners[points].reshape(board.size, board.size) / simulations
    return Ownership(mean, score / simulations - board.komi, wins / simulations)


@checked
def dead_stones(board: Board, simulations: int = 1000, seed: int = 0) -> list[int]:
    """The stones that would be captured if a finished game were played on.

    MoGo's rules without random self-atari play on from the end, each side moving first half of the
    time; a chain whose points the other side owns on average is dead.
    """
    policies = Mogo(random_self_atari=False).record()
    rng = new_rng(seed)
    mean = np.zeros((board.size, board.size))
    for color in (BLACK, WHITE):
        turned = board.copy()
        turned.to_play = color
        mean += ownership(turned, policies, simulations // 2, rng).owners / 2
    dead: list[int] = []
    seen: set[int] = set()
    for color, sign in ((BLACK, 1), (WHITE, -1)):
        for stone in board.stones(color):
            if stone not in seen:
                chain = board.chain(stone)
                seen.update(chain)
                if sum(sign * mean[coords.row_column(p)] for p in chain) < 0:
                    dead.extend(chain)
    return sorted(dead)
