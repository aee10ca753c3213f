"""Published import path: the same module object as `coworld.manifest.validation`; the README lists these paths."""

import sys

from coworld.manifest.validation import *  # noqa: F403

sys.modules[__name__] = sys.modules["coworld.manifest.validation"]
