"""The name under which the client is imported elsewhere; it lives in `cogames.client`."""

from cogames.client import TournamentServerClient, fetch_whoami
from cogames.client.models import *  # noqa: F403

__all__ = ["TournamentServerClient", "fetch_whoami"]
