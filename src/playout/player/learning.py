"""Temporal-difference search and Dyna-2 as players of any game, over features that it need not bring."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from playout.errors import InputError
from playout.memory.api import Memory
from playout.memory.both import Both
from playout.memory.saved import FEATURES, LongTerm, load
from playout.player.td_search import TDSearchPlayer, TDSearchSettings
from playout.settings import retuned, setting

NONE = "none"
OF_HISTORY = ("rave", "sequences")  # features that alpha-beta cannot ask about a state


@dataclass(frozen=True, kw_only=True)
class FeaturesSearchSettings(TDSearchSettings):
    """Settings of temporal-difference search over features of any game."""

    features: str = setting("groups", "features that are learnt about; their settings: features.KEY")
    long_term: str = setting(
        NONE, "weights that a game begins with, as long-term memory: none or a file", file_unless=(NONE,)
    )
    two_memories: bool = setting(
        False, "add a short-term memory to the long-term one, of any features (7.2); false: one of both (7.4)"
    )


# T = 10 (section 7.4).
Dyna2Settings = retuned(FeaturesSearchSettings, "Dyna2Settings", switch=10)
# A problem for one has no opponent's move between two of one's own, and needs no default policy (10.5.3).
ALONE = {"switch": None, "plies": 1}


class FeaturesSearchPlayer(TDSearchPlayer):
    """Learns about the position by features of its states or of what has happened."""

    settings: FeaturesSearchSettings

    def __init__(self, name: str, settings: FeaturesSearchSettings, policy: Any, features: Any) -> None:
        self.features = features
        if settings.depth > 1 and settings.features in OF_HISTORY:
            raise InputError(
                f"features={settings.features} are of what has happened, which alpha-beta does not know: "
                f"leave depth at 1"
            )
        super().__init__(name, settings, policy)

    def memory(self) -> Memory:
        if self.settings.long_term == NONE:
            return self.features
        saved = load(self.settings.long_term)
        if self.settings.two_memories:
            return Both(LongTerm(FEATURES[saved.features](), saved), self.features)
        return LongTerm(self.features, saved)
