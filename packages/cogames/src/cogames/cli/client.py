"""Compatibility name for the client of a tournament server; the class is in `cogames.client`."""

from cogames.client import TournamentServerClient, fetch_whoami
from softmax import wire as models
from softmax.wire import *  # noqa: F403 - all of what servers send has this name too

__all__ = ["TournamentServerClient", "fetch_whoami", *models.__all__]
