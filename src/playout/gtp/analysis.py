"""Analysis while the controller watches, as Sabaki, Lizzie and other pages send for it.

``lz-analyze`` and ``kata-analyze`` differ in their numbers (ten-thousandths, or floats with a score).
Both report until the next line comes in; ``…-genmove_analyze`` reports until the player has moved.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from playout.errors import InputError, near
from playout.games.go import coords
from playout.games.go.board import Board
from playout.games.go.state import BLACK
from playout.gtp.session import Session
from playout.gtp.table import Stream, command, refused, whole
from playout.player.api import RESIGN, Analysis, MoveInfo, Player
from playout.player.registry import build

DEFAULT_INTERVAL = 100  # centiseconds
# Fields that KataGo would add on request; consumers take lines without them.
IGNORED = (
    "ownershipStdev",
    "movesOwnership",
    "movesOwnershipStdev",
    "pvVisits",
    "pvEdgeVisits",
    "rootInfo",
    "noResultValue",
)
KEYS = ("interval", "minmoves", "maxmoves", "avoid", "allow", "ownership", *IGNORED)


@dataclass
class Request:
    """What an analysis command asks for."""

    color: int
    interval: int = DEFAULT_INTERVAL
    max_moves: int = 10_000
    ownership: bool = False
    avoid: set[int] = field(default_factory=set)
    allow: set[int] | None = None

    @classmethod
    def parse(cls, words: tuple[str, ...], board: Board) -> Request:
        """``[COLOR] [CENTISECONDS] [KEY VALUE]…``; a key ``avoid`` or ``allow`` has three values."""
        rest = list(words)
        request = cls(board.to_play)
        if rest and rest[0].lower() in ("b", "w", "black", "white"):
            request.color = coords.parse_color(rest.pop(0))
        if rest and rest[0].isdigit():
            request.interval = whole(rest.pop(0))
        while rest:
            key = rest.pop(0)
            if key not in KEYS:
                raise InputError(f"{coords.shown(key)} is not a key of this command{near(key[:40], KEYS)}")
            count = 3 if key in ("avoid", "allow") else 1
            values, rest = rest[:count], rest[count:]
            if len(values) < count:
                raise InputError(f"key {key} takes {count} value{'s' * (count > 1)}")
            request._set(key, values, board)
        return request

    def _set(self, key: str, values: list[str], board: Board) -> None:
        if key == "interval":
            self.interval = whole(values[0])
        elif key == "maxmoves":
            self.max_moves = max(1, whole(values[0]))
        elif key == "minmoves":
            whole(values[0])  # every candidate is reported anyway
        elif key in ("avoid", "allow"):
            color = coords.parse_color(values[0])
            points = {coords.parse_vertex(vertex, board.size) for vertex in values[1].split(",")}
            whole(values[2])
            if color != self.color:
                return
            if key == "avoid":
                self.avoid |= points
            else:
                self.allow = points | (self.allow or set())
        elif values[0].lower() not in ("true", "false"):
            raise InputError(f"{key} {coords.shown(values[0])} is not true or false")
        elif key == "ownership":
            self.ownership = values[0].lower() == "true"

    def chosen(self, analysis: Analysis) -> list[MoveInfo]:
        """The moves to report, best first."""
        return [info for info in analysis.moves if self.permits(info.action)][: self.max_moves]

    def permits(self, point: int) -> bool:
        """Whether the controller lets a move be looked at."""
        return point not in self.avoid and (self.allow is None or point in self.allow)


def _lz(info: MoveInfo, analysis: Analysis) -> str:
    def share(x: float) -> int:
        return round(10_000 * x)

    text = (
        f"visits {info.visits} winrate {share(info.winrate)} prior {share(info.prior)} lcb {share(info.lcb)}"
    )
    return text if info.rave is None else f"{text} rave {share(info.rave)}"


def _kata(info: MoveInfo, analysis: Analysis) -> str:
    # Always with a decimal point: Sabaki takes a winrate without one for ten-thousandths.
    text = (
        f"visits {info.visits} utility {2 * info.winrate - 1:.6f} winrate {info.winrate:.6f} "
        f"scoreMean {analysis.score_lead:.6f} scoreLead {analysis.score_lead:.6f} "
        f"prior {info.prior:.6f} lcb {info.lcb:.6f} utilityLcb {2 * info.lcb - 1:.6f}"
    )
    return text if info.rave is None else f"{text} rave {info.rave:.6f}"


Style = Callable[[MoveInfo, Analysis], str]


def report(analysis: Analysis, request: Request, style: Style, size: int) -> str:
    """One line of analysis."""
    parts = []
    for order, info in enumerate(request.chosen(analysis)):
        line = " ".join(coords.vertex(p, size) for p in info.pv or (info.action,))
        move = coords.vertex(info.action, size)
        parts.append(f"info move {move} {style(info, analysis)} order {order} pv {line}")
    if request.ownership and parts and analysis.ownership is not None:
        sign = 1 if analysis.to_play == BLACK else -1
        parts.append("ownership " + " ".join(f"{sign * owner:.6f}" for owner in analysis.ownership.flat))
    return " ".join(parts)


def _reports(
    analyses: Iterator[Analysis], request: Request, style: Style, size: int
) -> Iterator[tuple[Analysis, str | None]]:
    """Each analysis with its line where one is due: the first at once, then one an interval."""
    due = time.monotonic()
    for analysis in analyses:
        now = time.monotonic()
        if now < due:
            yield analysis, None
            continue
        due = now + max(1, request.interval) / 100
        yield analysis, report(analysis, request, style, size) or None


def _analyze(session: Session, words: tuple[str, ...], style: Style) -> Stream:
    board = session.board
    with refused("syntax error"):
        request = Request.parse(words, board)
    analyses = session.player.analyse(session.turned(request.color))
    return Stream((line for _, line in _reports(analyses, request, style, board.size)), endless=True)


def _genmove_analyze(session: Session, words: tuple[str, ...], style: Style) -> Stream:
    with refused("syntax error"):
        request = Request.parse(words, session.board)
    if session.spec is None:
        raise InputError("a player that was not made from a spec cannot report while it thinks")
    session.player.analyse(session.turned(request.color))  # a player that cannot says so here
    return Stream(_thinking(session, build(*session.spec), request, style), endless=False)


def _thinking(
    session: Session, twin: Player, request: Request, style: Style
) -> Generator[str | None, None, None]:
    """A twin of the player reports, so that the move does not depend on who looks on."""
    board = session.turned(request.color)
    best: list[MoveInfo] = []
    with ThreadPoolExecutor(1) as pool, contextlib.closing(twin):
        choice = pool.submit(session.think, request.color)
        for analysis, line in _reports(twin.analyse(board), request, style, board.size):
            best = request.chosen(analysis)
            yield line
            if choice.done():
                break
        point = choice.result()
    if point != RESIGN and not request.permits(point) and best:
        point = best[0].action
    yield "play " + session.answer(point, request.color)


@command("lz-analyze")
def lz_analyze(session: Session, *arguments: str) -> Stream:
    return _analyze(session, arguments, _lz)


@command("kata-analyze")
def kata_analyze(session: Session, *arguments: str) -> Stream:
    return _analyze(session, arguments, _kata)


@command("lz-genmove_analyze")
def lz_genmove_analyze(session: Session, *arguments: str) -> Stream:
    return _genmove_analyze(session, arguments, _lz)


@command("kata-genmove_analyze")
def kata_genmove_analyze(session: Session, *arguments: str) -> Stream:
    return _genmove_analyze(session, arguments, _kata)
