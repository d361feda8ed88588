"""Gymnasium's environments as problems for one: ``gymnasium:ID`` or ``gymnasium:ID(KEY=VALUE,…)``.

Any environment with a `Discrete` space of actions whose state can be copied faithfully (`bridges.copies`).
What Gymnasium puts around an environment is left out, wrappers that belong to it stay. The option horizon
stands in place of the limit of time. An action's number counts from the first of its space.

Luck: resetting is a move of chance, whose seed the referee draws; from then on an environment draws for
itself. A search takes forks, whose generators are seeded anew.

Bounds, where none are given: the lowest and the highest return from any state on in EPISODES random episodes
or so many steps; the highest is 1 more than the lowest where all are equal, as in a maze that chance does not
solve. Better play may go beyond them: they only say what is much and what is little to a search.
"""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from typing import Any

from playout.bridges.copies import Copied, Pickled, faithful, fresh
from playout.bridges.interpreted import OVER, InterpretedGame, Rules, State
from playout.bridges.players import KINDS
from playout.errors import InputError, near, shown
from playout.games.position import CHANCE
from playout.settings import setting

PREFIX = "gymnasium:"
INSTALL = "pip install 'playout[gymnasium]'"
HORIZON = 200  # steps, where the environment has no limit of its own
EPISODES, STEPS = 200, 20_000  # of random play for the bounds
_WORD = re.compile(r"([^()]+)(?:\((.*)\))?")
_COLOURED = re.compile(r"\x1b\[[0-9;]*m(.*?)\x1b\[0m", re.DOTALL)


@dataclass(frozen=True, kw_only=True)
class GymnasiumOptions:
    """How an environment is played."""

    horizon: int | None = setting(
        None, f"steps of an episode at most; none: the environment's own limit, or {HORIZON}", low=1
    )
    discount: float = setting(1.0, "γ: what comes after a step counts so much", low=0, high=1)
    low: float | None = setting(None, "lowest return; none: of random episodes")
    high: float | None = setting(None, "highest return; none: of random episodes")


class GymnasiumState(State):
    """An environment in the middle of an episode; before its first reset there is none."""

    __slots__ = ("_env", "_kept", "_over", "_problem", "_steps", "observation")

    def __init__(self, problem: Problem, rules: Rules, env: Any = None, steps: int = 0) -> None:
        self.rules, self._problem, self._env, self._steps = rules, problem, env, steps
        self._over = False
        self._kept: Pickled | Copied | None = None
        self.observation: Any = None

    def turn(self) -> int:
        return CHANCE if self._env is None else OVER if self._over else 1

    def legal_moves(self) -> list[int]:
        return list(range(self._problem.actions))

    def step(self, action: int) -> float:
        self._kept = None
        self.observation, paid, terminated, truncated, _ = self._env.step(self._problem.first + action)
        self._steps += 1
        self._over = bool(terminated or truncated or self._steps >= self.rules.longest - 1)
        return float(paid)

    def roll(self, draw: random.Random) -> tuple[int, float]:
        self._env = self._problem.make()
        self.observation, _ = self._env.reset(seed=draw.getrandbits(31))
        return 0, 0.0

    def _snapshot(self) -> Pickled | Copied:
        if self._kept is None:
            self._kept = self._problem.keep(self._env)
        return self._kept

    def _with(self, env: Any) -> GymnasiumState:
        other = GymnasiumState(self._problem, self.rules, env, self._steps)
        other._over, other.observation = self._over, self.observation
        return other

    def copy(self) -> GymnasiumState:
        return self._with(None if self._env is None else self._snapshot().restore())

    def fork(self, draw: random.Random) -> GymnasiumState:
        return self._with(self._snapshot().restore(fresh(draw)))

    def spell(self, action: int) -> str:
        return str(self._problem.first + action)

    def __str__(self) -> str:
        if self._env is None:
            return "not begun yet"
        drawn = self._env.render() if self._env.unwrapped.render_mode == "ansi" else None
        return _COLOURED.sub(r"[\1]", drawn).rstrip() if drawn else f"observation: {self.observation}"


class Problem:
    """An environment that can be copied, and how; refused where it cannot."""

    def __init__(self, word: str) -> None:
        self.make, limit = _maker(word)
        space = self.make().action_space
        if type(space).__name__ != "Discrete":
            raise InputError(f"{shown(word, 60)} has actions in {space}, and a search needs Discrete(n)")
        self.actions, self.first, self.limit = int(space.n), int(space.start), limit or HORIZON
        found, reason = faithful(self.make)
        if found is None:
            raise InputError(f"{shown(word, 60)} cannot be searched: {reason}")
        self.keep = found

    def rules(self, options: GymnasiumOptions) -> Rules:
        """What holds in all its states, under some options."""
        horizon = options.horizon or self.limit
        low, high = options.low, options.high
        if low is None or high is None:
            found = self.bounds(horizon, options.discount)
            low, high = found[0] if low is None else low, found[1] if high is None else high
            high = high if options.high is not None or high > low else low + 1.0
        # The reset is a move too.
        return Rules(longest=horizon + 1, low=low, high=high, discount=options.discount, numbered=False)

    def bounds(self, horizon: int, discount: float) -> tuple[float, float]:
        """The lowest and the highest return from any state on in random episodes; always the same ones."""
        draw, env, steps = random.Random(1), self.make(), 0
        low, high = float("inf"), -float("inf")
        for _ in range(EPISODES):
            env.reset(seed=draw.getrandbits(31))
            paid: list[float] = []
            is_over = False
            while not is_over and len(paid) < horizon:
                _, reward, terminated, truncated, _ = env.step(self.first + draw.randrange(self.actions))
                paid.append(float(reward))
                is_over = terminated or truncated
            total = 0.0
            for reward in reversed(paid):
                total = reward + discount * total
                low, high = min(low, total), max(high, total)
            steps += len(paid)
            if steps >= STEPS:
                break
        return low, high


@cache
def find(word: str) -> InterpretedGame:
    """The environment that a word names, with its arguments; refused where it cannot be searched."""
    problem = Problem(word)
    rules = cache(problem.rules)
    return InterpretedGame(
        name=PREFIX + word,
        summary=f"Gymnasium's {word}",
        begin=lambda options: GymnasiumState(problem, rules(options)),
        options=GymnasiumOptions,
        kinds=KINDS,
        players=1,
        actions=problem.actions,
        moves=problem.limit + 1,
        version=f"gymnasium {version('gymnasium')}",
    )


def _maker(word: str) -> tuple[Callable[[], Any], int | None]:
    """What makes the environment that a word names, and its limit of steps."""
    try:
        import gymnasium
    except ImportError:
        raise InputError(f"environments of Gymnasium need the package gymnasium: {INSTALL}") from None
    parts = _WORD.fullmatch(word)
    if parts is None:
        raise InputError(f"{shown(word, 60)} is not an environment such as FrozenLake-v1(is_slippery=False)")
    name, arguments = parts[1].strip(), _arguments(parts[2] or "")
    # Gymnasium's checks are for people who write environments, and its limit of time is our horizon.
    arguments |= {"disable_env_checker": True, "max_episode_steps": -1}

    def make() -> Any:
        env = gymnasium.make(name, **arguments)
        return env.env if isinstance(env, gymnasium.wrappers.OrderEnforcing) else env

    try:
        env = make()
        limit = gymnasium.spec(env.unwrapped.spec.id).max_episode_steps
        if "ansi" in env.metadata.get("render_modes", ()):
            arguments.setdefault("render_mode", "ansi")
            make()
    except gymnasium.error.NameNotFound:
        known = near(name, gymnasium.registry)
        raise InputError(
            f"Gymnasium has no environment {shown(name)}{known if known.startswith('; did') else ''}"
        ) from None
    except Exception as error:  # whatever an environment may raise
        said = " ".join(str(error).split())[:200].rstrip(".")
        raise InputError(f"Gymnasium cannot make {shown(word, 60)}: {said}") from None
    return make, limit


def _arguments(text: str) -> dict[str, Any]:
    """Arguments as Python writes them: numbers, words in quotes and the like, each by its name."""
    try:
        call = ast.parse(f"f({text})", mode="eval").body
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name)) or call.args:
            raise ValueError
        named = [(word.arg, ast.literal_eval(word.value)) for word in call.keywords]
    except (SyntaxError, ValueError):
        named = [(None, None)]
    if any(name is None for name, _ in named):
        raise InputError(f"({text[:60]}) are not arguments such as (map_name='8x8',is_slippery=False)")
    return {str(name): value for name, value in named}
