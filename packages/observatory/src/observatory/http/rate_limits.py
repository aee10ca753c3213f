"""Rate limits per client, checked before any other work for a request."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from threading import Lock

from fastapi import Request

from observatory.errors import TooManyRequests
from observatory.http.limits import Buckets
from observatory.http.visitors import COOKIE
from observatory.metrics import Metrics
from observatory.settings import Settings
from observatory.tokens import hash_token

__all__ = ["RateLimits", "limit"]

_REMEMBERED_TOKENS = 20_000
# Health checks must always get a response; workers are ours, and a signed URL comes from a call that was counted.
# Static files of the pages cost nothing.
_FREE = ("/healthz", "/readyz", "/metrics", "/work/", "/store/", "/observatory/assets/", "/observatory/viewer/")


class RateLimits:
    """A bucket for each user, and for each address without a valid token.

    The validity of a token is cached from its last use, so that a flood costs no query.
    """

    def __init__(self, settings: Settings, metrics: Metrics, secret: bytes = b"") -> None:
        self._addresses = Buckets(settings.anonymous_rate)
        self._users = Buckets(settings.user_rate)
        self._sign_ins = Buckets(settings.sign_in_rate, burst=max(1, round(settings.sign_in_rate)))
        self.limiters = {"address": self._addresses, "user": self._users, "sign in": self._sign_ins}
        """for `http.shared_rates`"""
        self._key = hashlib.sha256(secret).digest()
        self._metrics = metrics
        self._lock = Lock()
        self._owners: OrderedDict[str, str] = OrderedDict()

    def remember(self, token: str, user_id: str) -> None:
        """Record that a token was valid."""
        with self._lock:
            self._owners[hash_token(token)] = user_id
            while len(self._owners) > _REMEMBERED_TOKENS:
                self._owners.popitem(last=False)

    def check(self, request: Request) -> None:
        """Raise 429 for a client over its limit."""
        if request.url.path.startswith(_FREE):
            return
        token = request.headers.get("x-auth-token") or request.headers.get("authorization", "").partition(" ")[2]
        token = token or request.cookies.get(COOKIE, "")
        owner = self._owners.get(hash_token(token.strip())) if token else None
        if owner is not None:
            self._refuse("user", self._users.take(self._name(owner)))
        else:
            self._refuse("address", self._addresses.take(self._name(address_of(request))))

    def sign_in(self, request: Request, account: str) -> None:
        """Rate-limit sign-in attempts from one address or for one account."""
        for caller in (f"address {address_of(request)}", f"account {account.strip().lower()[:255]}"):
            self._refuse("sign in", self._sign_ins.take(self._name(caller)))

    def _name(self, caller: str) -> str:
        """Return a keyed hash of a caller: addresses and accounts are not stored."""
        return hashlib.blake2b(caller.encode(), key=self._key, digest_size=16).hexdigest()

    def _refuse(self, by: str, wait: int) -> None:
        if wait == 0:
            return
        self._metrics.rate_limited.labels(by).inc()
        refusal = TooManyRequests(f"Too many requests; wait {wait} seconds", retry_after=wait)
        refusal.headers["X-RateLimit-Outcome"] = "rejected"  # clients may retry: nothing was done
        raise refusal


def address_of(request: Request) -> str:
    return request.client.host if request.client is not None else "unknown"


async def limit(request: Request) -> None:
    """The dependency of every route; comes before all others."""
    limits: RateLimits = request.app.state.rate_limits
    if not getattr(request.state, "is_counted", False):  # routes with cached responses count before the cache lookup
        limits.check(request)
