"""The commands of docs/results.md run, at smoke size: their numbers made small, in the order of the page."""

import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import replace
from functools import partial

import pytest
from places import ROOT

from playout.cli import main
from playout.reproduce import balancing_rating, single_agent, td_search

PAGE = ROOT / "docs" / "results.md"

pytestmark = pytest.mark.skipif(not PAGE.exists(), reason="not in a checkout")

# By option: the number in its place. What is not here is as in the page.
SMALL = {
    "--games": "2",
    "--first": "1",
    "--count": "10",
    "--positions": "12",
    "--leaf-positions": "6",
    "--cycle-positions": "6",
    "--pairs": "1",
    "--updates": "4",
    "--sims": "4",
    "--leaf-sims": "2",
    "--simulations": "4",
    "--exact": "200",
    "--repeats": "1",
    "--threads": "1",
    "--memory": "20",
    "--train": "4",
    "--test": "2",
    "--splits": "2",
    "--loops": "1",
    "--sequences": "1",
    "--between": "1",
}
# By command: what the page leaves at its default, and needs a number or a choice.
ADDED = {
    # there are snapshots from 100 games on, and two runs are as good as thirty
    ("reproduce", "learning-curves"): "--games 100 --default-games 100 --figure plies",
    ("reproduce", "balancing"): "--positions 12 --leaf-positions 6 --updates 4 --sims 4 --leaf-sims 2",
    ("reproduce", "adjusting"): "--train 4 --test 2 --splits 2 --loops 1 --sims 4 --sequences 1 --between 1",
    ("reproduce", "paradox"): "--positions 4 --sims 4 --simulations 4 --pairs 1",
    ("reproduce", "td-search"): "--games 2",
    ("reproduce", "tuner"): "--samples 20 --generations 2 --largest 60 --peer-games 1000",
    ("reproduce", "races"): "--samples 20 --generations 2",
    ("reproduce", "single-agent"): "--seeds 2 --episodes 1 --simulations 1",
    ("data", "positions"): "--sims 4",
    ("train", "balance"): "--updates 4",
    ("train", "regression"): "--updates 4",
    ("train", "two-step"): "--updates 4",
    ("train", "adjust"): "--m 2 --n 2 --batch 100",
    ("match",): "--games 2 --max-moves 8",
}
SHORT, PLAYERS = "max_moves = 8", 6  # games and players of an event
# Their own tests run them: figures of the one want a quiet machine, the other is an hour against GNU Go.
SKIPPED = ("bench", "tune")
SPEC = re.compile(r"\b(sims|depth|trials)=\d+")  # in a player's spec
EVENT = re.compile(r"^(rounds|games) = \d+", re.MULTILINE)


def commands() -> list[str]:
    """What the page runs, in order: the lines of its shell blocks, and the commands in text and tables."""
    text = PAGE.read_text(encoding="utf-8")
    found = []
    for block, inline in re.findall(r"^```sh\n(.*?)^```$|`(playout [^`]+)`", text, re.DOTALL | re.MULTILINE):
        if inline:
            found.append(" ".join(inline.split()))
        else:
            found += [line for line in block.replace("\\\n", " ").splitlines() if line.strip()]
    return found


def smaller(words: list[str]) -> list[str]:
    """The words of a command, with small numbers."""
    small = []
    for before, word in zip(["", *words], words, strict=False):
        if words[0] == "solve" and before == "--size":
            small.append(str(min(int(word), 3)))
        else:
            small.append(SMALL.get(before, word) if word.isdigit() else SPEC.sub(r"\1=2", word))
    if "--rate" not in words:
        added = ADDED.get(tuple(words[:2]), ADDED.get(tuple(words[:1]), "")).split()
        for option, value in zip(added[::2], added[1::2], strict=True):
            # Games that are learnt from later are played to their end.
            if option not in words and not (option == "--max-moves" and "--sgf" in words):
                small += [option, value]
    return small


def small_event(text: str) -> str:
    """A tournament of one round, of short games between the first players of its file."""
    text = SPEC.sub(r"\1=1", EVENT.sub(r"\1 = 1", text)).replace("--level 10", "--level 0")
    text = text.replace("000001000.npz", "000000100.npz").replace('default@1000"', 'default@100"')
    head, _, rest = text.partition("[players]\n")
    players, _, anchors = rest.partition("\n\n")
    kept = players.splitlines()[:PLAYERS]
    return "\n".join([SHORT, head, "[players]", *kept, "", anchors])


def small_figures() -> dict[str, td_search.Figure]:
    """The matches of TD search, with few simulations."""
    return {
        name: replace(
            figure,
            duels=tuple(
                replace(duel, a=SPEC.sub(r"\1=2", duel.a), b=SPEC.sub(r"\1=2", duel.b))
                for duel in figure.duels
            ),
        )
        for name, figure in td_search.FIGURES.items()
    }


def is_example(line: str) -> bool:
    """Whether a command in the text stands for others: with a name to fill in, or without its options."""
    words = line.split()
    bare = ("playout solve", "playout data measure", "playout reproduce td-search")
    return any(word in ("A", "S", "NAME", "SPEC", "…") for word in words) or line in bare


def test_a_command_is_made_small():
    found = smaller(shlex.split("match mogo:sims=3000,resign=0.1 uct --games 200 --seed 1"))
    assert found[:-2] == ["match", "mogo:sims=2,resign=0.1", "uct", "--games", "2", "--seed", "1"]
    assert smaller(["match", "uct", "random"])[3:] == ["--games", "2", "--max-moves", "8"]
    assert smaller(["train", "balance", "--updates", "40000"]) == ["train", "balance", "--updates", "4"]
    assert len(commands()) > 50


@pytest.mark.long
@pytest.mark.gnugo
def test_the_commands_run(tmp_path, monkeypatch, capsys):
    if not shutil.which("gnugo"):
        pytest.skip("GNU Go is not installed")
    events = tmp_path / "docs" / "events"
    shutil.copytree(ROOT / "docs" / "events", events)
    for file in events.iterdir():
        file.write_text(small_event(file.read_text(encoding="utf-8")), encoding="utf-8")
    (tmp_path / "four.py").write_text(_connect_four(), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(td_search, "FIGURES", small_figures())
    # Every agent on a problem with a table and on one without; a maze would be one more with a table.
    two = {name: problem for name, problem in single_agent.problems().items() if name in ("walk", "car")}
    monkeypatch.setattr(single_agent, "problems", lambda: two)
    monkeypatch.setattr(single_agent, "ROWS", (1, 2))
    few = partial(balancing_rating.rate_policies, sims=4)
    monkeypatch.setattr(balancing_rating, "rate_policies", few)  # there is no option for it
    for line in commands():
        words = shlex.split(line, comments=True)
        if not words or is_example(line) or words[0] in ("pytest", "printf", "time"):
            continue
        if words[0] != "playout":  # a file is copied, or a line of Python
            line = re.sub(r"arange\(\d+\)", "arange(8)", line).replace("python ", f"{sys.executable} ")
            run = subprocess.run(["bash", "-c", line], capture_output=True, text=True)
            assert run.returncode == 0, (line, run.stderr)
        elif words[1] not in SKIPPED:
            assert main(smaller(words[1:])) == 0, (line, capsys.readouterr().err)


def _connect_four() -> str:
    """The game of the tutorial, which the page measures."""
    text = (ROOT / "docs" / "your-game.md").read_text(encoding="utf-8")
    return max(re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE), key=len)
