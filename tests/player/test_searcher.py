"""Players that search a tree: what they play, when they pass, and what they refuse."""

import dataclasses
import itertools
import os
import signal
import threading
import time
from dataclasses import dataclass, field

import numpy as np
import pytest

from playout.errors import InputError
from playout.games.go.board import Board
from playout.games.go.state import BLACK, PASS
from playout.games.registry import find_game
from playout.gtp.server import Server
from playout.player.api import RESIGN, moves_on_interrupt
from playout.player.registry import make_player, player_table, players_of, settings_of
from playout.search.prior import PRIORS, Even
from playout.settings import describe

PLAYERS = ["uct", "rave", "mogo", "mango"]


def plays(board, spec):
    return make_player(spec).choose(board)


@pytest.mark.parametrize("name", PLAYERS)
def test_takes_the_chain_that_decides_the_game(name):
    board = Board.from_text(
        """
        . . . . . . .
        . X X X X . .
        X O O O O X .
        X O O O O X .
        X X X X . X X
        O O O O . O O
        . O . O O O .""",
        to_play="X",
        komi=10.5,
    )
    assert plays(board, f"{name}:sims=2000,seed=1") == "E3"


@pytest.mark.parametrize("name", PLAYERS)
def test_passes_when_ahead_and_all_is_settled(name):
    board = Board.from_text(
        """
        . X . X O
        X X X X O
        X X X X O
        X X X O O
        . X X O .""",
        to_play="X",
        komi=0.5,
    )
    assert plays(board, f"{name}:sims=300,seed=1") == "pass"


@pytest.mark.parametrize("name", PLAYERS)
def test_answers_a_pass_with_a_pass_when_ahead(name):
    board = Board.from_text(
        """
        . X . O .
        X X X O O
        X X X O O
        X X X O .
        . X X O O""",
        to_play="O",
        komi=0.5,
    ).play("pass")
    assert plays(board, f"{name}:sims=300,seed=1") == "pass"


@pytest.mark.parametrize("name", PLAYERS)
def test_does_not_pass_while_behind(name):
    board = Board.from_text(
        """
        . X O . .
        X X O . .
        . X O . .
        X X O . .
        . X O . .""",
        to_play="X",
        komi=0.5,
    ).play("pass", "W")
    assert plays(board, f"{name}:sims=300,seed=1") != "pass"


def test_a_finished_game_is_answered_with_pass():
    board = Board(5).play("pass").play("pass")
    assert make_player("mogo:sims=100").choose_action(board) == PASS


@pytest.mark.parametrize("name", PLAYERS)
def test_same_seed_same_moves(name):
    def game():
        board, player = Board(5), make_player(f"{name}:sims=200,seed=5")
        for _ in range(8):
            board.play(player.choose(board))
        return board.moves

    assert game() == game()


def test_superko_holds_at_the_root():
    board = Board(3, komi=0.5)
    player = make_player("uct:sims=50,seed=3,policy=uniform")
    for _ in range(60):
        if board.is_over:
            break
        p = player.choose_action(board)
        assert board.is_legal(p)
        board.play(p)


@pytest.mark.parametrize("name", PLAYERS)
def test_analysis_grows_and_has_a_line_for_every_move(name):
    board = Board(5).play("C3")
    few, many = itertools.islice(make_player(f"{name}:seed=1").analyse(board), 2)
    assert few.visits < many.visits
    assert all(info.pv[0] == info.action for info in many.moves)
    assert {info.action for info in many.moves} <= set(board.legal_moves())
    assert all(0 <= info.lcb <= info.winrate <= 1 for info in many.moves if info.visits > 20)
    assert many.ownership.shape == (5, 5)
    assert np.all(np.abs(many.ownership) <= 1)
    assert many.to_play != BLACK


def test_the_tree_is_kept_between_moves():
    board, player = Board(5), make_player("rave:sims=500,seed=1")
    board.play(player.choose(board))
    search = player.prepare(board)
    assert search.visits > 50
    player.new_game()
    assert player.prepare(board).visits == 0


def test_a_tree_of_another_game_is_not_taken_over():
    player = make_player("rave:sims=500,seed=1")
    player.choose(Board(5))
    other = Board(5).set_up(black=["A1"], white=["E5"]).play("C3")
    assert player.prepare(other).visits == 0
    player.choose(Board(5))
    assert player.prepare(Board(5, komi=0.5).play("C3")).visits == 0


def test_a_tree_is_not_taken_over_when_a_colour_moves_twice():
    player = make_player("rave:sims=500,seed=1")
    board = Board(5)
    board.play(player.choose(board))
    board.to_play = BLACK
    assert player.prepare(board).visits == 0


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("uct:exploration=-1", "exploration='-1' is not a number from 0 to 100"),
        ("mogo:memory=0", "memory='0' is not a whole number from 1 to 1,000,000"),
        (
            "mogo:prior=magic",
            "prior='magic' is not a name; "
            "one of: even, grandfather, handcrafted, shapes, tactical, td-search, urgency",
        ),
        ("mogo:prior=shape", "prior='shape' is not a name; did you mean shapes?"),
        ("uct:prior.weights=w.npz", "prior even has no setting 'weights'; it has none"),
        ("rave:rave=mes", "rave='mes' is not a name; did you mean mse?"),
        ("mogo:bais=0.1", "player mogo has no setting 'bais'; did you mean bias?"),
    ],
)
def test_impossible_settings_are_refused_by_name(spec, sentence):
    with pytest.raises(InputError) as refused:
        make_player(spec)
    assert str(refused.value) == sentence


@dataclass(frozen=True, kw_only=True)
class Weighty(Even):
    """A prior with a setting, as one that has learnt something would have."""

    book: str = field(default="none", metadata={"help": "a file"})


def test_a_prior_has_settings_of_its_own(monkeypatch):
    monkeypatch.setitem(PRIORS, "even", Weighty)
    assert settings_of("uct", {"prior.book": "w.npz"})["prior.book"] == "w.npz"
    assert make_player("uct:prior.book=w.npz")._prior.book == "w.npz"
    rows = {row["name"]: row["settings"] for row in player_table()}
    assert rows["uct"]["prior.book"]["help"] == "a file (prior=even)"
    assert "prior.book" not in rows["flat"]


def test_the_grandfather_prior_plays():
    board = Board(5).play("C3")
    spec = "rave:prior=grandfather,amaf_experience=10,sims=300,seed=1"
    assert make_player(spec).choose_action(board) in board.legal_moves()


# -- resigning --------------------------------------------------------------------------------------

LOST = """
    . O . O .
    O O O O O
    O O O O .
    O O O O O
    X . . X ."""


def test_resigns_after_some_lost_turns_in_a_row():
    board = Board.from_text(LOST, to_play="X", komi=7.5)
    player = make_player("mogo:sims=300,seed=1,resign=0.2")
    turns = []
    for _ in range(3):
        turns.append(player.choose_action(board))
        if turns[-1] != RESIGN:
            board.play(turns[-1]).play("pass")
    assert turns[2] == RESIGN
    assert RESIGN not in turns[:2]


def test_asking_twice_is_not_two_turns():
    board = Board.from_text(LOST, to_play="X", komi=7.5)
    player = make_player("mogo:sims=300,seed=1,resign=0.2,resign_turns=2")
    assert RESIGN not in [player.choose_action(board) for _ in range(4)]


def test_a_new_game_or_a_good_turn_begins_the_count_anew():
    lost = Board.from_text(LOST, to_play="X", komi=7.5)
    player = make_player("mogo:sims=300,seed=1,resign=0.2,resign_turns=2")
    assert player.choose_action(lost) != RESIGN
    player.new_game()
    later = lost.copy().play("B1").play("pass")
    assert player.choose_action(later) != RESIGN
    even = Board(5).play("C3").play("C4")
    even.play("D4").play("B4")
    assert player.choose_action(even) != RESIGN
    assert player.choose_action(lost) != RESIGN


def test_few_visits_are_no_reason_to_resign():
    board = Board.from_text(LOST, to_play="X", komi=7.5)
    player = make_player("mogo:sims=none,seed=1,resign=0.9,resign_turns=1")
    player.clock.set(0.0)
    assert player.choose_action(board) != RESIGN


def test_resigns_over_gtp():
    server = Server("mogo:sims=300,seed=1,resign=0.2,resign_turns=1")
    server.session.board = Board.from_text(LOST, to_play="X", komi=7.5)
    assert server.execute("genmove b") == "= resign"


# -- time and stopping ------------------------------------------------------------------------------


def timed(player, board):
    began = time.monotonic()
    player.choose(board)
    return time.monotonic() - began


@pytest.mark.parametrize("name", [*PLAYERS, "flat"])
def test_thinks_for_its_seconds(name):
    player = make_player(f"{name}:seconds=0.4,seed=1" + (",early_stop=never" if name != "flat" else ""))
    assert player.settings.sims is None
    player.warm_up(Board(9))
    assert 0.35 < timed(player, Board(9)) < 1.0


@pytest.mark.parametrize("name", [*PLAYERS, "flat"])
def test_sims_bound_a_search_with_seconds(name):
    player = make_player(f"{name}:seconds=60,sims=20,seed=1")
    assert player.settings.sims == 20
    player.warm_up(Board(9))
    assert timed(player, Board(5)) < 10


def test_the_clock_bounds_seconds_and_sims():
    player = make_player("mogo:seconds=60,seed=1")
    player.warm_up(Board(9))
    player.clock.set(3.0)
    assert timed(player, Board(9)) < 1.0
    player = make_player("mogo:sims=1000000000,seed=1")
    player.clock.set(3.0)
    assert timed(player, Board(9)) < 1.0


@pytest.mark.parametrize("name", ["mogo", "flat"])
def test_no_limit_at_all_is_refused(name):
    with pytest.raises(InputError, match=f"player {name} has sims=none and no time"):
        make_player(f"{name}:sims=none").choose(Board(5))


CLEAR = """
    . . . . . . .
    . X X X X . .
    X O O O O X .
    X O O O O X .
    X X X X . X X
    O O O O . O O
    . O . O O O ."""


def test_a_clear_choice_ends_a_search_under_time():
    """One move decides the game; nothing else can catch up in the seconds that are left."""
    player = make_player("mogo:seconds=3,seed=1")
    player.warm_up(Board(9))
    assert timed(player, Board.from_text(CLEAR, to_play="X", komi=10.5)) < 2.5


@pytest.mark.parametrize(("early_stop", "stops"), [("timed", False), ("always", True), ("never", False)])
def test_a_clear_choice_without_a_clock(early_stop, stops):
    """Where nothing is saved for later moves all simulations are made: the next tree is made of them."""
    board = Board.from_text(CLEAR, to_play="X", komi=10.5)
    player = make_player(f"mogo:sims=2000,seed=1,early_stop={early_stop}")
    player.choose(board)
    assert (player.prepare(board).visits < 2000) == stops


@pytest.mark.parametrize(
    "spec", ["mogo:sims=1000000000", "mogo:sims=1000000000,threads=2", "flat:seconds=60"]
)
def test_stop_gives_the_best_move_so_far(spec):
    player = make_player(spec)
    player.warm_up(Board(9))
    stopped_at = []

    def stop():
        stopped_at.append(time.monotonic())
        player.stop()

    timer = threading.Timer(0.3, stop)
    timer.start()
    board = Board(9)
    p = player.choose_action(board)
    late = time.monotonic() - stopped_at[0]
    assert board.is_legal(p)
    assert late < 0.3  # some milliseconds, on a quiet machine
    player.close()


def test_ctrl_c_gives_the_best_move_so_far_to_who_wants_it():
    player = make_player("mogo:sims=1000000000,seed=1")
    player.warm_up(Board(9))
    board = Board(9)
    before = signal.getsignal(signal.SIGINT)
    with moves_on_interrupt(player):
        threading.Timer(0.3, os.kill, [os.getpid(), signal.SIGINT]).start()
        assert board.is_legal(player.choose(board))
    assert signal.getsignal(signal.SIGINT) is before


def test_a_second_ctrl_c_is_an_exception_as_everywhere():
    def interrupted_twice():
        with moves_on_interrupt(make_player("uniform")) as hurried:
            os.kill(os.getpid(), signal.SIGINT)
            assert hurried.wait(5)
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(5)

    with pytest.raises(KeyboardInterrupt):
        interrupted_twice()


def test_ctrl_c_is_an_exception_for_others_and_leaves_a_sound_player():
    player = make_player("mogo:sims=1000000000,seed=1,threads=2")
    player.warm_up(Board(9))
    threading.Timer(0.3, os.kill, [os.getpid(), signal.SIGINT]).start()
    with pytest.raises(KeyboardInterrupt):
        player.choose(Board(9))
    player.clock.set(2.0)
    assert Board(9).is_legal(player.choose(Board(9)))
    player.close()


# -- settings ---------------------------------------------------------------------------------------

KINDS = {
    name: players_of(find_game("go"))[name].settings for name in [*PLAYERS, "td-search", "dyna2", "rlgo"]
}
FREE = ("shapes", "long_term")  # lists and files, which have sentences of their own
SETTINGS = [(name, field) for name in KINDS for field in dataclasses.fields(KINDS[name])]
SETTINGS = [(name, field) for name, field in SETTINGS if field.name not in FREE]
ALONE = [pair for pair in SETTINGS if pair[0] not in ("dyna2", "rlgo")]  # where no default bounds another


def wrong_values(field):
    """Values that a setting must refuse."""
    low, high, choices = (field.metadata[key] for key in ("low", "high", "choices"))
    if choices:
        return ["zzzz"]
    if isinstance(field.default, bool):
        return ["maybe", "2"]
    outside = [] if low is None else [f"{low - 1:.10g}"]
    outside += [] if high is None else [f"{high * 2:.0f}"]
    return [*outside, "nan", "much"]


@pytest.mark.parametrize(("name", "field"), SETTINGS, ids=[f"{n}-{f.name}" for n, f in SETTINGS])
def test_every_setting_refuses_what_is_out_of_its_range(name, field):
    told = describe(KINDS[name])[field.name]
    for word in wrong_values(field):
        with pytest.raises(InputError) as refused:
            make_player(f"{name}:{field.name}={word}")
        sentence = str(refused.value)
        assert sentence.startswith(f"{field.name}='{word}' is not ")
        assert "\n" not in sentence
        if field.metadata["choices"]:
            assert sentence.endswith("one of: " + ", ".join(sorted(field.metadata["choices"])))
        else:
            assert sentence.endswith(told["values"])


@pytest.mark.parametrize(("name", "field"), ALONE, ids=[f"{n}-{f.name}" for n, f in ALONE])
def test_every_setting_takes_its_default_and_the_ends_of_its_range(name, field):
    words = [str(field.default), *(field.metadata["choices"] or ())]
    words += [
        f"{end:.0f}"
        for end in (field.metadata["low"], field.metadata["high"])
        if end is not None and end == int(end)
    ]
    for word in words:
        assert hasattr(make_player(f"{name}:{field.name}={word}").settings, field.name)
