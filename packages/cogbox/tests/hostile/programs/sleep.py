"""Does nothing, for ever."""

import time

while True:
    time.sleep(600)
