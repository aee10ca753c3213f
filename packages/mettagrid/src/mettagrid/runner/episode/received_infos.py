"""Decode the infos that a policy in another process sends, and bound their size.

The infos of an agent in one answer may have `MAX_TEXT` characters, `MAX_ITEMS` values and `MAX_DEPTH` levels; a policy
that sends more is disabled. Only the part that a replay has room for is stored. Over an episode a policy has
`MAX_INFOS_BYTES`; later infos are dropped, and the policy continues to play.
"""

from __future__ import annotations

import json
import logging
from typing import Any

from mettagrid.replay._infos import compact_json, fit_infos
from mettagrid.runner.episode.errors import PolicyFailure
from mettagrid.simulator._policy_infos import MONOLOGUE_KEY

__all__ = ["ReceivedInfos"]

logger = logging.getLogger("mettagrid.runner.episode")

MAX_TEXT = 1 << 16
MAX_ITEMS = 1000
MAX_DEPTH = 16
MAX_TAIL = 4096
"""characters that are stored from the end of a monologue"""
MAX_INFOS_BYTES = 8 << 20
_BYTES_PER_ITEM = 100
"""bytes that a value costs in addition to its text"""


class ReceivedInfos:
    """Decodes the infos of one policy for one episode."""

    def __init__(self, policy_name: str) -> None:
        self._name = policy_name
        self._left = MAX_INFOS_BYTES
        self._last: dict[int, tuple[str, dict[str, Any]]] = {}

    def decode(self, agent: int, text: str) -> dict[str, Any]:
        """Return the infos of one agent's answer; raises PolicyFailure if they are not a JSON object or too large."""
        if not text:
            return {}
        last = self._last.get(agent)
        if last is not None and last[0] == text:
            return last[1]
        if len(text) > MAX_TEXT:
            raise _too_much(agent, f"{len(text)} characters", MAX_TEXT)
        try:
            infos = json.loads(text)
        except (ValueError, RecursionError):
            infos = None
        if not isinstance(infos, dict):
            raise PolicyFailure("protocol_error", f"infos_json of agent {agent} is not a JSON object")
        _check_shape(agent, infos)
        fitted = self._fitted(infos)
        self._last[agent] = (text, fitted)
        return fitted

    def _fitted(self, infos: dict[str, Any]) -> dict[str, Any]:
        """Return the part that fits a replay, and the end of the monologue."""
        tail = infos.pop(MONOLOGUE_KEY, None)
        fitted = fit_infos(infos)
        if isinstance(tail, str):
            fitted[MONOLOGUE_KEY] = tail[-MAX_TAIL:]
        cost = len(compact_json(fitted)) + _BYTES_PER_ITEM * _count(fitted)
        if cost <= self._left:
            self._left -= cost
            return fitted
        if self._left > 0:
            self._left = 0
            logger.warning("The infos of %s are dropped from now on: they exceed the limit of a replay", self._name)
        return {}


def _check_shape(agent: int, infos: dict[str, Any]) -> None:
    items = 0
    level: list[Any] = [infos]
    for _ in range(MAX_DEPTH):
        below: list[Any] = []
        for value in level:
            items += len(value)
            if items > MAX_ITEMS:
                raise _too_much(agent, "too many values", MAX_ITEMS)
            values = value.values() if isinstance(value, dict) else value
            below += [item for item in values if isinstance(item, dict | list)]
        if not below:
            return
        level = below
    raise _too_much(agent, "too many nested levels", MAX_DEPTH)


def _count(infos: dict[str, Any]) -> int:
    """Return the number of values on all levels."""
    count = 0
    level: list[Any] = [infos]
    while level:
        value = level.pop()
        count += len(value)
        values = value.values() if isinstance(value, dict) else value
        level += [item for item in values if isinstance(item, dict | list)]
    return count


def _too_much(agent: int, excess: str, maximum: int) -> PolicyFailure:
    return PolicyFailure("protocol_error", f"infos_json of agent {agent} has {excess}; {maximum} are allowed")
