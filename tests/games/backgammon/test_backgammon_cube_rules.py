"""Doubles in the game: what players may do with the cube, what games count, matches of several games."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import backgammon as naive

from playout.errors import InputError
from playout.games import api
from playout.games.backgammon import files, mat, sgf
from playout.games.backgammon.as_position import BackgammonPosition
from playout.games.backgammon.doubling import DOUBLE, PASS, ROLL, TAKE
from playout.games.backgammon.game import GAME, Options
from playout.games.backgammon.record import match_of
from playout.games.backgammon.state import DROPPED, MAY_DOUBLE, NOTHING, OFFERED, UNUSED
from playout.games.position import CHANCE, IllegalMove
from playout.kernel import new_rng


def words(position):
    return [position.spell(action) for action in position.legal_moves()]


def play_on(position, rng, luck, moves=10_000):
    """Random play, with half of what may be done with the cube."""
    while not position.is_over and moves:
        if position.is_chance:
            position.roll(luck)
        else:
            position.play(int(rng.choice(position.legal_moves())))
        moves -= 1
    return position


@pytest.mark.small
@settings(deadline=None, max_examples=25)
@given(st.integers(0, 2**32), st.sampled_from([0, 0, 1, 2, 3, 7, 25]), st.data())
def test_the_cube_goes_as_the_naive_twin_says(seed, length, data):
    score = data.draw(st.tuples(*2 * [st.integers(0, max(0, length - 1))])) if length else (0, 0)
    crawford = length > 1 and length - 1 in score and data.draw(st.booleans())
    position = GAME.new_position(Options(length=length, cube=True))
    position._array["score"], position._array["crawford"] = score, crawford
    twin = naive.Cube(length, score, crawford)
    rng, luck = np.random.default_rng(seed), new_rng(seed)
    for k in range(40):
        if position.is_over:
            break
        assert position.cube == twin.shows
        if twin.offered:
            assert words(position) == ["take", "pass"]
            assert position.to_play == 3 - twin.on_roll
        elif k and not position.is_chance and position.dice is None:
            assert twin.may_double()
            assert words(position) == ["roll", "double"]
        if position.is_chance:
            assert not twin.offered
            position.roll(luck)
            continue
        action = int(rng.choice(position.legal_moves()))
        played = position.dice is not None
        if not played:
            twin.do(position.spell(action))
        position.play(action)
        if played:
            twin.on_roll = 3 - twin.on_roll
            assert position.is_over or position.is_chance != twin.may_double()
    if twin.passed:
        assert position.is_over
        assert (position.winner, position.points) == (twin.on_roll, twin.shows)


@pytest.mark.small
def test_a_pass_loses_what_the_cube_showed_before():
    position = BackgammonPosition.from_id("4HPwATDgc/ABMA", cube=True)
    position.play("double").play("take")
    assert (position.cube, int(position.record["owner"][0]), position.is_chance) == (2, 2, True)
    position.play("31").play("8/5 6/5")
    assert words(position) == ["roll", "double"]
    position.play("redouble")
    counts = np.zeros(5)
    position.play("drop")
    api.tally(position.record[0], counts)
    assert counts.tolist() == [0, 0, 0, 0, 0]
    assert (position.winner, position.outcome, position.points, position.result()) == (2, -1.0, 2, "O+2")
    assert position.verdict().detail == "O wins 2 points: the double to 4 is passed"
    assert position.undo().play("take").cube == 4


@pytest.mark.small
def test_who_gives_up_after_a_double_has_passed_it():
    position = BackgammonPosition.from_id("4HPwATDgc/ABMA", cube=True).play("double").play("resign")
    assert (position.winner, position.points, position.result()) == (1, 1, "X+1R")


@pytest.mark.small
def test_there_is_no_double_before_the_first_roll_and_none_with_a_dead_cube():
    position = GAME.new_position(Options(cube=True))
    assert position.is_chance
    assert position.play("31").play("8/5 6/5").legal_moves() == [ROLL, DOUBLE]
    assert int(position.record["doubling"][0]) == MAY_DOUBLE
    assert position.play("double").legal_moves() == [TAKE, PASS]
    assert int(position.record["doubling"][0]) == OFFERED
    assert not position.is_chance
    one = GAME.new_position(Options(cube=True, length=1)).play("31").play("8/5 6/5")
    assert one.is_chance  # he needs one point
    two = GAME.new_position(Options(cube=True, length=2)).play("31").play("8/5 6/5")
    assert two.play("double").play("take").play("31").play("8/5 6/5").is_chance


@pytest.mark.small
def test_simulations_know_nothing_of_doubles():
    position = GAME.new_position(Options(cube=True)).play("31").play("8/5 6/5")
    assert position.simulation_root()["doubling"][0] == UNUSED
    assert position.line_from(0, 1) == [move.action for move in position.moves]
    plays = [move.action for move in position.moves]
    position.play("roll").play("31").play("8/5 6/5")
    later = [move.action for move in position.moves[2:] if move.player == CHANCE or move.action != ROLL]
    assert position.line_from(0, 1) == [*plays, *later]
    position.play("double")
    assert position.line_from(0, 1) is None
    assert int(position.record["doubling"][0]) not in (NOTHING, DROPPED)


@pytest.mark.small
@pytest.mark.parametrize(
    ("moves", "word", "sentence"),
    [
        (["31", "8/5 6/5"], "13/7", "'13/7' is no answer here: say roll or double"),
        (["31", "8/5 6/5"], "take", "'take' is no answer here: say roll or double"),
        (["31", "8/5 6/5", "double"], "roll", "'roll' is no answer here: say take or pass"),
        (["31"], "double", "there is nothing to double now: legal are"),
    ],
)
def test_wrong_words_get_a_sentence(moves, word, sentence):
    position = GAME.new_position(Options(cube=True))
    for move in moves:
        position.play(move)
    with pytest.raises(IllegalMove, match=sentence):
        position.play(word)


@pytest.mark.small
def test_impossible_options_get_a_sentence():
    with pytest.raises(InputError, match="match=true plays a whole match: say how long it is"):
        GAME.new_position(Options(match=True))
    with pytest.raises(InputError, match="a double has been offered: there are no dice"):
        BackgammonPosition.from_id("XGID=-b----E-C---eE---c-e----B-:0:0:1:D:0:0:0:0:10", dice=(3, 1))


@pytest.mark.small
@pytest.mark.parametrize("seed", range(3))
def test_a_match_is_several_games(seed):
    position = GAME.new_position(Options(length=5, cube=True, match=True))
    play_on(position, np.random.default_rng(seed), new_rng(seed))
    match = match_of(position, ("Ann", "Bob"))
    score = [0, 0]
    crawford_was = False
    for k, game in enumerate(match.games):
        assert game.first["score"][0].tolist() == score
        assert game.first["turn"][0] == 1 + k % 2
        crawford = 4 in score and not crawford_was
        crawford_was |= crawford
        assert bool(game.first["crawford"][0]) == crawford
        assert not crawford or not any(turn.kind == "double" for turn in game.turns)
        score[game.winner - 1] += game.points
    assert max(score) >= 5
    assert max(score[0] if game.winner == 2 else score[1] for game in match.games[-1:]) < 5
    assert position.score == tuple(score)
    assert position.winner == 1 + score.index(max(score))
    assert (position.outcome, position.points) == (1.0 if position.winner == 1 else -1.0, 1)
    assert position.result() == f"{'XO'[position.winner - 1]}+{max(score)}-{min(score)}"
    for text in (mat.write(match), sgf.write(match)):
        again = files.read(text.encode())
        assert [(game.winner, game.points, game.turns) for game in again.games] == [
            (game.winner, game.points, game.turns) for game in match.games
        ]
        assert again.cube
    moves = len(position.moves)
    while position.moves:
        position.undo()
    assert position.record.tobytes() == GAME.started(position.options).tobytes()
    assert moves > 20


@pytest.mark.small
def test_files_say_whether_there_is_a_cube():
    for cube in (False, True):
        position = GAME.new_position(Options(cube=cube, length=3)).play("31").play("8/5 6/5")
        match = match_of(position)
        assert match.cube == cube
        assert files.read(mat.write(match).encode()).cube == cube
        assert files.read(sgf.write(match).encode()).cube == cube
