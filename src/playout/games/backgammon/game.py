"""Backgammon, plugged in."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path

from playout.games.api import Names
from playout.games.backgammon.as_position import BackgammonPosition
from playout.games.backgammon.cube_player import appraise, decide
from playout.games.backgammon.draw import svg, text
from playout.games.backgammon.files import (
    KEYS,
    opening,
    read_plays,
    read_record,
    set_up,
    transcript,
    write_notes,
)
from playout.games.backgammon.notation import parse, spell, spell_event
from playout.games.backgammon.policy.linear import Lin1, Lin2
from playout.games.backgammon.policy.network import Lin3, Td, Td10, Td80
from playout.games.backgammon.rules import FACTS
from playout.games.backgammon.state import BAR, MOST_LENGTH, OFF, STATE, start
from playout.games.game import Game
from playout.player.registry import Entry
from playout.player.simple import PolicyPlayer, PolicySettings
from playout.settings import setting


@dataclass(frozen=True, kw_only=True)
class Options:
    """What a game of backgammon is played under."""

    length: int = setting(0, "points of the match; 0: for money", low=0, high=MOST_LENGTH)
    jacoby: bool = setting(False, "gammons count only once somebody has doubled")
    cube: bool = setting(False, "players may double: they roll or double, take or pass")
    match: bool = setting(False, "play all games of a match to the length, and not one")


# The checkers of both players on each point, as player 1 counts it; those on the bars; those off.
POINTS: Names = (
    *((f"points[0,{point}]", f"points[1,{BAR - point}]") for point in range(1, BAR)),
    *((f"points[{player},{point}]",) for player in (0, 1) for point in (OFF, BAR)),
)

POLICIES = {"lin1": Lin1, "lin2": Lin2, "lin3": Lin3, "td10": Td10, "td80": Td80, "td": Td}
SUMMARIES = {
    "lin1": "a linear function of the raw board",
    "lin2": "the same, with noise",
    "lin3": "a linear function that also sees chances to be hit",
    "td10": "a network with 10 hidden units",
    "td80": "a network with 80 hidden units",
    "td": "the best network",
}
KINDS = {
    name: Entry(f"{summary}; looks one ply ahead", PolicyPlayer, PolicySettings, name)
    for name, summary in SUMMARIES.items()
}

GAME = Game(
    name="backgammon",
    summary="bring fifteen checkers home and off, by the dice",
    state=STATE,
    options=Options,
    start=start,
    spell=spell,
    parse=parse,
    spell_event=spell_event,
    draw=text,
    svg=svg,
    seats=("X", "O"),
    letters=("X", "O"),
    groups=POINTS,
    engines={
        "gnubg": "playout.games.backgammon.engines.gnubg",
        "ubgi": "playout.games.backgammon.engines.ubgi",
    },
    decide=decide,
    appraise=appraise,
    position=BackgammonPosition,
    opening=opening,
    transcript=transcript,
    set_up=set_up,
    set_up_keys=KEYS,
    read_plays=read_plays,
    suite=Path(__file__).parent / "data" / "suite.jsonl",
    read_record=read_record,
    write_notes=write_notes,
    policies=POLICIES,
    kinds=KINDS,
    amaf=False,  # what a play is worth depends on where the checkers are
    **dataclasses.asdict(FACTS),
)
