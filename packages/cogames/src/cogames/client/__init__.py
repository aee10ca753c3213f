"""The client of a tournament server; addresses, saved tokens and errors come from `softmax.client`.

- `server`: one method per call; `references`, `secrets`, `pools`: policies, secrets and games of seasons
- `publish`: pack, validate, upload and submit a policy; `reproduction`: replay a match on this machine
"""

from cogames.client.server import TournamentServerClient
from softmax.client import (
    Addresses,
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
    fetch_whoami,
    resolve_addresses,
)

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
