"""What a simulation policy is: a record that chooses actions."""

from playout.kernel import generic


@generic
def begin(policy, state):
    """Prepare for a simulation that starts in this state; called once before its first sample."""


@generic
def sample(policy, state, rng):
    """Choose an action for the player to move. Called once for every move of a simulation, in order."""
