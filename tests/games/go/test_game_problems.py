"""Moves of games as problems: which are taken, and what is left out by name."""

import numpy as np
import pytest

from playout.errors import InputError
from playout.games.go import sgf
from playout.games.go.coords import vertex
from playout.games.go.game_problems import load_game_problems, problems_of_games

GAME = "(;SZ[5]KM[0.5]RE[W+3.5];B[cc];W[bc];B[cb];W[bb];B[];W[bd];B[cd];W[be])"


def of(*texts, side=5, **how):
    left_out = []
    games = [(f"game {k + 1}", sgf.read(text.encode())) for k, text in enumerate(texts)]
    return problems_of_games(games, side, say=left_out.append, **how), left_out


def moves(found):
    return [vertex(int(right[0]), found.side) for right in found.right]


def test_the_winners_moves_are_right_and_passes_are_none():
    found, left_out = of(GAME)
    assert moves(found) == ["B3", "B4", "B2", "B1"]
    assert found.names[0] == "game 1 move 2"
    assert found.roots["to_play"].tolist() == [2, 2, 2, 2]
    assert found.roots["last"].tolist()[:2] != [0, 0]
    assert found.roots["komi"].tolist() == [0.5] * 4
    assert left_out == []
    found, _ = of(GAME, whose="both", skip=2)
    assert moves(found) == ["C4", "B4", "B2", "C2", "B1"]


def test_few_are_drawn_from_all_over_the_game():
    long = "(;SZ[9]RE[B+R]" + "".join(f";B[{x}a];W[{x}i]" for x in "abcdefghi") + ")"
    seen = set()
    for seed in range(30):
        found, _ = of(long, side=9, each=3, seed=seed)
        numbers = [int(name.rpartition(" ")[2]) for name in found.names]
        assert len(numbers) == 3
        assert numbers[0] <= 5 < numbers[1] <= 11 < numbers[2]
        seen |= set(numbers)
    assert len(seen) == 9
    again, _ = of(long, side=9, each=3, seed=29)
    assert np.array_equal(found.roots, again.roots)


def test_what_cannot_be_learnt_is_named():
    found, left_out = of(
        GAME,
        "(;SZ[9]RE[B+R];B[ee])",
        "(;SZ[5];B[cc])",
        "(;SZ[5]RE[B+R];B[cc];W[cc])",
        "(;SZ[5]RE[B+R];W[cc];W[bb])",
    )
    assert len(found) == 4
    assert left_out == [
        "game 2 is left out: its board is 9×9 and not 5×5",
        "game 3 is left out: it has no winner",
        "game 4 is left out: move 2 is illegal: White may not play C3: there is a stone already",
    ]
    with pytest.raises(InputError, match="there is no 7×7 game with a move to learn from"):
        of(GAME, side=7)
    for how, words in (({"whose": "mine"}, "whose: 'mine'"), ({"each": 0}, "each"), ({"skip": -1}, "skip")):
        with pytest.raises(InputError, match=words):
            of(GAME, **how)


def test_files_and_folders(tmp_path):
    with pytest.raises(InputError, match="has no SGF files"):
        load_game_problems(tmp_path, 5)
    (tmp_path / "b.sgf").write_text(GAME + GAME)
    (tmp_path / "a.sgf").write_text(GAME)
    found = load_game_problems(tmp_path, 5)
    assert found.names[::4] == ("a.sgf 1 move 2", "b.sgf 1 move 2", "b.sgf 2 move 2")
    assert len(load_game_problems(tmp_path / "b.sgf", 5, each=1)) == 2
