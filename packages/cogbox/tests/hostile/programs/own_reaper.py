"""Makes itself the reaper of its orphans, so that they do not go to the box's first process, and then leaves them."""

import os
import time

from kit import done, libc

PR_SET_CHILD_SUBREAPER = 36

libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
for _ in range(3):
    if os.fork() == 0:
        if os.fork() == 0:
            os.setsid()
            time.sleep(600)
        os._exit(0)
done()
