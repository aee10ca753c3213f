"""Loaded once for each worker, in the process that its episodes are forked from: the engine, and what isolation this
machine offers, which takes a second to find out."""

from contextlib import suppress

import cogbox
import observatory.worker.episode  # noqa: F401

with suppress(cogbox.CogboxError, OSError):  # an episode will say it again, with its verdict
    cogbox.sandbox(minimum="none", at_most="bubblewrap")
