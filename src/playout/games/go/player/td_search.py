"""RLGO 2.4: TD search and Dyna-2 over local shapes, and the hybrid with alpha-beta (Silver 2009, 6, 7)."""

from __future__ import annotations

from dataclasses import dataclass

from playout.errors import InputError
from playout.games.go.memory.shipped import SHIPPED
from playout.games.go.memory.short_term import ShortTerm
from playout.memory.api import Memory
from playout.memory.both import Both
from playout.player.learning import NONE, FeaturesSearchPlayer, FeaturesSearchSettings
from playout.settings import like, retuned, setting

SHAPES = "shapes"
Searching = retuned(
    FeaturesSearchSettings,
    "Searching",
    policy=setting("mogo", "default policy, or a file of softmax weights"),
    features=SHAPES,
    long_term=setting(
        NONE,
        "weights that a game begins with, as long-term memory: none, 'shipped' or a file",
        file_unless=(SHIPPED, NONE),
    ),
)


@dataclass(frozen=True, kw_only=True)
class ShapeFeatures:
    """Settings of local shapes as features; the player has them."""

    shapes: str = setting("1+2+3", "sizes of local shapes that are learnt about, with + between them")


@dataclass(frozen=True, kw_only=True)
class ShapesSearchSettings(Searching):  # type: ignore[misc, valid-type]
    """Settings of temporal-difference search over local shapes."""

    shapes: str = like(ShapeFeatures, "shapes")


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


class ShapesSearchPlayer(FeaturesSearchPlayer):
    """Learns about the position by local shapes, or by features that any game has."""

    settings: ShapesSearchSettings

    def memory(self) -> Memory:
        if self.settings.features != SHAPES:
            if self.settings.long_term != SHIPPED:
                return super().memory()
            if not self.settings.two_memories:
                raise InputError(
                    f"long_term={SHIPPED}: those weights are of local shapes; with "
                    f"features={self.settings.features} give two_memories=true, or long_term={NONE} or a file"
                )
            return Both(ShortTerm(long_term=SHIPPED), self.features)
        if self.settings.two_memories:
            raise InputError(
                f"two_memories: with features={SHAPES} both memories are one (7.4); leave it false"
            )
        return ShortTerm.named(self.settings.shapes, self.settings.long_term)
