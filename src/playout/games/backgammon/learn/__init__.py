"""What learns backgammon's networks."""
