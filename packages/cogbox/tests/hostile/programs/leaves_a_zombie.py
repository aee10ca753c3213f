"""A control, not an attack: a child that has ended and is reaped late is allowed."""

import os
import time

from kit import done

child = os.fork()
if child == 0:
    os._exit(0)
time.sleep(0.8)
os.waitpid(child, 0)
done()
