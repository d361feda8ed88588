"""What a search simulates with: the game itself, or a model of it that stands in its place.

A game is a generative model of itself (`games.api`). A model that was learnt from experience
(`search.learnt_model`) is another game, whose states hold a state of the first: every search can play it.
What a memory knows is of states of the first; `observed` finds them in both.
"""

from playout.kernel import defaulted


@defaulted
def observed(state):
    """The state of the game that a state of a model stands for; that of a game is itself."""
    return state
