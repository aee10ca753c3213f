"""Simulate seasons with faults.

usage: python -m tests.simulation [--seed N] [--seasons K] [--jobs J] [--trace]
                                  [--plant lost_lease|double_count|stale_cache|early_share]

Plays the seasons of the seeds N, N + 1, ... With --trace the log of each is printed as it happens. The exit status is 1
if a season violates an invariant; its seed gives the same season again.
"""

from __future__ import annotations

import sys

from tests.simulation.run import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
