"""Go's priors by name, beside those of any game."""

from playout.games.go.prior.handcrafted import Handcrafted
from playout.games.go.prior.shapes import ShapePrior
from playout.games.go.prior.tactical import TacticalPrior
from playout.games.go.prior.td_search import TDSearchPrior
from playout.games.go.prior.urgency import Urgency
from playout.search.prior import PRIORS as ANY_GAME

OWN: dict[str, type] = {
    "handcrafted": Handcrafted,
    "shapes": ShapePrior,
    "tactical": TacticalPrior,
    "td-search": TDSearchPrior,
    "urgency": Urgency,  # for progressive bias and widening
}
PRIORS = {**ANY_GAME, **OWN}
