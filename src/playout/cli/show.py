"""Boards and tables for people: in colour where the terminal has colours."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from playout.games.go import coords
from playout.games.go.board import format_score
from playout.games.go.state import BLACK, EMPTY, PASS, WHITE
from playout.games.registry import DEFAULT

if TYPE_CHECKING:
    from playout.arena.match import MatchResult
    from playout.arena.pairs import Pairs
    from playout.arena.store import GameRecord
    from playout.bench import Figure
    from playout.games.game import Game
    from playout.games.go.board import Board

WOOD = "#e0b060"
INK = {EMPTY: "#8a6a30", BLACK: "bold #000000", WHITE: "bold #ffffff"}


def board_picture(board: Board, console: Console, dead: Collection[int] = ()) -> Text:
    """The board: stones on wood where there are colours, else X and O. Dead stones are small."""
    colors = console.color_system is not None and not console.no_color
    round_stones = colors and (console.encoding or "").lower().startswith("utf")
    alive_symbols = {EMPTY: ".", BLACK: "X", WHITE: "O"}
    if round_stones:
        alive_symbols = {EMPTY: "·", BLACK: "●", WHITE: "●"}
    side = board.size
    stars = set(coords.star_points(side))
    last = board.moves[-1].point if board.moves else PASS
    picture = Text()
    header = "   " + " ".join(coords.COLUMNS[:side])
    picture.append(header + "\n")
    for row in range(side):
        picture.append(f"{side - row:2}")
        for column in range(side + 1):
            p = coords.point(row, column)
            left = coords.point(row, column - 1)
            around = "(" if p == last and column < side else ")" if column and left == last else " "
            ground = f"on {WOOD}" if colors else ""
            picture.append(around, f"#000000 {ground}" if colors else "")
            if column == side:
                continue
            color = board.color_at(p)
            symbol = alive_symbols[color]
            if color == EMPTY and p in stars:
                symbol = "+"
            elif p in dead:
                symbol = "xo"[color - 1]
            picture.append(symbol, f"{INK[color]} {ground}" if colors else "")
        picture.append(f"{side - row}\n")
    picture.append(header)
    return picture


def score_sentence(board: Board, dead: Collection[int]) -> str:
    """The result of a finished game in words."""
    if board.resigned is not None:
        return f"{coords.color_name(3 - board.resigned)} wins by resignation."
    score = board.score(dead)
    counted = f" {_dead_words(len(dead))}." if dead else ""
    if score == 0:
        return f"A draw.{counted}"
    winner = coords.color_name(BLACK if score > 0 else WHITE)
    return f"{winner} wins by {abs(score):g} points ({board.result(dead)}).{counted}"


def _dead_words(count: int) -> str:
    if count == 1:
        return "One stone is dead (drawn small)"
    return f"{count} stones are dead (drawn small)"


def estimate_sentence(score: float) -> str:
    """An estimated score in words.

    >>> estimate_sentence(-3.24)
    'White is about 3.2 points ahead (W+3.2).'
    """
    if abs(score) < 0.05:
        return "The game is about even."
    leader = coords.color_name(BLACK if score > 0 else WHITE)
    return f"{leader} is about {abs(score):.1f} points ahead ({format_score(round(score, 1))})."


def match_table(result: MatchResult, players: Mapping[str, str], verdict: str | None = None) -> Table:
    """The result of a match. players: specs by name. verdict: of its sequential test, in words."""
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="dim")
    table.add_column(overflow="fold")
    low, high = result.interval
    a, b = called(players)
    for title, (name, spec) in zip((a, b), players.items(), strict=True):
        table.add_row(Text(title), Text(spec or name))
    table.add_row("games", str(result.games))
    table.add_row(Text(f"{a} wins – {b} wins"), f"{result.a_wins} – {result.b_wins}")
    if result.draws:
        table.add_row("draws", str(result.draws))
    if result.void:
        table.add_row("void", str(result.void))
    if result.duplicates:
        table.add_row("copies", f"{result.duplicates}, not counted")
    if result.late:
        table.add_row("too late", f"{result.late}, not counted")
    if result.score is not None:
        table.add_row(Text(f"score of {a}"), f"{result.score:.1%}  (95 %: {low:.1%} to {high:.1%})")
        table.add_row(Text(f"Elo of {a} over {b}"), f"{result.elo:+.0f} ± {result.elo_margin:.0f}")
    if result.points is not None:
        ends = result.points_interval
        between = "" if ends is None else f"  (95 %: {ends[0]:+.3f} to {ends[1]:+.3f})"
        table.add_row(Text(f"points a game of {a}"), f"{result.points:+.3f}{between}")
    if (pairs := result.pairs).total:
        split = pairs.total - pairs.a_twice - pairs.b_twice
        told = f"{a} won {pairs.a_twice} twice, {b} {pairs.b_twice}, {split} split"
        table.add_row("pairs", Text(f"{pairs.total}: {told}"))
        points = ", ".join(
            f"{value}: {count}" for value, count in zip(("0", "½", "1", "1½", "2"), pairs.counts, strict=True)
        )
        table.add_row(Text(f"pairs by points of {a}"), points)
        if pairs.normalised_elo is not None:
            table.add_row("normalised Elo", f"{pairs.normalised_elo:+.0f} ± {pairs.normalised_margin:.0f}")
    if verdict is not None:
        table.add_row("SPRT", verdict)
    table.add_row("ended by", ", ".join(f"{reason} {n}" for reason, n in result.reasons.items()) or "–")
    return table


def called(players: Mapping[str, str]) -> tuple[str, ...]:
    """What the players of a match are called in a table: their names where they have some, else a and b."""
    return tuple(
        letter if spec in ("", name.removesuffix(" (2)")) else name
        for letter, (name, spec) in zip("ab", players.items(), strict=True)
    )


def openings_table(pairs: Pairs, players: Mapping[str, str]) -> Table:
    """Who won each opening with both colours."""
    a, b = called(players)
    table = Table(box=None, pad_edge=False)
    table.add_column("opening", overflow="fold")
    for title in ("pairs", f"{a} twice", f"{b} twice", "split"):
        table.add_column(Text(title), justify="right", no_wrap=True)
    for opening in pairs.openings:
        cells = (opening.pairs, opening.a_twice, opening.b_twice, opening.split)
        table.add_row(Text(opening.moves or "none"), *map(str, cells))
    return table


def live_match_table(result: MatchResult, a: str, b: str) -> Table:
    """A match that goes on, from both sides."""
    games = result.a_wins + result.b_wins + result.draws
    score = result.score
    sides = (
        (a, result.a_wins, result.b_wins, score, result.elo),
        (b, result.b_wins, result.a_wins, None if score is None else 1 - score, -result.elo),
    )
    return tournament_table(
        [
            {
                "name": name,
                "games": games,
                "wins": wins,
                "draws": result.draws,
                "losses": losses,
                "score": share,
                "void": result.void,
                "duplicates": result.duplicates,
                "elo": None if share is None else elo,
                "elo_margin": result.elo_margin,
            }
            for name, wins, losses, share, elo in sides
        ]
    )


def tournament_table(rows: list[dict[str, Any]]) -> Table:
    """Players, their games and ratings."""
    table = Table(box=None, pad_edge=False)
    table.add_column("player", overflow="fold", min_width=8)
    columns: dict[str, Callable[[dict[str, Any]], str]] = {
        "games": lambda row: str(row["games"]),
        "won": lambda row: str(row["wins"]),
        "drawn": lambda row: str(row["draws"]),
        "lost": lambda row: str(row["losses"]),
        "score": lambda row: "–" if row["score"] is None else f"{row['score']:.1%}",
        "Elo": lambda row: "–" if row["elo"] is None else f"{row['elo']:.0f} ± {row['elo_margin']:.0f}",
    }
    if any(row["void"] for row in rows):
        columns["void"] = lambda row: str(row["void"])
    if any(row["duplicates"] for row in rows):
        columns["copies"] = lambda row: str(row["duplicates"])
    for title in columns:
        table.add_column(title, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(Text(row["name"]), *(show(row) for show in columns.values()))
    return table


def games_table(games: list[GameRecord]) -> Table:
    """The games of a run, a row each; long names go on in the next line, as their ends may differ."""
    table = Table(box=None, pad_edge=False)
    for title in ("game", "black", "white", "result", "moves", "ended by", ""):
        table.add_column(title, justify="right" if title in ("game", "moves") else "left", overflow="fold")
    for game in games:
        copy = f"like game {game.same_as}" if game.same_as is not None else ""
        table.add_row(
            str(game.number),
            Text(game.black),
            Text(game.white),
            game.result,
            str(game.length),
            game.reason,
            copy or ("" if game.counted else "not counted"),
        )
    return table


def game_table(game: GameRecord, settings: dict[str, Any]) -> Table:
    """All that is kept of one game."""
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="dim")
    table.add_column()
    table.add_row("game", f"{game.number} of pair {game.pair}")
    for color in ("black", "white"):
        seed, version = getattr(game, f"{color}_seed"), getattr(game, f"{color}_version")
        facts = [
            version,
            f"{getattr(game, f'{color}_seconds'):.2f} s",
            f"seed {seed}" if seed is not None else "",
        ]
        table.add_row(color, Text(f"{getattr(game, color)} ({', '.join(filter(None, facts))})"))
    if settings.get("game", DEFAULT) == DEFAULT:
        table.add_row("board", f"{settings['size']}×{settings['size']}, komi {settings['komi']:g}")
    else:
        table.add_row("game of", settings["game"])
    table.add_row("result", f"{game.result} ({game.reason})")
    table.add_row("what happened", Text(game.detail))
    if game.same_as is not None:
        table.add_row("copy", f"the same game as {game.same_as}: not counted")
    table.add_row("opening", game.opening or "–")
    table.add_row("moves", Text(game.moves or "–"))
    for color in ("black", "white"):
        if text := getattr(game, f"{color}_stderr"):
            table.add_row(f"stderr of {color}", Text(text.rstrip()))
    return table


def bench_table(figures: list[Figure]) -> Table:
    """Benchmark figures: medians; the spread is half the distance of the quartiles."""
    table = Table(box=None, pad_edge=False)
    table.add_column("benchmark", no_wrap=True)
    columns: dict[str, Callable[[Figure], str]] = {
        "per second": lambda f: f"{f.per_second:,.0f}",
        "spread": lambda f: f"±{(f.spread[1] - f.spread[0]) / 2 / f.per_second:.1%}",
        "moves/s": lambda f: "–" if f.moves_per_second is None else f"{f.moves_per_second / 1e6:.2f} M",
        "unit": lambda f: "–" if f.unit is None else f"{f.unit:.3f}",
        "own size": lambda f: "–" if f.unit_same_size is None else f"{f.unit_same_size:.3f}",
    }
    if any(f.scaling is not None for f in figures):
        columns["scaling"] = lambda f: "–" if f.scaling is None else f"{f.scaling:.2f}"
        columns["cores"] = lambda f: "–" if f.cores is None else f"{f.cores:.2f}"
    for title in columns:
        table.add_column(title, justify="right", no_wrap=True)
    for f in figures:
        table.add_row(f.name, *(show(f) for show in columns.values()))
    return table


def known_games_table(games: list[Game]) -> Table:
    """The games that can be played, with their options."""
    from playout.settings import describe

    table = Table(box=None, pad_edge=False)
    table.add_column("game", no_wrap=True)
    for title in ("what it is", "options (--set KEY=VALUE)"):
        table.add_column(title, overflow="fold")
    for game in games:
        options = [f"{key}={facts['default']}" for key, facts in describe(game.options).items()]
        table.add_row(Text(game.name, "bold"), Text(game.summary), Text(" ".join(options), "dim"))
    return table


def facts_table(facts: dict[str, Any]) -> Table:
    """The facts of a game record, without those that it lacks."""
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="dim")
    table.add_column()
    captures = facts["captures"]
    several = f" (game {facts['game']} of {facts['games']})" if facts["games"] > 1 else ""
    turn = "the game is over" if facts["is_over"] else f"{facts['to_play']} to play"
    rows = {
        "black": facts["black"],
        "white": facts["white"],
        "date": facts["date"],
        "game": f"{facts['size']}×{facts['size']}, komi {facts['komi']:g}"
        + (f", handicap {facts['handicap']}" if facts["handicap"] else "")
        + (f", {facts['rules']} rules" if facts["rules"] else "")
        + several,
        "result": facts["result"],
        "position": f"after move {facts['move']} of {facts['moves']}"
        + (f" ({facts['last']})" if facts["last"] else "")
        + f", {turn}",
        "captured": f"B {captures['B']}, W {captures['W']}" if any(captures.values()) else "",
        "score": f"{facts['score']} ({facts['score_is']})",
        "dead": " ".join(facts["dead"]),
    }
    for name, words in rows.items():
        if words:
            table.add_row(name, Text(words))
    return table


def players_table(rows: list[dict[str, Any]]) -> Table:
    """Every player in a line."""
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(no_wrap=True)
    table.add_column()
    for row in rows:
        table.add_row(Text(row["name"], "bold"), Text(row["summary"]))
    return table


def settings_table(row: dict[str, Any]) -> Table:
    """A player with its settings."""
    table = Table(
        box=None, pad_edge=False, title=Text(f"{row['name']}: {row['summary']}", "bold"), title_justify="left"
    )
    table.add_column("setting", no_wrap=True)
    table.add_column("default", overflow="fold")
    table.add_column("meaning")
    for key, facts in row["settings"].items():
        default = facts["default"]
        word = str(default).lower() if default is None or isinstance(default, bool) else str(default)
        table.add_row(Text(key), Text(word), Text(f"{facts['help']} [{facts['values']}]", "dim"))
    return table
