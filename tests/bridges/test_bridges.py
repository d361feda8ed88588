"""Games of other libraries: the same game as theirs, honest searches, and one sentence where it cannot be."""

import importlib.util
import json
import random
import sys

import numpy as np
import pytest

from playout.arena.match import match
from playout.arena.terms import Terms, joined, put
from playout.bridges.copies import Copied, Pickled, fault, fresh, same
from playout.bridges.interpreted import OVER, InterpretedGame, Rules, State
from playout.bridges.players import KINDS
from playout.cli import main
from playout.errors import InputError
from playout.games.position import IllegalMove
from playout.games.registry import find_game
from playout.kernel import new_rng
from playout.player.registry import make_player, player_table, players_of

needs_openspiel = pytest.mark.skipif(
    importlib.util.find_spec("pyspiel") is None, reason="the package open_spiel is not installed"
)
needs_gymnasium = pytest.mark.skipif(
    importlib.util.find_spec("gymnasium") is None, reason="the package gymnasium is not installed"
)


def play_out(terms: Terms, spec: str, seed: int):
    """A game that a player plays with itself."""
    position, player = terms.position().settle(new_rng(seed)), make_player(spec, terms.game)
    luck = new_rng(seed + 1)
    while not position.is_over:
        position.play(player.choose(position)).settle(luck)
    return position


# -- players of interpreted games, in a game that needs no library ---------------------------------------


class Patience(State):
    """Take 1 now, or wait three steps for 2."""

    def __init__(self, discount: float, step: int = 0) -> None:
        self.rules = Rules(longest=4, low=0.0, high=2.0, discount=discount)
        self._step = step

    def turn(self):
        return OVER if self._step == 4 else 1

    def legal_moves(self):
        return [0, 1] if self._step == 0 else [1]

    def step(self, action):
        self._step = 4 if action == 0 else self._step + 1
        return 1.0 if action == 0 else 2.0 if self._step == 4 else 0.0

    def roll(self, draw):
        raise NotImplementedError

    def copy(self):
        return Patience(self.rules.discount, self._step)

    def fork(self, draw):
        return self.copy()

    def spell(self, action):
        return "wait" if action else "take"


def patience(discount: float) -> InterpretedGame:
    return InterpretedGame(
        name="patience", begin=lambda options: Patience(discount), kinds=KINDS, players=1, moves=4
    )


@pytest.mark.parametrize("spec", ["flat:sims=5,seed=1", "uct:sims=60,seed=1"])
@pytest.mark.parametrize(("discount", "right"), [(1.0, "wait"), (0.9, "wait"), (0.7, "take")])
def test_what_comes_later_counts_less(spec, discount, right):
    game = patience(discount)
    position, player = game.new_position(), make_player(spec, game)
    best = max(1.0, 2.0 * discount**3)  # three steps come before the last one
    assert player.choose(position) == right
    assert player.value(position) == pytest.approx(best / 2.0)
    assert play_out(Terms(game), spec, 1).outcome == pytest.approx(best)


def test_an_analysis_orders_the_moves():
    game = patience(1.0)
    analysis = next(make_player("uct:seed=1", game).analyse(game.new_position()))
    assert [game.new_position().spell(move.action) for move in analysis.moves] == ["wait", "take"]
    assert analysis.moves[0].visits > analysis.moves[1].visits
    assert analysis.moves[0].pv == (1, 1, 1, 1)
    assert (analysis.moves[0].winrate, analysis.moves[1].winrate) == (1.0, 0.5)


def test_only_interpreted_players_are_there():
    game = patience(1.0)
    assert set(players_of(game)) == {"random", "flat", "uct"}
    assert set(player_table(game)[-1]["settings"]) == {"sims", "seconds", "exploration", "seed"}
    with pytest.raises(InputError, match="there is no player 'rave' of patience"):
        make_player("rave", game)
    with pytest.raises(
        InputError, match="interpreted, not compiled: what can search it is random, flat, uct"
    ):
        game.new_position().simulation_root()
    with pytest.raises(InputError, match="sims=none and no time"):
        make_player("uct:sims=none", game).choose(game.new_position())


# -- OpenSpiel -------------------------------------------------------------------------------------------


@needs_openspiel
@pytest.mark.parametrize(
    ("name", "own", "cells", "ended"),
    [("tic_tac_toe", "tic-tac-toe", 9, {1, 2, None}), ("connect_four", "connect-four", 42, {1, 2})],
)
def test_their_game_is_ours(name, own, cells, ended):
    theirs, ours = find_game(f"openspiel:{name}"), find_game(own)
    assert (theirs.actions, theirs.moves, theirs.players) == (
        len(ours.new_position().legal_moves()),
        cells,
        2,
    )
    draw = random.Random(1)
    ends = set()
    for _ in range(60):
        a, b = theirs.new_position(), ours.new_position()
        while not b.is_over:
            assert (a.is_over, a.to_play, a.legal_moves()) == (False, b.to_play, b.legal_moves())
            action = draw.choice(b.legal_moves())
            a.play(action)
            b.play(action)
        assert a.is_over
        assert a.outcome == 2 * b.outcome - 1  # theirs are from -1 to 1
        assert (a.winner, a.result()) == (b.winner, b.result())
        ends.add(a.winner)
    assert ends == ended


@needs_openspiel
def test_uct_solves_tic_tac_toe():
    game = find_game("openspiel:tic_tac_toe")
    position = game.new_position()
    for word in ("x(0,0)", "o(1,1)", "x(0,1)"):
        position.play(word)
    player = make_player("uct:sims=400,seed=1", game)
    assert player.choose(position) == "o(0,2)"  # the only move that does not lose
    position.play("o(0,2)").play("x(2,2)")
    assert player.choose(position) == "o(2,0)"  # and this one wins
    assert player.value(position) < 0.02
    assert position.play("o(2,0)").result() == "2+"
    assert position.undo().undo().legal_moves() == [3, 5, 6, 7, 8]
    result = match("uct:sims=200", "random", 10, game=game, seed=1)
    assert result.void == 0
    assert result.a_wins >= 8
    assert result.b_wins == 0
    assert result == match("uct:sims=200", "random", 10, game=game, seed=1)  # the same seed, the same games


@needs_openspiel
@pytest.mark.parametrize(
    "name",
    ["connect_four", "pig", "backgammon", "2048", "chess", "cliff_walking", "hex(board_size=4)", "yacht"],
)
def test_games_go_by_their_words(name):
    game = find_game(f"openspiel:{name}")
    rng, draw = new_rng(2), random.Random(2)
    position = game.new_position()
    for _ in range(60):
        position.settle(rng)
        if position.is_over:
            break
        position.play(draw.choice(position.legal_moves()))
    again = game.new_position()
    for word in joined(position.spelled_moves()).split():
        put(again, word)
    assert (again.moves, str(again)) == (position.moves, str(position))
    assert again.outcome == position.outcome == position.state._state.returns()[0]
    before = position.copy()
    assert len(position.undo().moves) == len(before.moves) - 1
    assert str(before) == str(again)


def expected(state):
    """Player 1's value of a state of OpenSpiel: all moves, all events."""
    if state.is_terminal():
        return state.returns()[0]
    if state.is_chance_node():
        return sum(p * expected(state.child(event)) for event, p in state.chance_outcomes())
    values = [expected(state.child(action)) for action in state.legal_actions()]
    return max(values) if state.current_player() == 0 else min(values)


@needs_openspiel
def test_uct_finds_the_value_of_a_game_with_dice():
    game = find_game("openspiel:pig(winscore=5,diceoutcomes=3,horizon=8)")
    position = game.new_position()
    exact = (expected(position.state._state) + 1) / 2
    assert 0.55 < exact < 0.95
    assert make_player("uct:sims=6000,seed=1", game).value(position) == pytest.approx(exact, abs=0.03)
    random_value = make_player("random:seed=1", game).value(position)
    assert abs(random_value - exact) > 0.05  # so that the tree has something to find
    position.play("roll")
    assert position.is_chance
    with pytest.raises(IllegalMove, match="'Roll 9' cannot happen now; did you mean"):
        position.play("Roll 9")
    with pytest.raises(InputError, match="chance moves now"):
        make_player("flat", game).choose(position)


@needs_openspiel
def test_dice_are_fair():
    game = find_game("openspiel:pig")
    counts = np.zeros(6)
    rng = new_rng(1)
    start = game.new_position().play("roll")
    for _ in range(600):
        counts[start.copy().roll(rng).moves[-1].action] += 1
    assert counts.min() > 60
    assert counts.max() < 140


@needs_openspiel
def test_a_problem_for_one_with_rewards():
    terms = Terms("openspiel:catch")
    assert [play_out(terms, "uct:sims=100,seed=1", seed).outcome for seed in range(4)] == [1.0] * 4
    result = match("flat:sims=10", "random", 6, game="openspiel:catch", seed=1)
    assert result.a_wins >= 4  # random moves catch it now and then
    assert result.b_wins == 0


@needs_openspiel
@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("kuhn_poker", "its players do not see everything"),
        ("matrix_pd", "its players move at the same time"),
        ("stones_and_gems", "it does not tell the probabilities of what chance does"),
        ("pig(players=3)", "it is for 3 players, and here are one or two"),
        ("hex(board_size=0)", "there is nothing to play in it"),
        ("conect_four", "OpenSpiel has no game 'conect_four'; did you mean connect_four?"),
        ("", "OpenSpiel has no game ''"),
        ("hex(size=3)", "OpenSpiel cannot make 'hex(size=3)': Unknown parameter 'size'"),
        ("hex(", "OpenSpiel cannot make 'hex('"),
    ],
)
def test_what_openspiel_has_and_we_cannot_play(name, sentence, capfd):
    assert main(["match", "uct", "random", "--games", "1", "--game", f"openspiel:{name}"]) == 2
    said = capfd.readouterr().err
    assert sentence in said
    assert said.count("\n") == 1


@needs_openspiel
def test_the_command_line(capsys, tmp_path):
    store = str(tmp_path / "run.db")
    command = ["match", "uct:sims=100", "random", "--game", "openspiel:tic_tac_toe", "--games", "4"]
    assert main([*command, "--seed", "1", "--store", store, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["games"], facts["void"]) == (4, 0)
    assert facts["a_wins"] >= 3
    assert main(["match", "uct", "random", "--game", "openspiel:connect_four", "--store", store]) == 2
    assert "is of openspiel:tic_tac_toe, and not of openspiel:connect_four" in capsys.readouterr().err
    assert main(["play", "--game", "openspiel:tic_tac_toe", "--player", "uct:sims=100"]) == 0
    assert "The end, after" in capsys.readouterr().out
    assert main(["players", "--game", "openspiel:chess", "--json"]) == 0
    assert [row["name"] for row in json.loads(capsys.readouterr().out)] == ["random", "flat", "uct"]
    assert main(["match", "uct", "random", "--game", "opnspiel:chess"]) == 2
    assert "there is no game 'opnspiel:chess'; did you mean openspiel:NAME?" in capsys.readouterr().err


# -- Gymnasium -------------------------------------------------------------------------------------------


def mean_return(game: str, spec: str, episodes: int, **options) -> float:
    terms = Terms(game, **options)
    ends = [play_out(terms, spec.format(seed=seed), seed) for seed in range(episodes)]
    return float(np.mean([end.outcome for end in ends]))


@needs_gymnasium
@pytest.mark.parametrize("spec", ["flat:sims=15,seed={seed}", "uct:sims=60,seed={seed}"])
def test_cliff_walking_without_a_fall(spec):
    # 20 steps cost 20 without a fall; a fall costs 100. Random walks fall once in about 5 steps at the edge.
    walks = [
        mean_return("gymnasium:CliffWalking-v1", player, episodes, horizon=20)
        for player, episodes in (("random:seed={seed}", 10), (spec, 1))
    ]
    assert walks[0] < -150
    assert walks[1] >= -20


@needs_gymnasium
def test_a_pole_is_balanced():
    name = "gymnasium:CartPole-v1"
    random_steps = mean_return(name, "random:seed={seed}", 10, horizon=60)
    assert random_steps < 35
    assert mean_return(name, "uct:sims=25,seed={seed}", 2, horizon=60) == 60
    result = match("flat:sims=10", "random", 2, game=name, options={"horizon": 60}, seed=1)
    assert (result.a_wins, result.b_wins) == (2, 0)


@needs_gymnasium
def test_a_lake_without_slipping_is_crossed():
    terms = Terms("gymnasium:FrozenLake-v1(is_slippery=False)", horizon=16, discount=0.9)
    end = play_out(terms, "uct:sims=1000,seed=1", 1)
    assert len(end.moves) == 7  # the reset and the shortest way
    assert end.outcome == pytest.approx(0.9**5)
    assert end.spelled_moves()[0] == "~"
    assert "[G]" in str(end)
    assert end.result() == f"{0.9**5:g}"


@needs_gymnasium
def test_options_of_an_environment(capsys):
    game = find_game("gymnasium:CartPole-v1")
    assert game.players == 1
    start = game.new_position()
    assert start.is_chance
    assert (start.longest, start.longest_opening) == (501, 0)
    rules = start.state.rules
    assert rules.low == 1.0  # the last step of an episode pays 1
    assert 30 < rules.high < 200  # the longest of 200 random ones
    terms = Terms(game, horizon=7, low=-3.0, high=9.0, discount=0.5)
    rules = terms.position().state.rules
    assert (rules.longest, rules.low, rules.high, rules.discount) == (8, -3.0, 9.0, 0.5)
    assert terms.longest == 8
    end = play_out(terms, "random:seed=1", 1)
    assert end.outcome == sum(0.5**k for k in range(7))
    assert len(end.moves) == 8
    with pytest.raises(InputError, match="low and high: 9 is not less than 3"):
        Terms(game, low=9.0, high=3.0).position()
    command = ["match", "flat:sims=2", "random", "--game", "gymnasium:CartPole-v1", "--games", "2", "--json"]
    assert main([*command, "--set", "horizon=20", "--seed", "1"]) == 0
    assert json.loads(capsys.readouterr().out)["void"] == 0
    assert main([*command, "--set", "horizont=20"]) == 2
    assert "has no setting 'horizont'; did you mean horizon?" in capsys.readouterr().err


if importlib.util.find_spec("gymnasium") is not None:
    import gymnasium

    class Coin(gymnasium.Env):
        """Guess: heads pays 1, tails -1. Not to guess pays 0.6. Four times."""

        action_space = gymnasium.spaces.Discrete(2, start=-1)
        observation_space = gymnasium.spaces.Discrete(5)
        GUESS, PASS = -1, 0

        def reset(self, seed=None, options=None):
            super().reset(seed=seed)
            self.own = random.Random(seed)
            self.tosses = [0]
            return 0, {}

        def toss(self):
            return self.np_random.random() < 0.5

        def step(self, action):
            self.tosses[0] += 1
            heads = self.toss()
            paid = 0.6 if action == self.PASS else 1.0 if heads else -1.0
            return self.tosses[0], paid, self.tosses[0] == 4, False, {}

    class PrivateCoin(Coin):
        def toss(self):
            return self.own.random() < 0.5

    class LambdaCoin(Coin):
        """Cannot be pickled, but copied."""

        def __init__(self):
            self.even = lambda x: x < 0.5

        def toss(self):
            return self.even(self.np_random.random())

    class GlobalCoin(Coin):
        """Its luck lies outside of it."""

        def toss(self):
            return np.random.random() < 0.5

    class SharedCoin(Coin):
        """Copies share the tosses."""

        def __deepcopy__(self, memo):
            other = type(self)()
            other.__dict__.update(self.__dict__)
            return other

        def __reduce__(self):
            raise TypeError("no pickles")

    class OpenFileCoin(Coin):
        """Holds what cannot be copied."""

        def __init__(self):
            self.file = open(__file__)  # noqa: SIM115

    COINS = (Coin, PrivateCoin, LambdaCoin, GlobalCoin, SharedCoin, OpenFileCoin)
    for coin in COINS:
        gymnasium.register(coin.__name__ + "-v0", entry_point=coin, max_episode_steps=50)


@needs_gymnasium
@pytest.mark.parametrize("name", ["Coin", "PrivateCoin", "LambdaCoin"])
def test_no_search_sees_the_luck_to_come(name):
    game = find_game(f"gymnasium:{name}-v0")
    assert game.moves == 51
    lucky = 0
    for seed in range(12):
        position = game.new_position().settle(new_rng(seed))
        player = make_player(f"flat:sims=150,seed={seed}", game)
        assert player.choose(position) == "0"
        lucky += position.play("-1").rewards[-1] > 0  # what a search that looks ahead would have seen
    assert 2 <= lucky <= 10
    # Undone and played again, a game goes the same way.
    ways = [tuple(position.undo().play("-1").rewards) for _ in range(5)]
    assert len(set(ways)) == 1


@needs_gymnasium
@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("GlobalCoin-v0", "after reset(seed=1) the same actions do not always lead to the same"),
        ("SharedCoin-v0", "its copies go other ways than itself"),
        ("OpenFileCoin-v0", "copying it fails with TypeError: cannot pickle"),
        ("Pendulum-v1", "has actions in Box(-2.0, 2.0, (1,), float32), and a search needs Discrete(n)"),
        ("Frozenlake-v1", "no environment 'Frozenlake-v1'; did you mean FrozenLake-v1"),
        ("FrozenLake-v1(map=3)", "Gymnasium cannot make 'FrozenLake-v1(map=3)': "),
        ("FrozenLake-v1(map_name=8x8)", "are not arguments such as (map_name='8x8',is_slippery=False)"),
        ("FrozenLake-v1(**{})", "are not arguments such as"),
        ("FrozenLake-v1((", "is not an environment such as FrozenLake-v1(is_slippery=False)"),
    ],
)
def test_environments_that_are_refused(name, sentence, capsys):
    assert main(["match", "uct", "random", "--games", "1", "--game", f"gymnasium:{name}"]) == 2
    said = capsys.readouterr().err
    assert sentence in said
    assert said.count("\n") == 1


@needs_gymnasium
@pytest.mark.parametrize("keep", [Pickled, Copied])
def test_copies_are_what_they_copy(keep):
    env = Coin()
    env.reset(seed=1)
    kept = keep(env)
    one, two = kept.restore(), kept.restore()
    assert one is not env
    assert one.np_random is not env.np_random
    assert one.np_random.random() == two.np_random.random() == env.np_random.random()
    assert one.own.random() == two.own.random() == env.own.random()
    other, again = (kept.restore(fresh(random.Random(5))) for _ in range(2))
    assert other.np_random.random() == again.np_random.random() != kept.restore().np_random.random()
    assert other.own.random() == again.own.random() != kept.restore().own.random()
    assert fault(Coin(), keep) == ""
    assert fault(GlobalCoin(), keep) != ""


def test_observations_are_compared_all_through():
    nest = {"a": (np.array([1.0, np.nan]), 3), "b": [True, "x"]}
    assert same(nest, {"a": (np.array([1.0, np.nan]), 3), "b": [True, "x"]})
    assert not same(nest, {"a": (np.array([1.0, 2.0]), 3), "b": [True, "x"]})
    assert not same(nest, {"a": (np.array([1.0, np.nan]),), "b": [True, "x"]})
    assert not same(nest, {"a": nest["a"]})


# -- where a library is missing --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("module", "game", "extra"),
    [("pyspiel", "openspiel:go", "openspiel"), ("gymnasium", "gymnasium:Taxi-v4", "gymnasium")],
)
def test_a_missing_library_is_named(module, game, extra, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, module, None)
    assert main(["match", "uct", "random", "--game", game]) == 2
    said = capsys.readouterr().err
    assert f"pip install 'playout[{extra}]'" in said
    assert said.count("\n") == 1
