"""The commissioner role: its messages, a server for one, a client to one."""

from coworld.commissioner.protocol import *  # noqa: F403
from coworld.commissioner.protocol import __all__ as __all__
