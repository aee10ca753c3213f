"""A player that takes what it can get, tells it in its artifact, plays, and crashes in the middle."""

import os
import subprocess
import sys

subprocess.run([sys.executable, "spy.py"], check=False)
os.environ["SCRIPT"] = "crashes_in_the_middle"
artifact = os.environ.pop("COWORLD_PLAYER_ARTIFACT_UPLOAD_URL")  # the honest player would write another one
import honest_player  # noqa: E402, F401
