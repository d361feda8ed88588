"""A tuning in a folder: games, pictures, the tuned player and the report; gone on with after any stop.

- ``games.db``: every game of every sample;
- ``matches/``: the stores of the verification's matches;
- ``learning.png``, ``parameters.png``: renewed after each generation;
- ``best.toml``: the tuned player, for ``--player``; ``report.json``: all of the result.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from playout import __version__
from playout.arena.match import MatchResult
from playout.arena.pool import Cluster, Pool, Threads
from playout.errors import InputError
from playout.files import begin_folder, make_folder, write_bytes, write_text
from playout.tune import verify
from playout.tune.file import TuningFile, read_tuning
from playout.tune.games import Games
from playout.tune.methods import make_method
from playout.tune.pictures import Curve, learning_picture, parameters_picture
from playout.tune.space import Value
from playout.tune.store import Results
from playout.tune.tuner import Generation, Tuning
from playout.tune.verify import Finding, Meeting

WHAT = "the folder of a tuning"


class TuningJob:
    """A tuning that is run, or gone on with; a context, which ends with nothing left under way.

    file: a TOML file. output: its folder, by default beside the file. tell: is told after every game.
    """

    def __init__(
        self,
        file: str | Path | TuningFile,
        output: str | Path | None = None,
        *,
        threads: int | None = None,
        cluster: str | None = None,
        tell: Callable[[Tuning], None] = lambda tuning: None,
    ) -> None:
        self.file = file if isinstance(file, TuningFile) else read_tuning(file)
        path, settings = self.file.path, self.file.settings
        self.folder = path.with_name(f"{path.stem}-tuned") if output is None else Path(output)
        self._threads, self._cluster = threads or settings.threads, cluster
        method = make_method(
            settings.method, self.file.space, settings.seed, self.file.cross_entropy, self.file.peer
        )
        made = not self.folder.exists()
        if not (self.folder / "games.db").exists():
            begin_folder(self.folder, WHAT)
        self.pool: Pool = Threads(self._threads) if cluster is None else Cluster(cluster)
        self.results: Results | None = None
        try:
            self.games = Games(
                self.file.tuned,
                self.file.opponent,
                self.pool,
                settings.seed,
                settings.opening,
                self.file.openings,
            )
            versions = self._try_out()
            self.results = Results(self.folder / "games.db", {**self.file.facts(), "versions": versions})
            self.games.keep_faults(self.results)
            self.tuning = Tuning(self.file.space, method, self.file.batches, self.games, self.results, tell)
        except BaseException:
            self.close()
            if made:
                with contextlib.suppress(OSError):
                    self.folder.rmdir()  # which has nothing in it yet
            raise

    def _try_out(self) -> dict[str, str]:
        try:
            return self.games.try_out()
        except InputError as error:
            raise InputError(f"{self.file.path}: {error}") from None

    def __enter__(self) -> TuningJob:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the games and of whoever plays."""
        self.pool.close()
        if self.results is not None:
            self.results.close()

    def run(self) -> Iterator[Generation]:
        """Play what is left; each generation when it has ended, also those that were there."""
        with self.games:
            for generation in self.tuning.run():
                if self.tuning.played:
                    self.draw()
                yield generation
        self.draw()

    def best(self) -> dict[str, Value]:
        """The tuned values: the mean of the distribution, never the luckiest sample."""
        return self.file.space.values(self.tuning.best())

    def draw(self) -> None:
        """Write the pictures."""
        generations = self.tuning.generations
        games = [generation.total for generation in generations]
        curve = Curve("mean", games, [generation.mean_score for generation in generations])
        title = f"{self.file.path.stem}: {self.file.settings.method}"
        write_bytes(self.folder / "learning.png", learning_picture([curve], title))
        picture = parameters_picture(
            self.file.space, generations, f"{title}: mean ± deviation; dashed: default"
        )
        write_bytes(self.folder / "parameters.png", picture)

    def verify(
        self, progress: Callable[[Meeting, MatchResult], None] = lambda meeting, result: None
    ) -> dict[str, Any]:
        """Play the matches that are left, and write the report and the tuned player."""
        best, played = self.best(), []
        folder = make_folder(self.folder / "matches")
        for meeting in verify.meetings(self.file, best):
            result = verify.play(
                self.file, meeting, folder, threads=self._threads, cluster=self._cluster, progress=progress
            )
            played.append((meeting, *result))
        found = verify.finding(played)
        report = self.report(best, found, verify.facts(played))
        self._write(report, found)
        return report

    def report(
        self, best: dict[str, Value], found: Finding | None, matches: list[dict[str, Any]]
    ) -> dict[str, Any]:
        """All of the result, as plain values."""
        space, last = self.file.space, self.tuning.generations[-1]
        return {
            "best": best,
            "gain": None if found is None else found.gain,
            "interval": None if found is None or found.interval is None else list(found.interval),
            "verdict": "not verified" if found is None else found.verdict,
            "why": "" if found is None else found.why,
            "player": self.file.tuned.with_values(best),
            "default": space.values(space.default),
            "ended": self.tuning.ended,
            "generations": len(self.tuning.generations),
            "games": last.total,
            "mean_score": last.mean_score,
            "matches": matches,
        }

    def _write(self, report: dict[str, Any], found: Finding) -> None:
        interval = "" if found.interval is None else f", {found.interval[0]:+.3f} to {found.interval[1]:+.3f}"
        gain = "" if found.gain is None else f": {found.gain:+.3f}{interval} of the points"
        lines = [
            f"# Made by playout {__version__} tune {self.file.path.name}, {report['games']:,} games.",
            f"# {found.verdict}{gain}; {found.why}.",
            f"player = {json.dumps(report['player'], ensure_ascii=False)}",
            f"game = {json.dumps(self.file.tuned.terms.game.name, ensure_ascii=False)}",
            "",
            "[values]",
            *(f"{json.dumps(name)} = {json.dumps(value)}" for name, value in report["best"].items()),
        ]
        write_text(self.folder / "best.toml", "\n".join(lines) + "\n")
        write_text(self.folder / "report.json", json.dumps(report, indent=1, ensure_ascii=False) + "\n")
