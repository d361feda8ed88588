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
    gamma = np.ones(strengths)
    sizes = np.diff(starts)
    contest = np.repeat(np.arange(sizes.size), sizes)
    for _ in range(steps):
        for column in range(teams.shape[1]):
            member = teams[:, column]
            present = member != NOBODY
            wins = np.bincount(member[winners][member[winners] != NOBODY], minlength=strengths)
            mates = np.ones(len(teams))
            for other in range(teams.shape[1]):
                if other != column:
                    mates *= np.where(teams[:, other] == NOBODY, 1.0, gamma[teams[:, other]])
            strength = mates * np.where(present, gamma[member], 1.0)
            total = np.add.reduceat(strength, starts[:-1])
            shares = np.bincount(member[present], (mates / total[contest])[present], minlength=strengths)
            seen = np.bincount(member[present], minlength=strengths) > 0
            renewed = (wins + ties) / (shares + 2 * ties / (gamma + 1.0))
            gamma = np.where(seen, renewed, gamma)
    return gamma
