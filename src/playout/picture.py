"""Drawings as PNG. Matplotlib is only loaded when something is drawn."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

from playout.files import Kind, beginning

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DOTS = 120  # an inch
MAKER = {"Software": "playout"}  # stands in the PNG, so that we know our own


def _is_ours(path: Path) -> bool:
    found = beginning(path)
    return found.startswith(b"\x89PNG") and b"tEXtSoftware\0playout" in found


PNG = Kind("a picture of ours", _is_ours)


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
    figure.savefig(content, format="png", dpi=DOTS, metadata=MAKER)
    return content.getvalue()
