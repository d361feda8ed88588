"""RLGO 2.4: TD search and Dyna-2 over local shapes, and the hybrid with alpha-beta (Silver 2009, 6, 7)."""

from __future__ import annotations

from dataclasses import dataclass

from playout.games.go.memory.shapes import parse_sizes
from playout.games.go.memory.shipped import SHIPPED
from playout.games.go.memory.short_term import ShortTerm
from playout.games.go.memory.store import load
from playout.player.td_search import TDSearchPlayer, TDSearchSettings
from playout.settings import retuned, setting

NONE = "none"
Searching = retuned(
    TDSearchSettings, "Searching", policy=setting("mogo", "default policy, or a file of softmax weights")
)


@dataclass(frozen=True, kw_only=True)
class ShapesSearchSettings(Searching):  # type: ignore[misc, valid-type]
    """Settings of temporal-difference search over local shapes."""

    shapes: str = setting("1+2+3", "sizes of local shapes that are learnt about, with + between them")
    long_term: str = setting(
        NONE,
        "weights that a game begins with, as long-term memory: none, 'shipped' or a file",
        file_unless=(SHIPPED, NONE),
    )


# T = 10 (section 7.4). The exploration is that of the author's program of tournaments (RLGO 2.5).
Dyna2Settings = retuned(
    ShapesSearchSettings,
    "Dyna2Settings",
    long_term=SHIPPED,
    switch=10,
    alpha=0.3,
    epsilon=0.12,
    policy_epsilon=0.18,
    late_epsilon=0.4,
)
# The time of the tournament version decays exponentially (section 7.5). The rate is ours: on 9×9 a move takes
# a twentieth of what is left.
RlgoSettings = retuned(Dyna2Settings, "RlgoSettings", depth=5, policy="tactical", decay=4.0)


class ShapesSearchPlayer(TDSearchPlayer):
    """Learns about the position by local shapes."""

    settings: ShapesSearchSettings

    def memory(self) -> ShortTerm:
        sizes = parse_sizes(self.settings.shapes.replace("+", ","))
        word = "" if self.settings.long_term == NONE else self.settings.long_term
        if word not in ("", SHIPPED):
            load(word, "values")  # a wrong file is refused at once
        return ShortTerm(sizes=sizes, long_term=word)
