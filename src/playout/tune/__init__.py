"""Tuning: the settings of any engine, from games (Chaslot et al. 2008)."""
