"""Calls clone(CLONE_PARENT): the new process is a child of the program's parent, and outlives the program."""

import os
import time

from kit import call, done

CLONE_PARENT = 0x8000
SIGCHLD = 17

if call("clone", CLONE_PARENT | SIGCHLD, 0, 0, 0, 0) == 0:
    os.setsid()
    time.sleep(600)
    os._exit(0)
done()
