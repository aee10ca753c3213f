"""Published import path: the same module object as `mettagrid.cogame.game`; the README lists these paths."""

import sys

from mettagrid.cogame.game import *  # noqa: F403

sys.modules[__name__] = sys.modules["mettagrid.cogame.game"]
