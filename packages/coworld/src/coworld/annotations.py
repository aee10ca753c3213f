"""Published import path: the same module object as `coworld.runner.annotations`; the README lists these paths."""

import sys

from coworld.runner.annotations import *  # noqa: F403

sys.modules[__name__] = sys.modules["coworld.runner.annotations"]
