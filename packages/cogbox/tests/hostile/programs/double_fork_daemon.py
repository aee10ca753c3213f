"""The classic daemon: forks twice, a session of its own, closes everything, and means to stay."""

import os
import signal
import time

from kit import done

if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.closerange(0, 256)
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)
        time.sleep(600)
    os._exit(0)
os.wait()
done()
