"""Published import path: the same module object as `coworld.cli.upload`; the README lists these paths."""

import sys

from coworld.cli.upload import *  # noqa: F403

sys.modules[__name__] = sys.modules["coworld.cli.upload"]
