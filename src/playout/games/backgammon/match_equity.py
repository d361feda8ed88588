"""The chance to win a match at a score: a match equity table, as facts.

The numbers up to 25 points away are those of the Kazaross XG2 table (N. Kazaross, 2011: rollouts of eXtreme
Gammon to 9 points and of GNU Backgammon to 15, extended to 25 by projected take points), which GNU Backgammon
uses too. Beyond 25 points the score is taken as the end of a random walk: the chance is Φ(lead / (σ √(a + b +
c))), where a and b are the points that the players are away; σ and c fit the table from 13 to 25 points
within 0.0024.

>>> match_equity(2, 4)
0.6687
>>> match_equity(4, 1, post_crawford=True)
0.31002
"""

from __future__ import annotations

from functools import cache
from math import erf, sqrt
from typing import NamedTuple

LONGEST = 25  # points away that the table has
_SPREAD, _MORE = 1.8, 0.4  # σ and c
_DOUBLED_GAME = 0.6  # what two points more leave of the trailer's chance after the Crawford game

# By points away, of who is nearer to the end (rows) and of the other (from one more on): millionths.
_BEFORE = """
677360 750760 814360 841790 887310 907240 932500 944020 959275 966442 975534 979845 985273 987893
991140 992730 994670 995630 996790 997370 998070 998420 998840 999050
599470 668700 743590 799400 842250 875390 901970 923034 939311 952470 962495 970701 976887 981960
985800 988930 991290 993220 994660 995850 996750 997460 998020
571500 647950 711230 762090 804680 840170 870638 894417 914831 930702 944426 954931 963990 970930
976870 981390 985220 988140 990620 992480 994070 995270
577320 642850 699240 745770 787990 824059 853955 879141 900233 918040 932657 944950 954990 963410
970210 975890 980440 984220 987260 989750 991740
566350 626380 677860 725400 767055 802732 833654 859934 882866 902013 918470 932230 943970 953670
961890 968640 974320 978960 982830 986000
562610 616360 667870 713057 753427 788634 819569 846648 869999 890210 907560 922460 935080 945830
954880 962540 968940 974320 978790
554800 608540 656283 700209 739054 774121 805203 832566 856590 877610 895910 911710 925350 937020
947030 955530 962760 968870
554420 603718 649899 691356 729447 763593 794397 821580 845780 867140 885890 902300 916580 928980
939680 948910 956820
550196 597926 641481 682119 718927 752814 783010 810370 834830 856620 875910 892940 907910 920980
932400 942300
548547 593459 635880 674830 711113 743710 773750 800930 825430 847410 867030 884480 899910 913530
925500
545552 589242 629736 667927 703030 735300 764940 791980 816480 838620 858490 876290 892140 906220
544068 585701 625259 661780 696100 727780 757030 783810 808260 830440 850510 868560 884760
541943 582545 620360 656190 689660 720810 749630 776190 800540 822760 842950 861230
540750 579420 616340 651170 683910 714480 742900 769170 793390 815590 835860
539160 576790 612610 646590 678590 708620 736640 762650 786690 808830
537960 574410 609290 642410 673760 703230 730840 756570 780460
536760 572220 606180 638560 669250 698220 725420 750870
535740 570230 603360 635010 665100 693560 720380
534750 568380 600730 631710 661220 689210
533870 566670 598300 628640 657600
533030 565080 596030 625760
532260 563600 593910
531530 562210
530860
"""
# After the Crawford game, of who is so many points away, from 2 on, where the other one needs one.
_AFTER = """
488030 322640 310020 190120 180720 115590 109060 069530 065161 042069 039060 025371 023428 015304
014050 009240 008420 005560 005050 003360 003030 002030 001820 001230
"""


@cache
def _table() -> dict[tuple[int, int], float]:
    numbers = iter(_BEFORE.split())
    pairs = [(one, two) for one in range(1, LONGEST) for two in range(one + 1, LONGEST + 1)]
    return {pair: int(next(numbers)) / 1e6 for pair in pairs}


@cache
def _after_crawford() -> tuple[float, ...]:
    return (0.5, *(int(number) / 1e6 for number in _AFTER.split()))


def match_equity(mine: int, others: int, post_crawford: bool = False) -> float:
    """A player's chance to win a match, before a game. mine, others: points that the players are away.

    post_crawford: whether the Crawford game is over; else who needs one point is about to play it.
    """
    if mine <= 0 or others <= 0:
        return 1.0 if mine <= 0 else 0.0
    if mine == others:
        return 0.5
    if mine > others:
        if post_crawford and others == 1:
            known = _after_crawford()
            if mine <= LONGEST:
                return known[mine - 1]
            last = LONGEST - (LONGEST - mine) % 2  # two points more need a won game more
            return known[last - 1] * _DOUBLED_GAME ** ((mine - last) // 2)
        return 1.0 - match_equity(others, mine)
    if post_crawford and mine == 1:
        return 1.0 - match_equity(others, mine, post_crawford)
    if others <= LONGEST:
        return _table()[mine, others]
    walk = 0.5 + erf((others - mine) / (_SPREAD * sqrt(2 * (mine + others + _MORE)))) / 2
    return max(walk, match_equity(min(mine, LONGEST), LONGEST))


class Score(NamedTuple):
    """The points that two players are away from winning a match, the player first of whom we speak.

    crawford: whether this is the Crawford game.
    """

    mine: int
    others: int
    crawford: bool = False

    def after(self, points: int) -> float:
        """The player's chance to win the match when this game has ended with so many points for him.

        >>> Score(2, 4).after(-2)  # the other one is as far now
        0.5
        >>> Score(1, 4, crawford=True).after(-2) == match_equity(1, 2, post_crawford=True)
        True
        """
        away = (self.mine - points, self.others) if points > 0 else (self.mine, self.others + points)
        return match_equity(*away, post_crawford=1 in (self.mine, self.others))
