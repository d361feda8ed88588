"""Benchmarks of any game: random games and tree search, beside OpenSpiel's where that has the game."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from playout.bench_tasks import Run, Task, shared
from playout.errors import InputError
from playout.games.game import Game
from playout.games.position import Position
from playout.kernel import new_rng, spawn
from playout.player.registry import make_player, make_policy, players_of
from playout.policy.api import Copies
from playout.policy.random import Random
from playout.search.simulation import evaluate

MEASURED = ("uct", "rave")
SEARCH = 10_000  # simulations of a search


def tasks_of(game: Game, options: Any, peer: str | None = None) -> dict[str, Task]:
    """What there is to measure of a game. peer: the name of the same game in OpenSpiel."""
    tasks = {"random": Task(f"random games of {game.name}", random_games(game, options))}
    for name in MEASURED:
        if name in players_of(game):
            tasks[name] = Task(f"simulations of {name}, {game.name}", _tree(f"{name}:policy=", game, options))
    tasks["uct-threads"] = Task(
        f"simulations of uct, {game.name}, 2 threads", _tree("uct:policy=", game, options), threads=2
    )
    if peer is not None:
        tasks["open_spiel-mcts"] = Task(
            f"simulations of open_spiel's C++ MCTSBot, {peer} (a peer)", _peer(peer), needs="pyspiel"
        )
    return tasks


def random_games(game: Game, options: Any = None) -> Callable[[int], Run]:
    """Games of random moves from the start."""

    def prepare(threads: int) -> Run:
        root = game.new_position(options).simulation_root()
        policies = Copies(Random(), threads).at(root)
        rngs, works = spawn(1, threads), [np.empty(1, root.dtype) for _ in range(threads)]
        return shared(lambda k, n: evaluate(root, works[k], policies[k], n, rngs[k])[1], threads)

    return prepare


def rollouts(spec: str, position: Position, threads: int) -> Run:
    """Trials of rollouts of a position, by a player of its game."""
    player: Any = make_player(f"{spec},threads={threads}", position.game)
    plays = len(position.candidates())

    def run(count: int) -> tuple[int, int | None]:
        trials = max(1, round(count / plays))
        player.prepare(position, trials=trials).run()
        return trials * plays, None

    return run


def decisions(policy: str, game: Game, turns: int) -> Callable[[int], Run]:
    """Decisions of a policy in games with itself, where one roll goes with each. turns: so many a game."""

    def prepare(threads: int) -> Run:
        root = game.new_position().simulation_root()
        policies, rng = Copies(make_policy(policy, game)).at(root)[0], new_rng(1)
        work = np.empty(1, root.dtype)

        def run(count: int) -> tuple[int, int | None]:
            _, moves = evaluate(root, work, policies, max(1, count // turns), rng)
            return moves // 2, None

        return run

    return prepare


def _searches(search: Callable[[int], None]) -> Run:
    """Simulations in searches as long as a move's, ours and a peer's alike: a tree slows down as it grows."""

    def run(count: int) -> tuple[int, int | None]:
        for done in range(0, count, SEARCH):
            search(min(SEARCH, count - done))
        return count, None

    return run


def _tree(spec: str, game: Game, options: Any) -> Callable[[int], Run]:
    """Simulations of a tree search from the start."""

    def prepare(threads: int) -> Run:
        position = game.new_position(options).settle(new_rng(1))
        player: Any = make_player(f"{spec}{game.default_policy},seed=1,threads={threads}", game)

        def search(count: int) -> None:
            player.new_game()
            player.prepare(position).run(count)

        return _searches(search)

    return prepare


def _load(name: str) -> Any:
    import pyspiel

    try:
        return pyspiel.load_game(name)
    except pyspiel.SpielError as error:
        raise InputError(f"OpenSpiel has no game {name!r}: {str(error).splitlines()[0][:120]}") from None


def _peer(name: str) -> Callable[[int], Run]:
    def prepare(threads: int) -> Run:
        import pyspiel

        game = _load(name)
        state = game.new_initial_state()

        def search(count: int) -> None:
            evaluator = pyspiel.RandomRolloutEvaluator(1, 1)
            pyspiel.MCTSBot(game, evaluator, 1.4, count, 1000, False, 1, False).step(state)

        return _searches(search)

    return prepare
