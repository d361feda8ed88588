"""Is the tuned setting better? Matches that the tuning has not seen, and what they show in one word.

The tuned values meet the default ones; both meet the opponent that they were tuned against (Table 3 of
Chaslot et al. 2008); and they meet each other at other budgets and on other boards, where the file asks for
it (Table 4).
The first of these matches decides: the gain is its score less a half.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from playout.arena.intervals import mean_interval
from playout.arena.match import Match, MatchResult
from playout.arena.sprt import Sprt
from playout.arena.terms import Terms
from playout.errors import InputError
from playout.tune.file import TuningFile
from playout.tune.space import Value

FOUND, NOT_FOUND = "gain found", "no gain found"
TUNED, DEFAULT, OPPONENT = "tuned", "default", "opponent"
SEED = 7919  # added to the tuning's: its matches are of games that no sample has played


@dataclass(frozen=True)
class Meeting:
    """A match of the verification."""

    label: str
    a: tuple[str, str]  # name and spec
    b: tuple[str, str]
    terms: Terms
    games: int
    stopping: Sprt | None = None

    @property
    def file(self) -> str:
        """The name of its store."""
        return "".join(c if c.isalnum() else "-" for c in self.label).strip("-") + ".db"


@dataclass(frozen=True)
class Finding:
    """What all has shown. interval: of the gain, 95 %."""

    gain: float | None
    interval: tuple[float, float] | None
    verdict: str
    why: str


def meetings(file: TuningFile, best: Mapping[str, Value]) -> list[Meeting]:
    """The matches that are to be played; none if the tuned values are the default ones."""
    tuned, space = file.tuned, file.space
    default = space.values(space.default)
    if best == default:
        return []
    one, other = (TUNED, tuned.with_values(best)), (DEFAULT, tuned.with_values(default))
    games, elo = file.verification.games, file.verification.elo
    test = None if elo is None else Sprt(0, elo)
    found = [Meeting("tuned and default", one, other, tuned.terms, games, test)]
    if file.opponent != other[1]:
        opponent = (OPPONENT, file.opponent)
        found += [
            Meeting(f"{name[0]} and opponent", name, opponent, tuned.terms, games) for name in (other, one)
        ]
    for row in file.self_play:
        said = _changes(row.terms, tuned.terms) | row.set
        label = "tuned and default, " + ", ".join(f"{key} {value}" for key, value in said.items())
        found.append(
            Meeting(
                label if said else "tuned and default, again",
                (TUNED, tuned.with_values(best, row.set)),
                (DEFAULT, tuned.with_values(default, row.set)),
                row.terms,
                row.games,
            )
        )
    if len({meeting.file for meeting in found}) < len(found):
        raise InputError(f"{file.path}: two matches of the verification are the same")
    return found


def _changes(terms: Terms, usual: Terms) -> dict[str, str]:
    before, now = usual.settings(), terms.settings()
    return {key: str(value) for key, value in now.items() if before.get(key) != value}


def play(
    file: TuningFile,
    meeting: Meeting,
    folder: Path,
    *,
    threads: int = 1,
    cluster: str | None = None,
    progress: Callable[[Meeting, MatchResult], None] = lambda meeting, result: None,
) -> tuple[MatchResult, str]:
    """Play a match, or what is left of it; its result, and what its sequential test has found."""
    terms = meeting.terms.settings(plain=True)
    with Match(
        f"{meeting.a[0]}={meeting.a[1]}",
        f"{meeting.b[0]}={meeting.b[1]}",
        meeting.games,
        game=meeting.terms.game,
        seed=file.settings.seed + SEED,
        opening=file.settings.opening,
        openings=None if file.settings.openings is None else file.path.parent / file.settings.openings,
        store=folder / meeting.file,
        threads=threads,
        cluster=cluster,
        stopping=meeting.stopping,
        also=None if meeting.stopping is None else {"sprt": [meeting.stopping.elo0, meeting.stopping.elo1]},
        folder=file.tuned.folder,
        **terms,
    ) as match:
        progress(meeting, match.result())
        for _ in match.play():
            progress(meeting, match.result())
        return match.result(), match.verdict


def finding(results: Sequence[tuple[Meeting, MatchResult, str]]) -> Finding:
    """What the first match, of the tuned values against the default ones, has shown."""
    if not results:
        return Finding(0.0, None, NOT_FOUND, "the tuned values are the default ones")
    _, result, test = results[0]
    if result.score is None:
        return Finding(None, None, NOT_FOUND, "no game of the match with the default counts")
    low, high = (end - 0.5 for end in result.interval)
    gain = result.score - 0.5
    if low > 0 or test == "accept":
        return Finding(gain, (low, high), FOUND, "the tuned values beat the default ones")
    if high < 0:
        why = "the default values beat the tuned ones"
    else:
        why = "the match with the default values leaves open who is better"
    return Finding(gain, (low, high), NOT_FOUND, why)


def compared(tuned: np.ndarray, default: np.ndarray) -> Finding:
    """The same from points of games with common numbers, where the two cannot meet."""
    each = tuned - default
    interval = mean_interval(each, 1.0, -1.0)
    gain = float(each.mean())
    found = interval[0] > 0
    why = "the tuned values win more" if found else "the games leave open who is better"
    return Finding(gain, interval, FOUND if found else NOT_FOUND, why)


def facts(results: Sequence[tuple[Meeting, MatchResult, str]]) -> list[dict[str, Any]]:
    """The matches as plain values."""
    return [
        {
            "match": meeting.label,
            "a": meeting.a[1],
            "b": meeting.b[1],
            "games": result.games,
            "score": result.score,
            "interval": list(result.interval),
            "elo": result.elo if result.score is not None else None,
            "sprt": test or None,
        }
        for meeting, result, test in results
    ]
