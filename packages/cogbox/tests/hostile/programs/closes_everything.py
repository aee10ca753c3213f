"""Closes every descriptor it has, and goes on a little."""

import os

os.closerange(0, 4096)
os._exit(0)
