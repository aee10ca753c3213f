"""Published import path: the same module object as `coworld.cli.optimizer`; the README lists these paths."""

import sys

from coworld.cli.optimizer import *  # noqa: F403

sys.modules[__name__] = sys.modules["coworld.cli.optimizer"]
