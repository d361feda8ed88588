"""Games between policies, direct and in simple search, in compiled code."""

import numpy as np
import pytest
from learners import positions

from playout.errors import InputError
from playout.games.api import play, tree_moves
from playout.games.go.board import Board
from playout.games.go.policy import Mogo, Uniform
from playout.games.go.rules import area_score
from playout.games.go.state import AREA, BLACK, PASS, STATE
from playout.kernel import below, clone, new_rng
from playout.reproduce import policy_duels
from playout.reproduce.policy_duels import Duels, Entrant, round_robin, side
from playout.search.duel import NO_ACTIONS, UNFINISHED, duel, in_turns
from playout.search.flat import NO_LEADS, rollouts

ENTRANTS = [
    Entrant("direct", Uniform(), 0, "u"),
    Entrant("flat", Uniform(), 20, "f"),
    Entrant("rules", Mogo(), 0, "m"),
]


def naive_move(state, simulations, rng, forbidden=()):
    """Simple search from its words: most wins; a tie by lot; pass if that is as good and we are ahead.

    The move with the fewest losses is simulated until it loses; who has lost more than a move that is through
    is out of it. forbidden: hashes of boards that superko does not allow.
    """
    moves = np.zeros(AREA + 1, np.uint16)
    moves = [int(p) for p in moves[: tree_moves(state[0], moves)]]
    moves = [p for p in moves if p == PASS or hash_after(state, p) not in forbidden]
    root = clone(state)
    root["moves"], root["limit"] = 0, 75
    results = {p: [] for p in moves}  # of every simulation: what was lost
    while True:
        through = [sum(lost) for lost in results.values() if len(lost) == simulations]
        bound = min(through, default=np.inf)
        going = [p for p in moves if len(results[p]) < simulations and sum(results[p]) <= bound]
        if not going:
            break
        one = min(going, key=lambda p: sum(results[p]))
        while len(results[one]) < simulations:
            total = np.zeros(1)
            only = np.array([one], np.uint16)
            rollouts(root, np.empty(1, STATE), Uniform().record(), only, 1, rng, total, NO_LEADS)
            results[one].append(1 - total[0] if state["to_play"][0] == BLACK else total[0])
            if results[one][-1] > 0:
                break
    lead = float(area_score(state[0]) - state["komi"][0]) * (1 if state["to_play"][0] == BLACK else -1)
    tied = [p for p in moves if len(results[p]) == simulations and sum(results[p]) == bound]
    if tied == [PASS] or (PASS in tied and lead > 0):
        return PASS
    tied = [p for p in tied if p != PASS]
    return tied[below(rng[0], len(tied))]


def hash_after(state, move):
    after = clone(state)
    play(after[0], move)
    return int(after["zobrist"][0])


def turn(state, policy, simulations, boards, rng):
    """Let one player move; whether that ends the game."""
    player, games = side(policy.record(), simulations, boards), in_turns(1)
    duel(state, games, player, player, rng, rng, rng, 1, NO_ACTIONS)
    return games["length"][0] != UNFINISHED


@pytest.mark.parametrize(
    ("simulations", "count"), [pytest.param(1, 6, marks=pytest.mark.small), pytest.param(7, 28)]
)
def test_simple_search_is_that_of_its_naive_twin(simulations, count):
    roots = positions(5, count, seed=4)
    roots["komi"], roots["limit"], roots["moves"] = 0.5, 1000, 1
    passed = 0
    for k in range(len(roots)):
        state, boards = clone(roots[k : k + 1]), np.zeros(1000, np.uint64)
        expected = naive_move(clone(state), simulations, new_rng(k))
        if expected != PASS and k % 2:
            boards[0] = hash_after(state, expected)  # the second choice, then
            expected = naive_move(clone(state), simulations, new_rng(k), {int(boards[0])})
        turn(state, Uniform(), simulations, boards, new_rng(k))
        assert int(state["last"][0]) == expected
        assert int(state["moves"][0]) == 2
        passed += expected == PASS
    assert passed < len(roots)


@pytest.mark.parametrize("simulations", [pytest.param(0, marks=pytest.mark.small), 5])
def test_no_board_comes_twice(simulations):
    # On 3×3 simple ko alone lets most games go round in circles.
    for seed in range(12):
        board, rng, boards = Board(3, 0.5), new_rng(seed), np.zeros(1000, np.uint64)
        state = board.simulation_root(1000)
        over = False
        while not over:
            over = turn(state, Uniform(), simulations, boards, rng)
            board.play(int(state["last"][0]))  # refuses what positional superko does
        assert board.is_over


def test_a_policy_that_likes_a_forbidden_move_only_plays_another():
    state, boards = Board(2, 0.5).simulation_root(1000), np.zeros(1000, np.uint64)
    moves = np.zeros(AREA + 1, np.uint16)
    corners = [int(p) for p in moves[: tree_moves(state[0], moves)] if p != PASS]
    state["moves"] = len(corners)
    for allowed in (corners[2], PASS):
        boards[: len(corners)] = [0 if p == allowed else hash_after(state, p) for p in corners]
        for seed in range(5):
            after = clone(state)
            turn(after, Uniform(), 0, boards, new_rng(seed))
            assert int(after["last"][0]) == allowed


def points(results, name):
    """What a player has scored."""
    return sum(z if black == name else 1 - z for black, white, z in results if name in (black, white))


def test_search_beats_its_policy_and_everybody_meets():
    duels = round_robin(ENTRANTS, 8, Duels(4, 0.5))
    results = duels.results(duels.players)
    assert {two: len(letters) for two, letters in duels.scores.items()} == {
        ("flat", "direct"): 16,
        ("rules", "direct"): 16,
        ("rules", "flat"): 16,
    }
    assert [black for black, _, _ in results[:4]] == ["flat", "direct", "flat", "direct"]
    assert points(results[:16], "flat") > 11
    assert points(results, "flat") > points(results, "direct")
    assert all(z in (0, 0.5, 1) for _, _, z in results)


def test_threads_and_the_order_do_not_matter():
    one = round_robin(ENTRANTS, 8, Duels(4, 0.5, seed=2))
    two = round_robin(ENTRANTS, 8, Duels(4, 0.5, seed=2), threads=2)
    other = round_robin(ENTRANTS, 8, Duels(4, 0.5, seed=3))
    assert one.scores == two.scores
    assert one.scores != other.scores


def test_the_games_are_those_of_older_versions():
    for opening, letters in {
        2: ["1010101010101010", "1010101010111011", "0101010111110101"],
        0: ["1010101010101010", "1010101010101010", "0101110101011111"],
    }.items():
        assert list(round_robin(ENTRANTS, 8, Duels(4, 0.5, opening, seed=2)).scores.values()) == letters


def test_games_are_kept_and_added_to(tmp_path, monkeypatch):
    path = tmp_path / "duels.json"
    whole = round_robin(ENTRANTS, 4, Duels(4, 0.5))

    class Stop(Exception):
        pass

    def stop(done, total):
        if done == 10:
            raise Stop

    with pytest.raises(Stop):
        round_robin(ENTRANTS, 4, Duels(4, 0.5), path, progress=stop)
    told = []
    again = round_robin(ENTRANTS, 4, Duels(4, 0.5), path, progress=lambda *done: told.append(done))
    assert again.scores == whole.scores
    assert told[0] == (10, 24)
    assert told[-1] == (24, 24)

    played = []
    pair = policy_duels._Desk.pair
    monkeypatch.setattr(
        policy_duels._Desk,
        "pair",
        lambda desk, one, other, *rest: (
            played.append((one.name, other.name)) or pair(desk, one, other, *rest)
        ),
    )
    more = round_robin(ENTRANTS, 5, Duels(4, 0.5), path)
    assert len(played) == 3
    assert all(more.scores[two].startswith(letters) for two, letters in whole.scores.items())
    played.clear()
    changed = [Entrant("direct", Uniform(), 0, "another"), *ENTRANTS[1:]]
    round_robin(changed, 5, Duels(4, 0.5), path)
    assert len(played) == 10
    assert all("direct" in two for two in played)
    kept = path.read_bytes()
    with pytest.raises(InputError, match=r"other settings: komi was 0.5 and is 1.5"):
        round_robin(changed, 2, Duels(4, 1.5), path)
    assert path.read_bytes() == kept


def test_wrong_input_is_refused(tmp_path):
    with pytest.raises(InputError, match="two players or more"):
        round_robin(ENTRANTS[:1], 1, Duels(4))
    with pytest.raises(InputError, match="a name of its own"):
        round_robin([ENTRANTS[0], ENTRANTS[0]], 1, Duels(4))
    with pytest.raises(InputError, match="threads: 0"):
        round_robin(ENTRANTS, 1, Duels(4), threads=0)
    for words in ("", "[]", '{"size": 4}', "no"):
        (tmp_path / "duels.json").write_text(words)
        with pytest.raises(InputError, match="not a file of games"):
            round_robin(ENTRANTS, 1, Duels(4), tmp_path / "duels.json")


def test_games_of_players_that_do_not_play_now_stay_in_the_file(tmp_path):
    path = tmp_path / "duels.json"
    whole = round_robin(ENTRANTS, 2, Duels(4, 0.5), path)
    part = round_robin(ENTRANTS[:2], 3, Duels(4, 0.5), path)
    names = {entrant.name for entrant in ENTRANTS[:2]}
    assert len(part.results(names)) == 6
    again = round_robin(ENTRANTS, 2, Duels(4, 0.5), path)
    assert {two: again.scores[two][:4] for two in whole.scores} == whole.scores
    assert again.players == whole.players
