"""Train policies: `trainer` has the loop, `args` its settings, `runs` what it leaves on disk."""

import os

# PyTorch reads it when it is imported. Its threads would otherwise spin while they wait for each other, which makes
# small networks twenty times slower on a machine that has other work.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
