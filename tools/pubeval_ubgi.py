"""PubEval as a UBGI engine, for matches while developing: a bridge to the package `gnubg-nn`.

    playout match td80 "ubgi:python tools/pubeval_ubgi.py" --game backgammon --games 1000 --keep-engines

PubEval is Tesauro's public linear evaluator, the usual yardstick. `gnubg-nn` is under the GPL, and nothing of
playout itself imports it.
"""

import gnubg_nn

from playout.games.backgammon.engines.ubgi_server import serve_stdio
from playout.games.backgammon.ids import position_id
from playout.player.api import Player
from playout.player.clock import Clock

OFF = 0  # of our points; gnubg-nn counts from 0, and its bar is 24


class PubEval(Player):
    """Plays what PubEval likes best."""

    name = spec = "pubeval"

    def __init__(self):
        self.clock = Clock()

    def choose_action(self, position):
        legal = position.legal_moves()
        if len(legal) == 1:
            return legal[0]
        board = gnubg_nn.board_from_position_id(position_id(position.record))
        points = [point + 1 for point in gnubg_nn.pub_best_move(board, *position.dice)]
        words = [
            f"{'bar' if source == 25 else source}/{'off' if target <= OFF else target}"
            for source, target in zip(points[::2], points[1::2], strict=True)
        ]
        return position.parse(" ".join(words))


if __name__ == "__main__":
    serve_stdio(PubEval())
