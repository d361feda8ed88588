"""What the experiment of `balancing` has measured, in mse.json and pictures."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from playout.files import write_text
from playout.games.go.learn.policy_training import read_policy_run
from playout.reproduce.balancing import COURSES, LEVELS, Workshop
from playout.reproduce.balancing_pictures import draw_errors, draw_weights
from playout.reproduce.move_errors import SIMULATIONS, move_errors
from playout.reproduce.value_errors import Judge


def write_report(workshop: Workshop, judge: Judge) -> dict[str, Any]:
    """What has been measured of all policies that are there, in mse.json, mse.png and weights.png."""
    records = {name: read_policy_run(workshop.folder / name) for name in COURSES if workshop.is_there(name)}
    runs = {}
    for name, record in records.items():
        rows = [
            {key: value for key, value in row.items() if key != "weights"}
            for row in workshop.measure(name, judge)
        ]
        how = record.weights.how
        settings = {key: how.get(key) for key in ("learner", "settings", "updates", "positions", "seconds")}
        runs[name] = {"label": COURSES[name].label, "settings": settings, "errors": rows}
    told = {
        "experiment": asdict(workshop.experiment),
        **judge.facts(),
        "levels": {name: judge.errors_of(policy) for name, policy in LEVELS.items()},
        "policies": runs,
        "moves": _move_errors(workshop, {**LEVELS, **{name: r.weights for name, r in records.items()}}),
        "cycle": _cycle_errors(workshop),
    }
    write_text(workshop.folder / "mse.json", json.dumps(told, indent=1) + "\n")
    draw_errors(told, workshop.folder / "mse.png")
    draw_weights({COURSES[name].label: r for name, r in records.items()}, workshop.folder / "weights.png")
    return told


def _move_errors(workshop: Workshop, policies: dict[str, Any]) -> dict[str, Any]:
    """J, B₂ and B∞ of all policies, where there are values two moves later to measure them on."""
    if not (workshop.folder / "leaves.npz").exists():
        return {}
    test = workshop.data("leaves").test
    if len(test) < 2:
        return {}
    rows: dict[str, Any] = {}
    for name, policy in policies.items():
        found, error = move_errors(policy, test, workshop.experiment.seed)
        rows[name] = {"measures": asdict(found), "standard_errors": asdict(error)}
        workshop.progress("errors of moves", len(rows), len(policies))
    return {"positions": len(test), "simulations": SIMULATIONS, "policies": rows}


def _cycle_errors(workshop: Workshop) -> dict[str, Any]:
    """How far deep search is from exact values, with its own simulations and with those of the learnt policy.

    On the same positions: those of the cycle that the solver has decided.
    """
    if not (workshop.folder / "cycle.npz").exists():
        return {}
    after = workshop.data("cycle").searched
    before = workshop.data("positions").where(np.arange(len(after)))
    decided, errors = before.decided, {}
    if not decided.any():
        return {}
    for name, values in (("before", before.searched), ("after", after)):
        squares = (values[decided].astype(float) - before.winner[decided]) ** 2
        spread = float(squares.std()) / math.sqrt(squares.size)
        errors[name] = {"exact_mse": float(squares.mean()), "standard_error": spread}
    return {"positions": int(decided.sum()), **errors}


def read_report(folder: str | Path) -> dict[str, Any]:
    """What `write_report` has written."""
    told: dict[str, Any] = json.loads((Path(folder) / "mse.json").read_text(encoding="utf-8"))
    return told
