"""Choose which steps a trace prints."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["OFF", "Trace"]


@dataclass(frozen=True)
class Trace:
    """A trace of every `every`-th step, at most `limit` of them (0: all)."""

    is_on: bool = True
    every: int = 1
    limit: int = 0

    def wants(self, step: int) -> bool:
        return self.is_on and step % self.every == 0 and (not self.limit or step // self.every < self.limit)


OFF = Trace(is_on=False)
