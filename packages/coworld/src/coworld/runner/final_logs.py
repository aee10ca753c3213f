"""`python -m coworld.runner.final_logs`: a published name of `coworld.runner.kubernetes_runner final-logs`."""

import sys

from coworld.runner.kubernetes_runner import main

if __name__ == "__main__":
    sys.exit(main(["final-logs"]))
