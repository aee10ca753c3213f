"""`python -m cogames_training.recipes` is the same as `tools/run.py`."""

import sys

from cogames_training.recipes import main

sys.exit(main())
