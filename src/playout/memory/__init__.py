"""Memories: features and their weights, what a value function is made of."""
