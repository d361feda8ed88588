"""All games that a softmax policy can play, gone through: means and gradients without chance."""

from naive import softmax
from naive.go import Go


def mean_outcome(game: Go, theta, sizes, rule, komi: float, left: int):
    """E[z], E[z Σψ] and E[z/T Σψ] for Black, as a value and two dictionaries, by going through all games.

    left: moves after which a game is a draw.
    """
    sums = [0.0, {}, {}]

    def follow(position: Go, chance: float, scores: dict, length: int) -> None:
        if position.is_over() or length == left:
            lead = position.area_score() - komi
            z = 0.5 if not position.is_over() or lead == 0 else float(lead > 0)
            sums[0] += chance * z
            for name, x in scores.items():
                sums[1][name] = sums[1].get(name, 0.0) + chance * z * x
                sums[2][name] = sums[2].get(name, 0.0) + chance * z * x / max(1, length)
            return
        for move, p in softmax.probabilities(position, theta, sizes, rule).items():
            total = dict(scores)
            for name, x in softmax.psi(position, move, theta, sizes, rule).items():
                total[name] = total.get(name, 0.0) + x
            after = position.copy()
            after.play(move)
            follow(after, chance * p, total, length + 1)

    follow(game, 1.0, {}, 0)
    return sums
