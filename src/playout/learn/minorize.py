"""Minorization–maximization for generalised Bradley–Terry models (Hunter 2004; Coulom 2007).

In each *competition* one of several *teams* has won. A team has members, each with a strength γ > 0, and
wins with probability in proportion to the product of its members' strengths. Each step takes every kind
of member (*column*) in turn and sets its strengths to

    γ_i = W_i / Σ_j C_ij / E_j

with W_i the wins of i, E_j the summed strength of all teams of competition j and C_ij that of the teams
with i, without i's own part. The likelihood grows at every step. Beside the data, each strength has won
and lost against a strength of 1 a few times, so that one that is hardly ever seen stays near 1.

A team may have a member several times, or less than not at all: γ to the power of a count n, which may be
negative (`Counts`). Who is in all teams of a competition does not matter, so each is given to all of them as
often as makes every count 0 or more. Then the same minorization leaves for each strength

    W_i = Σ_n n γ_i^n Σ_j C_ij / E_j      (the second sum over the teams that have i n times)

whose right side grows with γ_i: one root, found by Newton's method. With counts of 0 and 1 it is the formula
above.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from playout.kernel import kernel

NOBODY = -1  # in a column of teams: no member of that kind


def minorize(
    teams: np.ndarray,
    starts: np.ndarray,
    winners: np.ndarray,
    *,
    strengths: int,
    steps: int = 30,
    ties: float = 1.0,
) -> np.ndarray:
    """The strengths γ that explain who won.

    teams: a row for every team, a column for every kind of member, numbers of strengths or NOBODY.
    starts: the row at which each competition begins, and after the last the number of rows.
    winners: the row of each competition's winner. strengths: how many there are.
    ties: how often each has won and lost against a strength of 1 beside the data.

    >>> teams = np.array([[0], [1], [0], [1], [0], [1]])
    >>> minorize(teams, np.array([0, 2, 4, 6]), np.array([0, 2, 5]), strengths=2, ties=0.01).round().tolist()
    [1.0, 1.0]
    """
    gamma = np.ones(strengths + 1)  # the last one is NOBODY's and stays 1
    contest = np.repeat(np.arange(starts.size - 1), np.diff(starts))
    wins = np.bincount(teams[winners].ravel() % (strengths + 1), minlength=strengths + 1)
    strength = np.ones(len(teams))  # of each team
    for _ in range(steps):
        for column in teams.T:
            mates = strength / gamma[column]
            share = mates / np.add.reduceat(strength, starts[:-1])[contest]
            shares = np.bincount(column % (strengths + 1), share, minlength=strengths + 1)
            shares[NOBODY] = 0.0
            seen = shares > 0
            gamma[seen] = (wins + ties)[seen] / (shares + 2 * ties / (gamma + 1.0))[seen]
            strength = mates * gamma[column]
    return gamma[:NOBODY]


@dataclass(frozen=True)
class Counts:
    """Teams that have members any number of times; only who is in a team is written down, by strength."""

    rows: np.ndarray  # the teams that a strength is in
    times: np.ndarray  # and how often, 1 or more
    begins: np.ndarray  # by strength: where its teams begin; after the last, how many there are
    contest: np.ndarray  # by team: its competition
    starts: np.ndarray
    wins: np.ndarray  # by strength: how often it was in the winner

    @classmethod
    def of(cls, counts: np.ndarray, starts: np.ndarray, winners: np.ndarray) -> Counts:
        """From a table with a row for every team and a column for every strength."""
        contest = np.repeat(np.arange(starts.size - 1), np.diff(starts))
        rows, times = [], []
        for column in counts.T:
            lifted = column - np.minimum.reduceat(column, starts[:-1])[contest]
            there = np.flatnonzero(lifted)
            rows.append(there)
            times.append(lifted[there].astype(np.int64))
        begins = np.concatenate([[0], np.cumsum([len(part) for part in rows])])
        lowest = np.minimum.reduceat(counts.astype(np.int64), starts[:-1], axis=0)
        wins = (counts[winners].astype(np.int64) - lowest).sum(axis=0).astype(float)
        return cls(np.concatenate(rows), np.concatenate(times), begins, contest, starts, wins)


def minorize_counts(
    counts: Counts, gamma: np.ndarray | None = None, *, steps: int = 30, ties: float = 1.0
) -> np.ndarray:
    """The strengths γ that explain who won, where a team may have a member any number of times.

    gamma: to start from; all 1 if none are given.

    >>> teams = np.array([[1, 0], [0, 1], [0, 0]] * 2)  # the third team has nobody
    >>> counts = Counts.of(teams, np.array([0, 3, 6]), np.array([0, 5]))
    >>> minorize_counts(counts, steps=50, ties=0.001).round(2).tolist()
    [1.0, 0.0]
    """
    found = np.ones(counts.wins.size) if gamma is None else np.array(gamma, float)
    powers = np.zeros(len(counts.contest))
    for i in range(found.size):
        part = slice(counts.begins[i], counts.begins[i + 1])
        powers[counts.rows[part]] += counts.times[part] * math.log(found[i])
    _sweep(
        counts.rows,
        counts.times,
        counts.begins,
        counts.contest,
        counts.starts,
        counts.wins,
        powers,
        found,
        steps,
        ties,
    )
    return found


MOST_TIMES = 128
SMALLEST_STEP = 1e-3  # a strength that never wins falls so fast at most
ENOUGH = 1e-13


@kernel
def _sweep(rows, times, begins, contest, starts, wins, powers, gamma, steps, ties):
    """Go through all strengths, so many times. powers: the logarithm of each team's strength."""
    strength = np.empty(powers.size)
    sums = np.empty(starts.size - 1)
    share = np.empty(MOST_TIMES)
    for _ in range(steps):
        for j in range(starts.size - 1):  # anew each time, so that errors do not add up
            highest = -np.inf
            for k in range(starts[j], starts[j + 1]):
                highest = max(highest, powers[k])
            sums[j] = 0.0
            for k in range(starts[j], starts[j + 1]):
                powers[k] -= highest
                strength[k] = math.exp(powers[k])
                sums[j] += strength[k]
        for i in range(gamma.size):
            if begins[i] == begins[i + 1]:
                continue
            share[:] = 0.0
            most = 0
            for k in range(begins[i], begins[i + 1]):
                share[times[k]] += strength[rows[k]] / sums[contest[rows[k]]]
                most = max(most, times[k])
            pull = 2.0 * ties * gamma[i] / (gamma[i] + 1.0)  # of the strength of 1 beside the data
            u = _root(share, most, wins[i] + ties, pull)
            gamma[i] *= math.exp(u)
            for k in range(begins[i], begins[i + 1]):
                a = rows[k]
                powers[a] += times[k] * u
                now = math.exp(powers[a])
                sums[contest[a]] += now - strength[a]
                strength[a] = now


@kernel
def _root(share, most, wins, pull):
    """u with Σ n share_n e^{n u} + pull e^u = wins, but not below the logarithm of SMALLEST_STEP."""
    low, high = math.log(SMALLEST_STEP), -math.log(SMALLEST_STEP)
    u = 0.0
    for _ in range(100):
        value = pull * math.exp(u) - wins
        slope = pull * math.exp(u)
        for n in range(1, most + 1):
            x = n * share[n] * math.exp(n * u)
            value += x
            slope += n * x
        if value > 0.0:
            high = min(high, u)
        else:
            low = max(low, u)
        if abs(value) <= ENOUGH * (wins + slope):
            break
        u -= value / slope
        if not low < u < high:
            u = 0.5 * (low + high)
    return u
