"""What all tests share."""

import os

# Debian puts games where not every PATH looks.
os.environ["PATH"] = os.pathsep.join([os.environ.get("PATH", ""), "/usr/games"])
