"""Tables of a tuning for people."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from rich.table import Table

from playout.tune.file import TuningFile
from playout.tune.space import Parameter, word
from playout.tune.tuner import Generation, Tuning

SHOWN = 8  # generations that are shown while it goes on
PARAMETERS = 4  # beside each other; if there are more, those of the last generation stand below


def line(tuning: Tuning) -> str:
    """How it goes, in a line."""
    t = len(tuning.generations) + 1
    said = f"generation {t}"
    if tuning.race is not None and not tuning.ended:
        undecided = int(tuning.race.undecided.sum())
        said += f", {undecided} of {tuning.race.games.size} samples play on"
    if tuning.generations:
        said += f", mean score of the last {tuning.generations[-1].mean_score:.1%}"
    return said


def generations_table(tuning: Tuning) -> Table:
    """The last generations: games, scores, who was dropped, and where the parameters are."""
    table = Table(box=None, pad_edge=False)
    for title in ("generation", "games", "mean", "best", "dropped"):
        table.add_column(title, justify="right")
    everyone = tuning.space.parameters
    shown = everyone if len(everyone) <= PARAMETERS else ()
    for parameter in shown:
        table.add_column(parameter.name, justify="right")
    for generation in tuning.generations[-SHOWN:]:
        table.add_row(
            str(generation.number + 1),
            f"{generation.total:,}",
            f"{generation.mean_score:.1%}",
            f"{generation.scores[generation.elite].max():.1%}",
            str(generation.dropped),
            *(around(parameter, generation, j) for j, parameter in enumerate(shown)),
        )
    if tuning.generations and not shown:
        last = tuning.generations[-1]
        rows = (f"{parameter.name}  {around(parameter, last, j)}" for j, parameter in enumerate(everyone))
        table.caption, table.caption_style, table.caption_justify = "\n".join(rows), "", "left"
    return table


def around(parameter: Parameter, generation: Generation, j: int) -> str:
    """A parameter's mean and deviation; on a logarithmic scale the factor to both sides."""
    mean = word(parameter.value(generation.best[j]))
    if generation.deviation is None or parameter.kind == "choice":
        return mean
    number = float(mean)
    away = float(generation.deviation[j])
    mean = f"{number:.3g}"
    return f"{mean} ×÷ {math.exp(away):.2f}" if parameter.scale == "log" else f"{mean} ± {away:.3g}"


def result_table(file: TuningFile, report: dict[str, Any]) -> Iterator[Table]:
    """The values as in Table 3 of Chaslot et al. (2008), and the matches as in Table 4."""
    table = Table(box=None, pad_edge=False)
    for title in ("parameter", "range", "default", "tuned"):
        table.add_column(title, justify="left" if title == "parameter" else "right")
    for parameter in file.space.parameters:
        among = ", ".join(parameter.choices) or f"{parameter.low:g} – {parameter.high:g}"
        values = (report[key][parameter.name] for key in ("default", "best"))
        table.add_row(parameter.name, among, *map(word, values))
    yield table
    if not report["matches"]:
        return
    table = Table(box=None, pad_edge=False)
    for title in ("match", "games", "score", "95 %"):
        table.add_column(title, justify="left" if title == "match" else "right")
    for match in report["matches"]:
        low, high = match["interval"]
        score = "–" if match["score"] is None else f"{match['score']:.1%}"
        table.add_row(match["match"], f"{match['games']:,}", score, f"{low:.1%} – {high:.1%}")
    yield table
