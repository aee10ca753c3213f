"""Load what the tests of every package share: helpers and the skip table, cheap collection, a browser."""

import logging
import os

# Threads of OpenMP and OpenBLAS wait for each other in busy loops. Beside other busy processes a QR decomposition
# takes 60 times the processor time with two threads.
os.environ.setdefault("OMP_NUM_THREADS", "1")

from hypothesis import HealthCheck, settings

# A process that a test forks while another thread logs would wait for ever for the lock of pytest's log file.
os.register_at_fork(after_in_child=lambda: setattr(logging.getLogger(), "handlers", [logging.NullHandler()]))

# Examples are slow to draw on a loaded machine, which says nothing about the code.
settings.register_profile("loaded machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("loaded machine")

pytest_plugins = ["tests.support", "tests.collection", "tests.browser"]
