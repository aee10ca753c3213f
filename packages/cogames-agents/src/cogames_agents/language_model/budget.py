"""A budget of tokens and money that several threads spend."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from fractions import Fraction

__all__ = ["Budget", "Cost"]

MILLION = 1_000_000


@dataclass(frozen=True)
class Cost:
    """Tokens of a prompt and of its reply."""

    prompt: int
    reply: int

    @property
    def tokens(self) -> int:
        return self.prompt + self.reply


class Budget:
    """Grants requests that fit into what is left.

    A request reserves its largest possible cost before it is sent and settles its true cost afterwards, so the costs of
    all requests together stay within the budget, also while several are under way.
    """

    def __init__(
        self,
        tokens: int | None = None,
        usd: Fraction | None = None,
        price_in: Fraction = Fraction(0),
        price_out: Fraction = Fraction(0),
    ) -> None:
        self._limits = tokens, usd
        self._prices = price_in, price_out
        self._lock = threading.Lock()
        self._spent, self._reserved = Cost(0, 0), Cost(0, 0)

    @property
    def tokens(self) -> int:
        """Return the tokens spent."""
        return self._spent.tokens

    @property
    def usd(self) -> Fraction:
        """Return the US dollars spent."""
        return self.price(self._spent)

    def price(self, cost: Cost) -> Fraction:
        """Return the US dollars that tokens cost."""
        price_in, price_out = self._prices
        return (cost.prompt * price_in + cost.reply * price_out) / MILLION

    def reserve(self, cost: Cost) -> bool:
        """Reserve a cost and return True; return False if it does not fit."""
        tokens, usd = self._limits
        with self._lock:
            total = _add(_add(self._spent, self._reserved), cost)
            if (tokens is not None and total.tokens > tokens) or (usd is not None and self.price(total) > usd):
                return False
            self._reserved = _add(self._reserved, cost)
            return True

    def settle(self, reserved: Cost, spent: Cost) -> None:
        """Replace a reserved cost by the true one."""
        with self._lock:
            self._reserved = _add(self._reserved, Cost(-reserved.prompt, -reserved.reply))
            self._spent = _add(self._spent, spent)


def _add(one: Cost, other: Cost) -> Cost:
    return Cost(one.prompt + other.prompt, one.reply + other.reply)
