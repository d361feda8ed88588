"""What an analysis says in words: at the moves of a game's file."""

from __future__ import annotations

from playout.analysis.results import GameAnalysis, MoveAnalysis
from playout.games.record import Note


def notes(analysis: GameAnalysis) -> list[Note]:
    """A note for each move."""
    bad = {move.number for player in range(1, len(analysis.seats) + 1) for move in analysis.worst(player)}
    return [_note(move, move.number in bad) for move in analysis.moves]


def _note(move: MoveAnalysis, is_bad: bool) -> Note:
    if move.in_points:
        return _note_in_points(move, is_bad)
    words = [f"{move.seat}'s chance to win: {in_words(move.value, move.score)}."]
    better: tuple[int, ...] = ()
    said = ""
    if move.move == move.best:
        words.append("The best move that the search knows.")
    elif move.loss > 0:
        better = move.actions
        then = in_words(move.best_value, move.best_score)
        said = f"Instead of {move.move}. {move.seat}'s chance to win: {then}."
        words.append(f"Better: {move.best}, {then}.")
        words.append(f"Lost: {move.loss:.1%}.")
    return Note("\n".join(words), move.first_value, move.first_score, is_bad, better, said)


def _note_in_points(move: MoveAnalysis, is_bad: bool) -> Note:
    words = [f"{move.seat} {move.words}: {move.value:+.3f}."]
    if move.luck is not None:
        words.append(f"Luck of the roll: {move.luck:+.3f}.")
    if move.loss > 0:
        words.append(f"Better: {move.best}, {move.best_value:+.3f}. Lost: {move.loss:.3f}.")
    elif not move.is_forced:
        words.append("The best that is known.")
    return Note(" ".join(words), move.first_value, None, is_bad, move.actions if move.loss > 0 else ())


def in_words(value: float, score: float | None) -> str:
    """A chance to win, and the lead in points.

    >>> in_words(0.613, -2.04), in_words(0.5, None)
    ('61.3%, 2.0 points behind', '50.0%')
    """
    if score is None:
        return f"{value:.1%}"
    return f"{value:.1%}, {abs(score):.1f} points {'behind' if score < 0 else 'ahead'}"


def outlook(value: float, score: float | None) -> str:
    """A chance to win, and in brackets the lead in points.

    >>> outlook(0.613, -2.04), outlook(0.5, None)
    ('61.3% (-2.0)', '50.0%')
    """
    return f"{value:.1%}" if score is None else f"{value:.1%} ({score:+.1f})"
