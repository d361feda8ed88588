"""Learners and searches on problems for one, at the smallest size."""

import json

import pytest

from playout.cli import main
from playout.errors import InputError
from playout.reproduce import single_agent
from playout.reproduce.single_agent import AGENTS, SingleAgent, best_of, problems, run

TINY = SingleAgent(seeds=2, episodes=3, simulations=2)


@pytest.fixture
def few(monkeypatch):
    """The random walk alone, and three agents."""
    walk = {"walk": problems()["walk"]}
    monkeypatch.setattr(single_agent, "problems", lambda: walk)
    monkeypatch.setattr(single_agent, "AGENTS", ("sarsa", "dyna-q", "dyna-2, learnt"))
    monkeypatch.setattr(single_agent, "ROWS", (1, 1))


def test_it_is_made_once(tmp_path, few, monkeypatch):
    folder = tmp_path / "single"
    seen = []
    told = run(folder, TINY, progress=lambda what, done, total: seen.append((done, total)))
    assert seen[-1] == (3, 3)
    rows = told["problems"]["walk"]["agents"]
    assert list(rows) == ["sarsa", "dyna-q", "dyna-2, learnt"]
    for row in rows.values():
        assert len(row["curve"]) == 3
        low, high = row["all"]["interval"]
        assert -1 <= low <= row["all"]["mean"] <= high <= 1
        assert row["error"]["mean"] >= 0
    assert (folder / "single-agent.png").read_bytes().startswith(b"\x89PNG")
    assert json.loads((folder / "single-agent.json").read_text()) == told
    monkeypatch.setattr(single_agent, "_measure", None)  # nothing is measured again
    assert run(folder, TINY) == told
    with pytest.raises(InputError, match="other settings"):
        run(folder, SingleAgent(seeds=3, episodes=3))


def test_the_command(tmp_path, few, capsys):
    words = ["reproduce", "single-agent", "--output", str(tmp_path / "x"), "--seeds", "2", "--episodes", "2"]
    words += ["--simulations", "2"]
    assert main([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["settings"]["episodes"] == 2
    assert main(words) == 0
    assert "dyna-2, learnt" in capsys.readouterr().out
    assert main([*words[:-1], "0"]) == 2
    assert "simulations" in capsys.readouterr().err


def test_what_is_best_is_known():
    best = {name: best_of(problem) for name, problem in problems().items()}
    assert best["walk"].start == pytest.approx(0.95**9)
    assert best["dyna"].start == pytest.approx(1 - 14 * 0.04)
    assert best["car"].start == -21  # decisions of 5 steps
    assert len(AGENTS) == 6


def error_of(name, agent, episodes, simulations=100, seed=3):
    """How far the value of the start is from that of dynamic programming.

    States that a good policy does not come to are hardly learnt.
    """
    problem = problems()[name]
    made = single_agent.agent_for(agent, problem, SingleAgent(simulations=simulations), seed)
    made.returns(problem.root, episodes)
    return abs(made.worth(problem.root) - best_of(problem).start)


@pytest.mark.parametrize(
    ("agent", "episodes", "most"), [("sarsa", 2000, 0.06), ("dyna-q", 30, 0.01), ("dyna-2, learnt", 20, 0.1)]
)
def test_values_of_the_walk_come_near_those_of_dynamic_programming(agent, episodes, most):
    assert error_of("walk", agent, episodes) < most


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "agent", "episodes", "most"),
    [
        ("walk", "td-search", 1, 0.05),
        ("walk", "dyna-2", 20, 0.05),
        ("corner", "sarsa", 5000, 0.25),
        ("corner", "dyna-q", 400, 0.15),
        ("corner", "td-search", 1, 0.2),
        ("corner", "dyna-2", 50, 0.2),
        ("corner", "dyna-2, learnt", 50, 0.2),
        ("dyna", "sarsa", 3000, 0.15),
        ("dyna", "dyna-q", 60, 0.01),
        ("dyna", "td-search", 1, 0.3),
        ("dyna", "dyna-2", 30, 0.15),
        ("dyna", "dyna-2, learnt", 50, 0.15),
        ("car", "sarsa", 600, 5.0),
        ("car", "td-search", 1, 8.0),
        ("car", "dyna-2", 20, 6.0),
    ],
)
def test_values_come_near_those_of_dynamic_programming(name, agent, episodes, most):
    assert error_of(name, agent, episodes, simulations=400) < most
