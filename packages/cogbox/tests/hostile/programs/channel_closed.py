"""Closes the channel of the protocol at once, and lives on."""

import os
import time

os.close(int(os.environ["COGBOX_CHANNEL_FD"]))
time.sleep(600)
