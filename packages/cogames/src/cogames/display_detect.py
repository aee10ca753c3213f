"""Published import path: the same module object as `mettagrid.util.display`; the README lists these paths."""

import sys

from mettagrid.util.display import *  # noqa: F403

sys.modules[__name__] = sys.modules["mettagrid.util.display"]
