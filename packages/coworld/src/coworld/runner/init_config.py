"""`python -m coworld.runner.init_config`: a published name of `coworld.runner.kubernetes_runner init-config`."""

import sys

from coworld.runner.kubernetes_runner import main

if __name__ == "__main__":
    sys.exit(main(["init-config"]))
