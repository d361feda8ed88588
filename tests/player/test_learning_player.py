"""The players td-search and dyna2 in any game: their features, their long-term memory, what they refuse."""

import json
import zipfile

import numpy as np
import pytest

from playout.cli import main
from playout.errors import InputError
from playout.games.registry import find_game
from playout.memory.archives import read_arrays, write_arrays
from playout.memory.groups import Groups
from playout.memory.hashed import contents
from playout.memory.saved import LongTerm, load, save
from playout.memory.sequences import Sequences
from playout.memory.table import Table
from playout.player.registry import make_player, players_of
from playout.policy.random import Random
from playout.search.td_search import TDSearch, TDSettings

TOYS = (
    "tic-tac-toe",
    "connect-four",
    "hex",
    "nim",
    "dice-race",
    "2048",
    "random-walk",
    "gridworld",
    "mountain-car",
)
SPECS = ["features=table", "features=rave", "features=sequences,features.length=3"]


@pytest.mark.small
@pytest.mark.parametrize("name", TOYS)
def test_every_game_has_them(name):
    game = find_game(name)
    kinds = players_of(game)
    for player in ("td-search", "dyna2"):
        settings = make_player(player, game).settings
        assert settings.features == "groups"
        if game.players == 1:
            assert (settings.switch, settings.plies) == (None, 1)
        else:
            assert (settings.switch, settings.plies) == (6 if player == "td-search" else 10, 2)
        assert kinds[player].has("features")


@pytest.mark.parametrize("words", SPECS)
def test_a_game_is_played_to_its_end_and_repeats(words):
    games = []
    for _ in range(2):
        position, player = (
            find_game("tic-tac-toe").new_position(),
            make_player(f"td-search:sims=30,seed=4,{words}", "tic-tac-toe"),
        )
        while not position.is_over:
            position.play(player.choose(position))
        games.append(position.spelled_moves())
    assert games[0] == games[1]


def learnt(game, memory, simulations=300, **options):
    """A search that has learnt from the start of a game, and the state that it began from."""
    root = game.started(game.configured(options))
    search = TDSearch(memory, Random(), TDSettings(alpha=0.5), seed=1)
    search.start(root)
    search.run(simulations)
    return search, root


@pytest.fixture(scope="module")
def weights(tmp_path_factory):
    """Weights of table look-up that were learnt at tic-tac-toe, in a file."""
    search, root = learnt(find_game("tic-tac-toe"), Table())
    path = tmp_path_factory.mktemp("weights") / "table.npz"
    save(path, Table(), root, search.parts, {"simulations": 300})
    return path


def test_long_term_weights_are_where_a_search_begins_and_stay_as_they_are(weights):
    search, root = learnt(find_game("tic-tac-toe"), Table())
    saved = load(weights)
    before = saved.theta.copy(), weights.read_bytes()
    assert json.loads(weights.with_suffix(".json").read_text())["how"] == {"simulations": 300}
    again = TDSearch(LongTerm(Table(), saved), Random(), TDSettings(), seed=2)
    again.start(root)
    assert np.array_equal(again.values(range(9)), search.values(range(9)))
    keys, theta = contents(again.parts.index, again.weights)
    assert np.array_equal(keys, saved.keys)
    again.run(100)
    assert not np.array_equal(contents(again.parts.index, again.weights)[1][: theta.size], theta)
    assert np.array_equal(saved.theta, before[0])
    position = find_game("tic-tac-toe").new_position()
    player = make_player(f"dyna2:sims=50,seed=1,features=table,long_term={weights}", "tic-tac-toe")
    assert player.choose(position) in "a1 a2 a3 b1 b2 b3 c1 c2 c3"
    assert weights.read_bytes() == before[1]
    again.clear()  # a new game begins with the same weights
    again.start(root)
    assert np.array_equal(again.values(range(9)), search.values(range(9)))


def test_groups_that_nobody_declared_are_those_of_the_file(tmp_path):
    """From another state other variables change; the file says which groups its weights are of."""
    race = find_game("dice-race")
    memory = Groups()
    root = race.started()
    parts = memory.parts_for(root)
    path = tmp_path / "race.npz"
    save(path, memory, root, parts)
    later = race.started()
    later["left"] = [[1, 9]]  # the next move wins
    assert memory.facts(later) != memory.facts(root)
    found = LongTerm(memory, load(path)).parts_for(later)
    assert found.max_active == parts.max_active


@pytest.mark.parametrize(
    ("game", "spec", "sentence"),
    [
        ("nim", "features=table", "holds weights for 'tic-tac-toe' and not for nim"),
        ("tic-tac-toe", "features=rave", "holds weights of features=table and not of features=rave"),
        ("tic-tac-toe", "", "holds weights of features=table and not of features=groups"),
    ],
)
def test_weights_of_something_else_are_refused(weights, game, spec, sentence):
    player = make_player(f"dyna2:sims=10,long_term={weights}{',' if spec else ''}{spec}", game)
    with pytest.raises(InputError) as refused:
        player.choose(find_game(game).new_position())
    assert str(refused.value) == f"{weights} {sentence}"


def test_two_memories_of_different_features_are_summed(weights):
    """Dyna-2 (7.2): the table's weights count, and what is learnt are sequences."""
    search, _ = learnt(find_game("tic-tac-toe"), Table())
    spec = f"dyna2:seed=1,two_memories=true,features=sequences,features.length=3,long_term={weights}"
    player = make_player(spec, "tic-tac-toe")
    position = find_game("tic-tac-toe").new_position()
    both = player.prepare(position)
    assert np.array_equal(both.values(range(9)), search.values(range(9)))
    long_term = both.parts.weights[-search.weights.size :].copy()
    both.run(50)
    assert not np.array_equal(both.values(range(9)), search.values(range(9)))
    assert np.array_equal(both.parts.weights[-search.weights.size :], long_term)


def test_weights_of_another_size_or_layout_are_refused(tmp_path):
    four = find_game("connect-four")
    small = four.started(four.configured({"columns": 4}))
    path = tmp_path / "four.npz"
    save(path, Groups(), small, Groups().parts_for(small))
    assert LongTerm(Groups(), load(path)).parts_for(small).max_active == 12 + 6 + 6  # up, across, askew
    for memory, root in ((Groups(), four.started()), (Groups(tilings=2), small)):
        with pytest.raises(
            InputError, match="holds weights of other groups, or for another size of connect-four"
        ):
            LongTerm(memory, load(path)).parts_for(root)
    save(tmp_path / "s.npz", Sequences(length=2), small, Sequences(length=2).parts_for(small))
    with pytest.raises(InputError, match="holds weights of other sequences"):
        LongTerm(Sequences(), load(tmp_path / "s.npz")).parts_for(small)


def _without(facts, arrays, name):
    return {k: v for k, v in facts.items() if k != name}, arrays


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (lambda f, a: ({**f, "kind": "cheese"}, a), "holds 'cheese'; 'weights of a memory' were expected"),
        (lambda f, a: ({**f, "version": 9}, a), "is of version '9'; this playout reads version 1"),
        (lambda f, a: _without(f, a, "layout"), "does not say which features its weights belong to"),
        (lambda f, a: ({**f, "features": ["x"]}, a), "has features that we do not know"),
        (lambda f, a: (f, {"keys": a["keys"]}), "has no weights, or not one for each feature"),
        (lambda f, a: (f, {**a, "theta": a["theta"][:-1]}), "has no weights, or not one for each feature"),
        (
            lambda f, a: (f, {**a, "keys": a["keys"].astype(float)}),
            "has no weights, or not one for each feature",
        ),
        (lambda f, a: (f, {**a, "keys": np.full_like(a["keys"], 7)}), "has two weights for one feature"),
        (lambda f, a: (f, {**a, "keys": a["keys"] - a["keys"].min()}), "has two weights for one feature"),
        (lambda f, a: (f, {**a, "theta": a["theta"] * np.nan}), "has weights that are not numbers"),
    ],
)
def test_a_file_that_somebody_has_spoilt_is_refused(weights, tmp_path, spoil, sentence):
    path = tmp_path / "spoilt.npz"
    write_arrays(path, *spoil(*read_arrays(weights)))
    with pytest.raises(InputError) as refused:
        load(path)
    assert str(refused.value).startswith(f"{path} {sentence}")


@pytest.mark.parametrize(
    "layout",
    [
        {},
        {"groups": 3},
        {"groups": [["left[0]"]], "tiles": {}, "tilings": 10**9, "by_player": True},
        {"groups": [["left[0]"]], "tiles": {"left[0]": [0, float(0)]}, "tilings": 1, "by_player": True},
        {"groups": [[]], "tiles": {}, "tilings": 1, "by_player": True},
        {"groups": [["right"]], "tiles": {}, "tilings": 1, "by_player": True},
        {"groups": [["left"] * 70_000], "tiles": {}, "tilings": 1, "by_player": True},
    ],
)
def test_groups_of_a_file_are_not_believed(tmp_path, layout):
    root = find_game("dice-race").started()
    path = tmp_path / "race.npz"
    save(path, Groups(), root, Groups().parts_for(root))
    facts, arrays = read_arrays(path)
    write_arrays(path, {**facts, "layout": layout}, arrays)
    with pytest.raises(InputError, match="cannot be used"):
        LongTerm(Groups(), load(path)).parts_for(root)


def test_a_cut_file_and_a_file_of_something_else_are_refused(weights, tmp_path):
    cut = tmp_path / "cut.npz"
    cut.write_bytes(weights.read_bytes()[:200])
    with pytest.raises(InputError, match="is not a weight file of playout, or it is cut short"):
        load(cut)
    with zipfile.ZipFile(tmp_path / "other.npz", "w") as archive:
        archive.writestr("facts.npy", b"nothing")
    with pytest.raises(InputError, match=r"other\.npz is not a weight file of playout"):
        load(tmp_path / "other.npz")
    text = tmp_path / "notes.npz"
    text.write_text("mine")
    with pytest.raises(InputError, match="is there already and is not a file of a memory's weights"):
        save(text, Table(), find_game("nim").started(), Table().parts_for(find_game("nim").started()))


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("sims=0", "sims='0' is not a whole number from 1 to 1,000,000,000 (or none)"),
        ("switch=-1", "switch='-1' is not a whole number from 0 to 100,000 (or none)"),
        ("features=shape", "features='shape' is not a name; one of: groups, rave, sequences, table"),
        ("features.groups=cell[0]", "a state has no variable 'cell[0]'; did you mean cells?"),
        ("features.tilings=0", "tilings='0' is not a whole number from 1 to 256"),
        ("long_term=nowhere.npz", "there is no weight file nowhere.npz"),
        (
            "features=rave,depth=2",
            "features=rave are of what has happened, which alpha-beta does not know: leave depth at 1",
        ),
    ],
)
def test_bad_input_is_refused_in_a_sentence(spec, sentence):
    with pytest.raises(InputError) as refused:
        make_player(f"td-search:{spec}", "tic-tac-toe").choose(find_game("tic-tac-toe").new_position())
    assert str(refused.value) == sentence


def test_a_finished_game_is_refused():
    position = find_game("tic-tac-toe").new_position()
    for move in ["a1", "a2", "b1", "b2", "c1"]:
        position.play(move)
    with pytest.raises(InputError, match="there is no move to choose: the game is over"):
        make_player("td-search:sims=10", "tic-tac-toe").choose(position)
    search = TDSearch(Table(), Random(), TDSettings())
    search.start(position.simulation_root())
    with pytest.raises(InputError, match="there is nothing to search: the game is over"):
        search.run(10)


def test_go_has_local_shapes_and_the_others():
    player = make_player("td-search")
    assert player.settings.features == "shapes"
    assert make_player("dyna2").settings.long_term == "shipped"
    with pytest.raises(
        InputError,
        match="long_term=shipped: those weights are of local shapes; with features=table give two_mem",
    ):
        make_player("dyna2:features=table")
    with pytest.raises(InputError, match="two_memories: with features=shapes both memories are one"):
        make_player("dyna2:two_memories=true")
    root = find_game("go").started(find_game("go").configured({"size": 5}))
    assert Groups().layout_for(root).active == 25 + 16


def test_the_match_of_the_issue_runs(capsys):
    players = ["td-search:sims=20,features=table", "uct:sims=20"]
    assert main(["match", *players, "--game", "tic-tac-toe", "--games", "2", "--seed", "1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["games"] == 2
