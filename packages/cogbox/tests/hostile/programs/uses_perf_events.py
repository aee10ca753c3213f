"""Counters of the processor: a window on what others do."""

import ctypes

from kit import attempt, call, done

for kind in (0, 1, 2):
    attempt("open", lambda kind=kind: call("perf_event_open", (ctypes.c_uint32 * 32)(kind, 128), 0, -1, -1, 0))
done()
