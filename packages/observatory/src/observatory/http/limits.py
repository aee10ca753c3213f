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


class Buckets:
    """Allows each caller `per_minute` calls a minute, and bursts of `burst` calls.

    Callers that have not called for long are forgotten, which is harmless: their buckets are full by then.
    """

    def __init__(
        self, per_minute: float, burst: int | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._rate = per_minute / 60
        self._burst = max(1, burst if burst is not None else math.ceil(per_minute / 2))
        self._clock = clock
        self._lock = threading.Lock()
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()

    def take(self, caller: str) -> int:
        """Take one call; 0 when it is allowed, else the whole seconds to wait."""
        now = self._clock()
        with self._lock:
            bucket = self._buckets.setdefault(caller, _Bucket(self._burst, now))
            self._buckets.move_to_end(caller)
            while len(self._buckets) > _MAX_CALLERS:
                self._buckets.popitem(last=False)
            bucket.level = min(self._burst, bucket.level + (now - bucket.at) * self._rate)
            bucket.at = now
            if bucket.level >= 1:
                bucket.level -= 1
                return 0
            return max(1, math.ceil((1 - bucket.level) / self._rate)) if self._rate else 3600
