"""What a network sees of a backgammon board, from the words of the encoding; slow and plain.

A board is two lists of 26 counts, the roller's and the other's, each by its own points.
"""

from naive import backgammon as rules


def raw(side):
    found = []
    for n in side[1:26]:
        found += [float(n == 1), float(n >= 2), float(n >= 3), max(0, n - 3) / 2]
    for k in range(3):
        found.append(min(max(side[0] - 5 * k, 0), 5) / 5)
    return found


def rolls():
    return [(a, b) for a in range(1, 7) for b in range(1, 7)]


def hits(side, other):
    """What the other's throws can do to a side's checkers: hit, hit twice, hit at home, pips."""
    hitting = twice = at_home = pips = 0
    bar = side[25]
    for a, b in [roll for roll in rolls() if roll[0] >= roll[1]]:
        times = 1 if a == b else 2
        best_pips = most = far = 0
        for _, after in rules.plays((tuple(other), tuple(side)), (a, b)):
            lost = sum(p * n for p, n in enumerate(after)) - sum(p * n for p, n in enumerate(side))
            best_pips = max(best_pips, lost)
            most = max(most, after[25] - bar)
            far = far or any(side[p] == 1 and after[p] == 0 for p in range(1, 7))
        hitting += times * (most > 0)
        twice += times * (most > 1)
        at_home += times * bool(far)
        pips += times * best_pips
    return [hitting / 36, twice / 18, at_home / 18, pips / 360]


def reach(side_point, other, roll):
    """How far one checker on a point gets with a roll, alone; what lies 12 points ahead or more is free."""

    def free(pips):
        point = side_point - pips
        return pips > 12 or point < 1 or other[25 - point] < 2

    a, b = roll
    if a == b:
        moved = 0
        while moved < 4 and free((moved + 1) * a):
            moved += 1
        return moved * a
    best = max([die for die in roll if free(die)], default=0)
    return a + b if best and free(a + b) else best


def wall(point, other):
    return [k for k in range(1, 13) if point - k >= 1 and other[25 - (point - k)] >= 2]


def far(point, other):
    return sum(reach(point, other, roll) for roll in rolls()) / 36


def past(point, other):
    ahead = wall(point, other)
    return sum(reach(point, other, roll) > max(ahead, default=0) or not ahead for roll in rolls()) / 36


def rich(side, other):
    on = [(p, side[p]) for p in range(1, 26) if side[p]]
    checkers = sum(n for _, n in on)
    pips = sum(p * n for p, n in on)
    mean = pips / checkers
    rear = max(p for p, _ in on)
    others = [p for p, _ in on if p != rear]
    second = rear if side[rear] > 1 or not others else max(others)
    made = [p for p in range(1, 25) if side[p] > 1]
    home = sum(p <= 6 for p in made)
    longest = max(
        (k for k in range(1, 25) for p in range(1, 26 - k) if all(q in made for q in range(p, p + k))),
        default=0,
    )
    window = max(sum(low <= p < low + 6 for p in made) for low in range(1, 20))
    blots = [p for p, n in on if n == 1]
    front = 25 - max(p for p in range(1, 26) if other[p])
    open_far = sum(reach(25, [0] * 26, roll) for roll in rolls()) / 36
    return [
        pips / 167,
        rear / 25,
        home / 6,
        (home / 6) ** 2,
        min(longest, 6) / 6,
        window / 6,
        sum(p <= 6 for p in blots) / 3,
        len(blots) / 6,
        past(rear, other),
        far(rear, other) / 8,
        past(second, other),
        sum(n * (open_far - far(p, other)) for p, n in on if p > 12) / 20,
        1 - min(past(p, other) for p in range(13, 26)),
        float(any(p >= 19 for p in made)),
        float(any(19 <= p <= 21 for p in made)),
        (sum(n * p * p for p, n in on) / checkers - mean**2) / 60,
        sum(max(0, n - 3) for _, n in on) / 6,
        sum(n * (p - 6) for p, n in on if 6 < p <= 18) / 40,
        sum(n for p, n in on if p > 6) / 10,
        sum(n for p, n in on if p > front) / 15,
        sum(n * (p - front) for p, n in on if p > front) / 100,
        sum(n for p, n in on if p > 18) / 5,
    ]


def inputs(roller, other):
    mine, theirs = (sum(p * n for p, n in enumerate(side)) for side in (roller, other))
    contact = max(p for p in range(26) if roller[p]) + max(p for p in range(26) if other[p]) > 25
    return [
        *raw(roller),
        *raw(other),
        *hits(roller, other),
        *hits(other, roller),
        *rich(roller, other),
        *rich(other, roller),
        float(contact),
        (theirs - mine) / 60,
        4 * (theirs - mine) / (theirs + mine),
    ]
