"""``python -m playout`` is the command ``playout``."""

import sys

from playout.cli import main

if __name__ == "__main__":
    sys.exit(main())
