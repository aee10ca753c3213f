"""The client of a tournament server: typed calls, saved tokens, addresses, sign-in."""

from cogames.client.addresses import Addresses, resolve_addresses
from cogames.client.errors import (
    BadAddress,
    BadAnswer,
    BadCredentials,
    ClientError,
    LoginFailed,
    NotAuthenticated,
    NotFound,
    Refused,
    TokenRejected,
    Unreachable,
)
from cogames.client.server import TournamentServerClient, fetch_whoami

__all__ = [
    "Addresses",
    "BadAddress",
    "BadAnswer",
    "BadCredentials",
    "ClientError",
    "LoginFailed",
    "NotAuthenticated",
    "NotFound",
    "Refused",
    "TokenRejected",
    "TournamentServerClient",
    "Unreachable",
    "fetch_whoami",
    "resolve_addresses",
]
