"""Published import path: the same module object as `coworld.models`; the README lists these paths."""

import sys

from coworld.models import *  # noqa: F403

sys.modules[__name__] = sys.modules["coworld.models"]
