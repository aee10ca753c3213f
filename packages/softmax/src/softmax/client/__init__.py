"""Everything a program needs to call a league server: addresses, saved tokens, sign-in and HTTP with clear errors."""

from softmax.client.addresses import Addresses, resolve_addresses
from softmax.client.errors import (
    BadAddress,
    BadAnswer,
    BadCredentials,
    ClientError,
    LoginFailed,
    NotALeagueServer,
    NotAuthenticated,
    NotFound,
    Refused,
    TokenRejected,
    Unreachable,
)
from softmax.client.identity import fetch_whoami

__all__ = [
    "Addresses",
    "BadAddress",
    "BadAnswer",
    "BadCredentials",
    "ClientError",
    "LoginFailed",
    "NotALeagueServer",
    "NotAuthenticated",
    "NotFound",
    "Refused",
    "TokenRejected",
    "Unreachable",
    "fetch_whoami",
    "resolve_addresses",
]
