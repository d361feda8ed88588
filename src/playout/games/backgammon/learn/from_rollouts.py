"""Train a network on what another finds when it looks further (`learn.rollout_targets`), round after round.

In each round a teacher makes positions by playing with itself and says what they are worth, by rollouts or by
best replies; the network learns from the last rounds' positions, again and again, and becomes the teacher.
The first teacher is a network from a file; a network with one output, which knows no chances of gammons,
never becomes one, and learns what the teacher's chances are worth. With ``begin="teacher"`` the network
begins as its first teacher, with more hidden units if it has more.

The positions of a round are files of the run's folder, ``round-001.npz`` and so on: so the same command goes
on where it was stopped. They are the same however many threads make them. Another run may learn from the
same ones (``source``), which takes a small part of the time: so a small network learns from a large one.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from playout.errors import InputError
from playout.games.backgammon.learn.run import NetworkPlan, NetworkRun
from playout.games.backgammon.memory.network import OUTPUTS
from playout.games.backgammon.memory.shipped import load_network, record_of, shipped
from playout.games.backgammon.rules import EVENTS
from playout.games.backgammon.state import BAR, HOME, OFF, STATE, start
from playout.kernel import new_rng
from playout.learn.rollout_targets import (
    by_best_replies,
    by_returns,
    by_rollouts,
    fit,
    positions_of_games,
)
from playout.memory.archives import read_arrays, write_arrays
from playout.memory.network import LANES, widened
from playout.memory.network_files import Network
from playout.settings import like, setting

TARGETS = ("replies", "rollouts", "returns")
PIECE = 500  # positions that a thread makes at once
EVERY = 2  # one of so many positions of a game is taken: neighbours tell the same
DRAWN = 4  # for each position that is taken so many are drawn, to have enough of the rare kinds
# Kinds of positions, and which share of those that are learnt from each has. Games seldom come to the last
# two, and networks that have seen few of them play them badly.
RACE, USUAL, FAR_BACK, BEARING_OFF = range(4)
SHARES = (0.05, 0.4, 0.25, 0.3)
FAR_BACK_CHECKERS = 4
# Of the players that come to the positions, in points; with the last one nearly as if they played at random.
NOISES = np.array([0.0, 0.0, 0.0, 0.1, 0.3, 3.0], np.float32)


@dataclass(frozen=True, kw_only=True)
class RolloutPlan(NetworkPlan):
    """How it learns from what a teacher says.

    In each round α falls from alpha to a tenth by the same factor every epoch, in the last one to last_alpha.
    """

    teacher: str = setting("td80", "the first teacher: a file of weights, or a network of the package")
    hidden: int = like(NetworkPlan, "hidden", default=160)
    targets: str = setting("replies", "what positions are drawn towards", choices=TARGETS)
    source: str | None = setting(
        None, "folders of other runs, from whose rounds it learns, with commas between; none: they are made"
    )
    balanced: bool = setting(True, "rare kinds of positions are drawn more often than games come to them")
    begin: str = setting(
        "anew", "what the network begins as: anew, or as its first teacher", choices=("anew", "teacher")
    )
    rounds: int = setting(12, "rounds", low=1)
    positions: int = setting(150_000, "positions a round", low=PIECE)
    kept: int = setting(5, "rounds that are learnt from: the last ones", low=1)
    epochs: int = setting(10, "times that the positions are gone through in a round", low=2)
    last_epochs: int = setting(20, "the same in the last round", low=2)
    lam: float = setting(0.7, "λ of returns", low=0, high=1)
    length: int = setting(8, "positions of a game that is played on for returns", low=1, high=1000)
    trials: int = setting(36, "trials of a rollout", low=1)
    steps: int = setting(5, "steps of a rollout", low=1)
    alpha: float = setting(0.1, "step size α at the beginning of a round", low=0, high=10)
    last_alpha: float = setting(0.002, "step size α at the end", low=0, high=10)

    def alphas(self, number: int) -> list[float]:
        """The step sizes of the epochs of a round, counted from 0."""
        last = number == self.rounds - 1
        low = self.last_alpha if last else self.alpha / 10
        return np.geomspace(self.alpha, low, self.last_epochs if last else self.epochs).tolist()


def states_of(points: np.ndarray, turn: np.ndarray) -> np.ndarray:
    """Positions before the roll, from the checkers of both sides by point and whose turn it is."""
    states = np.zeros(len(turn), STATE)
    states["points"], states["turn"] = points, turn
    bits = (1 << np.arange(BAR + 1, dtype=np.uint32))[1:]
    for name, least in (("held", 1), ("made", 2)):
        states[name] = ((points[:, :, 1:] >= least) * bits).sum(axis=2, dtype=np.uint32)
    return states


def kinds_of(states: np.ndarray) -> np.ndarray:
    """Of what kind positions are: races; contact with checkers off, or with many far back; all others."""
    points = states["points"]
    there = points[:, :, 1:] > 0
    furthest = (BAR - there[:, :, ::-1].argmax(axis=2)) * there.any(axis=2)
    found = np.full(len(states), USUAL)
    far_back = points[:, :, BAR - HOME :].sum(axis=2) >= FAR_BACK_CHECKERS
    found[far_back.any(axis=1)] = FAR_BACK
    found[(points[:, :, OFF] > 0).any(axis=1)] = BEARING_OFF
    found[furthest.sum(axis=1) <= BAR] = RACE
    return found


def choose(states: np.ndarray, count: int, rng: np.random.Generator) -> np.ndarray:
    """Some of the positions, each kind by its share as far as there are enough; the rest as they come."""
    kinds = kinds_of(states)
    chosen: list[int] = []
    for kind, share in enumerate(SHARES):
        those = np.flatnonzero(kinds == kind)
        chosen += rng.permutation(those)[: round(share * count)].tolist()
    others = rng.permutation(np.setdiff1d(np.arange(len(states)), chosen))
    return states[np.sort([*chosen, *others[: count - len(chosen)].tolist()][:count])]


def shares_of(targets: np.ndarray) -> np.ndarray:
    """What five chances are worth, as the share of what lies between −3 and 3."""
    shares = np.zeros_like(targets)
    win, gammon, backgammon, lost_gammon, lost_backgammon = targets[:, :OUTPUTS].T
    shares[:, 0] = (2 * win - 1 + gammon + backgammon - lost_gammon - lost_backgammon + 3) / 6
    return shares


def _without_folders(facts: dict[str, Any]) -> dict[str, Any]:
    """A plan that says names only: where files lay is nobody's business."""
    source = facts.get("source")
    names = ",".join(Path(folder).name for folder in source.split(",")) if source else None
    return {**facts, "teacher": Path(facts["teacher"]).name, "source": names}


class RolloutRun(NetworkRun):
    """Rounds of positions and of learning from them, in a folder."""

    plan: RolloutPlan

    def __init__(self, folder: str | Path, plan: RolloutPlan, threads: int = 1) -> None:
        self.threads = threads
        self.rounds = 0
        self.made = 0  # positions of this round so far
        self.error = float("nan")
        first = shipped(plan.teacher) if not Path(plan.teacher).suffix else load_network(plan.teacher)
        if first.outputs != OUTPUTS:
            raise InputError(f"teacher: {first!r} is another network; one with {OUTPUTS} outputs is needed")
        self._teacher = first
        self.plan = plan
        self._files: list[Path] = []  # rounds of other runs
        self._source = self._find_source()
        super().__init__(folder, plan)

    def first_network(self, rng: np.random.Generator) -> Network:
        plan, teacher = self.plan, self._teacher
        if plan.begin == "anew":
            return super().first_network(rng)
        if (
            teacher.encoding != plan.encoding
            or plan.outputs != OUTPUTS
            or not 0 < teacher.hidden <= plan.hidden
        ):
            raise InputError(f"begin: the network cannot begin as {teacher!r}, which is another one")
        weights = widened(teacher.weights, teacher.inputs, teacher.hidden, plan.hidden, rng)
        return Network(**{**teacher.__dict__, "hidden": plan.hidden, "weights": weights})

    def _find_source(self) -> list[dict[str, Any]]:
        """How the positions of other runs were made; refused where there are not enough of them."""
        found = []
        for folder in map(Path, self.plan.source.split(",") if self.plan.source else ()):
            facts, _ = read_arrays(folder / "checkpoint.npz", "run of playout train backgammon-rollouts")
            made = facts.get("plan")
            if not isinstance(made, dict):
                raise InputError(f"source: {folder} is no run of playout train backgammon-rollouts")
            self._files += sorted(folder.glob("round-*.npz"))
            found.append(_without_folders(made))
        if found and len(self._files) < self.plan.rounds:
            raise InputError(
                f"source: {self.plan.source} has {len(self._files)} rounds and not {self.plan.rounds}"
            )
        return found

    @property
    def positions(self) -> int:
        """Positions so far."""
        return self.rounds * self.plan.positions + self.made

    def weights(self) -> Network:
        made = super().weights()
        return Network(**{**made.__dict__, "how": _without_folders(made.how)})

    def progress_so_far(self) -> dict[str, np.ndarray]:
        return {"rounds": np.array([self.rounds])}

    def go_on(self, arrays: dict[str, np.ndarray]) -> None:
        (self.rounds,) = (int(n) for n in arrays["rounds"])

    def how(self) -> dict[str, Any]:
        plan = self.plan
        options = {**_without_folders(plan.facts()), "balanced": None}
        learner = "the positions of other runs" if plan.source else f"{plan.targets} of a teacher"
        itself = plan.source is None and plan.outputs == OUTPUTS
        if plan.targets != "rollouts":
            del options["trials"], options["steps"]
        if plan.targets != "returns":
            del options["lam"], options["length"]
        options["lambda"] = options.pop("lam", None)
        words = [
            f"--{name.replace('_', '-')} {f'{value:g}' if isinstance(value, float) else value}"
            for name, value in options.items()
            if value is not None
        ]
        return {
            "learner": f"from {learner}" + (", which is itself after the first round" if itself else ""),
            "first_teacher": self._teacher.how,
            **({"positions_made_by": self._source} if self._source else {}),
            "command": " ".join(
                [
                    "playout train backgammon-rollouts",
                    *words,
                    "--balanced" if plan.balanced else "--no-balanced",
                ]
            ),
        }

    def _file(self, number: int) -> Path:
        return self.folder / f"round-{number + 1:03}.npz"

    def pieces(self) -> Iterator[None]:
        """Round after round to the end. What is stopped does the round that was under way again."""
        kept = [self._read(number) for number in range(max(0, self.rounds - self.plan.kept + 1), self.rounds)]
        while self.rounds < self.plan.rounds:
            began = time.monotonic()
            now = self._read(self.rounds) if self._files else (yield from self._make())
            kept = [*kept, now][-self.plan.kept :]
            self._learn(kept)
            self.seconds += time.monotonic() - began
            self.rounds += 1
            self.made = 0
            self.keep()
            self.save()  # a round is long
            yield

    def _learn(self, kept: list[tuple[np.ndarray, np.ndarray]]) -> None:
        states = np.concatenate([part[0] for part in kept])
        targets = np.concatenate([part[1] for part in kept])
        if self.plan.outputs == 1:
            targets = shares_of(targets)
        rng = np.random.default_rng([self.plan.seed, 3, self.rounds])
        for alpha in self.plan.alphas(self.rounds):
            self.error = float(
                np.sqrt(fit(self.record, states, targets, rng.permutation(states.size), alpha))
            )

    def _make(self) -> Generator[None, None, tuple[np.ndarray, np.ndarray]]:
        """The positions of this round, each with what the teacher says of it."""
        teacher = self._teacher if self.rounds == 0 or self.plan.outputs == 1 else self.network
        weights = teacher.weights.copy()
        frozen = Network(**{**teacher.__dict__, "weights": weights})
        records = [record_of(frozen, bearoff=True) for _ in range(self.threads)]
        pieces = -(-self.plan.positions // PIECE)
        states = np.zeros(pieces * PIECE, STATE)
        targets = np.zeros((pieces * PIECE, LANES), np.float32)

        def work(thread: int, piece: int) -> None:
            part = slice(piece * PIECE, (piece + 1) * PIECE)
            rng = new_rng(np.random.SeedSequence([self.plan.seed, 2, self.rounds, piece]))
            chance = np.random.default_rng([self.plan.seed, 4, self.rounds, piece])
            if self.plan.targets == "returns":
                roots = self._drawn(records[thread], -(-PIECE // self.plan.length), rng, chance)
                self._play_on(records[thread], roots, states[part], targets[part], rng)
            else:
                states[part] = self._drawn(records[thread], PIECE, rng, chance)
                self._label(records[thread], states[part], targets[part], rng)

        with ThreadPoolExecutor(self.threads) as pool:
            for first in range(0, pieces, self.threads):
                together = range(first, min(first + self.threads, pieces))
                list(pool.map(work, range(len(together)), together))
                self.made = min(self.plan.positions, together.stop * PIECE)
                yield
        states, targets = states[: self.plan.positions], targets[: self.plan.positions]
        facts = {"kind": "positions with what they are worth", "round": self.rounds + 1}
        arrays = {"points": states["points"], "turn": states["turn"], "targets": targets[:, :OUTPUTS]}
        write_arrays(self._file(self.rounds), facts, arrays)
        return states, targets

    def _drawn(
        self, record: np.ndarray, count: int, rng: np.ndarray, chance: np.random.Generator
    ) -> np.ndarray:
        """Some positions of games."""
        drawn = np.zeros(DRAWN * count if self.plan.balanced else count, STATE)
        positions_of_games(record, start(), np.zeros(1, STATE), NOISES, EVERY, rng, drawn)
        return choose(drawn, count, chance) if self.plan.balanced else drawn

    def _play_on(
        self,
        record: np.ndarray,
        roots: np.ndarray,
        states: np.ndarray,
        targets: np.ndarray,
        rng: np.ndarray,
    ) -> None:
        """Positions of games that go on from roots, with their returns."""
        work, room, said = np.zeros(2, STATE), np.zeros(EVENTS), np.zeros_like(targets)
        by_returns(record, roots, self.plan.length, self.plan.lam, work, room, rng, said, states, targets)

    def _label(self, record: np.ndarray, states: np.ndarray, targets: np.ndarray, rng: np.ndarray) -> None:
        work, room = np.zeros(1, STATE), np.zeros(EVENTS)
        if self.plan.targets == "replies":
            by_best_replies(record, states, work, room, rng, targets)
        else:
            by_rollouts(record, states, work, room, self.plan.trials, self.plan.steps, rng, targets)

    def _read(self, number: int) -> tuple[np.ndarray, np.ndarray]:
        """The positions of a round before, from its file."""
        path = self._files[number] if self._files else self._file(number)
        _, arrays = read_arrays(path, "file of positions")
        try:
            points, turn, said = arrays["points"], arrays["turn"], arrays["targets"]
            if points.shape != (len(turn), 2, BAR + 1) or said.shape != (len(turn), OUTPUTS):
                raise ValueError
        except (KeyError, ValueError):
            raise InputError(f"{path} does not hold the positions of a round") from None
        targets = np.zeros((len(turn), LANES), np.float32)
        targets[:, :OUTPUTS] = said
        return states_of(points, turn), targets

    def words(self) -> str:
        """How it goes."""
        return f"round {min(self.rounds + 1, self.plan.rounds)}, off by {self.error:.4f} points"
