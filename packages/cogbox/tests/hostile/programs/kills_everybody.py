"""kill(-1, SIGKILL), and every process there may be by number."""

import contextlib
import os
import signal

from kit import done

try:
    os.kill(-1, signal.SIGKILL)
except OSError as error:
    print("refused", error)
for target in range(2, 33000):
    if target != os.getpid():
        with contextlib.suppress(OSError):
            os.kill(target, signal.SIGKILL)
done()
