"""Games from records: stones set up, moves played again; and our own records back again."""

import contextlib
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from records import SENDING_TWO, at, line, one_sentence

from playout.errors import InputError
from playout.games.go import coords, sgf
from playout.games.go.board import MAX_KOMI, Board, Move
from playout.games.go.state import BLACK, PASS, WHITE

small = pytest.mark.small


@small
def test_compressed_point_lists():
    game = sgf.read(b"(;SZ[9]AB[aa:cb][ee]AW[gg:gg][AI:BI])")
    assert game.setup.black == at("A9", "B9", "C9", "A8", "B8", "C8", "E5")
    assert game.setup.white == at("G3", "A1", "B1")


@small
def test_setup_before_the_first_move_is_the_start():
    game = sgf.read(b"(;SZ[9];AB[aa:bb]AW[ii];AE[bb]AW[aa]PL[W];B[ee])")
    assert game.setup == (at("B9", "A8"), at("A9", "J1"), [], None)
    assert game.to_play == WHITE
    assert game.actions == [Move(BLACK, at("E5")[0])]


@small
@pytest.mark.parametrize(
    ("given", "turn"),
    [
        ("", BLACK),
        ("PL[W]", WHITE),
        ("PL[white]", WHITE),
        ("PL[2]", WHITE),
        ("PL[1]AB[aa]", BLACK),
        ("PL[]AB[aa]", WHITE),
        ("PL[?]", BLACK),
        ("AB[aa][bb]HA[2]", WHITE),
        ("AB[aa]AW[bb]", BLACK),
        ("AB[aa]AW[bb];W[cc]", WHITE),
        ("AB[aa]PL[B];W[cc]", BLACK),
        (";W[aa]", WHITE),
    ],
)
def test_whose_turn_it_is_at_the_start(given, turn):
    game = sgf.read(f"(;SZ[9]{given})".encode())
    assert game.to_play == turn
    assert game.board(0).to_play == turn


@small
def test_setup_in_the_middle_of_a_game():
    game = sgf.read(b"(;SZ[9];B[aa];W[bb];AE[aa]AB[cc:dc]AW[ba]PL[B];B[ee];PL[B];B[ff])")
    assert len(game.actions) == 6
    assert game.actions[2] == (at("C7", "D7"), at("B9"), at("A9"), BLACK)
    assert str(game.board(2)) == str(Board(9).play("A9").play("B8"))
    board = game.board()
    assert board.stones("B") == at("C7", "D7", "E5", "F4")
    assert board.stones("W") == at("B9", "B8")
    assert board.to_play == WHITE
    assert game.board(3).to_play == WHITE


@small
def test_setup_that_leaves_a_chain_without_liberty():
    game = sgf.read(b"(;SZ[9]AB[aa]AW[ab][ba])")
    with pytest.raises(InputError, match="A9 would have no liberty"):
        game.board()
    game = sgf.read(b"(;SZ[9];B[aa];AW[ab][ba])")
    with pytest.raises(InputError, match="set up after move 1"):
        game.board()


# ---------------------------------------------------------------------------------------------------
# Replaying.


@small
def test_the_first_moves():
    game = sgf.read(b"(;SZ[9];B[aa];W[bb];B[cc])")
    for count in range(4):
        assert game.board(count).moves == game.moves[:count]
    assert game.board(99).moves == game.board().moves == game.moves
    with pytest.raises(InputError, match="-1"):
        game.board(-1)


@small
def test_two_moves_of_a_colour_in_a_row():
    board = sgf.read(b"(;SZ[9];B[aa];B[bb];W[cc];W[dd])").board()
    assert board.stones("B") == at("A9", "B8")
    assert board.to_play == BLACK


@small
def test_both_colours_in_one_node():
    assert line(sgf.read(b"(;SZ[9];W[aa]B[bb];B[cc]W[dd])")) == "W:A9 B:B8 B:C7 W:D6"


@small
def test_play_after_two_passes():
    board = sgf.read(b"(;SZ[9];B[];W[];B[ee])").board()
    assert not board.is_over
    assert board.stones("B") == at("E5")


@small
@pytest.mark.parametrize(
    ("moves", "why"),
    [
        (";B[ee];W[ee]", "move 2 is illegal: White may not play E5: there is a stone already"),
        (";B[ab];W[];B[ba];W[aa]", "move 4 is illegal: White may not play A9: it would be suicide"),
        (
            "AB[ba][ab][bc]AW[ca][bb][db][cc];B[cb];W[bb]",
            "move 2 is illegal: White may not play B8: it would retake a ko",
        ),
    ],
)
def test_illegal_moves(moves, why):
    game = sgf.read(f"(;SZ[9]{moves})".encode())
    with pytest.raises(InputError) as caught:
        game.board()
    assert one_sentence(caught.value) == why
    assert game.board(1).moves == game.moves[:1]


@small
def test_a_record_may_repeat_a_position_and_then_superko_holds():
    game = sgf.read(SENDING_TWO)
    board = game.board()
    assert board.stones("W") == game.board(0).stones("W")
    assert board.superko == "positional"
    assert not board.is_legal("A5", "W")
    assert board.undo().stones("B") == at("C5", "A4", "B4", size=5)
    assert not board.is_legal("B5")
    assert game.board(2, superko="simple").is_legal("B5")
    assert game.board(2, superko="situational").is_legal("B5")
    with pytest.raises(InputError, match="superko 'none'"):
        game.board(superko="none")


@small
def test_suicide_where_the_rules_know_it():
    data = "(;SZ[9]RU[{}];B[ab];W[];B[ba];W[aa])"
    assert sgf.read(data.format("NZ").encode()).board().captures("B") == 1
    with pytest.raises(InputError, match="suicide"):
        sgf.read(data.format("Chinese").encode()).board()


# ---------------------------------------------------------------------------------------------------
# Writing.


@small
def test_what_we_write():
    board = Board(9, 0.5)
    board.place_handicap(2)
    board.play("E5").play("pass").play("C7")
    game = sgf.from_board(board, black="a]b\\", white="李", result="W+2.5")
    text = game.to_sgf()
    assert text.startswith("(;FF[4]")
    for written in (
        "GM[1]",
        "CA[UTF-8]",
        "AP[playout:",
        "SZ[9]",
        "KM[0.5]",
        "RU[Chinese]",
        "HA[2]",
        "AB[cg][gc]",
        "PL[W]",
        "PB[a\\]b\\\\]",
        "PW[李]",
        "RE[W+2.5]",
        ";W[ee];B[tt];W[cc]",
    ):
        assert written in text.replace("\n", "")
    assert sgf.read(text.encode()) == game


@small
def test_what_goes_without_saying_is_not_written():
    text = sgf.from_board(Board(9).play("E5")).to_sgf()
    for name in ("AB[", "AW[", "PL[", "HA[", "RE[", "PB[", "PW[", "DT["):
        assert name not in text


@small
@pytest.mark.parametrize(
    ("superko", "suicide", "rules"),
    [
        ("positional", False, "Chinese"),
        ("positional", True, "Tromp-Taylor"),
        ("situational", False, "AGA"),
        ("situational", True, "NZ"),
        ("simple", False, "Chinese"),
        ("simple", True, "Tromp-Taylor"),
    ],
)
def test_rules_that_we_write(superko, suicide, rules):
    game = sgf.from_board(Board(9, superko=superko, suicide=suicide))
    assert game.rules == rules
    assert game.board().suicide == suicide


@small
def test_a_resignation_is_a_result():
    assert sgf.from_board(Board(9).play("E5").play("resign")).result == "B+R"
    assert sgf.from_board(Board(9).play("resign"), result="Void").result == "Void"
    assert sgf.from_board(Board(9).play("pass").play("pass")).result == ""


@small
def test_whose_turn_it_is_comes_back():
    board = Board(9)
    board.to_play = "W"
    assert sgf.read(sgf.from_board(board).to_sgf().encode()).board().to_play == WHITE
    board.play("E5")
    board.to_play = "W"
    again = sgf.read(sgf.from_board(board).to_sgf().encode()).board()
    assert again.to_play == WHITE
    assert again.stones("W") == at("E5")


@small
def test_names_that_cannot_be_written_are_mended():
    assert sgf.read(sgf.Game(black="a\udcffb").to_sgf().encode()).black == "a?b"


NAMES = st.text(st.characters(exclude_categories=("Cc", "Cs")), max_size=30)


@settings(max_examples=150, deadline=None)
@given(
    size=st.integers(2, 19),
    komi=st.sampled_from([0, 0.5, 7.5, -3.25, 150.0]),
    seed=st.integers(0, 2**32 - 1),
    begin=st.sampled_from(["empty", "handicap", "setup"]),
    superko=st.sampled_from(["positional", "situational", "simple"]),
    suicide=st.booleans(),
    black=NAMES,
    white=NAMES,
)
def test_random_games_come_back(size, komi, seed, begin, superko, suicide, black, white):
    rng = random.Random(seed)
    board = Board(size, komi, superko=superko, suicide=suicide)
    points = coords.board_points(size)
    if begin == "handicap":
        board.place_handicap(rng.sample(points, rng.randint(2, min(9, len(points) - 1))))
    elif begin == "setup":
        found = rng.sample(points, rng.randint(0, len(points) // 4))
        half = len(found) // 2
        with contextlib.suppress(InputError):  # a chain without liberty
            board.set_up(found[:half], found[half:], rng.choice([BLACK, WHITE]))
    for _ in range(rng.randint(0, 80)):
        color = rng.choice([BLACK, WHITE]) if rng.random() < 0.1 else board.to_play
        board.play(rng.choice(board.legal_moves(color)), color)
    game = sgf.from_board(board, black=black, white=white)
    again = sgf.read(game.to_sgf().encode())
    assert (again.black, again.white) == (black.strip(), white.strip())
    again.black, again.white = black, white
    assert again == game
    replayed = again.board(superko=superko)
    assert replayed.moves == board.moves
    assert str(replayed) == str(board)
    assert (replayed.komi, replayed.handicap, replayed.to_play) == (board.komi, board.handicap, board.to_play)
    assert replayed.legal_moves() == board.legal_moves()
    assert replayed.captures("B") == board.captures("B")


@st.composite
def games(draw) -> sgf.Game:
    """Records with stones set up in the middle, legal or not."""
    size = draw(st.integers(2, 19))
    points = coords.board_points(size)

    def setup(turn: bool) -> sgf.Setup:
        found = draw(st.lists(st.sampled_from(points), unique=True, max_size=9))
        cuts = sorted(draw(st.tuples(*[st.integers(0, len(found))] * 2)))
        parts = [sorted(part) for part in (found[: cuts[0]], found[cuts[0] : cuts[1]], found[cuts[1] :])]
        return sgf.Setup(*parts, draw(st.sampled_from([BLACK, WHITE])) if turn else None)

    move = st.builds(Move, st.sampled_from([BLACK, WHITE]), st.sampled_from([*points, PASS]))
    actions = [draw(move)]
    for _ in range(draw(st.integers(0, 12))):
        actions.append(setup(True) if draw(st.booleans()) else draw(move))
    return sgf.Game(
        size=size,
        komi=draw(st.integers(-2 * MAX_KOMI, 2 * MAX_KOMI)) / 2,
        handicap=draw(st.sampled_from([0, 2])),
        rules=draw(st.sampled_from(["", "Japanese", "Chinese"])),
        result=draw(st.sampled_from(["", "B+R", "W+0.5", "0", "Void", "?"])),
        date=draw(st.sampled_from(["", "1846-09-11"])),
        setup=setup(False)._replace(empty=[]),
        to_play=draw(st.sampled_from([BLACK, WHITE])),
        actions=actions,
    )


@settings(max_examples=200, deadline=None)
@given(games())
def test_records_with_setup_come_back(game):
    assert sgf.read(game.to_sgf().encode()) == game
