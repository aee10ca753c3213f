"""Children whose end sends SIGKILL to their parent; orphaned, so that the box's first process would get it."""

import os
import time

from kit import call, done

SIGKILL = 9

for _ in range(3):
    if os.fork() == 0:
        if call("clone", SIGKILL, 0, 0, 0, 0) == 0:
            time.sleep(0.1)
            os._exit(0)
        os._exit(0)
time.sleep(0.3)
done()
