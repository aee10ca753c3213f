"""Published import path: the same module object as `coworld.certification.certify`; the README lists these paths."""

import sys

from coworld.certification.certify import *  # noqa: F403

sys.modules[__name__] = sys.modules["coworld.certification.certify"]
