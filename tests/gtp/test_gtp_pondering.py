"""Pondering over GTP: between our move and the next command, and never otherwise."""

import threading
import time

import pytest
from gtp_talk import Pipe

SPECS = ["mogo:sims=100,seed=1,ponder=true", "td-search:sims=100,seed=1,ponder=true"]


def pondering():
    return [thread for thread in threading.enumerate() if thread.name == "pondering"]


def comes(wanted, seconds=10.0):
    """Whether somebody begins to ponder, or ends it, in some time."""
    end = time.monotonic() + seconds
    while bool(pondering()) != wanted and time.monotonic() < end:
        time.sleep(0.005)
    return bool(pondering()) == wanted


@pytest.fixture(params=SPECS, ids=["mogo", "td-search"])
def pipe(request):
    found = Pipe(request.param)
    yield found
    found.close()
    assert comes(False)


def ask(pipe, line):
    pipe.send(line)
    return pipe.answer()


def test_ponders_from_our_move_to_the_opponents(pipe):
    ask(pipe, "boardsize 7")
    ask(pipe, "play b D4")
    time.sleep(0.1)
    assert not pondering(), "nobody has asked for a move yet"
    ask(pipe, "genmove w")
    assert comes(True)
    assert ask(pipe, "name")[0].startswith("= playout ")
    assert comes(True), "a question does not end the opponent's thinking"
    ask(pipe, "time_left b 100 0")
    assert comes(True)
    ask(pipe, "play b pass")
    time.sleep(0.1)
    assert not pondering()
    ask(pipe, "genmove w")


def test_a_command_is_answered_at_once(pipe):
    ask(pipe, "boardsize 19")
    ask(pipe, "genmove b")
    late = []
    for _ in range(5):
        assert comes(True)
        time.sleep(0.1)
        began = time.monotonic()
        ask(pipe, "protocol_version")
        late.append(time.monotonic() - began)
    assert min(late) < 0.05


@pytest.mark.parametrize("line", ["undo", "clear_board", "komi 0.5", "boardsize 9", "play w pass"])
def test_what_changes_the_game_ends_the_pondering(pipe, line):
    ask(pipe, "boardsize 5")
    ask(pipe, "genmove b")
    assert comes(True)
    assert ask(pipe, line)[0].startswith("=")
    time.sleep(0.05)
    assert not pondering()


def test_does_not_ponder_after_the_end(pipe):
    ask(pipe, "boardsize 5")
    ask(pipe, "play b C3")
    ask(pipe, "play w pass")
    assert ask(pipe, "genmove b") == ["= pass"]
    time.sleep(0.1)
    assert not pondering()


@pytest.mark.parametrize("spec", SPECS)
def test_does_not_ponder_after_resigning(spec):
    pipe = Pipe(f"{spec},resign=1,resign_turns=1")
    ask(pipe, "boardsize 5")
    ask(pipe, "komi 100")
    assert ask(pipe, "genmove b") == ["= resign"]
    time.sleep(0.1)
    assert not pondering()
    pipe.close()


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("last", ["quit", None])
def test_quit_and_the_end_of_input_end_it(last, spec):
    pipe = Pipe(f"{spec},threads=2")
    ask(pipe, "boardsize 5")
    ask(pipe, "genmove b")
    assert comes(True)
    if last:
        assert ask(pipe, last) == ["="]
    pipe.close()
    assert not pondering()
    names = ("tree-search", "td-search")
    assert not [thread for thread in threading.enumerate() if thread.name.startswith(names)]


@pytest.mark.parametrize("spec", SPECS)
def test_the_next_search_begins_with_what_was_pondered(spec):
    pipe = Pipe(spec)
    ask(pipe, "boardsize 5")
    ask(pipe, "genmove b")
    assert comes(True)
    time.sleep(0.5)
    ask(pipe, "play w pass")
    search = pipe.server.session.player.prepare(pipe.server.session.board.copy().undo())
    assert (search.visits if "mogo" in spec else search.simulations) > 1000
    pipe.close()


def test_a_first_word_of_time_in_the_middle_of_a_game_forgets_nothing():
    pipe = Pipe("td-search:sims=100,seed=1")
    ask(pipe, "boardsize 5")
    ask(pipe, "genmove b")
    ask(pipe, "time_left b 100 0")  # which compiles what there is to compile
    assert pipe.server.session.player._search.simulations == 100
    pipe.close()


@pytest.mark.parametrize("spec", SPECS)
def test_who_does_not_ponder_plays_the_same_moves_however_long_the_opponent_thinks(spec):
    games = []
    for seconds in (0.0, 0.1):
        pipe = Pipe(spec.replace("ponder=true", "ponder=false"))
        ask(pipe, "boardsize 5")
        moves = []
        for reply in ("B2", "D4", "D2"):
            moves += ask(pipe, "genmove b")
            time.sleep(seconds)
            ask(pipe, f"play w {reply}")
        games.append(moves)
        pipe.close()
    assert games[0] == games[1]
