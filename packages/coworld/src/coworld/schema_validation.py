"""Published import path: the same module object as `coworld.schema.validation`; the README lists these paths."""

import sys

from coworld.schema.validation import *  # noqa: F403

sys.modules[__name__] = sys.modules["coworld.schema.validation"]
