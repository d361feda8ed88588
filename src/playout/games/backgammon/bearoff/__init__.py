"""Bear-offs by exact tables of our own making: for kernels that value states, and for people."""

from playout.games.backgammon.bearoff.chances import TABLES, bearoff_chances, bearoff_value, in_bearoff
from playout.games.backgammon.bearoff.files import bearoff_tables
from playout.games.backgammon.bearoff.lookup import MoneyEquities, money_equities, rolls_to_bear_off

__all__ = [
    "TABLES",
    "MoneyEquities",
    "bearoff_chances",
    "bearoff_tables",
    "bearoff_value",
    "in_bearoff",
    "money_equities",
    "rolls_to_bear_off",
]
