"""Published import path: the same module object as `coworld.cli.support`; the README lists these paths."""

import sys

from coworld.cli.support import *  # noqa: F403

sys.modules[__name__] = sys.modules["coworld.cli.support"]
