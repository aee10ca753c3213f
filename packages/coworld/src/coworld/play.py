"""Published import path: the same module object as `coworld.runner.play`; the README lists these paths."""

import sys

from coworld.runner.play import *  # noqa: F403

sys.modules[__name__] = sys.modules["coworld.runner.play"]
