"""Rate limits: a bucket of tokens for each caller, which fills at a steady rate."""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["Buckets"]

_MAX_CALLERS = 100_000


@dataclass
class _Bucket:
    level: float
    at: float
    unshared: int = 0
    """calls that other servers do not know of"""


class Buckets:
    """Allows each caller `per_minute` calls a minute, and bursts of `burst` calls.

    Callers that have not called for long are forgotten, which is harmless: their buckets are full by then. Several
    servers may exchange the levels of their buckets: see `http.shared_rates`.
    """

    def __init__(
        self, per_minute: float, burst: int | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.rate = per_minute / 60
        self.burst = max(1, burst if burst is not None else math.ceil(per_minute / 2))
        self._clock = clock
        self._lock = threading.Lock()
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()

    def take(self, caller: str) -> int:
        """Take one call; 0 when it is allowed, else the whole seconds to wait."""
        with self._lock:
            bucket = self._filled(caller)
            if bucket.level >= 1:
                bucket.level -= 1
                bucket.unshared += 1
                return 0
            return max(1, math.ceil((1 - bucket.level) / self.rate)) if self.rate else 3600

    def take_unshared(self, *, below: float) -> dict[str, int]:
        """Return the calls that other servers do not know of, of callers with at most this share of a bucket left."""
        with self._lock:
            found = {}
            for caller, bucket in self._buckets.items():
                if bucket.unshared and bucket.level <= below * self.burst:
                    found[caller], bucket.unshared = bucket.unshared, 0
            return found

    def put_back(self, caller: str, calls: int) -> None:
        """Note that calls could not be shared."""
        with self._lock:
            if caller in self._buckets:
                self._buckets[caller].unshared += calls

    def set_level(self, caller: str, level: float) -> None:
        """Set the level that all servers together have found, less the calls that they do not know of."""
        with self._lock:
            bucket = self._filled(caller)
            bucket.level = min(self.burst, level) - bucket.unshared

    def _filled(self, caller: str) -> _Bucket:
        """Return the bucket of a caller, filled up to this moment."""
        now = self._clock()
        bucket = self._buckets.setdefault(caller, _Bucket(self.burst, now))
        self._buckets.move_to_end(caller)
        while len(self._buckets) > _MAX_CALLERS:
            self._buckets.popitem(last=False)
        bucket.level = min(self.burst, bucket.level + (now - bucket.at) * self.rate)
        bucket.at = now
        if bucket.level >= self.burst:
            bucket.unshared = 0  # paid back
        return bucket
