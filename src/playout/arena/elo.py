"""Ratings from games: Bradley–Terry with draws and a first-move term, by maximum a posteriori.

The model (Davidson 1970). Black, rated r, meets White, rated s; h is what the first move is worth; all three
in natural units. With x = r − s + h the outcomes are in the ratio

    Black wins : White wins : draw  =  e^(x/2) : e^(−x/2) : ν

Without draws ν = 0, which is Bradley–Terry. The logarithm of the likelihood is concave, so Newton's method
finds its one maximum.

The prior. Each player has drawn `prior` games against the opponents it really had, in the same proportion
(as bayeselo does it); so a player without a win, or without a loss, has a finite rating, and two players are
rated as `playout match` rates them. What no game tells (players who never met, not even through others) is
held by normal distributions that are very wide.

Elo. 400 points are a factor of ten in the odds. Where draws are common the same odds mean a smaller edge in
points, so natural units are scaled to give the usual Elo curve near even strength. Ratings are fixed by
anchors, or else their mean is 0. The covariance is the inverse of the curvature at the maximum (Laplace), of
all parameters together; intervals are of what is shown: the distance to the anchor or to the mean.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from playout.errors import InputError, near
from playout.games.go.coords import shown
from playout.settings import checked

NATURAL = 400 / math.log(10)  # Elo points in a natural unit
GNU_GO = 1800.0  # level 10, by convention (thesis 6.9)
Z95 = 1.959963984540054  # 97.5 % quantile of the normal distribution
UNKNOWN = 2000 / NATURAL  # standard deviations of the prior: a player nobody has met,
FIRST_MOVE = 200 / NATURAL  # the first move,
DRAWS = 2.0  # the logarithm of ν
CLOSE = 1e-6  # natural units: the last step of Newton's method
ROUNDING = 1e-12  # relative, of the posterior

Result = tuple[str, str, float]  # Black, White, Black's score: 1, ½ or 0


@dataclass(frozen=True)
class Standing:
    """One player's line of the table."""

    name: str
    elo: float
    low: float  # 95 % interval
    high: float
    games: int
    wins: int
    draws: int
    losses: int
    known: bool = True  # False where neither a game nor an anchor says anything; elo is then only the prior's

    @property
    def points(self) -> float:
        """Wins, and half of the draws."""
        return self.wins + self.draws / 2


@dataclass(frozen=True)
class Ratings:
    """The ratings of some players, and how sure they are."""

    players: tuple[str, ...]
    elo: np.ndarray  # [n]
    covariance: np.ndarray  # [n, n], of the ratings as shown, in Elo²
    wins: np.ndarray  # [n, n]: games that the first player won as Black against the second
    draws: np.ndarray  # [n, n]: drawn, with the first player as Black
    losses: np.ndarray  # [n, n]: lost as Black
    first_move: float  # what it is worth to Black, in Elo
    first_move_error: float  # half its 95 % interval
    draw_rate: float  # between equals, if neither is first
    anchors: dict[str, float]

    def __getitem__(self, name: str) -> float:
        """A player's rating."""
        return float(self.elo[self._index(name)])

    def __repr__(self) -> str:
        lines = [f"{s.name} {s.elo:.0f} ± {(s.high - s.low) / 2:.0f}" for s in self.standings()]
        return f"Ratings({', '.join(lines)})"

    def interval(self, name: str) -> tuple[float, float]:
        """A player's rating, 95 % interval."""
        k = self._index(name)
        half = Z95 * math.sqrt(self.covariance[k, k])
        return float(self.elo[k] - half), float(self.elo[k] + half)

    def difference(self, a: str, b: str) -> tuple[float, float]:
        """How much better a is than b, and half the 95 % interval of that."""
        i, j, c = self._index(a), self._index(b), self.covariance
        return float(self.elo[i] - self.elo[j]), Z95 * math.sqrt(max(0.0, c[i, i] + c[j, j] - 2 * c[i, j]))

    def superiority(self, a: str, b: str) -> float:
        """The likelihood that a is better than b."""
        gap, half = self.difference(a, b)
        if half == 0.0:
            return 0.5 if gap == 0 else float(gap > 0)
        return 0.5 * math.erfc(-gap / half * Z95 / math.sqrt(2))

    def standings(self) -> list[Standing]:
        """The table, best first; those of whom nothing is known at its end."""
        won = (self.wins.sum(1) + self.losses.sum(0)).astype(int)
        lost = (self.losses.sum(1) + self.wins.sum(0)).astype(int)
        drawn = (self.draws.sum(1) + self.draws.sum(0)).astype(int)
        known = np.array([self.is_known(name) for name in self.players], bool)
        order = np.lexsort((-self.elo, ~known))
        return [
            Standing(
                self.players[k],
                float(self.elo[k]),
                *self.interval(self.players[k]),
                int(won[k] + drawn[k] + lost[k]),
                int(won[k]),
                int(drawn[k]),
                int(lost[k]),
                bool(known[k]),
            )
            for k in order
        ]

    def is_known(self, name: str) -> bool:
        """Whether a game or an anchor says anything of a player; else its rating is the prior's.

        >>> rate([("Ann", "Bob", 1)], players=["Ann", "Bob", "Cid"]).is_known("Cid")
        False
        """
        k = self._index(name)
        return name in self.anchors or bool(self.games[k].any() or self.games[:, k].any())

    def score(self, a: str, b: str) -> tuple[float, int]:
        """The points that a has made against b, in how many games."""
        i, j = self._index(a), self._index(b)
        if i == j:
            return float(self.games[i, i]) / 2, int(self.games[i, i])
        points = self.wins[i, j] + self.losses[j, i] + (self.draws[i, j] + self.draws[j, i]) / 2
        return float(points), int(self.games[i, j] + self.games[j, i])

    @cached_property
    def games(self) -> np.ndarray:
        """How many games the first player had with Black against the second, [n, n]."""
        return self.wins + self.draws + self.losses

    def facts(self) -> dict[str, Any]:
        """The table as plain numbers, for machines."""
        table = self.standings()
        return {
            "players": [
                {
                    "name": row.name,
                    "elo": row.elo if row.known else None,
                    "interval": [row.low, row.high] if row.known else None,
                    "games": row.games,
                    "wins": row.wins,
                    "draws": row.draws,
                    "losses": row.losses,
                    "score": row.points / row.games if row.games else None,
                    "superiority": {
                        other.name: self.superiority(row.name, other.name) for other in table if other != row
                    },
                    "against": {
                        other.name: dict(
                            zip(("points", "games"), self.score(row.name, other.name), strict=True)
                        )
                        for other in table
                        if other != row and self.score(row.name, other.name)[1]
                    },
                }
                for row in table
            ],
            "games": int(self.games.sum()),
            "first_move": {"elo": self.first_move, "error": self.first_move_error},
            "draw_rate": self.draw_rate,
            "anchors": self.anchors,
        }

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: k for k, name in enumerate(self.players)}

    def _index(self, name: str) -> int:
        if name not in self._numbers:
            raise InputError(f"there is no player {shown(name)}{near(name, self.players)}")
        return self._numbers[name]


@checked
def rate(
    results: Iterable[Result],
    *,
    players: Sequence[str] = (),
    anchors: Mapping[str, float] | None = None,
    prior: float = 1.0,
    first_move: bool = True,
) -> Ratings:
    """Rate players by their games.

    results: Black, White, and Black's score (1, 0.5 or 0) of each game. players: those without a game too.
    anchors: players whose ratings are known. prior: drawn games that each player is given. first_move:
    whether Black may have an advantage or a disadvantage.

    >>> ratings = rate([("Ann", "Bob", 1), ("Bob", "Ann", 0), ("Ann", "Bob", 0)], anchors={"Bob": 1000})
    >>> round(ratings["Ann"])
    1111
    >>> round(ratings.superiority("Ann", "Bob"), 2)
    0.72
    """
    if not (prior >= 0 and math.isfinite(prior)):
        raise InputError(f"a prior of {prior} drawn games is not a number of at least 0")
    names, counts = _count(results, players)
    fixed = _check_anchors(anchors or {}, names)
    fit = _Fit(counts, prior, first_move)
    if len(fixed) > 1:
        center = sum(fixed.values()) / len(fixed)
        fit.solve({k: elo - center for k, elo in fixed.items()})
        elo, covariance = fit.anchored(fixed)
    else:
        fit.solve({})
        elo, covariance = fit.relative(next(iter(fixed), None))
        elo += next(iter(fixed.values()), 0.0)
    return Ratings(
        players=tuple(names),
        elo=elo,
        covariance=covariance,
        wins=counts[0],
        draws=counts[1],
        losses=counts[2],
        first_move=fit.first_move,
        first_move_error=fit.first_move_error,
        draw_rate=fit.nu / (2 + fit.nu),
        anchors={names[k]: elo for k, elo in fixed.items()},
    )


_NAME = re.compile(r"gnu[\s_-]?go", re.IGNORECASE)
_NAMED_LEVEL = re.compile(r"(?:level|lvl|[\s_-]l|gnu[\s_-]?go)[\s=_-]*(\d+)(?![\d.])", re.IGNORECASE)
_COMMAND = re.compile(r"gtp:(?:.*[\s/\\])?gnugo[\w.-]*(?:\s|$)")
_LEVEL = re.compile(r"--level[\s=]+(\d+)")


def default_anchors(players: Iterable[str] | Mapping[str, str]) -> dict[str, float]:
    """GNU Go level 10, which is 1800 by convention; 10 is its level where none is given.

    players: names that tell it (or that are specs), or specs by name, which then decide.

    >>> default_anchors(["mogo", "gtp:gnugo --mode gtp --level 10", "gtp:gnugo --mode gtp --level 0"])
    {'gtp:gnugo --mode gtp --level 10': 1800.0}
    >>> default_anchors({"weak": "gtp:gnugo --mode gtp --level 1", "anti-gnugo": "mogo:sims=100"})
    {}
    """
    found = {}
    for name in players:
        spec = players[name] if isinstance(players, Mapping) else ""
        text = spec or name
        if text.startswith("gtp:"):
            is_anchor, levels = _COMMAND.match(text), _LEVEL.findall(text)
        else:
            is_anchor, levels = None if spec else _NAME.search(text), _NAMED_LEVEL.findall(text)
        if is_anchor and all(level == "10" for level in levels):
            found[name] = GNU_GO
    return found


def _count(results: Iterable[Result], players: Sequence[str]) -> tuple[list[str], np.ndarray]:
    """The players, and how often Black won, drew and lost, [3, n, n]."""
    index = {name: k for k, name in enumerate(dict.fromkeys(players))}
    tally: Counter[Result] = Counter(map(tuple, results))  # type: ignore[arg-type]
    for game in tally:
        if len(game) != 3:
            raise InputError(f"a game is Black, White and Black's score, and {shown(game)} is not")
    for black, white, score in tally:
        if score not in (0, 0.5, 1):
            raise InputError(f"a score of {score} in a game of {shown(black)} is not 0, 0.5 or 1")
        index.setdefault(black, len(index))
        index.setdefault(white, len(index))
    counts = np.zeros((3, len(index), len(index)))
    for (black, white, score), number in tally.items():
        counts[int(2 - 2 * score), index[black], index[white]] = number
    return list(index), counts


def _check_anchors(anchors: Mapping[str, float], names: list[str]) -> dict[int, float]:
    for name, elo in anchors.items():
        if name not in names:
            raise InputError(f"the anchor {shown(name)} is not among the players{near(name, names)}")
        if not math.isfinite(elo):
            raise InputError(f"the anchor {shown(name)} needs a rating, not {elo}")
    return {names.index(name): float(elo) for name, elo in anchors.items()}


class _Fit:
    """The maximum and the curvature there, in natural units: ratings, then first move, then ln ν."""

    def __init__(self, counts: np.ndarray, prior: float, first_move: bool) -> None:
        self.n = n = counts.shape[1]
        self.counts = counts
        self.has_draws = bool(counts[1].any())
        # Drawn games of the prior, by pair: each player's, dealt to its opponents as its games are.
        games = counts.sum(0)
        games = games + games.T
        np.fill_diagonal(games, 0)
        share = games / np.maximum(1, games.sum(1, keepdims=True))
        self.imagined = np.triu(prior * (share + share.T) / 2)
        # What is not in the model has no variance.
        wide = np.array([FIRST_MOVE if first_move else 0.0, DRAWS if self.has_draws else 0.0])
        self.free = np.concatenate([np.ones(n, bool), wide > 0])
        self.precision = np.concatenate([np.full(n, UNKNOWN**-2), np.where(wide > 0, wide, 1.0) ** -2])
        self.theta = np.zeros(n + 2)
        self.inverse = np.zeros((n + 2, n + 2))

    @property
    def nu(self) -> float:
        return math.exp(self.theta[-1]) if self.has_draws else 0.0

    @property
    def scale(self) -> float:
        """Elo in a natural unit: the score rises by 1 / (4 + 2ν) a unit near even, where Elo's rises by ¼."""
        return NATURAL * 2 / (2 + self.nu)

    @property
    def first_move(self) -> float:
        return float(self.theta[self.n] * self.scale)

    @property
    def first_move_error(self) -> float:
        return Z95 * self.scale * math.sqrt(self.inverse[self.n, self.n])

    def solve(self, fixed: Mapping[int, float]) -> None:
        """Find the maximum with some ratings held (in Elo, around 0)."""
        self.free[list(fixed)] = False
        scale = 0.0
        for _ in range(50):  # the scale depends on ν, and what is held on the scale; without draws once
            if abs(self.scale - scale) < 1e-9 * NATURAL:
                break
            scale = self.scale
            for k, elo in fixed.items():
                self.theta[k] = elo / scale
            self._newton()
            if not fixed:
                break

    def _newton(self) -> None:
        value, slope, curvature = self._posterior(self.theta)
        free = np.ix_(self.free, self.free)
        for _ in range(100):
            step = np.linalg.solve(curvature[free], slope[self.free])
            length = 1.0
            while True:
                trial = self.theta.copy()
                trial[self.free] += length * step
                found = self._posterior(trial)
                if found[0] >= value - ROUNDING * abs(value) or length < ROUNDING:
                    break
                length /= 2
            self.theta = trial
            value, slope, curvature = found
            if np.abs(step).max(initial=0.0) < CLOSE:  # the next one would be about its square
                break
        self.inverse[:] = 0.0
        self.inverse[free] = np.linalg.inv(curvature[free])

    def _posterior(self, theta: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        """The logarithm of the posterior, its gradient, and the negative of its second derivative."""
        n, r = self.n, theta[: self.n]
        won, drawn, lost = self.counts
        games = won + drawn + lost
        gap = r[:, None] - r[None, :]
        half = (gap + theta[n]) / 2
        log_nu = theta[n + 1] if self.has_draws else -np.inf
        total = np.logaddexp(np.logaddexp(half, -half), log_nu)
        p_win, p_loss, p_draw = np.exp(half - total), np.exp(-half - total), np.exp(log_nu - total)
        edge = p_win - p_loss
        # By x: the gradient, and the variance of what multiplies it (½ for a win, −½ for a loss).
        by_x = (won - lost - games * edge) / 2
        var_x = games * (p_win + p_loss - edge * edge) / 4
        var_d = float((games * p_draw * (1 - p_draw)).sum())
        cov_xd = -games * p_draw * edge / 2
        value = float(((won - lost) * half).sum() - (games * total).sum())
        value += float(drawn.sum()) * log_nu if self.has_draws else 0.0

        # The imagined draws: half a win and half a loss, without a first move.
        mean = np.exp(gap / 2 - np.logaddexp(gap / 2, -gap / 2))
        by_gap = by_x + self.imagined * (0.5 - mean)
        var_gap = var_x + self.imagined * mean * (1 - mean)
        value -= float((self.imagined * np.logaddexp(gap / 2, -gap / 2)).sum())

        slope = np.zeros(n + 2)
        slope[:n] = by_gap.sum(1) - by_gap.sum(0)
        slope[n] = by_x.sum()
        slope[n + 1] = float(drawn.sum() - (games * p_draw).sum())
        slope -= self.precision * theta

        curvature = np.zeros((n + 2, n + 2))
        curvature[:n, :n] = np.diag(var_gap.sum(1) + var_gap.sum(0)) - var_gap - var_gap.T
        curvature[:n, n] = curvature[n, :n] = var_x.sum(1) - var_x.sum(0)
        curvature[n, n] = var_x.sum()
        curvature[:n, n + 1] = curvature[n + 1, :n] = cov_xd.sum(1) - cov_xd.sum(0)
        curvature[n, n + 1] = curvature[n + 1, n] = cov_xd.sum()
        curvature[n + 1, n + 1] = var_d
        curvature[np.diag_indices(n + 2)] += self.precision
        return value - float((self.precision * theta * theta).sum()) / 2, slope, curvature

    def relative(self, anchor: int | None) -> tuple[np.ndarray, np.ndarray]:
        """Elo and its covariance with the anchor, or else the mean, at 0."""
        n = self.n
        minus = np.eye(n) - (1 / max(1, n) if anchor is None else np.eye(n)[anchor])
        rating = minus @ self.theta[:n]
        # How the shown rating moves with each parameter; with ln ν through the scale.
        by = np.zeros((n, n + 2))
        by[:, :n] = self.scale * minus
        by[:, n + 1] = -rating * self.scale * self.nu / (2 + self.nu)
        return rating * self.scale, by @ self.inverse @ by.T

    def anchored(self, fixed: Mapping[int, float]) -> tuple[np.ndarray, np.ndarray]:
        """Elo and its covariance with some ratings held."""
        n, center = self.n, sum(fixed.values()) / len(fixed)
        elo = self.theta[:n] * self.scale + center
        elo[list(fixed)] = list(fixed.values())
        return elo, self.inverse[:n, :n] * self.scale**2
