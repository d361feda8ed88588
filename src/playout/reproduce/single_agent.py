"""Problems for one: Sarsa(λ), actor–critic, Dyna-Q, TD search and Dyna-2 (Silver 2009, ch. 2, 3, 6 and 7).

A random walk, two mazes and the mountain car, each small enough for dynamic programming to say what is best.
Every agent plays the same number of real episodes from the start, with many seeds. What counts is what it
earns on the way, and how far its values are from the optimal ones in the end: the root of the mean squared
error over all states, or in the mountain car, whose states are continuous, over the start alone.

TD search and Dyna-2 may look ahead: they have the problem itself as their model, or, in `dyna-2, learnt`, one
that they learn on the way as Dyna-Q does. TD search is Dyna-2 without long-term memory: it begins every
episode anew. Values of agents that explore are those of a policy that explores, a little below the optimal
ones.

One folder holds it all: what is there already is not made again, so `run` can be stopped and repeated.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from playout.errors import InputError
from playout.files import write_bytes, write_text
from playout.games.api import facts_of, is_over, legal_moves, play
from playout.games.toy import gridworld, mountain_car, random_walk
from playout.kernel import kernel
from playout.learn.dyna_q import DynaQ
from playout.learn.dynamic_programming import solve
from playout.learn.policy_gradient import PolicyGradient, PolicyLearner
from playout.learn.sarsa import Sarsa, SarsaControl
from playout.learn.tabular import Tabular
from playout.memory.api import Memory
from playout.memory.groups import Groups
from playout.memory.table import Table
from playout.picture import GREY, LARGE, NORMAL, SMALL, Label, label_ends, line_style, new_figure, png
from playout.runs import keep_settings
from playout.search.dyna2 import Dyna2, Dyna2Settings
from playout.search.learnt_model import Model
from playout.settings import check_values, setting

AGENTS = ("sarsa", "actor-critic", "dyna-q", "td-search", "dyna-2", "dyna-2, learnt")
ROWS = (2, 2)  # of pictures, and in each
LAST = 10  # episodes that tell how good an agent has become
SMOOTH = 5  # episodes that a point of the picture is the mean of
FINE = (1000.0, 10_000.0)  # cells of the mountain car in a unit of position and of velocity

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, kw_only=True)
class SingleAgent:
    """Settings of the experiment."""

    seeds: int = setting(20, "agents of each kind", low=2, high=10_000)
    episodes: int = setting(50, "real episodes of each", low=1, high=1_000_000)
    simulations: int = setting(
        20, "simulations, or planned steps, before each real action", low=1, high=10**6
    )
    seed: int = setting(1, "makes it repeatable", low=0)

    def __post_init__(self) -> None:
        check_values(SingleAgent, asdict(self))


class Agent(Protocol):
    """Who learns: the returns of real episodes, and what a state is worth in the end."""

    def returns(self, root: np.ndarray, episodes: int) -> np.ndarray: ...

    def worth(self, state: np.ndarray) -> float: ...


@dataclass(frozen=True)
class Problem:
    """A problem: its start, features for its states, and whether its states can be told apart in a table."""

    title: str
    root: np.ndarray
    features: Memory
    fine: Memory  # those of the short-term memory
    is_tabular: bool = True
    longest: int = 10_000  # of a simulation
    initial: float | None = None  # value of what is unknown; a high one makes agents try everything


def problems() -> dict[str, Problem]:
    """All of them, by name."""
    table = Table(grows=0, capacity=512)
    here = Groups(groups="here", capacity=512)
    tiles = Groups(
        groups="position+velocity",
        widths="position:0.2125+velocity:0.0175",
        capacity=4096,
    )
    walk = random_walk.start(states=19, discount=0.95)
    return {
        "walk": Problem("random walk, 19 states, γ = 0.95", walk, here, table, initial=1.0),
        "corner": Problem("maze “corner”, slippery", gridworld.start(), here, table),
        "dyna": Problem("maze “dyna”", gridworld.start("dyna", 0.0), here, table),
        "car": Problem("mountain car", mountain_car.start(), tiles, tiles, is_tabular=False, longest=20),
    }


# -- agents -------------------------------------------------------------------------------------------------


def actions_of(state: np.ndarray) -> list[int]:
    moves = np.zeros(facts_of(state.dtype).most_choices, np.uint16)
    return [int(action) for action in moves[: int(legal_moves(state[0], moves))]]


class _ByActions:
    """An agent whose values are those of actions."""

    def __init__(self, learner: SarsaControl | DynaQ) -> None:
        self._learner = learner

    def returns(self, root: np.ndarray, episodes: int) -> np.ndarray:
        return self._learner.returns(root, episodes)

    def worth(self, state: np.ndarray) -> float:
        return float(self._learner.values(state, actions_of(state)).max())


class _ActorCritic:
    def __init__(self, learner: PolicyLearner) -> None:
        self.returns, self.worth = learner.returns, learner.value


class _Searcher:
    """An agent that looks ahead: what a state is worth, a search from it says."""

    def __init__(self, agent: Dyna2) -> None:
        self._agent, self.returns = agent, agent.learn

    def worth(self, state: np.ndarray) -> float:
        self._agent.clear()
        self._agent.search(state)
        return float(self._agent.values(state, actions_of(state)).max())


def agent_for(name: str, problem: Problem, settings: SingleAgent, seed: int) -> Agent | None:
    """An agent by name; None where it has no sense."""
    learning = Sarsa(alpha=0.2, epsilon=0.05, lam=0.8, traces="replacing", initial=problem.initial)
    model = Model(states=512, transitions=8192, unknown=problem.initial)
    if name == "sarsa":
        return _ByActions(SarsaControl(problem.features, learning, seed))
    if name == "actor-critic":
        return _ActorCritic(PolicyLearner(problem.features, PolicyGradient(beta=10.0, alpha=0.2), seed))
    if name in ("dyna-q", "dyna-2, learnt") and not problem.is_tabular:
        return None
    if name == "dyna-q":
        tabular = Tabular(
            method="q-learning", alpha=0.2, epsilon=0.05, capacity=4096, initial=problem.initial
        )
        return _ByActions(DynaQ(tabular, planning=settings.simulations, model=model, seed=seed))
    search = Sarsa(alpha=0.2, epsilon=0.05, lam=0.8, traces="replacing", longest=problem.longest)
    dyna = Dyna2Settings(
        simulations=settings.simulations,
        learning=learning,
        search=search,
        model=model if name == "dyna-2, learnt" else None,
    )
    return _Searcher(Dyna2(None if name == "td-search" else problem.features, problem.fine, dyna, seed=seed))


# -- what is best -------------------------------------------------------------------------------------------


class Best(NamedTuple):
    """What dynamic programming says: states, their optimal values, and that of the start."""

    states: list[np.ndarray]
    values: np.ndarray
    start: float


def best_of(problem: Problem) -> Best:
    """The optimal values of a problem."""
    if problem.is_tabular:
        solved = solve(problem.root)
        return Best(solved.states, solved.values, solved.value(problem.root))
    start = -float(_fewest_decisions(problem.root))
    return Best([problem.root], np.array([start]), start)


@kernel
def _all_actions(states, actions, after, ends):
    """Every action in every state; whether that was the last."""
    k = 0
    for state in range(states.size):
        for action in range(actions):
            after[k] = states[state]
            play(after[k], action)
            ends[k] = is_over(after[k])
            k += 1


def _fewest_decisions(root: np.ndarray) -> int:
    """Decisions that the mountain car needs at least, breadth first; states in one small cell are one."""
    actions, layer, seen = facts_of(root.dtype).actions, root, np.zeros((0, 2), np.int64)
    for decisions in range(1, facts_of(root.dtype).moves):
        after, ends = np.zeros(layer.size * actions, root.dtype), np.zeros(layer.size * actions, bool)
        _all_actions(layer, actions, after, ends)
        if ends.any():
            return decisions
        cells = np.stack([after["position"] * FINE[0], after["velocity"] * FINE[1]], axis=1).astype(np.int64)
        known, first = np.unique(np.concatenate([seen, cells]), axis=0, return_index=True)
        layer, seen = after[first[first >= len(seen)] - len(seen)], known
    raise InputError("the car cannot come up the hill")


# -- the experiment -----------------------------------------------------------------------------------------


def run(
    folder: str | Path, settings: SingleAgent, *, progress: Progress = lambda what, done, total: None
) -> dict[str, Any]:
    """All of it; in single-agent.json and single-agent.png, and returned."""
    place = Path(folder)
    keep_settings(place / "settings.json", settings, "the folder of this experiment")
    path = place / "returns.json"
    known: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.exists() else {}
    all_problems = problems()
    best = {name: best_of(problem) for name, problem in all_problems.items()}
    pieces = [(problem, agent) for problem in all_problems for agent in AGENTS]
    told: dict[str, Any] = {"settings": asdict(settings), "problems": {}}
    for done, (name, agent) in enumerate(pieces):
        progress(f"{name}: {agent}", done, len(pieces))
        problem, key = all_problems[name], f"{name}: {agent}"
        if key not in known:
            known[key] = _measure(problem, best[name], agent, settings)
            write_text(path, json.dumps(known) + "\n")
        row = told["problems"].setdefault(
            name, {"title": problem.title, "best": best[name].start, "agents": {}}
        )
        if known[key] is not None:
            row["agents"][agent] = _summary(known[key])
    progress("done", len(pieces), len(pieces))
    write_text(place / "single-agent.json", json.dumps(told, indent=1) + "\n")
    write_bytes(place / "single-agent.png", png(_draw(told)))
    return told


def _measure(problem: Problem, best: Best, name: str, settings: SingleAgent) -> dict[str, Any] | None:
    """Returns by seed and episode, and the error of values by seed."""
    returns, errors = [], []
    for k in range(settings.seeds):
        agent = agent_for(name, problem, settings, settings.seed * 1_000_003 + k)
        if agent is None:
            return None
        returns.append(agent.returns(problem.root, settings.episodes).tolist())
        found = np.array([agent.worth(state) for state in best.states])
        errors.append(float(np.sqrt(np.mean((found - best.values) ** 2))))
    return {"returns": returns, "errors": errors}


def _mean(values: Sequence[float] | np.ndarray) -> dict[str, Any]:
    """A mean over seeds, with its 95 % interval."""
    found = np.asarray(values, float)
    half = 1.96 * float(found.std(ddof=1)) / np.sqrt(found.size)
    mean = float(found.mean())
    return {"mean": mean, "interval": [mean - half, mean + half]}


def _summary(piece: dict[str, Any]) -> dict[str, Any]:
    returns = np.array(piece["returns"])
    return {
        "all": _mean(returns.mean(axis=1)),
        "last": _mean(returns[:, -LAST:].mean(axis=1)),
        "error": _mean(piece["errors"]),
        "curve": [float(value) for value in returns.mean(axis=0)],
    }


def _draw(told: dict[str, Any]) -> Any:
    """Return by episode, a picture a problem."""
    figure = new_figure(13, 9)
    axes = figure.subplots(*ROWS, squeeze=False)
    for axis, row in zip(axes.flat, told["problems"].values(), strict=True):
        axis.axhline(row["best"], color=GREY, linewidth=1, linestyle=":")
        labels = []
        for k, name in enumerate(AGENTS):
            if name not in row["agents"]:
                continue
            curve = np.array(row["agents"][name]["curve"])
            smooth = np.array([curve[max(0, t - SMOOTH + 1) : t + 1].mean() for t in range(curve.size)])
            episodes = np.arange(1, curve.size + 1)
            style = line_style(k, curve.size)
            axis.plot(episodes, smooth, **style)
            labels.append(Label(float(episodes[-1]), float(smooth[-1]), name, style["color"]))
        labels.append(Label(float(axis.get_xlim()[1]), row["best"], "optimal", GREY))
        axis.set_title(row["title"], fontsize=LARGE)
        axis.set_xlabel("real episode", fontsize=NORMAL)
        axis.set_ylabel(f"return, mean of {SMOOTH} episodes", fontsize=NORMAL)
        axis.tick_params(labelsize=SMALL)
        axis.grid(alpha=0.3)
        label_ends(axis, labels, fontsize=NORMAL)
    return figure
