"""Analysis while the controller watches, as Sabaki, Lizzie and other pages send for it.

``lz-analyze`` and ``kata-analyze`` differ in their numbers (ten-thousandths, or floats with a score).
Both report until the next line comes in; ``…-genmove_analyze`` reports the search that plays. Its last line
is of the finished search: the move that is played comes first, unless the player resigns. A move that needs
no search (a pass that ends a won game) has no line.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from queue import SimpleQueue

from playout.errors import InputError, near
from playout.games.go import coords
from playout.games.go.board import Board
from playout.games.go.state import BLACK
from playout.gtp.session import Session
from playout.gtp.table import COLORS, Stream, color, command, refused, whole
from playout.player.api import RESIGN, Analysis, MoveInfo, Onlooker

DEFAULT_INTERVAL = 100  # centiseconds
# Fields that KataGo would add on request; consumers take lines without them.
IGNORED = (
    "ownershipStdev",
    "movesOwnership",
    "movesOwnershipStdev",
    "pvVisits",
    "pvEdgeVisits",
    "noResultValue",
)
KEYS = ("interval", "minmoves", "maxmoves", "avoid", "allow", "ownership", "rootInfo", *IGNORED)


@dataclass
class Request:
    """What an analysis command asks for."""

    color: int
    interval: int = DEFAULT_INTERVAL
    max_moves: int = 10_000
    ownership: bool = False
    root: bool = False  # whether to say what the whole search is worth
    avoid: set[int] = field(default_factory=set)
    allow: set[int] | None = None

    @classmethod
    def parse(cls, words: tuple[str, ...], board: Board) -> Request:
        """``[COLOR] [CENTISECONDS] [KEY VALUE]…``; a key ``avoid`` or ``allow`` has three values."""
        rest = list(words)
        request = cls(board.to_play)
        if rest and rest[0].lower() in COLORS:
            request.color = color(rest.pop(0))
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
            player = color(values[0])
            points = {coords.parse_vertex(vertex, board.size) for vertex in values[1].split(",")}
            whole(values[2])
            if player != self.color:
                return
            if key == "avoid":
                self.avoid |= points
            else:
                self.allow = points | (self.allow or set())
        elif values[0].lower() not in ("true", "false"):
            raise InputError(f"{key} {coords.shown(values[0])} is not true or false")
        elif key == "ownership":
            self.ownership = values[0].lower() == "true"
        elif key == "rootInfo":
            self.root = values[0].lower() == "true"

    def chosen(self, analysis: Analysis) -> list[MoveInfo]:
        """The moves to report, best first."""
        return [info for info in analysis.moves if self.permits(info.action)][: self.max_moves]

    def permits(self, point: int) -> bool:
        """Whether the controller lets a move be looked at."""
        return point not in self.avoid and (self.allow is None or point in self.allow)


def _ten_thousandths(share: float) -> int:
    return round(10_000 * share)


class _Lz:
    """Leela Zero's numbers: whole ones, in ten-thousandths."""

    def move(self, info: MoveInfo, analysis: Analysis) -> str:
        winrate, prior, lcb = map(_ten_thousandths, (info.winrate, info.prior, info.lcb))
        text = f"visits {info.visits} winrate {winrate} prior {prior} lcb {lcb}"
        return text if info.rave is None else f"{text} rave {_ten_thousandths(info.rave)}"

    def root(self, analysis: Analysis) -> str:
        """Leela Zero has no such thing."""
        return ""


class _Kata:
    """KataGo's numbers: shares, and leads in points.

    Always with a decimal point: Sabaki takes a winrate without one for ten-thousandths.
    """

    def move(self, info: MoveInfo, analysis: Analysis) -> str:
        """A move that no simulation began with has the lead of the whole, as KataGo has it."""
        lead = analysis.score_lead if info.score_lead is None else info.score_lead
        text = (
            f"visits {info.visits} {self._worth(info.winrate, lead)} "
            f"prior {info.prior:.6f} lcb {info.lcb:.6f} utilityLcb {2 * info.lcb - 1:.6f}"
        )
        return text if info.rave is None else f"{text} rave {info.rave:.6f}"

    def root(self, analysis: Analysis) -> str:
        """What the search as a whole has found; it is worth what its first move is."""
        return f"visits {analysis.visits} {self._worth(analysis.winrate, analysis.score_lead)}"

    def _worth(self, winrate: float, lead: float | None) -> str:
        text = f"utility {2 * winrate - 1:.6f} winrate {winrate:.6f}"
        return text if lead is None else f"{text} scoreMean {lead:.6f} scoreLead {lead:.6f}"


Style = _Lz | _Kata
LZ, KATA = _Lz(), _Kata()


def report(analysis: Analysis, request: Request, style: Style, size: int) -> str:
    """One line of analysis."""
    parts = []
    for order, info in enumerate(request.chosen(analysis)):
        line = " ".join(coords.vertex(p, size) for p in info.pv or (info.action,))
        move = coords.vertex(info.action, size)
        parts.append(f"info move {move} {style.move(info, analysis)} order {order} pv {line}")
    if request.root and parts and (root := style.root(analysis)):
        parts.append(f"rootInfo {root}")
    if request.ownership and parts and analysis.ownership is not None:
        sign = 1 if analysis.to_play == BLACK else -1
        parts.append("ownership " + " ".join(f"{sign * owner:.6f}" for owner in analysis.ownership.flat))
    return " ".join(parts)


def _lines(
    analyses: Iterator[Analysis], request: Request, style: Style, size: int
) -> Generator[str | None, None, None]:
    """A line of each analysis that is due: the first at once, then one an interval."""
    due = time.monotonic()
    for analysis in analyses:
        now = time.monotonic()
        if now < due:
            yield None
            continue
        due = now + max(1, request.interval) / 100
        yield report(analysis, request, style, size) or None


def _analyze(session: Session, words: tuple[str, ...], style: Style) -> Stream:
    board = session.board
    with refused("syntax error"):
        request = Request.parse(words, board)
    analyses = session.player.analyse(session.turned(request.color))
    return Stream(_lines(analyses, request, style, board.size), endless=True)


def _genmove_analyze(session: Session, words: tuple[str, ...], style: Style) -> Stream:
    with refused("syntax error"):
        request = Request.parse(words, session.board)
    session.player.analyse(session.turned(request.color))  # a player that cannot says so here
    return Stream(_thinking(session, request, style), endless=False)


def _thinking(session: Session, request: Request, style: Style) -> Generator[str | None, None, None]:
    """The player thinks in a thread of its own and tells what it finds."""
    found: SimpleQueue[Analysis | None] = SimpleQueue()
    last: Analysis | None = None
    onlooker = Onlooker(found.put, max(1, request.interval) / 100, request.ownership)
    with ThreadPoolExecutor(1) as pool:
        choice = pool.submit(session.think, request.color, onlooker)
        choice.add_done_callback(lambda _: found.put(None))
        try:
            for last in iter(found.get, None):
                yield report(last, request, style, session.board.size) or None
        finally:
            if not choice.done():  # Ctrl-C, or nobody listens
                session.player.stop()
        point = choice.result()
    if point != RESIGN and not request.permits(point):
        if last is None:
            last = next(iter(session.player.analyse(session.turned(request.color))))
        best = request.chosen(last)
        point = best[0].action if best else point
    yield "play " + session.answer(point, request.color)


@command("lz-analyze")
def lz_analyze(session: Session, *arguments: str) -> Stream:
    return _analyze(session, arguments, LZ)


@command("kata-analyze")
def kata_analyze(session: Session, *arguments: str) -> Stream:
    return _analyze(session, arguments, KATA)


@command("lz-genmove_analyze")
def lz_genmove_analyze(session: Session, *arguments: str) -> Stream:
    return _genmove_analyze(session, arguments, LZ)


@command("kata-genmove_analyze")
def kata_genmove_analyze(session: Session, *arguments: str) -> Stream:
    return _genmove_analyze(session, arguments, KATA)
