"""The game program."""

import sys

from cogames.lesson_world.config import LessonConfig
from cogsguard.coworld.game import main

sys.exit(main(kind=LessonConfig))
