"""Programs outside that play backgammon, by the protocols that they speak."""
