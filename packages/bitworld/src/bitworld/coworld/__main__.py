"""The game program."""

import sys

from bitworld.coworld.game import main

sys.exit(main())
