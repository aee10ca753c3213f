"""Closes every descriptor it has, and continues for a moment."""

import os

os.closerange(0, 4096)
os._exit(0)
