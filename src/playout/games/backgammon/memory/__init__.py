"""What backgammon's networks are made of."""
