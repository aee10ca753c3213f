"""The box's first process: with it the box ends, and who is to blame?"""

import contextlib
import os
import time

from kit import done

for target in (1, os.getppid()):
    for number in range(1, 65):
        with contextlib.suppress(OSError):
            os.kill(target, number)
time.sleep(0.2)
done()
