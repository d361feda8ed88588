"""Go's players by name: searches with its policies and priors, and players by learnt values."""

from playout.games.go.player.mango import MangoPlayer, MangoSettings
from playout.games.go.player.shapes import LearntAlphaBetaSettings, Rlgo1Player, ShapesPlayer, ShapesSettings
from playout.games.go.player.td_search import (
    Dyna2Settings,
    RlgoSettings,
    ShapesSearchPlayer,
    ShapesSearchSettings,
)
from playout.player.registry import Entry
from playout.player.searcher import RaveSettings, TreePlayer, TreeSettings
from playout.player.simple import AnyPolicySettings, FlatPlayer, FlatSettings, PolicyPlayer, PolicySettings
from playout.settings import retuned, setting

URGENCY = 1.1  # of a move that was not tried: with many moves, those that do well are tried again before


def _policy(name: str) -> object:
    return setting(name, "simulation policy, or a file of softmax weights")


GoPolicySettings = retuned(AnyPolicySettings, "GoPolicySettings", policy=_policy("uniform"))
GoFlatSettings = retuned(FlatSettings, "GoFlatSettings", policy=_policy("uniform"))
UctSettings = retuned(
    TreeSettings, "UctSettings", policy=_policy("mogo"), exploration=0.2, urgency=URGENCY, expand=2
)
GoRaveSettings = retuned(
    RaveSettings, "GoRaveSettings", policy=_policy("mogo"), exploration=0.0, urgency=URGENCY, expand=4
)
MogoSettings = retuned(
    GoRaveSettings,
    "MogoSettings",
    policy="tactical",
    prior="tactical",
    exploration=0.04,
    experience=5.0,
    amaf_experience=30.0,
    first_only=True,
)

# None: a player of any game that makes no sense here (`rlgo1` is Go's alpha-beta).
KINDS: dict[str, Entry | None] = {
    "random": None,
    "alphabeta": None,
    "uniform": Entry("uniform random moves that fill no eyes", PolicyPlayer, PolicySettings, "uniform"),
    "mogo-policy": Entry(
        "MoGo's four simulation rules, played directly", PolicyPlayer, PolicySettings, "mogo"
    ),
    "policy": Entry("any simulation policy, played directly", PolicyPlayer, GoPolicySettings),
    "flat": Entry("simple Monte-Carlo search: most wins of equal simulations", FlatPlayer, GoFlatSettings),
    "uct": Entry("tree search that explores by UCB1", TreePlayer, UctSettings),
    "rave": Entry("tree search by MC–RAVE, minimum-MSE schedule", TreePlayer, GoRaveSettings),
    "mogo": Entry("heuristic MC–RAVE: our strongest player", TreePlayer, MogoSettings),
    "shapes": Entry("the best move by learnt values of local shapes", ShapesPlayer, ShapesSettings),
    "rlgo1": Entry("alpha-beta over learnt values of local shapes", Rlgo1Player, LearntAlphaBetaSettings),
    "td-search": Entry(
        "temporal-difference search: learns local shapes from simulations",
        ShapesSearchPlayer,
        ShapesSearchSettings,
    ),
    "dyna2": Entry(
        "the same on top of learnt values: long- and short-term memory", ShapesSearchPlayer, Dyna2Settings
    ),
    "rlgo": Entry("Dyna-2, then alpha-beta over what it has learnt", ShapesSearchPlayer, RlgoSettings),
    "mango": Entry("UCT with progressive bias and widening, urgency playouts", MangoPlayer, MangoSettings),
}
