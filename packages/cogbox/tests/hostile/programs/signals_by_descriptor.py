"""fcntl(F_SETOWN, F_SETSIG): lets the kernel send the signal when a descriptor becomes ready."""

import fcntl
import os
import signal
import time

from kit import TARGETS, done

F_SETSIG = 10

for target in (TARGETS["victim"], TARGETS["caller"], os.getppid(), -TARGETS["victim"], 1):
    for number in (signal.SIGKILL, signal.SIGUSR1):
        reading, writing = os.pipe()
        try:
            fcntl.fcntl(reading, fcntl.F_SETOWN, target)
            fcntl.fcntl(reading, F_SETSIG, int(number))
            fcntl.fcntl(reading, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
            os.write(writing, b"x")
        except OSError as error:
            print("refused", target, error)
time.sleep(0.1)
done()
