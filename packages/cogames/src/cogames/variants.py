"""Published import path: the same module object as `mettagrid.cogame.variants`; the README lists these paths."""

import sys

from mettagrid.cogame.variants import *  # noqa: F403

sys.modules[__name__] = sys.modules["mettagrid.cogame.variants"]
