"""Children that end at once and are never waited for: each still takes a place in the table of processes."""

import os
import time

while True:
    try:
        if os.fork() == 0:
            os._exit(0)
    except OSError:
        time.sleep(0.01)
