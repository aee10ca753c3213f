"""Published import path: the same module object as `coworld.cli.tournament`; the README lists these paths."""

import sys

from coworld.cli.tournament import *  # noqa: F403

sys.modules[__name__] = sys.modules["coworld.cli.tournament"]
