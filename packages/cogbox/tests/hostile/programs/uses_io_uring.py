"""io_uring: work the kernel does for a program past the filter of its calls."""

import ctypes

from kit import attempt, call, done

attempt("setup", lambda: call("io_uring_setup", 8, (ctypes.c_char * 120)()))
done()
