"""Drawings as PNG. Matplotlib is only loaded when something is drawn."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DOTS = 120  # an inch


def new_figure(width: float, height: float) -> Figure:
    """An empty figure of so many inches, which knows no window."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), dpi=DOTS, layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def png(figure: Figure) -> bytes:
    """A figure as the content of a PNG file."""
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=DOTS)
    return content.getvalue()
