"""Minorization–maximization for generalised Bradley–Terry models (Hunter 2004; Coulom 2007).

In each *competition* one of several *teams* has won. A team has members, each with a strength γ > 0, and
wins with probability in proportion to the product of its members' strengths. Each step takes every kind
of member (*column*) in turn and sets its strengths to

    γ_i = W_i / Σ_j C_ij / E_j

with W_i the wins of i, E_j the summed strength of all teams of competition j and C_ij that of the teams
with i, without i's own part. The likelihood grows at every step. Beside the data, each strength has won
and lost against a strength of 1 a few times, so that one that is hardly ever seen stays near 1.
"""

import numpy as np

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
