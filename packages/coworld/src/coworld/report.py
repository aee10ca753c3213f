"""Published import path: the same module object as `coworld.roles.report_checks`; the README lists these paths."""

import sys

from coworld.roles.report_checks import *  # noqa: F403

sys.modules[__name__] = sys.modules["coworld.roles.report_checks"]
