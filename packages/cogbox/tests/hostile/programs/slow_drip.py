"""A byte now and then, for ever: always alive, never done."""

import sys
import time

while True:
    sys.stdout.write(".")
    sys.stdout.flush()
    time.sleep(0.01)
