"""Cube decisions from Janowski's model, step by step and slowly: every level of the cube by itself.

Points are worth themselves for money, and chances to win in a match. A player is "me" or "other"; equities
are those of the player named.
"""

from __future__ import annotations

from itertools import pairwise

DEEP = 40  # doublings after which a money cube is taken to be dead


def average(shares, worth, cube):
    """What a win is worth on average. shares: of plain wins, gammons, backgammons."""
    return sum(share * worth((k + 1) * cube) for k, share in enumerate(shares))


class Game:
    """One game: shares of wins of both, and what points are worth to each."""

    def __init__(self, shares, worth, enough):
        self.shares, self.worth, self.enough = shares, worth, enough  # by player

    def dead(self, who, p, cube):
        other = "other" if who == "me" else "me"
        won = average(self.shares[who], self.worth[who], cube)
        lost = average(self.shares[other], lambda points: self.worth[who](-points), cube)
        return p * won + (1 - p) * lost

    def take_point(self, who, cube, depth=0):
        """The chance with which a player may take a double of the other's from cube to 2 × cube."""
        passed = self.worth[who](-cube)
        lost = self.dead(who, 0.0, 2 * cube)
        if depth >= DEEP or self.enough[who] <= 2 * cube:
            at, best = 1.0, self.dead(who, 1.0, 2 * cube)
        else:  # he cashes where the other may as well pass
            other = "other" if who == "me" else "me"
            at, best = 1 - self.take_point(other, 2 * cube, depth + 1), self.worth[who](2 * cube)
        return at * (passed - lost) / (best - lost)

    def live(self, p, cube, users):
        """The live equity of "me"; users: who may double."""
        points = {0.0: self.dead("me", 0.0, cube), 1.0: self.dead("me", 1.0, cube)}
        if "me" in users and self.enough["me"] > cube:
            points[1 - self.take_point("other", cube)] = self.worth["me"](cube)
        if "other" in users and self.enough["other"] > cube:
            points[self.take_point("me", cube)] = self.worth["me"](-cube)
        places = sorted(points)
        for low, high in pairwise(places):
            if low <= p <= high:
                part = (p - low) / (high - low)
                return points[low] + part * (points[high] - points[low])
        raise ValueError(p)

    def value(self, p, cube, users, x):
        return x * self.live(p, cube, users) + (1 - x) * self.dead("me", p, cube)
