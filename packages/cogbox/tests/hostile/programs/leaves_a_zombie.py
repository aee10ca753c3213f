"""No attack but a control: a child that has ended and is waited for late is no offence."""

import os
import time

from kit import done

child = os.fork()
if child == 0:
    os._exit(0)
time.sleep(0.8)
os.waitpid(child, 0)
done()
