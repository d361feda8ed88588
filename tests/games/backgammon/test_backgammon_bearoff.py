"""Tables of bear-offs: against fractions, GNU Backgammon's databases, and each other; their files."""

import itertools
import threading
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from checkers import side, state_of
from naive import bearoff as naive

from playout.errors import InputError
from playout.games import api
from playout.games.backgammon.bearoff import bearoff_chances, bearoff_value, files, in_bearoff, maker
from playout.games.backgammon.bearoff.chances import (
    CENTRED_CUBE,
    CUBELESS,
    EQUITIES,
    FIRST_PLACE,
    FIRST_ROLLS,
    LENGTH,
    NONE_OFF,
    OTHERS_CUBE,
    OWN_CUBE,
    PAIRED,
    PAIRS,
    PLACES,
    ROLLS,
    place_of,
    places_of,
)
from playout.games.backgammon.bearoff.files import bearoff_row, bearoff_tables
from playout.games.backgammon.bearoff.lookup import money_equities, rolls_to_bear_off
from playout.games.backgammon.policy.network import Lin3, Td80
from playout.games.backgammon.state import CHECKERS, HOME
from playout.kernel import kernel, new_rng
from playout.policy.api import estimate, sample


@kernel
def place(points):
    return place_of(points)


@kernel
def ask(tables, states, chances):
    """The value of each state; the chances of the last one."""
    found = np.zeros(len(states))
    for k in range(len(states)):
        found[k] = bearoff_chances(tables[0], states[k], chances)
        if found[k] != bearoff_value(tables[0], states[k]):
            found[k] = np.nan
    return found


@kernel
def at_home(states):
    return in_bearoff(states[0])


def sides(checkers):
    """All ways to have at most so many checkers on the home points, by their place."""
    found = [way for way in itertools.product(range(checkers + 1), repeat=HOME) if sum(way) <= checkers]
    return sorted(found, key=lambda way: [sum(way[k:]) for k in range(HOME)])


def whole(way):
    """All points of a player who has these on the home points."""
    return side(**{f"p{point}": count for point, count in enumerate(way, 1)})


def tables():
    """The tables: tails, those of the first checker off, pairs."""
    row = bearoff_row()
    return (
        row[:NONE_OFF].reshape(PLACES, ROLLS),
        row[NONE_OFF:PAIRS].reshape(-1, FIRST_ROLLS),
        row[PAIRS:].reshape(PAIRED, PAIRED, EQUITIES),
    )


def value(mine, theirs, turn=1):
    """The value for player 1 of a position by naive sides, and the chances of ends."""
    chances = np.full(5, np.nan)
    board = whole(mine), whole(theirs)
    found = ask(bearoff_tables(), state_of(board if turn == 1 else board[::-1], turn=turn), chances)
    return found[0], chances


# -- against fractions ------------------------------------------------------------------------------------


@pytest.mark.small
def test_places_are_numbered_without_gaps_and_plays_lead_to_lower_ones():
    ways = sides(3)
    assert [place(np.array([0, *way])) for way in ways] == list(range(places_of(3)))
    numbers = {way: number for number, way in enumerate(ways)}
    for way, roll in itertools.product(ways[1:], naive.ROLLS):
        assert max(numbers[after] for after in naive.plays(way, roll)) < numbers[way]
    assert place(np.array([0, 0, 0, 0, 0, 0, CHECKERS])) == PLACES - 1


@pytest.mark.small
def test_rolls_on_average_are_those_of_the_fractions():
    tails, mean = maker.make_tails(3)
    assert mean == pytest.approx([float(naive.rolls(way)) for way in sides(3)], abs=1e-12)
    assert tails.sum(1) == pytest.approx(mean, abs=1e-12)
    ways = [way for way in sides(3) if sum(way) == 3]
    none_off, first = maker.make_none_off(3)
    assert first == pytest.approx([float(naive.rolls(way, 1)) for way in ways], abs=1e-12)
    assert none_off.sum(1) == pytest.approx(first, abs=1e-6)  # the rest is beyond the table


@pytest.mark.small
def test_pairs_are_those_of_the_fractions():
    ways = sides(2)
    found = maker.make_pairs(2)
    for (i, mine), (j, theirs) in itertools.product(list(enumerate(ways))[1:], repeat=2):
        assert found[i, j, CUBELESS] == pytest.approx(float(2 * naive.wins(mine, theirs) - 1), abs=1e-12)
        for kind, owner in ((CENTRED_CUBE, None), (OWN_CUBE, 0), (OTHERS_CUBE, 1)):
            exact = float(naive.undoubled(mine, theirs, owner))
            assert found[i, j, kind] == pytest.approx(exact, abs=1e-12), (mine, theirs)


def test_larger_positions_are_those_of_the_fractions():
    tails, _, pairs = tables()
    for mine, theirs in (((2, 1, 1, 0, 0, 0), (0, 0, 2, 1, 0, 0)), ((0, 0, 0, 0, 0, 3), (1, 0, 2, 0, 1, 0))):
        i, j = place(np.array([0, *mine])), place(np.array([0, *theirs]))
        assert tails[i].sum() == pytest.approx(float(naive.rolls(mine)), abs=1e-6)
        assert pairs[i, j, CUBELESS] == pytest.approx(float(2 * naive.wins(mine, theirs) - 1), abs=1e-6)


# -- what is known ----------------------------------------------------------------------------------------


def test_known_positions():
    ace, two, six = (1, 0, 0, 0, 0, 0), (2, 0, 0, 0, 0, 0), (0, 0, 0, 0, 0, 1)
    assert value(two, two)[0] == 1.0
    assert value(two, two, turn=2)[0] == -1.0
    assert value(six, ace)[0] == pytest.approx(2 * 27 / 36 - 1)
    assert value((0, 1, 0, 0, 1, 0), two)[0] == pytest.approx(2 * 19 / 36 - 1)  # checkers on 5 and 2
    assert value((3, 0, 0, 0, 0, 0), two)[0] == pytest.approx(2 * 6 / 36 - 1)  # doubles only
    # Six on the ace point need three rolls, unless one of the first two is a double.
    assert rolls_to_bear_off([6])[3] == pytest.approx((5 / 6) ** 2, abs=1e-6)


def test_one_sided_figures_of_gnubg():
    """Rolls on average, and until the first is off, as `bearoffdump` prints them."""
    tails, none_off, _ = tables()
    assert tails[-1].sum() == pytest.approx(12.266, abs=5e-4)
    assert none_off[-1].sum() == pytest.approx(1.616, abs=5e-4)


def test_gammons():
    six, ace = (0, 0, 0, 0, 0, CHECKERS), (2, 0, 0, 0, 0, 0)
    worth, chances = value(ace, six)
    assert worth == 2.0
    assert chances.tolist() == [1, 1, 0, 0, 0]
    worth, chances = value(ace, six, turn=2)  # 11 throws with a six, 2-2, 3-3 and four more
    off = 1 - tables()[1][-1][1]
    assert off == pytest.approx(17 / 36, abs=1e-7)
    assert chances == pytest.approx([1, 1 - off, 0, 0, 0], abs=1e-6)
    assert worth == pytest.approx(2 - off, abs=1e-6)
    worth, chances = value(six, ace, turn=2)
    assert worth == -2.0
    assert chances.tolist() == [0, 0, 0, 1, 0]


def test_what_a_gammon_is_worth_follows_the_rules_of_the_game():
    six, ace = (0, 0, 0, 0, 0, CHECKERS), (2, 0, 0, 0, 0, 0)
    for options, worth in (
        ({"jacoby": 1}, 1),
        ({"jacoby": 1, "owner": 2}, 2),
        ({"length": 3, "score": (2, 0)}, 1),
    ):
        state = state_of((whole(ace), whole(six)))
        for name, setting in options.items():
            state[name] = setting
        assert ask(bearoff_tables(), state, np.zeros(5)) == worth


def test_ended_games_count_what_they_count():
    for mine, theirs in (((0,) * 6, (0, 0, 1, 0, 0, 0)), ((0, 0, 0, 0, 0, 15), (0,) * 6)):
        state = state_of((whole(mine), whole(theirs)), turn=2)
        counts = np.zeros(5)
        api.tally(state[0], counts)
        chances = np.full(5, np.nan)
        assert ask(bearoff_tables(), state, chances) == api.outcome(state[0])
        assert chances.tolist() == counts.tolist()


def test_who_is_in_a_bear_off():
    assert at_home(state_of((side(p6=15), side(p1=3))))
    assert not at_home(state_of((side(p7=1), side(p1=3))))
    assert not at_home(state_of((side(p6=1), side(bar=1))))


def test_each_side_for_itself_is_near_the_exact_value():
    """The largest and the mean difference of winning chances over all pairs that are known exactly."""
    tails, _, pairs = tables()
    tails = tails[:PAIRED].astype(float)
    apart = (tails[:, :-1] - tails[:, 1:]) @ tails[:, :-1].T - (0.5 + 0.5 * pairs[:, :, CUBELESS])
    assert np.abs(apart[1:, 1:]).max() < 0.014
    assert np.abs(apart[1:, 1:]).mean() < 0.0009
    # Seven checkers against six: after a roll the pair is exact, or nearly so.
    mine, theirs = (0, 2, 1, 2, 1, 1), (1, 1, 2, 1, 1, 0)
    ahead = np.mean(
        [max(value(after, theirs, turn=2)[0] for after in naive.plays(mine, roll)) for roll in naive.ROLLS]
    )
    assert value(mine, theirs)[0] == pytest.approx(ahead, abs=0.01)


# -- networks ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("turn", [1, 2])
def test_networks_know_bear_offs_by_the_tables(turn):
    """Their estimates are the tables', and so is the play they choose; without them they are their own."""
    mine, theirs = (1, 1, 0, 1, 1, 0), (2, 1, 0, 0, 1, 0)
    state = state_of((whole(mine), whole(theirs)), turn=turn)
    exact = float(2 * naive.wins(mine, theirs) - 1) * (1 if turn == 1 else -1)
    chances = np.zeros(5)
    policy = Td80().record()
    assert estimate(policy[0], state[0], chances) == pytest.approx(exact, abs=1e-6)
    assert chances == pytest.approx([(1 + exact) / 2, 0, 0, 0, 0], abs=1e-6)
    assert estimate(Lin3(bearoff=True).record()[0], state[0], chances) == pytest.approx(exact, abs=1e-5)
    assert abs(estimate(Td80(bearoff=False).record()[0], state[0], chances) - exact) > 1e-4
    for roll in ((6, 2), (2, 1), (1, 1)):
        state = state_of((whole(mine), whole(theirs)), roll, turn)
        api.play(state[0], sample(policy[0], state[0], new_rng(1)[0]))
        after = tuple(int(count) for count in state["points"][0, turn - 1, 1 : HOME + 1])
        best = max(1 - naive.wins(theirs, side) for side in naive.plays(mine, roll))
        assert 1 - naive.wins(theirs, after) == best


# -- GNU Backgammon's databases ----------------------------------------------------------------------------


def gnubg_data(name):
    """A database of the package gnubg-nn."""
    spec = find_spec("gnubg_nn")
    path = Path(spec.origin).parent / "data" / name if spec and spec.origin else None
    if path is None or not path.exists():
        pytest.skip("the databases of gnubg-nn are not installed (pip install gnubg-nn)")
    return path.read_bytes()


def test_pairs_are_those_of_gnubg():
    """Both number positions alike; theirs are rounded to 16 bits at every step."""
    theirs = np.frombuffer(gnubg_data("gnubg_ts0.bd"), "<u2", offset=40).reshape(PAIRED, PAIRED, EQUITIES)
    found = tables()[2]
    for kind, column in ((CUBELESS, 0), (OWN_CUBE, 1), (CENTRED_CUBE, 2), (OTHERS_CUBE, 3)):
        apart = np.abs(theirs[1:, 1:, column] / 32767.5 - 1 - found[1:, 1:, kind])
        assert apart.max() < 1.3e-4
        assert apart.mean() < 5e-5


def test_one_sided_tables_are_those_of_gnubg():
    """Where two plays are nearly equal the rounded numbers may choose another one; the mean stays."""
    content = gnubg_data("gnubg_os0.bd")
    index = np.frombuffer(content, np.uint8, 8 * PLACES, 40).reshape(PLACES, 8)
    numbers = np.frombuffer(content, "<u2", offset=40 + 8 * PLACES) / 65535
    begin = index[:, :4].copy().view("<u4").ravel().astype(int)
    tails, none_off, _ = tables()
    tails, none_off = tails.astype(float), none_off.astype(float)
    count = np.arange(ROLLS)
    apart, means, first_apart = np.zeros(PLACES), np.zeros(PLACES), np.zeros(PLACES)
    for number in range(1, PLACES):
        length, skip, first_length, first_skip = index[number, 4:].astype(int)
        start = begin[number]
        theirs = np.zeros(ROLLS)
        theirs[skip : skip + length] = numbers[start : start + length]
        apart[number] = np.abs(theirs[1:] - (tails[number, :-1] - tails[number, 1:])).max()
        means[number] = abs(theirs @ count - tails[number].sum())
        if number >= FIRST_PLACE:
            theirs = np.zeros(ROLLS)
            theirs[first_skip : first_skip + first_length] = numbers[start + length :][:first_length]
            ours = none_off[number - FIRST_PLACE]
            first_apart[number] = np.abs(theirs[1:FIRST_ROLLS] - (ours[:-1] - ours[1:])).max()
    assert means.max() < 2e-4
    assert first_apart.max() < 3e-5
    assert apart.max() < 3e-3
    assert (apart > 1e-4).sum() < 300


# -- files and words ---------------------------------------------------------------------------------------


@pytest.fixture
def short_row(monkeypatch, tmp_path):
    """Files of a row that is made in no time; how often it was made."""
    made = []

    def make():
        made.append(1)
        return np.arange(LENGTH, dtype=np.float32)

    monkeypatch.setenv("PLAYOUT_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(files, "make_row", make)
    yield made
    files._row_at.cache_clear()


@pytest.mark.small
def test_a_file_that_is_not_whole_is_made_again(short_row):
    files._row_at.cache_clear()
    path = files.path_of()
    for count, damage in enumerate(
        (
            lambda: None,
            lambda: path.write_bytes(path.read_bytes()[:-8]),
            lambda: path.write_bytes(b""),
            lambda: path.write_bytes(b"another kind of file".ljust(path.stat().st_size, b"\0")),
            lambda: path.write_bytes(path.read_bytes()[:-1] + b"\xff"),
        ),
        1,
    ):
        damage()
        files._row_at.cache_clear()
        assert bearoff_row()[-1] == np.float32(LENGTH - 1)
        assert len(short_row) == count
    files._row_at.cache_clear()
    assert isinstance(bearoff_row().base, np.memmap)  # found this time
    assert len(short_row) == 5


@pytest.mark.small
def test_tables_stay_in_memory_where_nothing_can_be_written(short_row, monkeypatch, tmp_path, capsys):
    (tmp_path / "cache").write_text("no folder")
    files._row_at.cache_clear()
    assert bearoff_row()[1] == 1.0
    assert not isinstance(bearoff_row().base, np.memmap)


@pytest.mark.small
def test_threads_at_once_make_the_tables_once(short_row):
    files._row_at.cache_clear()
    found = []
    threads = [threading.Thread(target=lambda: found.append(bearoff_row())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert len(short_row) == 1


def test_wrong_sides_are_refused():
    for wrong in ([16], [1] * 7, [-1, 2]):
        with pytest.raises(InputError, match="up to 15 checkers on the points 1 to 6"):
            rolls_to_bear_off(wrong)
    assert money_equities([7], [1]) is None
