"""The machine's clock: set, adjusted, slewed."""

import ctypes

from kit import attempt, call, done

year = (ctypes.c_long * 2)(86400 * 365, 0)
attempt("clock_settime", lambda: call("clock_settime", 0, year))
attempt("settimeofday", lambda: call("settimeofday", year, 0))
for name, first in (("adjtimex", ()), ("clock_adjtime", (0,))):
    change = (ctypes.c_long * 26)(0x8001, 1000)
    attempt(name, lambda name=name, first=first, change=change: call(name, *first, change))
done()
