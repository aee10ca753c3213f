"""Published import path: the same module object as `coworld.runner.player_files`; the README lists these paths."""

import sys

from coworld.runner.player_files import *  # noqa: F403

sys.modules[__name__] = sys.modules["coworld.runner.player_files"]
