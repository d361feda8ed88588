"""Go on boards from 2×2 to 19×19."""

from playout.games.go import rules  # noqa: F401 - tells the generic functions how to play Go
