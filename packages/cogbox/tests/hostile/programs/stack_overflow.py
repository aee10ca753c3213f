"""Recursion without end in native code."""

import ctypes
import sys

sys.setrecursionlimit(1 << 30)


@ctypes.CFUNCTYPE(None, ctypes.c_int)
def deeper(depth: int) -> None:
    deeper(depth + 1)


deeper(0)
