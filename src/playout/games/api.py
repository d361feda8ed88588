"""What a game is: a generative model, as generic functions over its state record.

An *action* is a whole number; what it stands for is the game's affair. Players are 1 and 2.
Implement these for your own state record and every algorithm of the package plays your game.
"""

from playout.kernel import generic

MAX_ACTIONS = 512  # that a state may have, and above all actions' numbers where a tree keeps them by number


@generic
def play(state, action):
    """Make a legal action and hand the turn on."""


@generic
def is_legal(state, action):
    """Whether the player to move may make this action."""


@generic
def legal_moves(state, moves):
    """Write the legal actions into an array that has room for them; return how many there are."""


@generic
def to_play(state):
    """The player to move: 1 or 2."""


@generic
def is_over(state):
    """Whether the game has ended."""


@generic
def outcome(state):
    """The result of an ended game for player 1: 1 a win, 0 a loss, 0.5 a draw."""


@generic
def tree_moves(state, moves):
    """Like `legal_moves`, without those that no search need look at; at least one of an unfinished game."""


@generic
def position_key(state):
    """64 bits that stand for a state: all that its value depends on."""


@generic
def skip(state):
    """Hand the turn on without a move, as if that were allowed; False where it has no meaning."""
