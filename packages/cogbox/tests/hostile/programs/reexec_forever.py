"""Becomes itself again and again: never the same program for long."""

import os
import sys

os.execv(sys.executable, [sys.executable, "-S", "-E", "-B", __file__])
