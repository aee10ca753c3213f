"""Published import path: the same module object as `mettagrid.cogame.core`; the README lists these paths."""

import sys

from mettagrid.cogame.core import *  # noqa: F403

sys.modules[__name__] = sys.modules["mettagrid.cogame.core"]
