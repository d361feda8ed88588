"""Backgammon's base players, as policies."""
