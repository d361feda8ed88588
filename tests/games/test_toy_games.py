"""The games that come along: their rules against naive twins, and searches against what is known of them."""

import random
from statistics import fmean, median

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import toys

from playout.arena.match import match
from playout.errors import InputError
from playout.games import api
from playout.games.registry import MODULES, find_game
from playout.games.toy import (
    connect_four,
    dice_race,
    gridworld,
    hex_board,
    mountain_car,
    nim,
    random_walk,
    twenty48,
)
from playout.kernel import clone, kernel, new_rng
from playout.memory.api import DECIDED
from playout.memory.blank import Blank
from playout.policy.api import Copies
from playout.policy.random import Random
from playout.search.alphabeta import AlphaBeta
from playout.search.flat import NO_LEADS, rollouts
from playout.search.mcts import Even, Selection, TreeSearch
from playout.search.simulation import evaluate

# name: the game, its options, and its twin
TWINS = {
    "connect four": (connect_four.GAME, {}, toys.ConnectFour),
    "three in a row": (connect_four.GAME, {"columns": 5, "rows": 4, "line": 3}, toys.ConnectFour),
    "all 64 bits": (connect_four.GAME, {"columns": 8, "rows": 7, "line": 6}, toys.ConnectFour),
    "low and wide": (connect_four.GAME, {"columns": 9, "rows": 2, "line": 2}, toys.ConnectFour),
    "hex": (hex_board.GAME, {}, toys.Hex),
    "one cell": (hex_board.GAME, {"side": 1}, toys.Hex),
    "large hex": (hex_board.GAME, {"side": 11}, toys.Hex),
    "nim": (nim.GAME, {}, toys.Nim),
    "one heap": (nim.GAME, {"heaps": "21", "limit": 3}, toys.Nim),
    "dice race": (dice_race.GAME, {}, toys.DiceRace),
    "2048": (twenty48.GAME, {}, toys.Twenty48),
    "2048 to 32": (twenty48.GAME, {"goal": 32}, toys.Twenty48),
    "random walk": (random_walk.GAME, {"states": 7}, toys.RandomWalk),
    "slippery maze": (gridworld.GAME, {}, toys.Gridworld),
    "dry maze": (gridworld.GAME, {"maze": "dyna", "slip": 0.0}, toys.Gridworld),
    "mountain car": (mountain_car.GAME, {}, toys.MountainCar),
}
LONGEST = 130  # moves that are followed


def assert_alike(game, state, twin):
    """Compare all that can be asked of a state; return the actions, or the events, that go on from it."""
    assert bool(api.is_over(state)) == twin.over
    if twin.over:
        assert game.players == 1 or float(api.outcome(state)) == twin.outcome
        return []
    if twin.player is None:
        assert api.is_chance(state)
        probabilities, expected = np.zeros(game.events), twin.chances()
        count = api.chances(state, probabilities)
        assert probabilities[:count] == pytest.approx([expected.get(event, 0.0) for event in range(count)])
        assert sum(expected.values()) == pytest.approx(1.0)
        return [event for event, p in expected.items() if p > 0]
    assert not api.is_chance(state)
    assert int(api.to_play(state)) == twin.player
    moves = np.zeros(game.facts.most_choices, np.uint16)
    legal = [int(move) for move in moves[: api.legal_moves(state, moves)]]
    assert legal == sorted(twin.legal())
    if game.is_legal is not None:
        assert [bool(api.is_legal(state, action)) for action in range(game.actions)] == [
            action in legal for action in range(game.actions)
        ]
    return legal


@pytest.mark.small
@pytest.mark.parametrize("name", TWINS)
@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_rules(name, seed):
    game, options, make_twin = TWINS[name]
    draws = random.Random(seed)
    start = game.started(game.configured(options))
    state, twin = start[0], make_twin(**options)
    for _ in range(LONGEST):
        choices = assert_alike(game, state, twin)
        if not choices:
            break
        chosen = draws.choice(choices)
        step, twin_step = (api.happen, twin.happen) if twin.player is None else (api.play, twin.play)
        step(state, chosen)
        twin_step(chosen)
        assert float(api.reward(state)) == pytest.approx(twin.reward if game.reward else 0.0)
        if game is mountain_car.GAME:
            assert (state.position, state.velocity) == pytest.approx((twin.x, twin.v), abs=1e-12)


@pytest.mark.small
def test_two_tiles_of_1024_end_the_game():
    state = twenty48.start()
    state["tiles"][0, :4], state["coming"] = (10, 10, 3, 3), 0
    api.play(state[0], twenty48.RIGHT)
    assert state["tiles"][0, :4].tolist() == [0, 0, 11, 4]
    assert float(api.reward(state[0])) == 2048 + 16
    assert api.is_over(state[0])


def walked(game, seed, moves, **options):
    """A position of a random game where chance moves, after some moves or more."""
    position, rng, draws = game.new_position(game.configured(options)), new_rng(seed), random.Random(seed)
    while len(position.moves) < moves or not position.is_chance:
        if position.is_chance:
            position.roll(rng)
        else:
            position.play(draws.choice(position.legal_moves()))
    return position


@kernel
def count_rolls(roots, work, rng, counts):
    """How often each event comes."""
    for _ in range(20_000):
        work[0] = roots[0]
        counts[api.roll(work[0], rng[0])] += 1


@pytest.mark.parametrize("game", [dice_race.GAME, twenty48.GAME, gridworld.GAME], ids=lambda game: game.name)
def test_rolls_are_what_chances_say(game):
    """A roll does what the event of its number does, as often as that is likely: within 5 deviations."""
    position = walked(game, 3, 5)
    rng = new_rng(1)
    for _ in range(20):
        rolled, happened = clone(position.record), clone(position.record)
        event = int(api.roll(rolled[0], rng[0]))
        api.happen(happened[0], event)
        assert rolled.tobytes() == happened.tobytes()
    counts, likely = np.zeros(game.events), np.zeros(game.events)
    count_rolls(position.record, clone(position.record), rng, counts)
    api.chances(position.record[0], likely)
    assert np.all(np.abs(counts - 20_000 * likely) <= 5 * np.sqrt(20_000 * likely * (1 - likely)))


# -- what people see ------------------------------------------------------------------------------------

DRAWINGS = {
    "connect-four": (
        "d d e g d",
        3 * ". . . . . . .\n" + ". . . X . . .\n. . . O . . .\n. . . X X . O\na b c d e f g",
    ),
    "hex": (
        "a1 c3 e5",
        "  a b c d e\n 1 X . . . .\n  2 . . . . .\n   3 . . O . .\n    4 . . . . .\n     5 . . . . X",
    ),
    "nim": ("b5 a2", "a o\nb \nc ooooooo\nd "),
    "dice-race": ("walk throw 6 walk", "X................|\n      O..........|"),
    "2048": (
        "a1:2 b1:2 left d4:4",
        "   .    .    .    4\n   .    .    .    .\n   .    .    .    .\n   4    .    .    .",
    ),
    "random-walk": ("left left", "- . . . . . . . X . . . . . . . . . . . +"),
    "gridworld": ("north ahead east right", "######\n#...+#\n#.#.-#\n#X...#\n######"),
    "mountain-car": ("ahead", "position -0.488, velocity +0.0040"),
}


@pytest.mark.small
@pytest.mark.parametrize("name", [n for n in MODULES if ".toy." in MODULES[n] and n != "tic-tac-toe"])
def test_moves_by_name_and_drawings(name):
    words, drawing = DRAWINGS[name]
    position = find_game(name).new_position()
    for word in words.split():
        position.play(word)
    assert str(position) == drawing
    assert " ".join(position.spelled_moves()) == words


@pytest.mark.parametrize(
    ("game", "options", "message"),
    [
        (connect_four.GAME, {"columns": 9, "rows": 8}, "9×6, 8×7 and 7×8 are most"),
        (nim.GAME, {"heaps": "3-5-x"}, "'3-5-x' is not 1 to 4 numbers from 1 to 31, as in 3-5-7"),
        (nim.GAME, {"heaps": "32"}, "numbers from 1 to 31"),
        (twenty48.GAME, {"goal": 100}, "goal=100 is no power of two"),
        (random_walk.GAME, {"states": 6}, "states=6 has no middle"),
        (gridworld.GAME, {"maze": "corn"}, "did you mean corner"),
    ],
)
def test_wrong_options_get_a_sentence(game, options, message):
    with pytest.raises(InputError, match=message):
        game.started(game.configured(options))


def test_returns_of_positions_are_discounted():
    walk = random_walk.GAME.new_position(random_walk.Options(states=5, discount=0.5))
    for _ in range(3):
        walk.play("right")
    assert (walk.is_over, walk.outcome) == (True, 0.25)
    maze = gridworld.GAME.new_position(gridworld.Options(discount=0.5))
    for word in ["north", "ahead", "north", "ahead"]:
        maze.play(word)
    assert maze.outcome == pytest.approx(-0.04 - 0.5 * 0.04)  # a step and its slip are one


# -- what is known of them ------------------------------------------------------------------------------


def searched(game, root, actions, exploration, simulations, nodes=200_000):
    """The action that UCT has visited most, and the mean return of every action."""
    search = TreeSearch(Selection(exploration=exploration), Random(), Even(), nodes=nodes, seed=1)
    search.start(root, actions)
    search.run(simulations)
    children = search.children()
    values = game.low + (game.high - game.low) * children["wins"] / np.maximum(1, children["visits"])
    best = int(children["action"][np.argmax(children["visits"])])
    return best, dict(zip(children["action"].tolist(), values.tolist(), strict=True))


def random_values(root, simulations=20_000):
    """The mean return of random play from a state."""
    return evaluate(root, root.copy(), Copies(Random()).at(root)[0], simulations, new_rng(1))[0] / simulations


@pytest.mark.parametrize(("columns", "rows", "stones"), [(4, 4, 7), (5, 4, 10)])
def test_uct_and_alpha_beta_play_connect_four_as_minimax_does(columns, rows, stones):
    """In 15 positions where it matters what one plays; alpha-beta also knows what they are worth."""
    draws, found = random.Random(2), 0
    solver = AlphaBeta(*Blank().parts())
    while found < 15:
        moves = [draws.randrange(columns) for _ in range(stones)]
        if max(moves.count(column) for column in moves) > rows:
            continue
        position = connect_four.GAME.new_position(connect_four.Options(columns=columns, rows=rows))
        for move in moves:
            if not position.is_over:
                position.play(move)
        value, values = toys.connect_four_values(columns, rows, 4, tuple(moves))
        if position.is_over or len(set(values.values())) == 1:
            continue
        found += 1
        best, _ = searched(connect_four.GAME, position.record, position.legal_moves(), 0.7, 20_000)
        assert values[best] == value, moves
        solver.start(position.record, position.legal_moves())
        solved = solver.deepen(columns * rows - len(position.moves))
        assert (solved.value / DECIDED + 1) / 2 == value, moves
        assert values[solved.action] == value, moves


def test_connect_four_on_a_small_board_is_solved():
    """4×4 and 5×4 are drawn (Tromp's table): alpha-beta knows it, and neither it nor UCT loses there."""
    solver = AlphaBeta(*Blank().parts(), bits=20)
    for columns in (4, 5):
        position = connect_four.GAME.new_position(connect_four.Options(columns=columns, rows=4))
        solver.start(position.record, position.legal_moves())
        assert solver.deepen(4 * columns).value == 0.0
    board = {"columns": 4, "rows": 4}
    result = match("alphabeta:depth=16", "uct:sims=20000", 2, game=connect_four.GAME, seed=1, options=board)
    assert result.draws == 2


def test_keys_of_connect_four_stand_for_positions():
    """Positions of many games: different ones have different keys, in their low bits too; orders do not."""
    keys, low = {}, set()
    for seed in range(60):
        draws, position = random.Random(seed), connect_four.GAME.new_position()
        while not position.is_over:
            position.play(draws.choice(position.legal_moves()))
            key = int(api.position_key(position.record[0]))
            assert keys.setdefault(key, str(position)) == str(position)
            low.add(key % 2**18)
    assert len(set(keys.values())) == len(keys) > 900
    assert len(low) > 0.98 * len(keys)


def test_uct_plays_nim_by_the_nim_sum():
    """From all three heaps of 1 to 3 that can be won it leaves a nim-sum of 0 (Bouton 1901)."""
    won = 0
    for heaps in np.ndindex(3, 3, 3):
        twin = toys.Nim("-".join(str(1 + n) for n in heaps))
        if twin.nim_sum() == 0:
            continue
        root = nim.start("-".join(str(1 + n) for n in heaps))
        best, _ = searched(nim.GAME, root, twin.legal(), 0.5, 3000)
        twin.play(best)
        assert twin.nim_sum() == 0, heaps
        won += 1
    assert won == 21


def test_random_walks_are_worth_what_dynamic_programming_says():
    """Every state of 19, within 0.03: 20,000 walks deviate by 0.007 at most."""
    states = 19
    transitions = (np.eye(states, k=1) + np.eye(states, k=-1)) / 2
    paid = np.zeros(states)
    paid[0], paid[-1] = -0.5, 0.5
    exact = np.linalg.solve(np.eye(states) - transitions, paid)
    assert exact == pytest.approx([2 * k / 20 - 1 for k in range(1, 20)])
    for here in range(1, states + 1):
        root = random_walk.start(states)
        root["here"] = here
        assert random_values(root) == pytest.approx(exact[here - 1], abs=0.03)


def test_uct_walks_to_the_right():
    """Three steps from the end with γ = 0.9 that is worth 0.81; within 0.01 after 20,000 simulations."""
    root = random_walk.start(states=5, discount=0.9)
    best, values = searched(random_walk.GAME, root, range(2), 0.3, 20_000)
    assert best == random_walk.RIGHT
    assert values[best] == pytest.approx(0.9**2, abs=0.01)


def test_dynamic_programming_has_the_published_values_of_the_corner_maze():
    """Russell & Norvig, chapter 17: utilities with step costs of 0.04 and slips of 0.1 to either side."""
    found = toys.Gridworld().action_values(100)
    published = {(0, 0): 0.812, (0, 1): 0.868, (0, 2): 0.918, (1, 0): 0.762, (1, 2): 0.660}
    published |= {(2, 0): 0.705, (2, 1): 0.655, (2, 2): 0.611, (2, 3): 0.388}
    assert {at: round(max(values), 3) for at, values in found.items()} == published


def maze_root(cell, **options):
    root = gridworld.start(**options)
    root["here"] = (cell[0] + 1) * gridworld.STRIDE + cell[1] + 1
    return root


@pytest.mark.parametrize("options", [{}, {"slip": 0.6, "discount": 0.8}, {"slip": 0.0}], ids=str)
def test_flat_rollouts_have_the_values_of_the_random_policy(options):
    """Of every action, within 0.03: simulations are cut after 100 moves, the horizon of the values."""
    twin = toys.Gridworld(**options)
    steps = 100 if twin.slip == 0 else 50
    exact = twin.action_values(steps, choose=fmean)[twin.here]
    root, totals = gridworld.start(**options), np.zeros(4)
    moves = np.arange(4, dtype=np.uint16)
    policies = Copies(Random()).at(root)[0]
    rollouts(root, root.copy(), policies, moves, 20_000, new_rng(2), totals, NO_LEADS)
    assert totals / 20_000 == pytest.approx(exact, abs=0.03)


@pytest.mark.parametrize(
    ("cell", "options"),
    [
        ((0, 2), {}),
        ((1, 2), {}),
        ((0, 1), {"discount": 0.9}),
        ((2, 0), {"slip": 0.0}),
    ],
    ids=str,
)
def test_uct_in_mazes_has_the_values_of_the_best_policy(cell, options):
    """The best step, and what it is worth within 0.03, after 300,000 simulations."""
    exact = toys.Gridworld(**options).action_values(100)[cell]
    best, values = searched(gridworld.GAME, maze_root(cell, **options), range(4), 0.2, 300_000)
    assert exact[best] == pytest.approx(max(exact))
    assert values[best] == pytest.approx(max(exact), abs=0.03)


@pytest.mark.parametrize(("squares", "tolerance"), [(12, 0.005), (20, 0.01)])
def test_uct_in_the_dice_race_has_the_exact_value(squares, tolerance):
    """With 500,000 simulations; a node of chance for every throw."""
    exact = toys.dice_race_values(squares, squares, 4)
    best, values = searched(
        dice_race.GAME, dice_race.start(squares=squares), range(2), 0.7, 500_000, nodes=1_000_000
    )
    assert best == int(np.argmax(exact))
    assert values[best] == pytest.approx(max(exact), abs=tolerance)


def test_uct_in_the_dice_race_walks_and_throws_where_that_is_best():
    """Wherever there are up to 8 squares left and one action is better by 0.05, for either player."""
    seen = set()
    for mine, other in np.ndindex(8, 8):
        exact = toys.dice_race_values(mine + 1, other + 1, 4)
        if abs(exact[0] - exact[1]) < 0.05:
            continue
        for player in (1, 2):
            root = dice_race.start()
            root["left"][0] = (mine + 1, other + 1) if player == 1 else (other + 1, mine + 1)
            root["turn"] = player
            best, _ = searched(dice_race.GAME, root, range(2), 0.7, 3000)
            assert best == int(np.argmax(exact)), (mine + 1, other + 1)
            seen.add((player, best))
    assert len(seen) == 4


def played(game, seed, exploration, simulations, most, **options):
    """The return of a game that UCT plays, or of its first moves."""
    position, rng = game.new_position(game.configured(options)).settle(new_rng(seed)), new_rng(seed + 1)
    search = TreeSearch(Selection(exploration=exploration), Random(), Even(), nodes=20_000, seed=seed)
    while not position.is_over and len(position.moves) < most:
        search.start(position.record, position.legal_moves())
        search.run(simulations)
        children = search.children()
        position.play(int(children["action"][np.argmax(children["visits"])])).settle(rng)
    return position.outcome


def test_uct_makes_2048():
    """Ten times as many points as random play, which has about 1,090, with 50 simulations a move.

    That is the median of five games; one in a dozen ends early.
    """
    at_random = random_values(twenty48.start(), 2000)
    assert 1000 < at_random < 1200
    assert median(played(twenty48.GAME, seed, 0.02, 50, 10**6) for seed in range(1, 6)) > 10 * at_random


def test_uct_drives_up_the_mountain():
    """In less than a quarter of the decisions of random play, which is cut at 200 and has about 181."""
    at_random = random_values(mountain_car.start(), 2000)
    assert -185 < at_random < -175
    assert fmean(played(mountain_car.GAME, seed, 0.3, 200, 200) for seed in (1, 2, 3)) > at_random / 4


def test_a_car_must_rock_itself_up():
    """In the classic problem: pushing ahead never is enough, pushing the way one moves is, in 100 to 130."""

    def drive(push):
        state = mountain_car.start(hold=1)
        for step in range(200):
            if api.is_over(state[0]):
                return step
            api.play(state[0], push(state[0]))
        return None

    assert drive(lambda car: mountain_car.AHEAD) is None
    assert 100 < drive(lambda car: mountain_car.AHEAD if car.velocity >= 0 else mountain_car.BACK) < 130


@kernel
def active_tiles(states, active):
    mountain_car.tiles(states[0], active)


@pytest.mark.small
def test_tiles():
    """One of each tiling; a little further on some are the same, far away none."""

    def tiles_at(position, velocity):
        state, active = mountain_car.start(), np.zeros(mountain_car.TILINGS, np.int64)
        state["position"], state["velocity"] = position, velocity
        active_tiles(state, active)
        assert np.all(active // (mountain_car.SIDE + 1) ** 2 == np.arange(mountain_car.TILINGS))
        return active

    here = tiles_at(-0.5, 0.01)
    assert 0 < np.count_nonzero(here == tiles_at(-0.4, 0.01)) < mountain_car.TILINGS
    assert not np.any(here == tiles_at(0.2, 0.01))
    assert not np.any(here == tiles_at(-0.5, -0.06))
    assert tiles_at(0.6, 0.07).max() == mountain_car.TILES - 1
    assert tiles_at(-1.2, -0.07).min() == 0
