"""The course of a game as a picture: chances, what moves cost, and the score."""

from __future__ import annotations

from typing import Any

from playout.analysis.results import NOISE, GameAnalysis
from playout.picture import BLUE, GREEN, GREY, LARGE, NORMAL, SMALL, new_figure, png, spread

NAMED = 5  # moves of each side that are named in the picture
FACES = ("black", "white")  # of the first and the second player


def draw(analysis: GameAnalysis) -> bytes:
    """A PNG with player 1's chance by move, the loss of each move, and player 1's lead where there is one."""
    has_score = analysis.start_score is not None
    figure = new_figure(10, 8.2 if has_score else 5.8)
    axes = figure.subplots(3 if has_score else 2, 1, sharex=True, height_ratios=[4, 2, 3][: 2 + has_score])
    first = analysis.seats[0]
    values = [100 * analysis.start_value, *(100 * move.first_value for move in analysis.moves)]
    _draw_chances(axes[0], values, analysis)
    _draw_losses(axes[1], analysis)
    if has_score:
        scores = [analysis.start_score, *(move.first_score for move in analysis.moves)]
        axes[2].axhline(0, color=GREY, linewidth=1, linestyle="--")
        axes[2].plot(range(len(scores)), scores, color=GREEN, linewidth=1.4)
        axes[2].set_ylabel(f"{first}'s lead, points\n(mean of simulations)", fontsize=NORMAL)
    for axis in axes:
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
    axis.axhline(50, color=GREY, linewidth=1, linestyle="--")
    axis.plot(range(len(values)), values, color=BLUE, linewidth=1.4)
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


def _draw_losses(axis: Any, analysis: GameAnalysis) -> None:
    """A bar a move; the worst are named."""
    for player in range(1, len(analysis.seats) + 1):
        mine = analysis.of(player)
        axis.bar(
            [move.number for move in mine],
            [100 * move.loss for move in mine],
            width=0.9,
            facecolor=FACES[player - 1],
            edgecolor="black",
            linewidth=0.7,
        )
    highest = max(10.0, 100 * max(move.loss for move in analysis.moves))
    axis.axhline(100 * NOISE, color=GREY, linewidth=1, linestyle=":")
    axis.annotate(
        "less is noise",
        (1, 100 * NOISE),
        (-3, 2),
        xycoords=("axes fraction", "data"),
        textcoords="offset points",
        ha="right",
        fontsize=SMALL,
        color=GREY,
        bbox={"boxstyle": "round,pad=0.1", "facecolor": "white", "edgecolor": "none", "alpha": 0.85},
    )
    axis.set_ylim(0, 1.5 * highest)  # room for names
    axis.set_ylabel("lost by the move,\n% of chance", fontsize=NORMAL)
    worst = [move for player in range(1, len(analysis.seats) + 1) for move in analysis.worst(player, NAMED)]
    worst.sort(key=lambda move: move.number)
    places = spread([move.number / len(analysis.moves) for move in worst], 0.02)
    for move, place in zip(worst, places, strict=True):
        axis.annotate(
            f"{move.number} {move.move}",
            (move.number, 100 * move.loss),
            (place * len(analysis.moves), 1.12 * highest),
            fontsize=SMALL,
            rotation=90,
            ha="center",
            va="bottom",
            arrowprops={"arrowstyle": "-", "color": GREY, "linewidth": 0.6},
        )
