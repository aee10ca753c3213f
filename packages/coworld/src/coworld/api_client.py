"""Published import path: the same module object as `coworld.server.api_client`; the README lists these paths."""

import sys

from coworld.server.api_client import *  # noqa: F403

sys.modules[__name__] = sys.modules["coworld.server.api_client"]
