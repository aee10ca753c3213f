"""Published import path: the same module object as `coworld.models.reporter_request`; the README lists these paths."""

import sys

from coworld.models.reporter_request import *  # noqa: F403

sys.modules[__name__] = sys.modules["coworld.models.reporter_request"]
