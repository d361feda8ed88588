"""Figures and tables of the papers, each made anew by one module."""
