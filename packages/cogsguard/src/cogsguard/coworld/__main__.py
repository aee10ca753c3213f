"""The game program."""

import sys

from cogsguard.coworld.game import main

sys.exit(main())
