"""Load what the tests of every package share: helpers and the skip table, cheap collection, a browser."""

import os

# Threads of OpenMP and OpenBLAS wait for each other in busy loops. Beside other busy processes a QR decomposition
# takes 60 times the processor time with two threads.
os.environ.setdefault("OMP_NUM_THREADS", "1")

pytest_plugins = ["tests.support", "tests.collection", "tests.browser"]
