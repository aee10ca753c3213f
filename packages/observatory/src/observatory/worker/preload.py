"""Loaded once for each worker, in the process that its episodes are forked from.

It imports the games, and finds out what isolation this machine offers, which takes a second.
"""

from contextlib import suppress

import cogbox
import observatory.worker.commissioner
import observatory.worker.episode
import observatory.worker.hosting  # noqa: F401
from observatory import games

for engine in games.installed():
    with suppress(games.GameMissing):  # an episode of this game will say it again
        games.find(engine).prepare_to_play()

with suppress(cogbox.CogboxError, OSError):  # an episode will say it again, with its verdict
    cogbox.sandbox(minimum="none", at_most="bubblewrap")
