"""Simulation adjusting: right moves are to win most simulations (Araki et al. 2014, Algorithm 1).

V(s, a) is the mean of z, 1 if the side to move in s wins and 0 if it loses, over simulations that begin with
a. In each training position the best move of simulations, a^max, is to be the right one, a*:

    J(θ) = E[(V(s, a^max) − V(s, a*))²]                                                      (2)

is minimised by gradient descent. M simulations of each legal move give V; N others that begin with a^max and
N with a* give h, so that the factors of a step are independent:

    h ← 1/N Σ z Σ_{t=1}^T ψ(s_t, a_t)                                                        (4)
    θ ← θ − α (V_max − V*)(h_max − h*)

The first move, t = 0, is given, so it has no ψ. Where a position has several right moves, a* is the one that
wins most.

Beyond the paper: `batch` positions are simulated with the same θ, and take their steps together (1 is the
paper's); they are dealt to samplers with generators of their own, so two threads give the same bits as one.
`step_sizes` other than the paper's. `baseline=mean` has z − V in place of z, which takes noise away and
leaves the mean.

J falls too where all moves come to win equally often, and few simulations then find the right one by luck.
`objective=margin` wants V(s, a*) to be clearly above that of the best other move, a':

    J'(θ) = E[log(1 + exp((V(s, a') − V(s, a*)) / τ))]
    θ ← θ − α σ((V' − V*) / τ)(h' − h*),   σ(x) = 1 / (1 + exp(−x))

The factor 1/τ of the gradient is left to α.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from playout.errors import InputError, near
from playout.games.api import bounds, facts_of, legal_moves, to_play
from playout.kernel import inner, kernel, spawn
from playout.learn.rates import (
    ALPHA,
    BASELINE,
    COUNT,
    LARGEST_ALPHA,
    check_alpha,
    check_baseline,
    check_count,
)
from playout.policy.softmax import SoftmaxPolicy, collect, forget, settle
from playout.search.simulation import play_out, take_turn
from playout.settings import setting

SAMPLERS = 2
LARGEST_BATCH = 10_000
STEP_SIZES = ("logarithm", "constant", "root")
OBJECTIVES = ("square", "margin")
LEAST_TEMPERATURE = 1e-3  # less is no softer than a step


@dataclass(frozen=True, kw_only=True)
class Adjust:
    """How simulation adjusting goes; the defaults are the paper's."""

    alpha: float = setting(1.0, **ALPHA)
    step_sizes: str = setting(
        "logarithm", "how α falls with the iteration L: as 1 / (10 ln(2L + 3)), not, or as 1/√(L + 1)",
        choices=STEP_SIZES,
    )  # fmt: skip
    m: int = setting(50, "simulations of each move for V, M", **COUNT)
    n: int = setting(50, "other simulations of two moves for the gradient, N", **COUNT)
    baseline: str = setting("none", **BASELINE)
    batch: int = setting(1, "positions that take their steps together", low=1, high=LARGEST_BATCH)
    objective: str = setting(
        "square", "what is minimised: (V_max − V*)², or the right move's want of a margin", choices=OBJECTIVES
    )
    temperature: float = setting(0.3, "how soft the margin is, τ", low=LEAST_TEMPERATURE, high=LARGEST_ALPHA)

    def __post_init__(self) -> None:
        check_alpha(self.alpha)
        check_count("M", self.m)
        check_count("N", self.n)
        check_count("batch", self.batch, LARGEST_BATCH)
        check_baseline(self.baseline)
        if self.step_sizes not in STEP_SIZES:
            word = str(self.step_sizes)
            raise InputError(f"step_sizes: {word[:40]!r} is not one of them{near(word, STEP_SIZES)}")
        if self.objective not in OBJECTIVES:
            word = str(self.objective)
            raise InputError(f"objective: {word[:40]!r} is not one of them{near(word, OBJECTIVES)}")
        if not LEAST_TEMPERATURE <= self.temperature <= LARGEST_ALPHA:
            raise InputError(
                f"temperature: {self.temperature:g} is not from {LEAST_TEMPERATURE:g} to {LARGEST_ALPHA:g}"
            )

    def facts(self) -> dict[str, Any]:
        """As plain values, for files."""
        return asdict(self)

    def alpha_of(self, iteration: int) -> float:
        """α of an iteration L, each of which goes through all positions.

        >>> round(Adjust().alpha_of(0), 4), Adjust(step_sizes="root").alpha_of(3)
        (0.091, 0.5)
        """
        if self.step_sizes == "logarithm":
            return self.alpha / (10.0 * math.log(2.0 * iteration + 3.0))
        return self.alpha / math.sqrt(iteration + 1.0) if self.step_sizes == "root" else self.alpha


@inner
def simulate_after(roots, work, policy, action, rng):
    """z of one simulation that begins with an action, as a share, for the side to move at the root."""
    low, high = bounds(roots[0])
    work[0] = roots[0]
    mover = to_play(roots[0])
    _, _, taken = take_turn(work[0], action, rng, 0)
    outcome, _ = play_out(work[0], policy, rng, taken)
    z = (outcome - low) / (high - low)
    return z if mover == 1 else 1.0 - z


@kernel
def move_values(roots, work, policies, simulations, rng, actions, values):
    """V(s, a) of every legal move; return how many there are."""
    number = legal_moves(roots[0], actions)
    for k in range(number):
        total = 0.0
        for _ in range(simulations):
            total += simulate_after(roots, work, policies[0], np.uint32(actions[k]), rng[0])
        values[k] = total / simulations
    return number


@kernel
def add_gradient(roots, work, policies, action, simulations, baseline, amount, rng, sums):
    """sums ← sums + amount × h of an action. baseline: what is taken from z."""
    policy = policies[0]
    for _ in range(simulations):
        forget(policy)
        z = simulate_after(roots, work, policy, np.uint32(action), rng[0])
        settle(policy)
        collect(policy, z - baseline, amount / simulations, sums)


@dataclass(frozen=True)
class Estimate:
    """What simulations say of a position: V of its moves, and which of them are right.

    best: the place of a^max. star: of a*. rival: of the best move that is not right; −1 where there is none.
    """

    values: np.ndarray
    best: int
    star: int
    rival: int

    @property
    def highest(self) -> float:
        """V_max."""
        return float(self.values[self.best])

    @property
    def right(self) -> float:
        """V*."""
        return float(self.values[self.star])

    @property
    def found(self) -> bool:
        """Whether a* wins more than any move that is not right."""
        return self.rival < 0 or self.right > float(self.values[self.rival])


class Sampler:
    """What one thread simulates with."""

    def __init__(self, policy: SoftmaxPolicy, number: int, rng: np.ndarray, roots: np.ndarray) -> None:
        self.policy, self.rng = policy.player(number), rng
        self.work = np.empty(1, roots.dtype)
        most = facts_of(roots.dtype).most_choices
        self.actions, self.values = np.zeros(most, np.uint16), np.zeros(most)
        self.sums = policy.sums()

    def look(self, root: np.ndarray, right: Sequence[int], m: int) -> Estimate:
        """V of all moves; `actions` has the moves."""
        self.policy["learning"] = 0
        number = int(move_values(root, self.work, self.policy, m, self.rng, self.actions, self.values))
        values = self.values[:number].copy()
        is_right = np.isin(self.actions[:number], right)
        best = int(np.argmax(values))  # V > V_max: the first of equals
        star = int(np.argmax(np.where(is_right, values, -1.0)))
        rival = -1 if is_right.all() else int(np.argmax(np.where(is_right, -1.0, values)))
        return Estimate(values, best, star, rival)

    def descend(self, root: np.ndarray, right: Sequence[int], settings: Adjust) -> Estimate:
        """Add (V_max − V*)(h_max − h*) to the sums, or what the margin has in its place."""
        found = self.look(root, right, settings.m)
        other, error = found.best, found.highest - found.right
        if settings.objective == "margin":
            other = found.rival
            error = (
                0.0 if other < 0 else _logistic((found.values[other] - found.right) / settings.temperature)
            )
        if error > 0.0:
            self.policy["learning"] = 1
            for place, sign in ((other, 1.0), (found.star, -1.0)):
                mean = float(found.values[place]) if settings.baseline == "mean" else 0.0
                action = int(self.actions[place])
                arguments = (self.policy, action, settings.n, mean, sign * error)
                add_gradient(root, self.work, *arguments, self.rng, self.sums)
        return found


def _logistic(x: float) -> float:
    """σ(x)."""
    return 1.0 / (1.0 + math.exp(-x)) if x > 0 else math.exp(x) / (1.0 + math.exp(x))


class AdjustLearner:
    """Adjusts a policy to positions with right moves.

    roots: positions. right: the right moves of each. An update is one step: of a position, or of a batch.
    """

    def __init__(
        self,
        policy: SoftmaxPolicy,
        settings: Adjust,
        roots: np.ndarray,
        right: Sequence[Sequence[int]],
        seed: int = 1,
        threads: int = 1,
    ) -> None:
        check_right(roots, right)
        self.policy, self.settings, self.roots, self.right = policy, settings, roots, right
        self.rngs = spawn(seed, SAMPLERS)
        self.updates = 0
        self.state = np.zeros(1)
        self._samplers = [Sampler(policy, k, rng, roots) for k, rng in enumerate(self.rngs)]
        self._pool = ThreadPoolExecutor(SAMPLERS) if threads > 1 else None

    @property
    def steps(self) -> int:
        """Updates of an iteration, in which each position comes once."""
        return -(-len(self.roots) // self.settings.batch)

    def learn(self, updates: int) -> None:
        """So many updates, the positions in order."""
        for _ in range(updates):
            iteration, step = divmod(self.updates, self.steps)
            batch = range(len(self.roots))[step * self.settings.batch :][: self.settings.batch]
            self._deal(lambda sampler, k: sampler.descend(*self._problem(k), self.settings), batch)
            sums = sum(sampler.sums for sampler in self._samplers)
            self.policy.step(np.asarray(sums), -self.settings.alpha_of(iteration))
            self.updates += 1
        self.policy.check(self.updates)

    def look(self, simulations: int) -> list[Estimate]:
        """V_max and V* of every position."""
        return self._deal(
            lambda sampler, k: sampler.look(*self._problem(k), simulations), range(len(self.roots))
        )

    def _problem(self, k: int) -> tuple[np.ndarray, Sequence[int]]:
        return self.roots[k : k + 1], self.right[k]

    def _deal(self, work: Callable[[Sampler, int], Estimate], numbers: Sequence[int]) -> list[Estimate]:
        """Deal positions to the samplers."""

        def deal(k: int) -> list[Estimate]:
            self._samplers[k].sums[:] = 0.0
            return [work(self._samplers[k], number) for number in numbers[k::SAMPLERS]]

        run: Callable[..., Any] = map if self._pool is None else self._pool.map
        parts = list(run(deal, range(SAMPLERS)))
        found: list[Any] = [None] * len(numbers)
        for k, part in enumerate(parts):
            found[k::SAMPLERS] = part
        return found


def check_right(roots: np.ndarray, right: Sequence[Sequence[int]]) -> None:
    """Refuse positions whose right moves are missing or illegal."""
    if len(roots) == 0 or len(right) != len(roots):
        raise InputError(f"{len(roots)} positions and right moves of {len(right)} do not go together")
    actions = np.zeros(facts_of(roots.dtype).most_choices, np.uint16)
    for k, moves in enumerate(right):
        legal = set(actions[: _legal(roots[k : k + 1], actions)].tolist())
        if not moves:
            raise InputError(f"position {k + 1} has no right move")
        for move in moves:
            if move not in legal:
                raise InputError(f"the right move {move} of position {k + 1} is not legal there")


@kernel
def _legal(roots, actions):
    return legal_moves(roots[0], actions)
