"""Runs inside GNU Backgammon: reads positions, writes chances and what it says of doubling at 0 plies.

Environment: PLAYOUT_ASKED, lines ``POSITION_ID CUBE OWNED LENGTH AWAY OTHERS_AWAY``; PLAYOUT_TOLD, JSON: its
match equity table, and for each line its chances and its equities.
"""

import json
import os

import gnubg

ZERO_PLY = {"plies": 0, "deterministic": 1, "prune": 0, "noise": 0.0}

told = []
with open(os.environ["PLAYOUT_ASKED"]) as asked:
    for line in asked:
        position, *numbers = line.split()
        cube, owned, length, away, others = map(int, numbers)
        board = gnubg.positionfromid(position)
        score = (length - others, length - away) if length else (0, 0)
        facts = gnubg.cubeinfo(cube, 1 if owned else -1, 1, length, score, 0, 0)
        facts["jacoby"] = facts["beavers"] = 0
        chances = gnubg.evaluate(board, facts, {**ZERO_PLY, "cubeful": 0})[:5]
        told.append([chances, gnubg.cfevaluate(board, facts, {**ZERO_PLY, "cubeful": 1})[1:4]])
with open(os.environ["PLAYOUT_TOLD"], "w") as file:
    json.dump({"met": gnubg.met(25), "told": told}, file)
