"""Benchmarks of backgammon: random games, decisions of base players, trials of rollouts."""

from __future__ import annotations

from collections.abc import Callable

from playout.bench_tasks import Run, Task


def _backgammon(threads: int) -> Run:
    """Random games of backgammon."""
    from playout.bench_games import random_games
    from playout.games.registry import find_game

    return random_games(find_game("backgammon"))(threads)


def _decisions(policy: str) -> Callable[[int], Run]:
    """Decisions of a base player of backgammon, in games with itself."""

    def prepare(threads: int) -> Run:
        from playout.bench_games import decisions
        from playout.games.registry import find_game

        return decisions(policy, find_game("backgammon"), 55)(threads)

    return prepare


def _rollouts(settings: str) -> Callable[[int], Run]:
    """Trials of rollouts of the opening 3-1 of backgammon, as many of each play."""

    def prepare(threads: int) -> Run:
        from playout.bench_games import rollouts
        from playout.games.backgammon.as_position import BackgammonPosition

        position = BackgammonPosition.from_id("4HPwATDgc/ABMA", (3, 1))
        return rollouts(f"rollout:{settings},confidence=none,seed=1", position, threads)

    return prepare


BACKGAMMON: dict[str, Task] = {
    "bg-random": Task("random games of backgammon", _backgammon),
    **{
        f"bg-{base}": Task(f"decisions of {base}, backgammon", _decisions(base))
        for base in ("lin1", "lin3", "td10", "td80", "td")
    },
    **{
        f"bg-rollout-{base}": Task(
            f"trials of rollouts of backgammon, {base} to the end", _rollouts(f"base={base}")
        )
        for base in ("random", "lin1", "td80", "td")
    },
    **{
        f"bg-rollout-{base}-7": Task(
            f"trials of rollouts of backgammon, {base} for 7 steps", _rollouts(f"base={base},steps=7")
        )
        for base in ("td80", "td")
    },
    **{
        f"bg-rollout-{base}-threads": Task(
            f"trials of rollouts of backgammon, {base} to the end, 2 threads",
            _rollouts(f"base={base}"),
            threads=2,
        )
        for base in ("lin1", "td80")
    },
}
