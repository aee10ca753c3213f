"""Speaks, but not the protocol."""

import os
import time

os.write(int(os.environ["COGBOX_CHANNEL_FD"]), b"\xff\x00{]\n" * 100)
time.sleep(600)
