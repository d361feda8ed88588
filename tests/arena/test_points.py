"""Matches for points: mirrored dice, what is kept, what a fault costs, and games played by compiled code."""

import math
import sqlite3
import statistics

import numpy as np
import pytest
from scipy import stats

from playout.arena import fast
from playout.arena.match import Match, match, played, summarise
from playout.arena.pairs import points_a_game
from playout.arena.store import Store
from playout.arena.terms import Terms
from playout.games import api
from playout.games.backgammon.game import GAME
from playout.kernel import new_rng
from playout.player.api import RESIGN, Player
from playout.player.clock import Clock
from playout.policy.api import begin, sample
from playout.policy.random import Random
from playout.search.duel import GAME as DUEL_GAME
from playout.search.duel import UNFINISHED, Side, begun, duel


def dice_of(moves):
    """What was rolled, turn by turn."""
    return [word for word in moves.split() if word.isdecimal() and len(word) == 2]


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """Games that the referee has played, move by move, and the result of their match."""
    path = tmp_path_factory.mktemp("run") / "run.db"
    result = match("random", "random", 12, game="backgammon", seed=7, store=path)
    with Store.open(path) as store:
        return path, list(store.games()), result


def test_the_second_game_of_a_pair_has_the_same_dice_with_the_seats_exchanged(stored):
    _, games, _ = stored
    for one, two in zip(games[::2], games[1::2], strict=True):
        first, second = dice_of(one.moves), dice_of(two.moves)
        both = min(len(first), len(second))
        assert both > 20
        assert first[:both] == second[:both]
        assert (one.black, one.white) == (two.white, two.black)
        assert one.moves != two.moves
    openings = {tuple(dice_of(game.moves)[:3]) for game in games}
    assert len(openings) == 6


def test_a_stored_game_can_be_played_again_and_gives_its_points(stored):
    _, games, _ = stored
    for game in games:
        position = GAME.new_position()
        for word in game.moves.split():
            position.play(word.replace("_", " "))
        assert position.is_over
        assert game.payoff == position.outcome
        assert game.result == f"{'X' if game.payoff > 0 else 'O'}+{abs(game.payoff):g}"


def test_points_are_means_over_pairs(stored):
    _, games, result = stored
    pairs = [
        (one.payoff - two.payoff) / 2 if one.black == "random" else (two.payoff - one.payoff) / 2
        for one, two in zip(games[::2], games[1::2], strict=True)
    ]
    mean = statistics.mean(pairs)
    half = stats.t.ppf(0.975, len(pairs) - 1) * statistics.stdev(pairs) / math.sqrt(len(pairs))
    assert result.points == pytest.approx(mean)
    assert result.points_interval == pytest.approx((mean - half, mean + half), rel=2e-3)
    facts = result.facts()
    assert facts["points"] == result.points
    assert facts["points_interval"] == list(result.points_interval)


def test_few_pairs():
    assert points_a_game([]) == (None, None)
    assert points_a_game([3.0]) == (1.5, None)


def test_games_for_wins_have_no_points():
    result = match("random", "random", 4, game="tic-tac-toe", seed=1)
    assert result.points is None
    assert result.points_interval is None


# -- compiled games -------------------------------------------------------------------------------------


def same(game):
    """What a game is, whoever has played it."""
    return game.number, game.black, game.winner, game.result, game.payoff, game.detail, game.reason


@pytest.mark.parametrize("threads", [1, 2])
def test_compiled_games_are_the_referees(stored, threads):
    games = list(played("random", "random", 12, game="backgammon", seed=7, threads=threads))
    with Match("random", "random", 12, game="backgammon", seed=7, store=stored[0]) as event:
        assert sorted(map(same, games)) == sorted(map(same, event.results()))
        assert summarise(games) == event.result()


def test_games_of_other_players_and_games():
    for a, b, game in (("lin1", "random", "backgammon"), ("random", "random:seed=3", "dice-race")):
        compiled = list(played(a, b, 6, game=game, seed=2))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(fast, "can_play", lambda *arguments: False)
            refereed = list(played(a, b, 6, game=game, seed=2))
        assert sorted(map(same, compiled)) == sorted(map(same, refereed))


@pytest.mark.parametrize(
    ("specs", "terms", "can"),
    [
        (("random", "lin1"), {"game": "backgammon"}, True),
        (("random", "flat"), {"game": "backgammon"}, False),
        (("random", "gnubg"), {"game": "backgammon"}, False),
        (("random", "random"), {"game": "backgammon", "clock": "300"}, False),
        (("random", "random"), {"game": "backgammon", "cube": True}, False),
        (("uniform", "uniform"), {"game": "go"}, False),
        (("random", "random"), {"game": "2048"}, False),
    ],
)
def test_who_can_play_so(specs, terms, can):
    assert fast.can_play(specs, Terms(**terms)) == can


def test_a_game_that_is_too_long_is_the_referees():
    result = match("random", "random", 2, game="backgammon", seed=1, max_moves=20)
    assert result.reasons == {"length": 2}
    assert result.points == 0


@pytest.mark.small
def test_the_kernel_plays_what_the_policies_say():
    """The same games in plain Python, on positions that people touch."""
    count, policy = 3, Random().record_for(GAME.started())
    generators = [np.concatenate([new_rng(10 * k + g) for g in range(count)]) for k in range(3)]
    copies = [rngs.copy() for rngs in generators]
    states, games = begun(GAME.started(), count), np.zeros(count, DUEL_GAME)
    actions = np.zeros((count, 100), np.uint16)
    duel(states, games, Side(policy), Side(policy), *generators, 1 << 40, actions)
    for g in range(count):
        luck, *rngs = (rng[g : g + 1] for rng in copies)
        position = GAME.new_position().settle(luck)
        made = []
        while not position.is_over and len(made) < 100:
            begin(policy[0], position.record[0])
            made.append(int(sample(policy[0], position.record[0], rngs[position.to_play - 1][0])))
            position.play(made[-1]).settle(luck)
        assert actions[g, : len(made)].tolist() == made
        assert games[g]["length"] == (len(made) if position.is_over else UNFINISHED)
        assert states[g].tobytes() == position.record.tobytes()


# -- faults, and older stores ---------------------------------------------------------------------------


class Quitter(Player):
    """Plays the first legal play so often, then does something wrong."""

    def __init__(self, name, plays, wrong):
        self.name, self.clock, self.settings = name, Clock(), None
        self._plays, self._wrong = plays, wrong

    def new_game(self):
        self._left = self._plays

    def choose_action(self, position):
        self._left -= 1
        return position.legal_moves()[0] if self._left >= 0 else self._wrong


@pytest.mark.parametrize("wrong", [RESIGN, 31_000])
def test_a_fault_costs_as_much_as_a_resignation(wrong):
    (game,) = played(Quitter("a", 3, wrong), Quitter("b", 100, RESIGN), 1, game="backgammon", seed=1)
    assert game.winner == "b"
    assert game.payoff in (-2, -3)  # nobody has borne off so soon


def test_a_store_without_points_can_be_read_and_gone_on_with(tmp_path, stored):
    path = tmp_path / "old.db"
    settings = {"game": "backgammon", "seed": 7, "length": 0, "jacoby": False}
    match("random", "random", 2, game="backgammon", seed=7, store=path)
    with sqlite3.connect(path) as connection:
        connection.execute("ALTER TABLE games DROP COLUMN payoff")
    connection.close()
    with Store.open(path) as store:
        assert store.settings["seed"] == settings["seed"]
        assert [game.payoff for game in store.games()] == [None, None]
        assert store.pair_payoffs() == []
    result = match("random", "random", 4, game="backgammon", seed=7, store=path)
    assert result.games == 4
    assert result.points is not None  # of the pair that was played since


def test_a_random_game_has_an_outcome_in_points():
    position = GAME.new_position()
    rng = new_rng(3)
    while not position.settle(rng).is_over:
        position.play(position.legal_moves()[0])
    assert position.payoff == api.outcome(position.record[0])
