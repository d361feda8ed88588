"""Backgammon in the terminal: dice, the cube, hints with equities and chances beside what any game has."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from playout.cli.session import Session
from playout.cli.waiting import waiting
from playout.errors import InputError, shown
from playout.files import write_text
from playout.games.backgammon import mat, sgf
from playout.games.backgammon.as_position import BackgammonPosition
from playout.games.backgammon.cube import CubeDecision
from playout.games.backgammon.cube_player import appraise, cube_decision
from playout.games.backgammon.draw import text
from playout.games.backgammon.notation import CUBE_WORDS
from playout.games.backgammon.record import match_of
from playout.games.backgammon.state import OFFERED
from playout.player.api import Analysis, Player
from playout.player.registry import make_player

ADVISER = "td"
ROLLOUTS = "rollout:base={base},steps=10,variance_reduction=true,seconds={seconds:g}"
CHANCES = ("wins", "gammon", "backg.", "loses g.", "bg.")
SHOWN = 5  # plays of a hint
MOST_SECONDS = 600.0  # of a hint by rollouts

HELP = """\
{move:13} play it; 13/7*, 8/7 and bar/22 6/off are plays too; `moves` lists what is legal
roll, double  where you may double (--set cube=true)
take, pass    when the other one doubles
undo          take back your last move and the answer to it
hint          the best plays with equity and chances, or what to do with the cube
hint SECONDS  the same by rollouts
equity        what the position is worth to you
resign        give up the game; in a match the match
save FILE     write the game; FILE.mat and FILE.sgf for other programs and playout analyse
new           begin a new game
help          this
quit          leave (so does Ctrl-D); the game is saved
Ctrl-C        while the other player thinks: it moves at once"""

_PLAY = re.compile(r"[0-9]|bar|off", re.IGNORECASE)


class BackgammonSession(Session):
    """One person's session at the board."""

    WORDS = (
        *("moves", "undo", "hint", "equity", "resign", "save", "new", "help", "quit"),
        *CUBE_WORDS.values(),
    )
    board: BackgammonPosition

    def __init__(self, *arguments: Any, **resumed: Any) -> None:
        super().__init__(*arguments, **resumed)
        self._score = self._points()

    # -- what the person says -------------------------------------------------------------------------

    def _obey(self, line: str) -> bool:
        word, _, rest = line.partition(" ")
        if word.lower() == "hint":
            self._advise(rest.strip())
        elif word.lower() == "equity":
            self._tell_equity()
        else:
            return super()._obey(line)
        return True

    def _help(self) -> str:
        return HELP.format(move=self._example())

    def _understood(self, word: str) -> str:
        known = word.lower().split()[:1]
        is_word = known and not _PLAY.search(word) and known[0] not in self.WORDS
        if is_word and len(known[0]) > 1:
            nearest = self._nearest(word, list(self.WORDS))
            what = (
                "no command"
                if "did you mean" in nearest
                else "neither a play such as 13/7 8/7* nor a command"
            )
            raise InputError(f"{shown(word)} is {what}{nearest}")
        return re.sub(r"(?<=[0-9r])\s*-\s*(?=[0-9o])", "/", word)  # 13-7 is 13/7

    def _save(self, name: str) -> None:
        write = {".mat": mat.write, ".sgf": sgf.write}.get(Path(name).suffix.lower())
        if not name or write is None:
            super()._save(name)
            return
        path = Path(name).expanduser()
        if path.exists() and path.resolve() not in self._own_files:
            raise InputError(f"{shown(name, 80)} exists already: choose another name")
        names = ("you", self.player.name) if self.human == 1 else (self.player.name, "you")
        write_text(path, write(match_of(self.board, names)))
        self._own_files.add(path.resolve())
        self._say(f"Saved {name}.")

    # -- advice ---------------------------------------------------------------------------------------

    def _adviser(self, seconds: str = "") -> Player:
        """Who is asked for advice: the best network, or rollouts with it."""
        if not seconds:
            return make_player(ADVISER, self.board.game)
        try:
            wanted = float(seconds)
        except ValueError:
            wanted = 0.0
        if not 0 < wanted <= MOST_SECONDS:
            raise InputError(f"hint {shown(seconds)} is not a number of seconds, as in: hint 5")
        return make_player(ROLLOUTS.format(base=ADVISER, seconds=wanted), self.board.game)

    def _advise(self, seconds: str) -> None:
        if self.board.is_over:
            raise InputError("the game is over")
        adviser = self._adviser(seconds)
        try:
            with waiting(self.console, lambda: "Looking"):
                adviser.warm_up(self.board)
                if self.board.is_decided_apart:
                    lines = cube_lines(cube_decision(adviser, self.board))
                else:
                    *_, analysis = adviser.thoughts(self.board)
                    lines = play_lines(self.board, analysis)
        finally:
            adviser.close()
        self._say("\n".join(lines))

    def _tell_equity(self) -> None:
        if self.board.is_over:
            raise InputError("the game is over")
        adviser = self._adviser()
        *_, analysis = adviser.thoughts(self.board)
        best = max(appraise(self.board, move) for move in analysis.moves)
        self._say(f"With the best play you have {best:+.3f} points{self._units()}.")

    def _units(self) -> str:
        """In what equities are told."""
        if self.board.options.length:
            return ", where winning the cube as it shows is 1"
        return f" a game, in units of the cube ({self.board.cube})" if self.board.cube > 1 else " a game"

    # -- what happens ---------------------------------------------------------------------------------

    def _says(self, action: int) -> str:
        words = {"roll": "rolls", "double": "doubles", "take": "takes", "pass": "passes the double"}
        word = CUBE_WORDS.get(action)
        if word is None:
            return super()._says(action) if action else "cannot move"
        more = f" to {2 * self.board.cube}" if word == "double" else ""
        return words[word] + more

    def _roll(self) -> None:
        self._tell_score()
        who = self.board.seat(self.board.to_play)
        self.board.roll(self._luck)
        large, small = self.board.dice or (0, 0)
        self._say(f"{who} has {large}-{small}.")
        self._unseen = True

    def _new(self) -> None:
        super()._new()
        self._score = self._points()

    def _undo(self) -> None:
        super()._undo()
        self._score = self._points()

    def _points(self) -> tuple[int, ...]:
        return tuple(int(points) for points in self.board.record["score"][0])

    def _tell_score(self) -> None:
        """Say how a game of the match has ended."""
        now = self._points()
        if now == self._score:
            return
        won = [points - before for points, before in zip(now, self._score, strict=True)]
        winner = 1 if won[0] else 2
        points = won[winner - 1]
        self._score = now
        mine, others = now[self.human - 1], now[2 - self.human]
        crawford = " This is the Crawford game: nobody doubles." if self.board.record["crawford"][0] else ""
        self._say(
            f"{self.board.seat(winner)} wins {points} point{'s' if points > 1 else ''}. "
            f"You have {mine} and the other has {others} of {self.board.options.length}.{crawford}"
        )

    def _draw(self) -> None:
        self._say(text(self.board.record[0], self.human))
        if not self.board.is_over and self.board.record["doubling"][0] == OFFERED:
            self._say(f"Will you take the cube at {2 * self.board.cube}? take or pass")


def play_lines(position: BackgammonPosition, analysis: Analysis) -> list[str]:
    """The best plays, a line each: equity, and chances where they are known."""
    worth = {move.action: appraise(position, move) for move in analysis.moves}
    ranked = sorted(analysis.moves, key=lambda move: -worth[move.action])[:SHOWN]
    rows = [["play", "equity", "", *CHANCES, ""]]
    for move in ranked:
        behind = worth[move.action] - worth[ranked[0].action]
        trials = f"{move.visits:,} trials" if move.visits > 1 else ""
        rows.append(
            [
                position.spell(move.action),
                f"{worth[move.action]:+.3f}",
                f"{behind:+.3f}" if move is not ranked[0] else "",
                *(_percent(move.chances) if move.chances else [""] * len(CHANCES)),
                trials,
            ]
        )
    return _columns(rows)


def _percent(chances: Sequence[float]) -> list[str]:
    return [f"{chance:.1%}" for chance in chances]


def _columns(rows: list[list[str]]) -> list[str]:
    """Rows in columns, the first one to the left."""
    wide = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    return [
        "  ".join(
            f"{word:{w}}" if k == 0 else f"{word:>{w}}"
            for k, (word, w) in enumerate(zip(row, wide, strict=True))
        ).rstrip()
        for row in rows
    ]


def cube_lines(decision: CubeDecision | None) -> list[str]:
    """What to do with the cube, from the side of who is on roll."""
    if decision is None:
        return ["There is no opinion on the cube."]
    rows = [
        ["no double", f"{decision.no_double:+.3f}"],
        ["double, take", f"{decision.double_take:+.3f}"],
        ["double, pass", f"{decision.double_pass:+.3f}"],
    ]
    if decision.match_chances is not None:
        for row, chance in zip(rows, decision.match_chances, strict=True):
            row.append(f"wins the match {chance:.1%}")
    return [
        f"{decision.verdict[0].upper()}{decision.verdict[1:]}.",
        *_columns(rows),
        "Who is on roll: "
        + ", ".join(map(" ".join, zip(CHANCES, _percent(decision.chances), strict=True)))
        + ".",
        f"The other may take from {decision.take_point:.1%} on.",
    ]
