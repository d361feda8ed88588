"""playout: learn and search by simulation, at machine speed, in readable Python."""

__version__ = "0.1.0"
