"""Leaves a daemon that keeps standard output and standard error open: who waits for their end waits for ever."""

import os
import time

from kit import done

if os.fork() == 0:
    os.setsid()
    time.sleep(600)
done()
