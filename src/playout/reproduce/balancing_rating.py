"""Table 1 of Silver & Tesauro (2009): Elo of each policy played directly and in simple Monte-Carlo search.

The policies of an experiment's folder, uniform play and MoGo's rules meet in a round robin (`policy_duels`).
Policy-gradient RL plays twice, as in the paper: with its last weights and with those of least error.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from playout.arena.elo import Ratings, rate
from playout.arena.results import Results, load_all
from playout.errors import InputError
from playout.files import write_bytes, write_text
from playout.games.go.memory.shipped import LEARNERS, is_shipped, policy_weights
from playout.games.go.policy import Softmax
from playout.reproduce.balancing import BEST, COURSES, LEVELS, read_experiment
from playout.reproduce.policy_duels import Duels, Entrant, round_robin

FLAT = "flat-"  # before the name of a policy in search
SIMS = 100
TWICE = "reinforce"
ZERO = "uniform"  # the player whose rating is 0


def shipped_policies(size: int, chosen: Sequence[str] | None = None) -> dict[str, str]:
    """The policies that come with the package for a board size: by their names here the words of weights."""
    words = {name: "balanced" if name == "balance" else name for name in COURSES}
    found = {}
    for name in COURSES if chosen is None else chosen:
        if words[name] in LEARNERS and (chosen is not None or is_shipped(words[name], size)):
            policy_weights(words[name], size)  # refuses what does not come along
            found[name] = words[name]
        elif chosen is not None:
            raise InputError(f"no policy {name} comes with the package: leave --shipped or {name} out")
    if not found:
        raise InputError(f"no policy comes with the package for {size}×{size} boards, as some do for 5×5")
    return found


def policy_files(folder: str | Path, chosen: Sequence[str] | None = None) -> dict[str, Path]:
    """The weights that play, by the policy's name: those that are finished, or the chosen ones of them."""
    found = {}
    for name in COURSES if chosen is None else chosen:
        place = Path(folder) / name
        if not (place / "weights.npz").exists():
            if chosen is not None:
                raise InputError(f"{folder} has no policy {name} that is finished: make that first")
        else:
            if name == TWICE and (place / BEST).exists():
                found[f"{name}-best"] = place / BEST
            found[name] = place / "weights.npz"
    return found


def entrants(
    folder: str | Path, sims: int = SIMS, chosen: Sequence[str] | None = None, shipped: bool = False
) -> list[Entrant]:
    """All players: each policy directly and in search. chosen: only these of those learnt.

    shipped: the policies that come with the package in place of those of the folder.
    """
    policies: dict[str, tuple[Any, str]] = {name: (policy, repr(policy)) for name, policy in LEVELS.items()}
    size = read_experiment(folder).size
    found = shipped_policies(size, chosen) if shipped else policy_files(folder, chosen)
    for name, weights in found.items():
        word = hashlib.sha256(policy_weights(str(weights), size).theta.tobytes()).hexdigest()[:16]
        policies[name] = (Softmax(weights=str(weights)), word)
    return [
        Entrant(f"{FLAT if each else ''}{name}", policy, each, f"{word} {each}")
        for name, (policy, word) in policies.items()
        for each in (0, sims)
    ]


def rate_policies(
    folder: str | Path,
    *,
    chosen: Sequence[str] | None = None,
    shipped: bool = False,
    pairs: int,
    opening: int,
    sims: int = SIMS,
    threads: int = 1,
    seed: int = 1,
    events: Sequence[str | Path] = (),
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[dict[str, Any]]:
    """Let the policies of a folder play each other, and rate them; a row for each policy.

    chosen: only these, and those that learn nothing; the games of others stay in duels.json. shipped: the
    policies that come with the package, not those of the folder. opening: random moves that a pair of games
    begins with: all players are random themselves, and on a small board such moves decide many games before
    they begin. events: games of other players with some of them, by the names of `entrants`, as `playout
    tournament` stores them; all are rated together, by the anchors of the events; without any, uniform play
    is 0, as in the paper. Writes duels.json (from which a repeated call goes on), duels.csv (every game, for
    `playout rate`), ratings.json and ratings.png.
    """
    place, experiment, others = Path(folder), read_experiment(folder), load_all(events)
    players = entrants(place, sims, chosen, shipped)
    if len(players) <= 2 * len(LEVELS):
        raise InputError(f"{folder} has no policy that is finished")
    names = {player.name for player in players}
    if events and not names & others.players.keys():
        raise InputError(f"the events have no player of this experiment in them, such as {players[-1].name}")
    duels = Duels(experiment.size, experiment.komi, opening, seed)
    round_robin(players, pairs, duels, place / "duels.json", threads=threads, progress=progress)
    lines = [f"{black},{white},{score:g}" for black, white, score in duels.results(names)]
    write_text(place / "duels.csv", "\n".join(["black,white,score", *lines]) + "\n")
    return _rated(place, asdict(experiment), players, duels, others, pairs, sims)


def _rated(
    place: Path,
    experiment: dict[str, Any],
    players: Sequence[Entrant],
    duels: Duels,
    others: Results,
    pairs: int,
    sims: int,
) -> list[dict[str, Any]]:
    """Ratings of all games, in ratings.json and ratings.png."""
    from playout.arena.plot import picture

    names = [player.name for player in players]
    results = [*duels.results(names), *others.games]
    base = rate(results, anchors=others.anchors)[ZERO] if others.anchors else 0.0
    ratings = rate(results, anchors={ZERO: base})
    games = {row.name: row.games for row in ratings.standings()}

    def told(name: str) -> dict[str, Any]:
        low, high = ratings.interval(name)
        gain, half = ratings.difference(name, FLAT + ZERO)
        return {
            "elo": round(ratings[name], 1),
            "interval": [round(low, 1), round(high, 1)],
            "over_uniform_in_search": [round(gain, 1), round(half, 1)],
            "games": games[name],
        }

    rows = [
        {"policy": name, "direct": told(name), "search": told(FLAT + name)}
        for name in names
        if not name.startswith(FLAT)
    ]
    facts = {
        "experiment": experiment,
        "scale": {"player": ZERO, "elo": round(base, 1), "anchors": others.anchors},
        "pairs": pairs,
        "simulations": sims,
        "opening": duels.opening,
        "seed": duels.seed,
        "policies": rows,
        "others": {name: told(name) for name in _beside(ratings, names)},
    }
    write_text(place / "ratings.json", json.dumps(facts, indent=1) + "\n")
    side = experiment["size"]
    title = f"Policies played directly and in search, {side}×{side}"
    groups = {}
    for name in names:
        is_search = name.startswith(FLAT)
        kind = f"in search, {sims} simulations a move" if is_search else "played directly"
        groups[name] = (name.removeprefix(FLAT), kind)
    write_bytes(place / "ratings.png", picture(ratings, "points", title, groups))
    return rows


def _beside(ratings: Ratings, names: Sequence[str]) -> list[str]:
    """The players of events that are none of ours."""
    return [name for name in ratings.players if name not in names]
