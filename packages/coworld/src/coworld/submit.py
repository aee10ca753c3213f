"""Published import path: the same module object as `coworld.cli.submit`; the README lists these paths."""

import sys

from coworld.cli.submit import *  # noqa: F403

sys.modules[__name__] = sys.modules["coworld.cli.submit"]
