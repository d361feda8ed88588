"""Programs outside that play, whatever protocol they speak."""
