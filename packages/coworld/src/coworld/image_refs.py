"""Published import path: the same module object as `coworld.engines.image_refs`; the README lists these paths."""

import sys

from coworld.engines.image_refs import *  # noqa: F403

sys.modules[__name__] = sys.modules["coworld.engines.image_refs"]
