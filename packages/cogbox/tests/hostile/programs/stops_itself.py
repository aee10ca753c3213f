"""Stops itself and its children: whatever is stopped does not end."""

import os
import signal

os.fork()
os.kill(os.getpid(), signal.SIGSTOP)
while True:
    os.kill(os.getpid(), signal.SIGSTOP)
