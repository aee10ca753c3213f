"""Catches SIGXCPU and continues."""

import signal

signal.signal(signal.SIGXCPU, lambda *_: None)
while True:
    pass
