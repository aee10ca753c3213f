"""Run a recipe: `python tools/run.py recipes.experiment.cogsguard.train run=first`; `--help` shows the grammar."""

import sys

from cogames_training.recipes import main

if __name__ == "__main__":
    sys.exit(main())
