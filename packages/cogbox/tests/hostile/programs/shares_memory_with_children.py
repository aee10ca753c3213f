"""No attack but a control: memory that a program shares with its children counts once, also beside a zombie."""

import os
import time

from kit import done

held = bytearray(b"x" * (28 << 20))
for _ in range(4):
    if os.fork() == 0:
        time.sleep(0.8)
        os._exit(0)
if os.fork() == 0:
    os._exit(0)  # not waited for until the end
time.sleep(0.6)
while True:
    try:
        os.wait()
    except ChildProcessError:
        break
done()
