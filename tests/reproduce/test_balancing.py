"""The experiments of simulation balancing, on a tiny board: made, stopped, repeated, drawn and rated."""

import json
import shutil
from dataclasses import replace

import numpy as np
import pytest
from places import ROOT

from playout.cli import main
from playout.errors import InputError
from playout.games.go.learn import policy_training, positions
from playout.games.go.learn.policy_training import read_policy_run
from playout.games.go.memory.store import load
from playout.games.go.policy import Softmax
from playout.policy import softmax
from playout.reproduce import balancing_report
from playout.reproduce.balancing import (
    COURSES,
    NEEDS,
    USUAL,
    Experiment,
    Workshop,
    alphas_of,
    chosen,
    open_experiment,
    read_experiment,
)
from playout.reproduce.balancing_pictures import shape_weights
from playout.reproduce.balancing_rating import entrants, policy_files, rate_policies
from playout.reproduce.balancing_report import read_report

TINY = Experiment(
    size=3, komi=0.5, positions=24, sims=30, leaf_positions=8, leaf_sims=10, exact_nodes=3000, updates=25
)
NAMES = ["regression", "mm", "reinforce", "balance", "two-step", "regression-balance", "balance-exact"]
PNG = b"\x89PNG"


@pytest.fixture(scope="module")
def quick():
    """Weights on the way every ten updates."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(policy_training, "USUALLY_EVERY", 10)
        yield


@pytest.fixture
def undrawn(monkeypatch):
    """Pictures take a second each."""
    for name in ("draw_errors", "draw_weights"):
        monkeypatch.setattr(balancing_report, name, lambda found, path: None)


@pytest.fixture(scope="module")
def made(tmp_path_factory, quick):
    """A whole experiment."""
    folder = tmp_path_factory.mktemp("balancing") / "runs3"
    words = dict(Workshop(folder, TINY, threads=2).make(NAMES))
    assert list(words) == ["positions", *NAMES]
    return folder


def test_every_policy_can_be_made_in_order():
    names = list(COURSES)
    for name, course in COURSES.items():
        for other in filter(None, (course.first, NEEDS.get(course.data))):
            assert names.index(other) < names.index(name)
        Workshop.plan(_Unmade(), name)  # settings that the learner knows
    assert set(names) - set(USUAL) == {"balance-cycle"}


class _Unmade(Workshop):
    def __init__(self):
        self.experiment, self.alphas = TINY, {}


def test_what_is_in_the_folder(made):
    told = read_report(made)
    assert read_experiment(made) == TINY
    assert list(told["policies"]) == NAMES
    assert told["test_positions"] > 0
    assert 0 < told["test_decided"] <= told["test_positions"]
    for name, run in told["policies"].items():
        assert [row["updates"] for row in run["errors"]] == ([0, 10, 20, 25])
        weights = load(made / name / "weights.npz")
        assert np.any(weights.theta != 0)
    uniform = told["levels"]["uniform"]
    first = told["policies"]["balance"]["errors"][0]
    assert first["mse"] == pytest.approx(uniform["mse"], abs=0.02)  # weights of 0 are uniform play
    assert 0 <= uniform["imbalance"] <= uniform["mse"]
    begun = told["policies"]["regression-balance"]["errors"][0]
    ended = told["policies"]["regression"]["errors"][-1]
    assert begun["mse"] == ended["mse"]
    theta = {name: load(made / name / "weights.npz").theta for name in NAMES}
    assert np.any(theta["balance"] != theta["balance-exact"])
    assert (made / "mse.png").read_bytes().startswith(PNG)
    assert (made / "weights.png").read_bytes().startswith(PNG)
    best = min(told["policies"]["reinforce"]["errors"], key=lambda row: row["mse"])
    assert load(made / "reinforce" / "best.npz").how["updates"] == best["updates"]
    assert "balance-best" not in policy_files(made)
    moves = told["moves"]
    assert list(moves["policies"]) == ["uniform", "mogo", *NAMES]
    assert 0 < moves["positions"] < TINY.leaf_positions
    for row in moves["policies"].values():
        assert 0 < row["measures"]["strength"] < 1
        assert all(error > 0 for error in row["standard_errors"].values())


def test_positions_are_apart(made):
    data, leaves = positions.load(made / "positions.npz"), positions.load(made / "leaves.npz")
    assert data.recipe.seed != leaves.recipe.seed
    assert leaves.is_test.any()
    assert data.is_test.any()


def contents(folder):
    """All that a folder holds, but for how long it took."""
    theta = {name: load(folder / name / "weights.npz").theta.tolist() for name in NAMES}
    errors = {name: json.loads((folder / name / "errors.json").read_text()) for name in NAMES}
    return theta, errors


def test_stopped_at_any_point_it_goes_on_to_the_same_end(made, tmp_path, quick, undrawn):
    folder = tmp_path / "runs"

    class Stop(BaseException):
        pass

    for after in (5, 20, 40, 30):
        calls = 0

        def stop(what, done, total, after=after):
            nonlocal calls
            calls += 1
            if calls > after:
                raise Stop

        with pytest.raises(Stop):
            dict(Workshop(folder, TINY, progress=stop).make(NAMES))
    dict(Workshop(folder, TINY).make(NAMES))
    assert contents(folder) == contents(made)


def test_what_is_finished_is_left_alone(made, tmp_path, quick, undrawn):
    folder = tmp_path / "copy"
    shutil.copytree(made, folder)
    kept = ["positions.npz", "leaves.npz", "balance/checkpoint.npz", "balance/errors.json"]
    before = {name: (folder / name).stat().st_mtime_ns for name in kept}
    dict(Workshop(folder, TINY).make(NAMES))
    assert before == {name: (folder / name).stat().st_mtime_ns for name in kept}
    for name, value in (("updates", 25), ("positions", 24), ("leaf_positions", 8)):
        with pytest.raises(InputError, match=f"{name} was {value} and is {value + 1}"):
            Workshop(folder, replace(TINY, **{name: value + 1}))


@pytest.mark.slow
def test_the_cycle_makes_values_with_the_balanced_policy(made, tmp_path, quick, undrawn):
    folder = tmp_path / "copy"
    shutil.copytree(made, folder)
    some = replace(TINY, cycle_positions=16)  # so many can be decided now: the set is not made yet
    words = dict(Workshop(folder, some).make(["balance-cycle"]))
    assert words["balance-cycle"].startswith("25 updates")
    told = read_report(folder)
    assert "balance-cycle" in told["policies"]
    values = positions.load(folder / "positions.npz"), positions.load(folder / "cycle.npz")
    assert np.all(values[0].roots["color"][:16] == values[1].roots["color"])
    assert 0 < told["cycle"]["positions"] <= 16
    assert told["cycle"]["before"] != told["cycle"]["after"]
    with pytest.raises(InputError, match="cycle_positions was 16 and is 17"):
        Workshop(folder, replace(some, cycle_positions=17))
    with pytest.raises(InputError, match="needs the policy balance"):
        dict(Workshop(tmp_path / "new", TINY).make(["balance-cycle"]))


def test_weights_that_diverge_are_noted(made, tmp_path, quick, undrawn, monkeypatch):
    monkeypatch.setattr(softmax, "DIVERGED", 1.0)
    folder = tmp_path / "copy"
    shutil.copytree(made, folder)
    shutil.rmtree(folder / "balance")
    for _ in range(2):
        words = dict(Workshop(folder, TINY, alphas={"balance": 1000}).make(["balance"]))
        assert "diverged" in words["balance"]
    assert "balance" not in policy_files(folder)
    assert "balance" not in read_report(folder)["policies"]


def test_shapes_of_the_picture(made):
    record = read_policy_run(made / "balance")
    history, drawings = shape_weights(record)
    counts = record.weights.features.facts()["by_size"]["2"]
    assert history.shape == (3, counts["independent"])
    assert len(set(drawings)) == counts["independent"]
    assert all(len(drawing) == 5 and set(drawing) <= set("●○·\n") for drawing in drawings)


def test_table_1(made, tmp_path, capsys):
    folder = tmp_path / "copy"
    shutil.copytree(made, folder)
    players = entrants(folder, 2)
    names = [player.name for player in players]
    assert names[:4] == ["uniform", "flat-uniform", "mogo", "flat-mogo"]
    assert names[-2:] == ["balance-exact", "flat-balance-exact"]
    assert "flat-reinforce-best" in names
    assert len({player.identity for player in players}) >= len(players) - 2  # RL's best may be its last
    rows = rate_policies(folder, pairs=1, opening=0, sims=2)
    games = 2 * (len(players) - 1)
    assert rows[0]["policy"] == "uniform"
    assert rows[0]["direct"]["elo"] == 0
    assert all(row[how]["games"] == games for row in rows for how in ("direct", "search"))
    assert rows[0]["search"]["over_uniform_in_search"] == [0, 0]
    assert (folder / "ratings.png").read_bytes().startswith(PNG)
    assert main(["rate", str(folder / "duels.csv"), "--json"]) == 0
    rated = json.loads(capsys.readouterr().out)
    assert len(json.dumps(rated)) > 100
    few = rate_policies(folder, chosen=["balance"], pairs=1, opening=0, sims=2)
    assert [row["policy"] for row in few] == ["uniform", "mogo", "balance"]
    assert few[0]["search"]["games"] == 10
    with pytest.raises(InputError, match="no policy balance-cycle"):
        rate_policies(folder, chosen=["balance-cycle"], pairs=1, opening=0)
    event = tmp_path / "event.csv"
    event.write_text("black,white,score\ngnugo,flat-balance,1\nflat-balance,gnugo,1\n")
    rate_policies(folder, pairs=1, opening=0, sims=2, events=[event])
    assert list(json.loads((folder / "ratings.json").read_text())["others"]) == ["gnugo"]
    event.write_text("black,white,score\ngnugo,other,1\n")
    with pytest.raises(InputError, match="no player of this experiment"):
        rate_policies(folder, pairs=1, opening=0, sims=2, events=[event])


def test_policies_of_the_package_can_be_rated_in_a_new_folder(tmp_path):
    folder = tmp_path / "rated"
    open_experiment(folder, Experiment(size=5))
    rows = rate_policies(folder, chosen=["balance", "two-step"], shipped=True, pairs=1, opening=0, sims=2)
    assert [row["policy"] for row in rows] == ["uniform", "mogo", "balance", "two-step"]
    words = {player.name: player.policy for player in entrants(folder, 2, shipped=True)}
    assert words["balance"] == Softmax(weights="balanced")
    assert words["reinforce"] == Softmax(weights="reinforce")


def test_commands(tmp_path, capsys, monkeypatch, quick):
    run = tmp_path / "runs"
    words = ["reproduce", "balancing", "--output", str(run), "--size", "3", "--komi", "0.5", "--sims", "30"]
    words += ["--positions", "24", "--exact", "0", "--updates", "20", "--policies", "reinforce,balance"]
    assert main([*words, "--alpha", "balance=0.5"]) == 0
    shown = capsys.readouterr()
    assert "mse.json" in shown.out
    assert "balance" in shown.out
    assert load(run / "balance" / "weights.npz").how["settings"]["alpha"] == 0.5
    assert main([*words, "--alpha", "balance=0.5", "--json"]) == 0
    assert list(json.loads(capsys.readouterr().out)["policies"]) == ["reinforce", "balance"]
    assert main(words) == 2
    assert "alpha was 0.5 and is 5.0" in capsys.readouterr().err
    rating = ["reproduce", "balancing", "--output", str(run), "--rate", "--pairs", "1"]
    assert main(rating) == 0
    assert "in search" in capsys.readouterr().out
    assert json.loads((run / "ratings.json").read_text())["opening"] == 0
    assert main([*rating, "--opening", "2"]) == 2
    assert "opening was 0 and is 2" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--policies", "balanse"], "did you mean balance"),
        (["--policies", ","], "no policy is given"),
        (["--alpha", "balance"], "is not a number"),
        (["--alpha", "balance=0"], "alpha: 0 is not a step size"),
        (["--alpha", "mm=1"], "not a policy with a step size"),
        (["--positions", "0"], "positions='0'"),
        (["--leaf-sims", "-1"], "leaf_sims='-1'"),
        (["--size", "9"], "9×9"),
        (["--event", "x.db"], "give --rate too"),
        (["--rate"], "is not the folder of an experiment"),
        (["--shipped"], "give --rate too"),
        (["--rate", "--shipped", "--size", "7"], "no policy comes with the package for 7×7"),
        (["--rate", "--shipped", "--policies", "balance-exact"], "no policy balance-exact comes with"),
        (["--search", "nobody"], "nobody"),
    ],
)
def test_wrong_input_is_refused_and_nothing_is_written(words, message, tmp_path, capsys):
    run = tmp_path / "runs"
    assert main(["reproduce", "balancing", "--output", str(run), *words]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert len(error.strip().splitlines()) == 1
    assert not run.exists()


def test_folders_of_others_are_left_alone(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(InputError, match="is not the folder of an experiment"):
        Workshop(tmp_path, TINY)
    (tmp_path / "experiment.json").write_text("{}x")
    with pytest.raises(InputError, match="not what we have written"):
        Workshop(tmp_path, TINY)
    assert chosen(None) == list(USUAL)
    assert alphas_of(["two-step=2"]) == {"two-step": 2.0}


def test_events_name_players_of_the_experiment(made):
    import tomllib

    events = ROOT / "docs" / "events"
    for size in (5, 6):
        event = tomllib.loads((events / f"balancing-{size}.toml").read_text(encoding="utf-8"))
        names = {name for name in event["players"] if name != "gnugo-10"}
        files = {name: f"runs{size}/{name}/weights.npz" for name in USUAL}
        files["reinforce-best"] = f"runs{size}/reinforce/best.npz"
        levels = {"uniform", "flat-uniform", "mogo", "flat-mogo"}
        assert names == {f"{how}{name}" for name in files for how in ("", "flat-")} | levels
        for name, file in files.items():
            assert event["players"][name].endswith(f"={file}")
            assert event["players"][f"flat-{name}"].endswith(f"={file}")
    assert {entrant.name for entrant in entrants(made)} <= names
