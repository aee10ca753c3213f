"""One line that never ends: a reader of lines would keep all of it."""

import sys

while True:
    sys.stdout.write("x" * 1000)
