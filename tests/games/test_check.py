"""Broken games get the sentence that helps; right ones pass; an edited file is another game."""

import json
import os
import re
import subprocess
import sys
from textwrap import dedent

import numpy as np
import pytest
import typer

from playout.cli.check import register
from playout.errors import InputError
from playout.games import api
from playout.games.check import Report, check, explain, explained
from playout.games.check.process import uncompilable
from playout.games.game import Game, state_type
from playout.games.registry import find_game, load_game
from playout.kernel import new_rng
from playout.policy.random import Random
from playout.search.simulation import evaluate

# Take 1, 2 or 3 stones; whoever takes the last one wins.
NIM = dedent("""
    import numpy as np
    from playout.games.game import Game, state_type
    from playout.kernel import inner

    NIM = state_type([("stones", "u2"), ("turn", "u1"), ("taken", "u2", (22,)), ("moves", "u1")])

    def start():
        state = np.zeros(1, NIM)
        state["stones"], state["turn"] = 21, 1
        return state

    @inner
    def most(state):
        return min(3, state.stones)

    def play(state, action):
        state.taken[state.moves] = action
        state.stones -= action
        state.moves += 1
        state.turn = 3 - state.turn

    def legal_moves(state, moves):
        n = 0
        for k in range(1, most(state) + 1):
            moves[n] = k
            n += 1
        return n

    def is_legal(state, action):
        return 1 <= action <= most(state)

    def to_play(state):
        return state.turn

    def is_over(state):
        return state.stones == 0

    def outcome(state):
        return 0.0 if state.turn == 1 else 1.0

    GAME = Game(
        name="nim", state=NIM, start=start, play=play, legal_moves=legal_moves, is_legal=is_legal,
        to_play=to_play, is_over=is_over, outcome=outcome, actions=4, moves=21,
    )
    """)

# Roll a die up to five times, stopping when you like; each roll pays its eyes.
DICE = dedent("""
    import numpy as np
    from playout.games.game import Game, state_type
    from playout.kernel import below

    DICE = state_type([("rolls", "u1"), ("eyes", "u1"), ("rolling", "u1"), ("stopped", "u1")])

    def start():
        return np.zeros(1, DICE)

    def play(state, action):
        state.eyes = 0
        if action == 0:
            state.stopped = 1
        else:
            state.rolling = 1

    def legal_moves(state, moves):
        moves[0] = 0
        moves[1] = 1
        return 2

    def is_over(state):
        return state.stopped == 1 or (state.rolls == 5 and state.rolling == 0)

    def is_chance(state):
        return state.rolling == 1

    def chances(state, probabilities):
        probabilities[:6] = 1 / 6
        return 6

    def happen(state, event):
        state.eyes = event + 1
        state.rolling = 0
        state.rolls += 1

    def reward(state):
        return state.eyes

    def discount(state):
        return 0.9

    GAME = Game(
        name="dice", state=DICE, start=start, play=play, legal_moves=legal_moves, is_over=is_over,
        is_chance=is_chance, chances=chances, happen=happen, reward=reward, discount=discount,
        actions=2, moves=10, events=6, low=0, high=30, players=1,
    )
    """)

# What is changed in a right game, and what must be said of it. All are found in plain Python.
NIM_CHANGES = {
    "not Python": ("def play(state, action):", "def play(state, action)", r"line 17: .*not Python.*':'"),
    "an exception in the file": ('"u2", (22,)', '"u2", (NO,)', r"line 6: NameError: name 'NO'"),
    "no GAME": ("GAME = ", "NIM_GAME = ", r"no GAME = Game\(…\) in it; there is a Game by another name"),
    "GAME is something else": ("GAME = Game(", "GAME = dict(", r"GAME is a dict, not a Game"),
    "two games of one name": (
        "GAME = Game(",
        "OTHER = Game(name='nim', state=state_type([('x', 'u1')]), start=start)\nGAME = Game(",
        r"two games have one name, 'nim': give each its own",
    ),
    "facts out of range": ("moves=21", "moves=0", r"line \d+: .*the longest game has at least 1 move"),
    "three players": ("moves=21", "moves=21, players=3", r"line \d+: .*players: 3 is not 1 or 2"),
    "groups of no variable": (
        "moves=21",
        "moves=21, groups=(('stone',),)",
        r"^groups: a state has no variable 'stone'; did you mean stones",
    ),
    "groups that are words": ("moves=21", "moves=21, groups=('stones',)", r"^groups: 'stones' is no tuple"),
    "groups that fail": (
        "moves=21",
        "moves=21, groups=lambda s: 1 // 0",
        r"^groups\(\) fails in line \d+ .*: Zero",
    ),
    "widths of no variable": (
        "moves=21",
        "moves=21, widths={'x': 1.0}",
        r"^widths: a state has no variable 'x'",
    ),
    "play missing": ("play=play, ", "", r"^play is missing: write play\(state, action\)"),
    "legal_moves missing": ("legal_moves=legal_moves, ", "", r"^legal_moves is missing"),
    "is_over missing": ("is_over=is_over, ", "", r"^is_over is missing"),
    "no worth": ("outcome=outcome, ", "", r"^outcome is missing.*or reward\(state\)"),
    "to_play missing": ("to_play=to_play, ", "", r"^to_play is missing.*players=1"),
    "other arguments": ("def is_over(state)", "def is_over()", r"^is_over\(\) takes other.*is_over\(state\)"),
    "start gives a record": ("    return state\n", "    return state[0]\n", r"^start\(\) gives a record: "),
    "start gives numbers": (
        "np.zeros(1, NIM)\n",
        "np.zeros(1)\n    return state\n",
        r"type float64: give np",
    ),
    "start gives two": ("np.zeros(1, NIM)", "np.zeros(2, NIM)", r"^start\(\) gives an array of shape \(2,\)"),
    "start gives others": (
        "np.zeros(1, NIM)",
        "np.zeros(1, state_type([('stones', 'u1'), ('turn', 'u1')]))",
        r"^start\(\) gives records of another type",
    ),
    "start draws": (
        "= 21, 1",
        "= np.random.randint(9, 21), 1",
        r"^start\(\) does not do the same again \(st",
    ),
    "start fails": ("= 21, 1", "= 21, 1 // 0", r"^start\(\) fails in line 10: ZeroDivisionError"),
    "a state without attributes": (
        'state_type([("stones"',
        'np.dtype([("stones"',
        r"^state is no record type",
    ),
    "a field of objects": ('("moves", "u1")', '("moves", "O")', r"line 6: field 'moves' is of type object"),
    "a field that NumPy owns": ('("moves", "u1")', '("size", "u1")', r"field 'size'.*rename it"),
    "is_legal refuses": (
        "1 <= action <= most",
        "1 < action <= most",
        r"^is_legal\(\) refuses action 1, which",
    ),
    "is_legal allows": ("1 <= action <=", "0 <= action <=", r"^is_legal\(\) allows action 0, which legal"),
    "twice the same": ("moves[n] = k", "moves[n] = 1", r"^legal_moves\(\) gives action 1 twice"),
    "no action": ("return n\n", "return n if n == 3 else 0\n", r"^legal_moves\(\) gives no action"),
    "an action beyond": ("actions=4", "actions=3", r"gives action 3, but actions=3.*: declare actions=4"),
    "too many choices": (
        "actions=4",
        "actions=4, choices=2",
        r"gives 3 actions, more than choices=2 declares",
    ),
    "far too many choices": (
        "    n = 0\n",
        "    n = 0\n    for k in range(999):\n        moves[k] = 1\n",
        r"^legal_moves\(\) writes more actions than actions=4 declares",
    ),
    "fewer than said": ("return n\n", "return n + 1\n", r"^legal_moves\(\) returns 4 but writes fewer"),
    "no count": ("    return n\n", "", r"^legal_moves\(\) returns nothing: return how many"),
    "over at once": ("state.stones == 0", "state.stones > 0", r"^is_over\(\) is True of the first state"),
    "no answer": (
        "return state.stones",
        "state.stones",
        r"^is_over\(\) returns nothing: return True or False",
    ),
    "outcome beyond": ("else 1.0", "else 2.0", r"^outcome\(\) gives 2, beyond .*high=1\): declare high=2"),
    "outcome below": ("0.0 if", "-1.0 if", r"^outcome\(\) gives -1, beyond .*: declare low=-1"),
    "outcome nan": ("else 1.0", "else np.nan", r"^outcome\(\) returns nan \(a float\): return a number"),
    "is_over changes": (
        "return state.stones == 0",
        "state.moves += 1\n    return state.stones == 0",
        r"^is_over\(\) changes the state \(moves is 1 and not 0\)",
    ),
    "legal_moves changes": (
        "    n = 0\n",
        "    n = 0\n    state.taken[21] = 7\n",
        r"^legal_moves\(\) changes the state \(taken\[21\] is 7 and not 0\)",
    ),
    "outcome changes": (
        "return 0.0",
        "state.turn = 1\n    return 0.0",
        r"^outcome\(\) changes .*\(turn is 1",
    ),
    "no end": ("moves=21", "moves=6", r"^is_over\(\) is still False after 6 moves.*moves=6.*declare more"),
    "to_play from 0": ("return state.turn", "return state.turn - 1", r"^to_play\(\) gives 0: make it 1 or 2"),
    "to_play of one": ("moves=21", "moves=21, players=1", r"^to_play\(\) gives 2 in a game for one"),
    "to_play a word": ("return state.turn\n", "return 'b'\n", r"^to_play\(\) returns b \(a str\)"),
    "an index beyond": ("(22,)", "(5,)", r"^play\(\) fails in line 18: IndexError: index 5 .*an array ends"),
    "an index that wrapped": (
        "taken[state.moves]",
        "taken[state.moves - 1]",
        r"index 255.*line 18.*write int",
    ),
    "a number too large": ("state.moves += 1", "state.moves = 256", r"^play\(\) fails .*256.*a wider type"),
    "an exception below": (
        "(3, state.stones)",
        "(3, state.stone)",
        r"^legal_moves\(\) fails in line 15 \(most\)",
    ),
    "exit": ("state.moves += 1", "raise SystemExit(3)", r"^play\(\) fails in line 20: SystemExit: 3"),
    "a random play": (
        "state.stones -= action",
        "state.stones = np.random.randint(state.stones)",
        r"^play\(\) does not do the same again",
    ),
    "tree_moves adds": (
        "GAME = Game(",
        "def others(state, moves):\n    moves[0] = 0\n    return 1\n\nGAME = Game(tree_moves=others, ",
        r"^tree_moves\(\) gives action 0, which legal_moves\(\) does not",
    ),
    "skip does nothing": ("moves=21", "moves=21, skip=lambda state: True", r"^skip\(\) leaves the turn"),
    "a key that is none": (
        "moves=21",
        "moves=21, position_key=lambda s: 0.5",
        r"^position_key\(\) returns 0.5",
    ),
}
DICE_CHANGES = {
    "chances without is_chance": ("is_chance=is_chance, ", "", r"^chances is given but is_chance is not"),
    "happen missing": ("happen=happen, ", "", r"^happen is missing: write happen\(state, event\)"),
    "chances missing": ("chances=chances, ", "", r"^is_chance is given but roll is not"),
    "roll missing": ("chances=chances, happen=happen, ", "", r"^is_chance is given but roll is not"),
    "events undeclared": ("events=6, ", "", r"^chances is given but events is 0: declare events"),
    "odds": ("1 / 6", "1 / 5", r"^chances\(\) gives probabilities that sum to 1.2: make it 1"),
    "odds below 0": (
        "1 / 6\n",
        "1 / 6\n    probabilities[0] = -1\n",
        r"^chances\(\) gives the probability -1",
    ),
    "more events": ("events=6", "events=5", r"^chances\(\) gives 6 events where events=5.*declare events=6"),
    "an event beyond": (
        "chances=chances, happen=happen,",
        "roll=lambda state, rng: happen(state, below(rng, 6)) or 6,",
        r"^roll\(\) gives event 6, but events=6 declares 0 to 5",
    ),
    "roll is not happen": (
        "happen=happen,",
        "happen=happen, roll=lambda state, rng: happen(state, 0) or 1,",
        r"^happen\(\) does not do for event 1 what roll\(\) does \(eyes is 2 and not 1\)",
    ),
    "returns beyond": ("high=30", "high=6", r"^reward\(\) adds up to .*, beyond .*high=6\): declare bounds"),
    "discount": ("return 0.9", "return 1.1", r"^discount\(\) gives 1.1: make it a number from 0 to 1"),
}
BROKEN = {
    **{kind: (NIM, *change) for kind, change in NIM_CHANGES.items()},
    **{kind: (DICE, *change) for kind, change in DICE_CHANGES.items()},
}

PLAIN = """
import json, sys
from playout.errors import InputError
from playout.games.registry import load_game
from playout.games.check.trial import Trial
said = []
for path in sys.argv[1:]:
    try:
        said.append(Trial(load_game(path), 1).run(0, 20, 5.0))
    except InputError as error:
        said.append([str(error)])
print(json.dumps(said))
"""


def changed(source, old, new):
    assert old in source
    return source.replace(old, new)


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """What is said of each broken game, all asked in one process that does not compile."""
    folder = tmp_path_factory.mktemp("broken")
    paths = []
    for k, (source, old, new, _) in enumerate(BROKEN.values()):
        paths.append(folder / f"game{k}.py")
        paths[-1].write_text(changed(source, old, new))
    out = run_python(PLAIN, *paths, NUMBA_DISABLE_JIT="1")
    return dict(zip(BROKEN, json.loads(out), strict=True))


def run_python(code, *words, **variables):
    """What another Python prints."""
    command = [sys.executable, "-c", code, *map(str, words)]
    done = subprocess.run(
        command, env={**os.environ, **variables}, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def game_file(tmp_path):
    """Writes a game to a file."""

    def write(source, old="", new=""):
        path = tmp_path / "mygame.py"
        path.write_text(changed(source, old, new) if old else source)
        return path

    return write


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_game(kind, said):
    assert said[kind], "nothing is said"
    assert re.search(BROKEN[kind][3], said[kind][0])
    for sentence in said[kind]:
        assert "\n" not in sentence
        assert len(sentence) < 400


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        # A bug in one random game of some hundred: found compiled, named in plain Python.
        (
            "state.moves += 1",
            "state.moves += 1\n"
            "    if state.taken[0] == 1 and state.taken[1] == 2 and state.taken[2] == 3 and "
            "state.taken[3] == 1 and state.taken[4] == 1 and state.taken[5] == 2:\n"
            "        state.taken[state.moves + 30] = 1",
            r"^play\(\) fails in line 22: IndexError: index 3\d is out of bounds",
        ),
        (
            "return state.stones == 0",
            "return state.stones == 0 or (state.moves == 3 and state.turn - 3 > 200)",
            r"^is_over\(\) gives 0 compiled and 1 in",
        ),
        (
            "state.stones -= action",
            "state.stones -= 0 if state.turn - 3 < 200 else action",
            r"^play\(\) makes another state compiled than in plain Python: stones is 21 and not \d+ "
            r"\(in line 19, play\(\), a number wraps: write int",
        ),
    ],
)
def test_what_only_compiled_games_show(old, new, sentence, game_file):
    problems = check(game_file(NIM, old, new)).problems
    assert len(problems) == 1
    assert re.search(sentence, problems[0])


def test_a_game_without_end(game_file):
    endless = changed(NIM, "    state.taken[state.moves] = action\n    state.stones -= action\n", "")
    problems = check(game_file(endless, ", moves=21", "")).problems
    assert problems == [
        "is_over() is still False after 1,000,000 moves of a random game: end the game, or declare moves=…"
    ]


def test_a_function_without_end(game_file):
    path = game_file(NIM, "    n = 0\n", "    n = 0\n    while state.stones < 5:\n        n = 0\n")
    assert check(path, patience=2.0).problems == [
        "legal_moves() does not return after 2 s in line 25: let its loops end"
    ]


def test_a_game_that_ends_the_process(game_file):
    (problem,) = check(game_file(NIM, "state.moves += 1", "__import__('os')._exit(4)")).problems
    assert re.search(r"ends the process that plays it in plain Python \(exit code 4\)", problem)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("    n = 0\n", "    import math\n    n = 0\n", r"^legal_moves\(\) .*\(line 24\): .*IMPORT_NAME"),
        (
            "state.moves += 1",
            "x = 'a' + action",
            r"^play\(\) .*\(line 20\): it does not know add\(str, uint16\)",
        ),
        (
            "(3, state.stones)",
            "(3, np.einsum('i->', state.taken))",
            r"^legal_moves\(\) .*\(line 15\): .*einsum",
        ),
        ("return state.turn\n", "return f'{state.turn:3}'\n", r"^to_play\(\) .*\(line 34\): .*f-strings"),
    ],
)
def test_what_cannot_be_compiled(old, new, reason, game_file):
    sentence = uncompilable(load_game(game_file(NIM, old, new)), TypeError("all together"))
    assert re.search(reason, sentence)
    assert "cannot be compiled" in sentence
    assert "\n" not in sentence
    assert len(sentence) < 400


def test_a_game_that_does_not_compile(game_file):
    (problem,) = check(game_file(NIM, "    n = 0\n", "    import math\n    n = 0\n")).problems
    assert problem.startswith("legal_moves() cannot be compiled (line 24): ")


# -- a search that meets a broken game ------------------------------------------------------------------


def simulate(game):
    root = game.started()
    return evaluate(root, root.copy(), Random().record_for(root), 50, new_rng(1))


def test_a_search_that_meets_a_broken_game(game_file):
    game = load_game(game_file(NIM, "(22,)", "(5,)"))
    with (
        pytest.raises(InputError, match=r"^game nim: play\(\) fails in line 18: IndexError: index 5 "),
        explained(game),
    ):
        simulate(game)


def test_a_file_that_was_edited_since(game_file):
    """What ran is judged, not what stands in the file now."""
    game = load_game(game_file(NIM, "else 1.0", "else 2.0"))
    game_file(NIM)
    assert str(explain(api.GameError("what a search said"), game)).startswith("game nim: outcome() gives 2")


def test_a_search_that_fails_with_a_right_game(monkeypatch):
    game = find_game("tic-tac-toe")
    with pytest.raises(ZeroDivisionError), explained(game):  # the package's own: a bug is a bug
        raise ZeroDivisionError
    wrong = InputError("said already")
    assert explain(wrong, game) is wrong
    monkeypatch.setattr("playout.games.check.check", lambda game: Report())
    assert str(explain(ZeroDivisionError("oh"), game)) == "game tic-tac-toe: ZeroDivisionError: oh"


# -- edited games ---------------------------------------------------------------------------------------


# The default of is_legal is a kernel of the package with the game's legal_moves compiled into it.
NO_IS_LEGAL = changed(NIM, "is_legal=is_legal,", "")


def test_an_edited_game_in_one_process(game_file):
    old = load_game(game_file(NO_IS_LEGAL))
    state = old.started()
    assert api.is_legal(state[0], 3)
    new = load_game(game_file(NO_IS_LEGAL, "min(3,", "min(2,"))
    assert not api.is_legal(new.started()[0], 3)
    assert api.is_legal(new.started()[0], 2)
    assert api.is_legal(state[0], 3)  # a position of the old game plays on by its rules
    assert load_game(game_file(NO_IS_LEGAL)) is old


def test_an_edited_game_in_two_processes(game_file):
    code = dedent("""
        import sys
        from playout.games import api
        from playout.games.registry import load_game
        print(api.is_legal(load_game(sys.argv[1]).started()[0], 3))
        """)
    edits = [(), ("min(3,", "min(2,")]
    answers = [run_python(code, game_file(NO_IS_LEGAL, *edit)).strip() for edit in edits]
    assert answers == ["True", "False"]


# -- a game from no file --------------------------------------------------------------------------------

COUNT = state_type([("counted", "u1")])


def _start():
    return np.zeros(1, COUNT)


def _play(state, action):
    state.counted += 1 + action


def _legal_moves(state, moves):
    moves[0] = 0
    moves[1] = 1
    return 2


def _is_over(state):
    return state.counted >= 5


def _reward(state):
    return state.counted


COUNTING = Game(
    name="counting",
    state=COUNT,
    start=_start,
    play=_play,
    legal_moves=_legal_moves,
    is_over=_is_over,
    reward=_reward,
    actions=2,
    high=10,
    players=1,
)


@pytest.mark.small
def test_a_game_from_no_file():
    (problem,) = check(COUNTING, games=5).problems
    assert re.search(r"^reward\(\) adds up to 1\d in a game, beyond .*high=10\)", problem)


# -- the command ----------------------------------------------------------------------------------------


@pytest.fixture
def command():
    app = typer.Typer()
    register(app)

    def run(*words):
        return app(args=[*map(str, words)], standalone_mode=False)

    return run


def test_the_command(command, game_file, capsys):
    assert command(game_file(NIM, "else 1.0", "else 2.0")) == 2
    out = capsys.readouterr().out
    assert out.startswith("outcome() gives 2, beyond what is declared")
    assert len(out.splitlines()) == 1
    assert command("nowhere.py", "--json") == 2
    facts = json.loads(capsys.readouterr().out)
    assert facts == {
        "ok": False,
        "problems": ["the game 'nowhere.py' cannot be read: there is no such file"],
    }


def test_a_right_game(command, game_file, capsys):
    path = game_file(NIM)
    assert not command(path, "--json")
    assert json.loads(capsys.readouterr().out) == {"ok": True, "problems": []}


def test_a_right_game_with_chance_and_rewards(command, game_file, capsys):
    path = game_file(DICE)
    assert not command(path, "--games", "30")
    assert capsys.readouterr().out == f"{path} is right: 30 games in plain Python, 2,000 compiled.\n"
