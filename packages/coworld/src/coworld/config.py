"""Published import path: the same module object as `coworld.server.config`; the README lists these paths."""

import sys

from coworld.server.config import *  # noqa: F403

sys.modules[__name__] = sys.modules["coworld.server.config"]
