"""Environment for its children that reaches further than the box? LD_PRELOAD, PYTHONPATH, IFS, BASH_ENV."""

import os
import subprocess
import sys

from kit import TARGETS, TMP, done

with open(os.path.join(TMP, "sitecustomize.py"), "w") as file:
    file.write(f"open({TARGETS['canary']!r}, 'w').write('owned')\n")
with open(os.path.join(TMP, "start.sh"), "w") as file:
    file.write(f"echo owned > {TARGETS['canary']}\n")
names = {
    "LD_PRELOAD": "/nonexistent.so",
    "PYTHONPATH": TMP,
    "BASH_ENV": TMP + "/start.sh",
    "ENV": TMP + "/start.sh",
    "IFS": "/",
}
for command in ([sys.executable, "-c", "pass"], ["sh", "-c", "true"]):
    subprocess.run(command, env={**os.environ, **names}, capture_output=True)
done()
