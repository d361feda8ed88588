"""Runs inside GNU Backgammon: reads positions and rolls, writes the legal plays of each.

Environment: PLAYOUT_ASKED, lines ``POSITION_ID LARGE SMALL``; PLAYOUT_TOLD, a JSON list of lists of plays.
"""

import json
import os

import gnubg

for words in (
    "set automatic game off",
    "set automatic roll off",
    "set automatic move off",
    "set automatic bearoff off",
    "set player 0 human",
    "set player 1 human",
    "set output rawboard on",
    "new session",
    "set evaluation chequer eval plies 0",
    "set turn 1",
):
    gnubg.command(words)

told = []
with open(os.environ["PLAYOUT_ASKED"]) as asked:
    for line in asked:
        position, large, small = line.split()
        gnubg.command(f"set board {position}")
        gnubg.command(f"set dice {large} {small}")
        hints = gnubg.hint(5000)
        told.append([hint["move"] for hint in hints["hint"]] if hints else [])
with open(os.environ["PLAYOUT_TOLD"], "w") as file:
    json.dump(told, file)
