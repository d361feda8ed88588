"""Slow, obvious twins of the kernels, written from the rules and the papers, not from the kernels."""
