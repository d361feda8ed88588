"""What a user of Python touches first: moves as words, arguments by name, reprs, equality, SGF, errors."""

import inspect
from pathlib import Path

import numpy as np
import pytest

import playout
from playout import Board, Player, Sprt, dead_stones, find_game, make_player, match, rate
from playout.arena.match import Match, MatchResult
from playout.arena.results import Results
from playout.arena.terms import Limits
from playout.errors import InputError
from playout.games.go.game import GoOptions
from playout.games.go.memory.shapes import Shapes, features_of
from playout.games.go.memory.shipped import shipped
from playout.kernel import new_rng
from playout.player.api import RESIGN, Analysis, MoveInfo
from playout.settings import names


class Always(Player):
    """Answers with the same number."""

    def __init__(self, action):
        self.name, self.action = "always", action

    def choose_action(self, position):
        return self.action


# -- the module ---------------------------------------------------------------------------------------


def test_dir_shows_what_is_public():
    assert dir(playout) == sorted(playout.__all__)


# -- moves as people write them -----------------------------------------------------------------------


def test_a_move_of_go_is_a_word():
    board = Board(9).play("E5")
    assert Always(board.parse("C3")).choose(board) == "C3"
    assert Always(board.game.silent).choose(board) == "pass"
    assert Always(RESIGN).choose(board) == "resign"
    assert board.moves[1:] == []  # the board is left as it was
    seeded = [make_player("mogo-policy", seed=3) for _ in range(2)]
    word, number = seeded[0].choose(board), seeded[1].choose_action(board)
    assert isinstance(number, int)
    assert board.parse(word) == number


@pytest.mark.parametrize(
    "name", ["tic-tac-toe", "connect-four", "hex", "nim", "2048", "gridworld", "backgammon"]
)
def test_in_every_game_the_word_is_a_move_that_can_be_played(name):
    game = find_game(name)
    position, luck = game.new_position().settle(new_rng(1)), new_rng(2)
    player = make_player("random", game, seed=1)
    for _ in range(4):
        if not position.is_over:
            word = player.choose(position)
            assert isinstance(word, str)
            action = position.parse(word)
            assert position.spell(action) == word
            position.play(word)
            assert [move.action for move in position.moves if move.player][-1] == action
            position.settle(luck)


# -- players ------------------------------------------------------------------------------------------


def test_settings_are_keywords_beside_a_spec_or_in_its_place():
    player = make_player("mogo:seed=1", sims=100, reuse=False, seconds=None)
    assert (player.settings.sims, player.settings.seed, player.settings.reuse) == (100, 1, False)
    assert make_player("mogo", seconds=2.5).settings.sims is None  # who gives a time means all of it
    assert make_player("flat", **{"policy": "mogo", "policy.captures": False}).spec == (
        "flat:policy=mogo,policy.captures=False"
    )
    again = make_player(make_player("mogo", sims=7, reuse=False).spec)
    assert (again.settings.sims, again.settings.reuse) == (7, False)
    assert make_player("uct", Path("tic-tac-toe")).game.name == "tic-tac-toe"


@pytest.mark.parametrize(
    ("arguments", "settings", "message"),
    [
        (["mogo"], {"simz": 100}, "player mogo has no setting 'simz'; did you mean sims"),
        (["mogo:sims=5"], {"sims": 100}, "setting 'sims' of player 'mogo' is given twice"),
        (["mogo"], {"sims": 2.5}, r"sims='2.5' is not a whole number"),
        (["mogo"], {"sims": [1]}, r"sims='\[1\]' is not a whole number"),
        (
            ["flat"],
            {"policy.capture": False, "policy": "mogo"},
            "no setting 'capture'; did you mean captures",
        ),
        ([None], {}, "make_player: spec='None' is not text"),
        ([], {}, "make_player: missing a required argument: 'spec'"),
        (["uct", 5], {}, "make_player: game='5' is not a Game or text or a path or None"),
        (["uct", "go", 5], {}, "make_player: too many positional arguments"),
    ],
)
def test_a_wrong_setting_is_refused_in_a_sentence(arguments, settings, message):
    with pytest.raises(InputError, match=message):
        make_player(*arguments, **settings)


@pytest.mark.parametrize("wrong", [None, "E5", np.zeros(3)])
def test_a_player_wants_a_position(wrong):
    with pytest.raises(InputError, match=r"choose takes a position, such as Board\(9\)"):
        make_player("uniform").choose(wrong)


def test_a_player_wants_a_position_of_its_game():
    other = find_game("tic-tac-toe").new_position()
    with pytest.raises(InputError, match="player mogo plays go, and this is a position of tic-tac-toe"):
        make_player("mogo").choose(other)


def test_there_is_no_move_when_a_game_is_over():
    position = find_game("nim").new_position(find_game("nim").configured({"heaps": "1"})).play("a1")
    assert position.is_over
    with pytest.raises(InputError, match="there is no move to choose: the game is over"):
        make_player("random", "nim").choose(position)
    assert make_player("uniform").choose(Board(5).play("pass").play("pass"))  # in Go there is


# -- a match ------------------------------------------------------------------------------------------


def test_help_spells_the_parameters_of_a_match_out():
    parameters = inspect.signature(match).parameters
    assert not [p for p in parameters.values() if p.kind in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]
    own = [name for name in inspect.signature(Match).parameters if name not in ("also", "terms")]
    assert set(parameters) == {*own, *names(Limits), *names(GoOptions), "options"}
    for name in parameters:
        assert name in match.__doc__, name


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"sise": 5}, "match has no argument 'sise'; did you mean size"),
        ({"gamess": 5}, "match has no argument 'gamess'; did you mean games"),
        ({"games": "2"}, "match: games='2' is not a whole number"),
        ({"games": True}, "match: games='True' is not a whole number"),
        ({"a": 5}, "match: a='5' is not text or a Player"),
        ({"b": None}, "match: b='None' is not text or a Player"),
        ({"size": "5"}, "match: size='5' is not a whole number or None"),
        ({"komi": "7"}, "match: komi='7' is not a number or None"),
        ({"seed": 1.5}, "match: seed='1.5' is not a whole number"),
        ({"max_moves": "x"}, "match: max_moves='x' is not a whole number or None"),
        ({"options": {"size": 5}, "size": 5}, "size is given twice"),
        ({"options": {"sise": 5}}, "a game of go has no option 'sise'; did you mean size"),
        ({"options": {"seed": 5}}, "a game of go has no option 'seed'"),
        ({"options": {"size": "five"}}, "size='five' is not a whole number"),
        ({"seed": -1}, "seed -1 is not a whole number of at least 0"),
        ({"stopping": 5}, "match: stopping='5' is not a Stopping or None"),
        ({"options": 5}, "match: options='5' is not a Mapping or None"),
        ({"game": "hex", "options": {"side": 2.5}}, "side='2.5' is not a whole number"),
        ({"game": "hex", "options": {"side": 99}}, "side='99' is not a whole number from 1 to"),
    ],
)
def test_wrong_arguments_of_a_match_are_refused_in_a_sentence(settings, message):
    with pytest.raises(InputError, match=message):
        match(**{"a": "uniform", "b": "uniform", **settings})


def test_a_clock_may_be_a_number():
    assert match("random", "random", 2, game="nim", clock=30, seed=np.int64(1)).games == 2


# -- equality -----------------------------------------------------------------------------------------


def test_a_board_equals_its_copy_until_one_of_them_changes():
    board = Board(5).play("C3")
    copy = board.copy()
    assert board == copy
    copy.play("B2")
    assert board != copy
    assert copy.undo() == board
    assert board.copy().play("resign") != board
    assert board.copy().play("pass") != board
    assert board != "C3"
    with pytest.raises(TypeError, match="unhashable"):
        hash(board)


@pytest.mark.parametrize(
    "other",
    [
        Board(6),
        Board(5, 6.5),
        Board(5, superko="situational"),
        Board(5, superko="simple"),
        Board(5, suicide=True),
    ],
)
def test_boards_under_other_rules_are_others(other):
    assert Board(5) == Board(5)
    assert Board(5) != other


def test_whose_turn_it_is_counts():
    other = Board(5)
    other.to_play = "W"
    assert Board(5) != other


def test_history_counts_as_far_as_superko_sees_it():
    first, second = ["A1", "E5", "C3"], ["C3", "E5", "A1"]  # the same stones, on two ways

    def played(moves, superko):
        board = Board(5, superko=superko)
        for move in moves:
            board.play(move)
        return board

    for superko in ("positional", "situational"):
        assert played(first, superko) == played(first, superko)
        assert played(first, superko) != played(second, superko)
    assert played(first, "simple") == played(second, "simple")


def test_a_ko_counts():
    drawing = """
        . X O .
        X . X O
        . X O .
        . . . ."""
    boards = [Board.from_text(drawing, "W", superko="simple") for _ in range(2)]
    boards[0].play("B3")  # takes C3, and leaves a ko there
    assert not boards[0].is_legal("C3")
    after = Board.from_text(str(boards[0]), "B", superko="simple")
    assert after.is_legal("C3")
    assert boards[0] != after
    assert boards[0] == boards[1].play("B3")


@pytest.mark.parametrize("name", ["tic-tac-toe", "random-walk"])
def test_positions_of_any_game_are_compared(name):
    game = find_game(name)
    position = game.new_position().settle(new_rng(1))
    copy = position.copy()
    assert position == copy
    copy.play(copy.legal_moves()[0]).settle(new_rng(1))
    assert position != copy
    assert game.new_position() != find_game("nim").new_position()
    assert position != Board(5)


def test_transpositions_of_a_game_without_superko_are_equal():
    one, other = (find_game("tic-tac-toe").new_position() for _ in range(2))
    for a, b in zip(("a1", "b2", "c3"), ("c3", "b2", "a1"), strict=True):
        one.play(a)
        other.play(b)
    assert one == other
    assert one != other.play("resign")


# -- SGF ----------------------------------------------------------------------------------------------


def test_a_board_goes_to_sgf_and_comes_back(tmp_path):
    board = Board(9, 6.5, suicide=True).place_handicap(2).play("E5").play("pass").play("C7")
    text = board.to_sgf(black="Ann", white="Bob", result="B+2.5")
    assert "PB[Ann]" in text
    assert "RE[B+2.5]" in text
    assert Board.from_sgf(text) == Board.from_sgf(text.encode()) == board
    path = tmp_path / "game.sgf"
    path.write_text(text)
    assert Board.from_sgf(path) == Board.from_sgf(str(path)) == board
    assert Board.from_sgf(path, moves=1) == board.copy().undo().undo()
    assert Board.from_sgf(path, superko="simple").superko == "simple"


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ("nothing.sgf", "'nothing.sgf' cannot be read: No such file"),
        ("(;SZ[42])", "board size '42'"),
        (b"no game", "SGF begins with"),
        (5, "Board.from_sgf: record='5' is not text or bytes or a path"),
    ],
)
def test_what_is_no_record_is_refused(record, message):
    with pytest.raises(InputError, match=message):
        Board.from_sgf(record)


# -- errors of a board --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Board("nine"), "Board: size='nine' is not a whole number"),
        (lambda: Board(None), "Board: size='None' is not a whole number"),
        (lambda: Board(99), "board size '99' is not a whole number from 2 to 19"),
        (lambda: Board(9, "x"), "Board: komi='x' is not a number"),
        (lambda: Board(9, superko=1), "Board: superko='1' is not text"),
        (lambda: Board(9, suicide="yes"), "Board: suicide='yes' is not true or false"),
        (lambda: Board(9, kommi=5), "Board has no argument 'kommi'; did you mean komi"),
        (lambda: setattr(Board(9), "komi", "x"), "komi 'x' is not a number"),
        (lambda: Board(9).set_up(black=5), "Board.set_up: black='5' is not a list"),
        (lambda: Board.from_text(5), "Board.from_text: drawing='5' is not text"),
        (lambda: Board.from_sgf("(;SZ[9])", moves="1"), "Board.from_sgf: moves='1' is not a whole number"),
        (lambda: Sprt("a", 5), "Sprt: elo0='a' is not a number"),
        (lambda: rate(5), "rate: results='5' is not a list"),
        (lambda: rate([("a", "b")]), "a game is Black, White and Black's score"),
        (lambda: dead_stones(5), "dead_stones: board='5' is not a Board"),
        (lambda: Board(9).play(None), "a move is a word or a whole number, and 'None' is neither"),
        (lambda: Board(9).play(2.7), "'2.7' is neither"),
        (lambda: Board(9)[[1, 2]], "is neither"),
        (lambda: find_game("nim").new_position().play(None), "'None' is neither"),
        (lambda: find_game(None), "the name of a game is a word or a path, and 'None' is neither"),
    ],
)
def test_wrong_types_are_refused_in_a_sentence(call, message):
    with pytest.raises(InputError, match=message):
        call()


# -- reprs --------------------------------------------------------------------------------------------


def test_reprs_say_what_something_is():
    info = MoveInfo(70, 90, 0.5, 0.4, 0.1, (70,))
    for thing, shown in (
        (make_player("mogo", sims=100), "TreePlayer('mogo:sims=100')"),
        (make_player("uniform"), "PolicyPlayer('uniform')"),
        (Always(1), "Always('always')"),
        (make_player("mogo", sims=100).settings, "MogoSettings(sims=100)"),
        (Board(9).play("E5"), "Board(9, moves=1, to_play='W')"),
        (find_game("nim"), "Game('nim')"),
        (find_game("nim").new_position(), "Position(nim, moves=0, first to play)"),
        (Sprt(0, 50), "Sprt(0, 50, alpha=0.05, beta=0.05)"),
        (Results([("a", "b", 1.0)], {"a": "", "b": ""}), "Results(1 games of 2 players)"),
        (Analysis(1, (info,)), "Analysis(90 simulations, 1 moves, best 70 wins 50.0%)"),
        (Analysis(1, ()), "Analysis(0 simulations, 0 moves)"),
    ):
        assert repr(thing) == shown
    assert repr(rate([("a", "b", 1.0), ("b", "a", 0.0)])).startswith("Ratings(a ")
    assert repr(features_of(Shapes(side=5))).startswith("Features(")
    assert repr(shipped(5)).startswith("Weights(")
    assert len(repr(shipped(5))) < 200


def test_the_repr_of_a_match_is_its_score():
    found = MatchResult(10, 6, 2, 1, 1, 6.5 / 9, (0.4, 0.9), 150.2, {}, elo_margin=200.4)
    assert repr(found) == (
        "MatchResult(10 games: a 6, b 2, draws 1, void 1; score 0.72 (0.40 to 0.90), Elo +150 ± 200)"
    )
    assert repr(MatchResult(2, 0, 0, 0, 2, None, (0.0, 1.0), 0.0, {})) == (
        "MatchResult(2 games: a 0, b 0, void 2; nothing counts)"
    )
