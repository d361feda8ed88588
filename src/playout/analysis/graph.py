"""The course of a game as a picture: chances, what moves cost, and the score."""

from __future__ import annotations

from itertools import accumulate, pairwise
from typing import Any

from playout.analysis.results import GameAnalysis
from playout.picture import BLUE, GREEN, GREY, LARGE, NORMAL, SMALL, new_figure, png, spread

NAMED = 5  # moves of each side that are named in the picture
FACES = ("black", "white")  # of the first and the second player


def draw(analysis: GameAnalysis) -> bytes:
    """A PNG with player 1's chance, or points, by move, the loss of each move, and below them player 1's lead
    or the luck so far, where there is one."""
    has_score = analysis.start_score is not None
    has_luck = any(move.luck is not None for move in analysis.moves)
    has_more = has_score or has_luck
    figure = new_figure(10, 8.2 if has_more else 5.8)
    axes = figure.subplots(3 if has_more else 2, 1, sharex=True, height_ratios=[4, 2, 3][: 2 + has_more])
    first, unit = analysis.seats[0], 1 if analysis.in_points else 100
    values = [unit * analysis.start_value, *(unit * move.first_value for move in analysis.moves)]
    _draw_chances(axes[0], values, analysis)
    _draw_losses(axes[1], analysis)
    if has_score:
        scores = [analysis.start_score, *(move.first_score for move in analysis.moves)]
        axes[2].axhline(0, color=GREY, linewidth=1, linestyle="--")
        axes[2].plot(range(len(scores)), scores, color=GREEN, linewidth=1.4)
        axes[2].set_ylabel(f"{first}'s lead, points\n(mean of simulations)", fontsize=NORMAL)
    elif has_luck:
        _draw_luck(axes[2], analysis)
    for axis in axes:
        for move, later in pairwise(analysis.moves):
            if move.part != later.part:
                axis.axvline(move.number + 0.5, color=GREY, linewidth=1)
        axis.grid(alpha=0.3)
        axis.tick_params(labelsize=SMALL)
        axis.set_xlim(0, max(1, len(analysis.moves)))
    axes[-1].set_xlabel("move", fontsize=NORMAL)
    figure.suptitle(_title(analysis), fontsize=LARGE)
    return png(figure)


def _title(analysis: GameAnalysis) -> str:
    names = [
        f"{seat}: {name[:30]}" if name else seat
        for seat, name in zip(analysis.seats, analysis.names or [""] * len(analysis.seats), strict=True)
    ]
    words = [" – ".join(names), *([analysis.result[:20]] if analysis.result else [])]
    return f"{', '.join(words)}\nsearched by {analysis.spec[:60]}".replace("$", r"\$")


def _draw_chances(axis: Any, values: list[float], analysis: GameAnalysis) -> None:
    axis.axhline(0 if analysis.in_points else 50, color=GREY, linewidth=1, linestyle="--")
    axis.plot(range(len(values)), values, color=BLUE, linewidth=1.4)
    if analysis.in_points:
        axis.set_ylabel(f"{analysis.seats[0]}'s equity, points", fontsize=NORMAL)
    else:
        axis.set_ylim(0, 100)
        axis.set_ylabel(f"{analysis.seats[0]}'s chance, %", fontsize=NORMAL)
    for player, face in enumerate(FACES[: len(analysis.seats)], 1):
        places = [move.number for move in analysis.worst(player)]
        axis.plot(
            places,
            [values[number] for number in places],
            marker="o",
            markersize=6,
            markerfacecolor=face,
            markeredgecolor="black",
            linestyle="none",
            zorder=3,
            label=f"{analysis.seats[player - 1]}'s worst moves",
        )
    axis.legend(fontsize=SMALL, loc="best")


def _draw_luck(axis: Any, analysis: GameAnalysis) -> None:
    """The sum of each side's luck so far."""
    axis.axhline(0, color=GREY, linewidth=1, linestyle="--")
    for player, color in ((1, GREEN), (2, GREY)):
        sums = list(
            accumulate((move.luck or 0.0) if move.player == player else 0.0 for move in analysis.moves)
        )
        axis.plot(range(1, len(sums) + 1), sums, color=color, linewidth=1.4, label=analysis.seats[player - 1])
    axis.set_ylabel("luck so far, points", fontsize=NORMAL)
    axis.legend(fontsize=SMALL, loc="best")


def _draw_losses(axis: Any, analysis: GameAnalysis) -> None:
    """A bar a move; the worst are named."""
    unit = 1 if analysis.in_points else 100
    for player in range(1, len(analysis.seats) + 1):
        mine = analysis.of(player)
        axis.bar(
            [move.number for move in mine],
            [unit * move.loss for move in mine],
            width=0.9,
            facecolor=FACES[player - 1],
            edgecolor="black",
            linewidth=0.7,
        )
    least = unit * analysis.least
    highest = max(2.5 * least, unit * max(move.loss for move in analysis.moves))
    axis.axhline(least, color=GREY, linewidth=1, linestyle=":")
    axis.annotate(
        "less is no news" if analysis.in_points else "less is noise",
        (1, least),
        (-3, 2),
        xycoords=("axes fraction", "data"),
        textcoords="offset points",
        ha="right",
        fontsize=SMALL,
        color=GREY,
        bbox={"boxstyle": "round,pad=0.1", "facecolor": "white", "edgecolor": "none", "alpha": 0.85},
    )
    axis.set_ylim(0, (2.8 if analysis.has_dice else 1.5) * highest)  # room for names
    axis.set_ylabel(
        f"lost by the move,\n{'points' if analysis.in_points else '% of chance'}", fontsize=NORMAL
    )
    worst = [move for player in range(1, len(analysis.seats) + 1) for move in analysis.worst(player, NAMED)]
    worst.sort(key=lambda move: move.number)
    places = spread([move.number / len(analysis.moves) for move in worst], 0.02)
    for move, place in zip(worst, places, strict=True):
        axis.annotate(
            f"{move.number} {move.words}",
            (move.number, unit * move.loss),
            (place * len(analysis.moves), 1.12 * highest),
            fontsize=SMALL,
            rotation=90,
            ha="center",
            va="bottom",
            arrowprops={"arrowstyle": "-", "color": GREY, "linewidth": 0.6},
        )
