"""Games small enough to solve by hand."""
