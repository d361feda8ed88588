"""What a search has learnt: values of moves by each memory, and shapes where they stand."""

import json
import math

import numpy as np
import pytest
from naive.shapes import active, squares

from playout.errors import InputError
from playout.games.go import coords
from playout.games.go.board import Board
from playout.games.go.insight import MEMORIES, look_inside, recall
from playout.player.registry import make_player

SIZES = (1, 2)


def features(board: Board, sizes=SIZES) -> list[tuple[str, int, tuple[str, ...]]]:
    """What stands on a board, by the paper: place, size and rows of each feature with a stone."""
    drawn = {
        (row, column): ".XO"[board.color_at(coords.point(row, column))]
        for row in range(board.size)
        for column in range(board.size)
    }
    return [
        (coords.vertex(coords.point(row, column), board.size), size, squares(size, cells))
        for size, row, column, cells in active(drawn, board.size, sizes)
        if set(cells) != {"."}
    ]


def corner(to_play: str = "B") -> Board:
    return Board.from_text(". X O\n. O .\nX . .", to_play=to_play, komi=0.5)


@pytest.mark.small
@pytest.mark.parametrize("to_play", ["B", "W"])
def test_shapes_and_values_are_those_of_the_definition(to_play):
    """V(s∘a) is the squashed sum of the weights of what stands on the board after a."""
    board = corner(to_play)
    found = look_inside(board, "td-search:sims=12,seed=1,shapes=1+2,alpha=1", top=1000)
    assert [(shape.at, shape.size, shape.rows) for shape in found.standing] == features(board)
    assert all(shape.stands for shape in found.standing)
    weight = {(shape.at, shape.size, shape.rows): shape.weight for shape in found.learnt["sum"]}
    assert weight
    assert {move.move for move in found.moves} == {board.spell(p) for p in board.legal_moves()}
    for move in found.moves:
        after = board.copy().play(move.move)
        if after.is_over:
            continue
        chance = 1 / (1 + math.exp(-sum(weight.get(feature, 0.0) for feature in features(after))))
        assert move.value == pytest.approx(chance if to_play == "B" else 1 - chance, abs=1e-5)
        assert (move.long_term, move.short_term) == (0.5, pytest.approx(move.value, abs=1e-6))


def test_both_memories_add_up():
    board = Board(5, komi=0.5).play("C3").play("D3").play("D2")
    found = look_inside(board, "dyna2:sims=100,seed=3")
    assert found.has_long_term

    def logit(x):
        return math.log(x / (1 - x))

    for move in found.moves:
        assert logit(move.value) == pytest.approx(logit(move.long_term) + logit(move.short_term), abs=1e-4)
    nothing = look_inside(board, "dyna2:sims=1,seed=3,alpha=1e-9")
    for shape, same in zip(found.standing, nothing.standing, strict=True):
        assert shape.long_term == same.long_term
        assert shape.short_term == shape.change  # nothing was learnt before this search
        assert abs(same.short_term) < 1e-6
    assert any(shape.short_term for shape in found.standing)


def test_the_heaviest_come_first_whomever_they_are_good_for():
    board = Board(5, komi=0.5).play("C3").play("D3").play("D2")
    found = look_inside(board, "dyna2:sims=100,seed=3", top=7)
    for memory in MEMORIES:
        weights = [abs(shape.of(memory)) for shape in found.heaviest(memory, 1000)]
        assert weights == sorted(weights, reverse=True)
        assert len(found.heaviest(memory, 4)) == 4
        of_all = found.heaviest(memory, 1000, everywhere=True)
        assert [sum(shape.size == size for shape in of_all) for size in (1, 2, 3)] == [7, 7, 7]
        assert abs(of_all[0].of(memory)) >= weights[0]
    assert {shape.of("sum") > 0 for shape in found.standing} == {True, False}
    with pytest.raises(InputError, match="memory 'middle' is not one of long-term, short-term, sum, change"):
        found.heaviest("middle")


@pytest.mark.parametrize("spec", ["dyna2", "td-search:shapes=1+2", "rlgo:depth=2"])
def test_it_is_what_the_player_finds_and_changes_nothing(spec):
    """Also later in a game: what was learnt before is part of it."""
    settings = f"{spec}{',' if ':' in spec else ':'}sims=256,seed=4"
    player, board = make_player(settings), Board(5, komi=0.5)
    for turn in range(2):
        found = look_inside(board, player)
        assert (found.simulations, found.before) == (256, 256 * turn)
        analysis = next(player.analyse(board))
        chosen = player.choose(board)
        assert found.chosen == chosen
        values = {move.action: move.value for move in found.moves}
        assert {info.action: info.winrate for info in analysis.moves}.items() <= values.items()
        own = player._search.values(list(values))
        assert list(values.values()) == list(own if board.to_play == 1 else 1 - own)
        board.play(chosen)
        board.play(board.candidates()[0])
    assert max(abs(shape.short_term - shape.change) for shape in found.standing) > 0


def test_recall_is_of_the_last_search_and_makes_none():
    player, board = make_player("dyna2:sims=60,seed=4"), Board(5, komi=0.5)
    assert recall(board, player).simulations == 60, "there was no search, so one is made"
    board.play(player.choose(board))
    weights = player._search.weights.copy()
    found = recall(board, player)
    assert (found.simulations, found.before) == (0, 60)
    assert not found.heaviest("change")
    assert found.heaviest("short-term")
    assert np.array_equal(player._search.weights, weights)
    analyses = player.analyse(board)
    next(analyses)
    analysis = next(analyses)
    again = recall(board, player)
    assert again.before == 60 + 512
    values = {move.action: move.value for move in again.moves}
    assert {info.action: info.winrate for info in analysis.moves}.items() <= values.items()
    player.new_game()
    assert recall(board, player).before == 0


def test_as_json():
    board = Board(5, komi=0.5).play("C3").play("D3")
    found = look_inside(board, "dyna2:sims=30,seed=2")
    facts = json.loads(json.dumps(found.as_json(3), allow_nan=False))
    assert (facts["player"], facts["size"], facts["move"]) == ("dyna2:sims=30,seed=2", 5, 2)
    assert (facts["to_play"], facts["simulations"], facts["chosen"]) == ("B", 30, found.chosen)
    assert [value["move"] for value in facts["values"]] == [move.move for move in found.moves]
    for kind in ("shapes", "learnt"):
        assert list(facts[kind]) == ["long_term", "short_term", "weight", "change"]
        assert all(len(shapes) == 3 for shapes in facts[kind].values())
    first = facts["shapes"]["weight"][0]
    assert first["weight"] == pytest.approx(first["long_term"] + first["short_term"], abs=2e-6)
    assert "".join(first["rows"]).strip(".")


def test_the_empty_board_has_values_and_no_shapes():
    found = look_inside(Board(2, komi=0.5), "td-search:sims=20,seed=1")
    assert found.standing == ()
    assert len(found.moves) == 5
    assert not any(shape.stands for shape in found.heaviest("sum", everywhere=True))


@pytest.mark.parametrize("player", ["uct:sims=5", "shapes", "flat"])
def test_players_that_learn_no_shapes_are_refused(player):
    with pytest.raises(InputError, match="learns no shapes in its search; td-search, dyna2 and rlgo do"):
        look_inside(Board(5), player)


def test_a_finished_game_is_refused():
    with pytest.raises(InputError, match="the game is over"):
        look_inside(Board(5).play("pass").play("pass"), "dyna2")
