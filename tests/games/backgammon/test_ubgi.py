"""UBGI both ways: our players as an engine, engines as players, and engines that lie, refuse or hang."""

import shlex
import sys

import pytest
from checkers import side, state_of

from playout.arena.match import match
from playout.external.player import EngineSettings
from playout.games.backgammon.as_position import BackgammonPosition
from playout.games.backgammon.engines.ubgi import UbgiPlayer, read_play
from playout.games.backgammon.engines.ubgi_server import Server
from playout.games.backgammon.ids import position_id
from playout.games.position import IllegalMove
from playout.player.api import EngineError, NoAnswer, Refusal, WrongMove
from playout.player.registry import make_player

OPENING = "4HPwATDgc/ABMA"
# An engine that answers from a table; what stands for a word, it does.
ENGINE = """
import sys, time
answers = {answers!r}
for line in sys.stdin:
    line = line.strip()
    if line == "quit":
        break
    for said in answers.get(line, answers.get(line.split()[0], [])):
        if said == "!hang":
            time.sleep(100)
        if said == "!die":
            sys.exit("out of dice")
        print(said, flush=True)
"""
NEW = {"ubgi": ["id name Fake", "id version 7", "proto 0.2", "ubgiok"], "isready": ["readyok"]}
OLD = {"ubgi": ["id name Old", "readyok"]}


@pytest.fixture
def engine(tmp_path):
    """Makes players of engines that answer so."""
    made = []

    def make(timeout=20.0, **answers):
        script = tmp_path / "engine.py"
        known = OLD if answers.pop("old", False) else NEW
        script.write_text(ENGINE.format(answers={**known, **answers}))
        command = f"{shlex.quote(sys.executable)} {shlex.quote(str(script))}"
        made.append(UbgiPlayer(EngineSettings(command=command, timeout=timeout)))
        return made[-1]

    yield make
    for player in made:
        player.close()


@pytest.fixture
def position():
    return BackgammonPosition.from_id(OPENING, (3, 1))


# -- the server -----------------------------------------------------------------------------------------


def answers(*lines):
    server = Server("random:seed=1")
    return [said for line in lines for said in server.answer(line)]


def test_the_server_introduces_itself():
    said = answers("ubgi", "isready")
    assert said[0].startswith("id name random:seed=1")
    assert said[-2:] == ["ubgiok", "readyok"]


def test_the_server_plays_legally():
    server = Server("random:seed=1")
    for dice in ((3, 1), (6, 6), (5, 5)):
        position = BackgammonPosition.from_id(OPENING, dice)
        server.answer(f"position gnubgid {OPENING}")
        server.answer(f"dice {dice[0]} {dice[1]}")
        (said,) = server.answer("go chequer")
        word, _, play = said.partition(" ")
        assert word == "bestmove"
        assert position.is_legal(read_play(position, play))


def test_the_server_passes_where_nothing_can_be_played():
    word = position_id(state_of((side(bar=1, p6=14), side(p6=5, p1=10))))
    assert answers(f"position gnubgid {word}", "dice 6 6", "go") == ["bestmove pass"]


def test_an_xgid_alone_is_answered_by_the_play(position):
    (said,) = answers("XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10")
    assert position.is_legal(read_play(position, said))


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["fly"], "error bad_command there is no command 'fly'"),
        (["position gnubgid 4HPwATDgc/ABM"], "error bad_value position ID '4HPwATDgc/ABM' has 13 letters"),
        (["position fen x"], "error bad_command expected: position gnubgid ID"),
        (["dice 7 1"], "error bad_value a die shows 1 to 6"),
        (["dice 3"], "error bad_value"),
        (["go"], "error bad_state there is no position yet"),
        ([f"position gnubgid {OPENING}", "go"], "error bad_state there are no dice yet"),
        (["go cube"], "error unsupported"),
        (["set engine.ply 2"], "error unsupported"),
        (["x" * 10_000], "error bad_command the line is too long"),
        (["XGID=nonsense"], "error bad_value XGID"),
    ],
)
def test_what_the_server_refuses(lines, words):
    (said,) = answers(*lines)
    assert said.startswith(words)
    assert "\n" not in said


# -- the client -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "said",
    ["8/5 6/5", "6/5 8/5", "8-5 6-5", "8 5 6 5", "sGfwATDgc/ABMA", "8/5 6/5 "],
)
@pytest.mark.parametrize("old", [False, True])
def test_both_dialects_and_all_spellings(engine, position, said, old):
    if old:
        player = engine(old=True, **{position.xgid: [said]})
    else:
        player = engine(**{"go": ["info depth 3", f"bestmove {said}", "bestmoveid sGfwATDgc/ABMA"]})
    assert position.spell(player.choose_action(position)) == "8/5 6/5"
    assert position.spell(player.choose_action(position)) == "8/5 6/5"  # what is left over does not disturb
    assert player.version == ("Old" if old else "Fake 7")


@pytest.mark.parametrize(
    ("said", "play"),
    [("bar/22 25/24", "bar/24 bar/22"), ("25 22 25 24", "bar/24 bar/22"), ("b/22 b/24", "bar/24 bar/22")],
)
def test_the_bar_has_many_names(said, play):
    position = BackgammonPosition.from_state(state_of((side(bar=2, p6=13), side(p6=15)), (3, 1)))
    assert position.spell(read_play(position, said)) == play


@pytest.mark.parametrize(
    "said", ["24/18", "8/5 8/5", "nonsense", "pass", "1 2 3", "8//5", "--", "sGfwATDgc/ABMB"]
)
def test_an_illegal_play_is_named(engine, position, said):
    with pytest.raises(IllegalMove):
        read_play(position, said)
    with pytest.raises(WrongMove, match="engine Fake plays"):
        engine(**{"go": [f"bestmove {said}"]}).choose_action(position)


def test_a_refusal_is_told(engine, position):
    player = engine(**{"position": ["error unsupported gnubgid"]})
    with pytest.raises(Refusal, match=r"refused 'position gnubgid .*': error unsupported gnubgid"):
        player.choose_action(position)
    with pytest.raises(Refusal, match="is sorry about"):
        engine(old=True, **{position.xgid: ["sorry"]}).choose_action(position)


def test_one_that_hangs_or_dies(engine, position):
    player = engine(go=["!hang"])
    player.timeout = 0.3
    with pytest.raises(NoAnswer, match=r"did not answer 'go chequer' within 0.3 seconds"):
        player.choose_action(position)
    with pytest.raises(
        EngineError, match=r"ended with exit code 1 when it was asked 'go .*it said: out of dice"
    ):
        engine(go=["!die"]).choose_action(position)
    with pytest.raises(NoAnswer, match="did not answer 'ubgi'"):
        engine(timeout=0.3, ubgi=["what?"])


def test_a_match_with_our_own_server():
    command = f"ubgi:{shlex.quote(sys.executable)} -m playout ubgi --player random"
    result = match(command, "random", 2, game="backgammon", seed=5, keep_engines=True)
    assert result.a_wins + result.b_wins == 2
    assert set(result.reasons) == {"score"}


def test_no_command():
    with pytest.raises(EngineError, match="an engine needs a command line"):
        make_player("ubgi:", "backgammon")
