"""Learners: what changes values from games and other data."""
