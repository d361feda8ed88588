"""Whether to double and to take, from the chances of wins, gammons and backgammons.

p is a player's chance to win; W and L are what he wins and loses on average, in units of the cube, gammons
and backgammons counted: his equity with a *dead* cube is E = p W − (1 − p) L. With a *live* one everybody
doubles at the moment at which the other may as well take as pass. Then E is a line, for money (R. Janowski,
*Take-Points in Money Games*, 1993)

- from (TP, −1) to (CP, 1) where the cube is in the middle, with TP = (L − ½) / (W + L + ½) the chance with
  which he may take, and CP = (L + 1) / (W + L + ½) the one with which the other may pass,
- from (0, −L) to (CP, 1) where he owns it, from (TP, −1) to (1, W) where the other does;
- beyond, from there to −L at p = 0 and to W at p = 1, where who is too good plays on for a gammon.

The truth lies between: **E = x E(live) + (1 − x) E(dead)**, with the cube's efficiency x (`efficiency_of`).

- no double: E with the cube as it is; double, take: 2 E with the cube on the other's side; double, pass: 1.

In a match, points are worth chances to win it (`match_equity`), and the lines are drawn in these. The cash
point at a cube of c follows from that at 2c, up to a cube that is dead because who has it needs no more: who
takes has, by his chance q, a line from losing 2c at q = 0 to cashing 2c at his own cash point, and takes
where that is better than losing c. Where the player on roll has enough with the cube as it is, the other one
redoubles for nothing in his next turn, and x is 1.

For money, where both have up to six checkers left, all at home, the tables of bear-offs know equities with
the cube, and nothing is estimated (`bearoff`).

Equities of matches are *normalised* (EMG): the chance to win the match, stretched so that winning the cube as
it shows is 1 and losing it is −1.

>>> even = decide(Chances(0.5, 0.1, 0.0, 0.1, 0.0))
>>> even.verdict, round(even.no_double, 3), round(even.double_take, 3)
('no double, take', 0.0, -0.34)
>>> decide(Chances(0.75)).verdict, decide(Chances(0.85)).verdict
('double, take', 'double, pass')
>>> round(decide(Chances(0.75), efficiency=0.0).take_point, 3)  # a dead cube
0.25
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from playout.errors import InputError
from playout.games.backgammon.bearoff import MoneyEquities, money_equities
from playout.games.backgammon.match_equity import Score
from playout.games.backgammon.state import (
    BAR,
    CENTRED,
    CHECKERS,
    HOME,
    OFF,
    OFFERED,
    TOP_CUBE,
    pips,
    power_of,
)

EFFICIENCY = 0.68  # x while the players are in contact, GNU Backgammon's estimate; Janowski has 2/3
_RACE = (0.6, 0.7)  # and in races, where it grows with the pips to go
_RACE_AT_0, _RACE_A_PIP = 0.55, 0.00125
_STEPS = 40  # of a search for a take point
_LITTLE = 1e-9


class Chances(NamedTuple):
    """Chances of ends of a game for one player; a gammon counts as a win too, a backgammon as both."""

    win: float
    win_gammon: float = 0.0
    win_backgammon: float = 0.0
    lose_gammon: float = 0.0
    lose_backgammon: float = 0.0

    @classmethod
    def of(cls, tallies: Sequence[float], player: int = 1) -> Chances:
        """A player's chances, from those of player 1 (`Facts.tallies`).

        >>> Chances.of([0.75, 0.25, 0.0, 0.125, 0.0], player=2)
        Chances(win=0.25, win_gammon=0.125, win_backgammon=0.0, lose_gammon=0.25, lose_backgammon=0.0)
        """
        win, gammon, backgammon, lost, lost_more = (float(chance) for chance in tallies)
        # An estimate may be a little beside what is possible.
        win = min(1.0, max(0.0, win))
        gammon, lost = min(win, max(0.0, gammon)), min(1.0 - win, max(0.0, lost))
        backgammon, lost_more = min(gammon, max(0.0, backgammon)), min(lost, max(0.0, lost_more))
        found = cls(win, gammon, backgammon, lost, lost_more)
        return found if player == 1 else found.other()

    def other(self) -> Chances:
        """The other player's."""
        return Chances(
            1.0 - self.win,
            self.lose_gammon,
            self.lose_backgammon,
            self.win_gammon,
            self.win_backgammon,
        )

    @property
    def equity(self) -> float:
        """What is won on average without the cube, in its units."""
        won = self.win + self.win_gammon + self.win_backgammon
        return won - (1.0 - self.win) - self.lose_gammon - self.lose_backgammon

    def checked(self) -> Chances:
        """These, if they are possible."""
        wins, losses = self[:3], (1.0 - self.win, *self[3:])
        for falling in (wins, losses):
            ordered = all(a >= b - _LITTLE for a, b in zip((1.0, *falling), (*falling, 0.0), strict=True))
            if not (ordered and np.isfinite(falling).all()):
                raise InputError(
                    "chances are from 0 to 1, and there are no more gammons than wins or losses, and no more "
                    f"backgammons than gammons: {tuple(round(chance, 4) for chance in self)}"
                )
        return self


@dataclass(frozen=True)
class _Side:
    """One player, and what he wins, as numbers of units of the cube with their shares of his wins."""

    shares: tuple[float, float, float]  # of his wins: plain, gammons, backgammons

    @classmethod
    def of(cls, win: float, gammon: float, backgammon: float) -> _Side:
        if win <= _LITTLE:
            return cls((1.0, 0.0, 0.0))
        return cls(((win - gammon) / win, (gammon - backgammon) / win, backgammon / win))


@dataclass(frozen=True)
class Stakes:
    """What points are worth: as they are, or in a match (score: from the side of the player on roll)."""

    score: Score | None = None

    def worth(self, points: int, first: bool = True) -> float:
        """What so many points are worth to the player on roll, or (first: False) to the other one."""
        if self.score is None:
            return float(points)
        if first:
            return self.score.after(points)
        return 1.0 - self.score.after(-points)

    def is_of_use(self, cube: int, first: bool) -> bool:
        """Whether a player has something to gain from a higher cube."""
        if self.score is None:
            return True
        away = self.score.mine if first else self.score.others
        return away > cube and not self.score.crawford

    def has_enough(self, cube: int, first: bool) -> bool:
        """Whether a player wins the match with the cube as it is."""
        return self.score is not None and (self.score.mine if first else self.score.others) <= cube


class _Lines:
    """The equity as a function of the chance to win, with shares of gammons as they are.

    Everything is in the worth of points (`Stakes`) to the player on roll.
    """

    def __init__(self, chances: Chances, stakes: Stakes) -> None:
        self._stakes = stakes
        self._sides = {
            True: _Side.of(chances.win, chances.win_gammon, chances.win_backgammon),
            False: _Side.of(1.0 - chances.win, chances.lose_gammon, chances.lose_backgammon),
        }

    def ends(self, cube: int, first: bool = True, gammons: bool = True) -> tuple[float, float]:
        """What a player has who is sure to lose, and who is sure to win."""
        mine, others = self._sides[first], self._sides[not first]
        plain = (1.0, 0.0, 0.0)
        won, lost = (mine.shares, others.shares) if gammons else (plain, plain)
        worth = self._stakes.worth
        low = sum(share * worth(-k * cube, first) for k, share in enumerate(lost, 1))
        high = sum(share * worth(k * cube, first) for k, share in enumerate(won, 1))
        return low, high

    def cash_point(self, cube: int, first: bool) -> float:
        """The chance of a player with which the other may as well pass his double: 1 − the other's TP."""
        if self._stakes.score is None:
            wins, losses = (
                sum(k * share for k, share in enumerate(self._sides[side].shares, 1))
                for side in (first, not first)
            )
            return (losses + 1.0) / (wins + losses + 0.5)
        low, high = self.ends(2 * cube, not first)
        top = 1.0
        if self._stakes.is_of_use(2 * cube, not first):  # he will double in his turn
            top, high = self.cash_point(2 * cube, not first), self._stakes.worth(2 * cube, not first)
        passed = self._stakes.worth(-cube, not first)
        if high - low <= _LITTLE:
            return 1.0
        return 1.0 - min(1.0, max(0.0, top * (passed - low) / (high - low)))

    def value(self, p: float, cube: int, users: frozenset[bool], x: float, gammons: bool = True) -> float:
        """E = x E(live) + (1 − x) E(dead). users: who may double (True: the player on roll)."""
        low, high = self.ends(cube, gammons=gammons)
        dead = low + (high - low) * p
        users = frozenset(first for first in users if self._stakes.is_of_use(cube, first))
        if not users:
            return dead
        if True not in users and self._stakes.has_enough(cube, first=True):
            x = 1.0  # the other will double for nothing, at once
        corners = [(0.0, low), (1.0, high)]
        if True in users:
            corners.append((self.cash_point(cube, first=True), self._stakes.worth(cube)))
        if False in users:
            corners.append((1.0 - self.cash_point(cube, first=False), self._stakes.worth(-cube)))
        at, worth = zip(*sorted(corners), strict=True)
        return x * float(np.interp(p, at, worth)) + (1.0 - x) * dead


@dataclass(frozen=True)
class CubeDecision:
    """What doubles and answers are worth to the player on roll.

    no_double, double_take, double_pass: his equity in units of the cube as it shows; in a match normalised
    (EMG). match_chances: the same as chances to win the match. take_point: the chance to win with which the
    other may take. cubeless: his equity if nobody ever doubles. may_double: whether he has the cube, and it
    is of use; redouble: whether he owns it. exact: whether equities are those of the tables of bear-offs.
    """

    chances: Chances
    no_double: float
    double_take: float
    double_pass: float
    take_point: float
    cubeless: float
    efficiency: float
    may_double: bool = True
    redouble: bool = False
    match_chances: tuple[float, float, float] | None = None
    exact: bool = False

    @property
    def takes(self) -> bool:
        """Whether the other should take."""
        return self.double_take <= self.double_pass

    @property
    def doubled(self) -> float:
        """What a double is worth."""
        return min(self.double_take, self.double_pass)

    @property
    def doubles(self) -> bool:
        """Whether he should double."""
        return self.may_double and self.doubled >= self.no_double + _LITTLE

    @property
    def is_too_good(self) -> bool:
        """Whether he has more from playing on than from a pass."""
        return self.may_double and self.no_double > self.double_pass + _LITTLE and not self.doubles

    @property
    def equity(self) -> float:
        """What the position is worth if both do the right thing."""
        return self.doubled if self.doubles else self.no_double

    @property
    def verdict(self) -> str:
        """The right thing, in words."""
        if not self.may_double:
            return "no double is possible"
        what = "redouble" if self.redouble else "double"
        answer = "take" if self.takes else "pass"
        if self.is_too_good:
            return f"too good to {what}, {answer}"
        return f"{what if self.doubles else f'no {what}'}, {answer}"

    def facts(self) -> dict[str, Any]:
        """As plain values, for machines."""
        return {
            "verdict": self.verdict,
            "no_double": round(self.no_double, 4),
            "double_take": round(self.double_take, 4),
            "double_pass": round(self.double_pass, 4),
            "take_point": round(self.take_point, 4),
            "cubeless": round(self.cubeless, 4),
            "efficiency": round(self.efficiency, 4),
            "chances": [round(chance, 4) for chance in self.chances],
            "match_chances": None
            if self.match_chances is None
            else [round(chance, 4) for chance in self.match_chances],
        }


def decide(
    chances: Chances,
    *,
    cube: int = 1,
    mine: bool | None = None,
    score: Score | None = None,
    jacoby: bool = False,
    efficiency: float = EFFICIENCY,
) -> CubeDecision:
    """Whether the player on roll should double, and the other take.

    chances: his. cube: what it shows. mine: whether it is his (False: the other's; None: in the middle).
    score: in a match; None for money. jacoby: gammons count only after a double. efficiency: x, from 0 (dead)
    to 1 (live).

    >>> decide(Chances(0.65), score=Score(2, 2)).verdict  # the cube is dead then
    'double, take'
    >>> decide(Chances(0.65), score=Score(1, 2, crawford=True)).verdict
    'no double is possible'
    """
    chances = chances.checked()
    power = power_of(cube)
    if not 0.0 <= efficiency <= 1.0:
        raise InputError(f"the cube's efficiency is from 0 (dead) to 1 (live), and not {efficiency:g}")
    if score is not None and (score.mine < 1 or score.others < 1):
        raise InputError(f"a match is over where somebody is {min(score.mine, score.others)} points away")
    stakes = Stakes(score)
    lines = _Lines(chances, stakes)
    users = frozenset((True, False) if mine is None else (mine,))
    p, x = chances.win, efficiency
    gammons = not (jacoby and score is None and mine is None)
    other = frozenset((False,))

    def taken(p: float) -> float:
        return lines.value(p, 2 * cube, other, x)

    passed = stakes.worth(cube)
    values = (lines.value(p, cube, users, x, gammons), taken(p), passed)
    scale = _Scale(stakes, cube)
    no_double, double_take, double_pass = (scale.equity(value) for value in values)
    dead = lines.value(p, cube, frozenset(), x, gammons)
    free = mine is not False and stakes.is_of_use(cube, first=True) and power < TOP_CUBE
    return CubeDecision(
        chances,
        no_double,
        double_take,
        double_pass,
        take_point=1.0 - _crossing(taken, passed),
        cubeless=scale.equity(dead),
        efficiency=efficiency,
        may_double=free,
        redouble=mine is True,
        match_chances=None if score is None else values,
    )


class _Scale:
    """Worth as equity: winning the cube is 1, losing it is −1."""

    def __init__(self, stakes: Stakes, cube: int) -> None:
        self._low, self._high = stakes.worth(-cube), stakes.worth(cube)

    def equity(self, worth: float) -> float:
        return (2.0 * worth - self._low - self._high) / (self._high - self._low)


def _crossing(taken: Any, passed: float) -> float:
    """The least chance of the player on roll with which a taken double is worth as much as a passed one."""
    low, high = 0.0, 1.0
    if taken(high) <= passed:
        return 1.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if taken(middle) > passed else (middle, high)
    return (low + high) / 2


# -- of states ------------------------------------------------------------------------------------------


def efficiency_of(state: Any) -> float:
    """The cube's efficiency x in a state, a record: in contact, and in races by the pips of who is on roll.

    >>> from playout.games.backgammon.ids import read_id
    >>> efficiency_of(read_id("4HPwATDgc/ABMA")[0])
    0.68
    """
    backs = [max((i for i in range(1, BAR + 1) if state.points[k, i]), default=0) for k in (0, 1)]
    if sum(backs) > BAR:
        return EFFICIENCY
    low, high = _RACE
    return min(high, max(low, _RACE_AT_0 + _RACE_A_PIP * pips(state, int(state.turn))))


def score_of(state: Any, player: int) -> Score | None:
    """How far the players are from winning the match, a player first; None where they play for money."""
    if not state.length:
        return None
    away = [int(state.length) - int(points) for points in state.score]
    return Score(away[player - 1], away[2 - player], bool(state.crawford))


def decision_of(state: Any, tallies: Sequence[float], efficiency: float | None = None) -> CubeDecision:
    """Whether who is on roll in a state should double, and the other take.

    state: a record, before the roll. tallies: the chances of ends from player 1's side (`Facts.tallies`), as
    `policy.api.estimate` and rollouts give them. efficiency: None takes an estimate (`efficiency_of`).

    >>> from playout.games.backgammon.ids import read_id
    >>> decision_of(read_id("4HPwATDgc/ABMA")[0], [0.525, 0.149, 0.007, 0.124, 0.005]).verdict
    'no double, take'
    """
    turn = int(state.turn)
    mine = None if state.owner == CENTRED else bool(state.owner == turn)
    found = decide(
        Chances.of(tallies, turn),
        cube=1 << int(state.cube),
        mine=mine,
        score=score_of(state, turn),
        jacoby=bool(state.jacoby),
        efficiency=efficiency_of(state) if efficiency is None else efficiency,
    )
    known = None if efficiency is not None or state.length else _known(state)
    if known is None:
        return found
    return replace(
        found,
        no_double={None: known.centred, True: known.own, False: known.others}[mine],
        double_take=2.0 * known.others,
        cubeless=known.cubeless,
        exact=True,
    )


def _known(state: Any) -> MoneyEquities | None:
    """What the tables of bear-offs say of a state, for who is on roll."""
    mine, theirs = state.points[int(state.turn) - 1], state.points[2 - int(state.turn)]
    if any(mine[HOME + 1 :]) or any(theirs[HOME + 1 :]) or CHECKERS in (mine[OFF], theirs[OFF]):
        return None
    return money_equities(mine[1 : HOME + 1].tolist(), theirs[1 : HOME + 1].tolist())


def equity_of(state: Any, tallies: Any, player: int) -> float:
    """What a state before a roll is worth to a player, in units of the cube; in a match normalised (EMG).

    With a cube in use (`state.doubling`) that counts what it may still do; else only the score matters.
    """
    found = decision_of(state, tallies, None if state.doubling else 0.0)
    value = found.equity if found.exact else found.no_double  # a table has the double apart
    if state.doubling == OFFERED:
        value = min(found.double_take, found.double_pass)
    return value if player == state.turn else -value
