"""Published import path: the same module object as `coworld.uris.manifests`; the README lists these paths."""

import sys

from coworld.uris.manifests import *  # noqa: F403

sys.modules[__name__] = sys.modules["coworld.uris.manifests"]
