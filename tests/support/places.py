"""Where the files are that tests read."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
TESTS = ROOT / "tests"
SUPPORT = TESTS / "support"
