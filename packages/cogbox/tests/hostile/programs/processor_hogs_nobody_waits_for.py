"""Children burn processor time and vanish unwaited (SIGCHLD ignored): no parent's account shows them."""

import contextlib
import os
import signal
import time

from kit import done

signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for _ in range(8):
    child = os.fork()
    if child == 0:
        until = time.process_time() + 0.15
        while time.process_time() < until:
            pass
        os._exit(0)
    with contextlib.suppress(ChildProcessError):  # with SIGCHLD ignored this waits and then fails
        os.waitpid(child, 0)
print("ESCAPED used 1.2 s")
done()
