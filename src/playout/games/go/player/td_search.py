"""RLGO 2.4: TD search and Dyna-2 over local shapes, and the hybrid with alpha-beta (Silver 2009, 6, 7)."""

from __future__ import annotations

from dataclasses import dataclass

from playout.games.go.memory.shipped import SHIPPED
from playout.games.go.memory.short_term import NONE, ShortTerm
from playout.player.td_search import TDSearchPlayer, TDSearchSettings
from playout.settings import retuned, setting

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


# T = 10 (section 7.4).
Dyna2Settings = retuned(ShapesSearchSettings, "Dyna2Settings", long_term=SHIPPED, switch=10)
RlgoSettings = retuned(Dyna2Settings, "RlgoSettings", depth=4)


class ShapesSearchPlayer(TDSearchPlayer):
    """Learns about the position by local shapes."""

    settings: ShapesSearchSettings

    def memory(self) -> ShortTerm:
        return ShortTerm.named(self.settings.shapes, self.settings.long_term)
