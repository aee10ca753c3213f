"""Parse and validate the messages of clients."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, get_args

from mettagrid.live._clock import TickMode
from mettagrid.live._paths import OrderMode
from mettagrid.live._tokens import Rights
from mettagrid.live.errors import BadOrder

__all__ = ["BadRequest", "Request", "parse"]

MAX_TEXT = 4096
_HALF = re.compile("[\ud800-\udfff]")
"""lone surrogates, which JSON can hold but UTF-8 files and terminals cannot"""


class BadRequest(BadOrder):
    """An invalid message."""

    def __init__(self, sentence: str, request_id: object = None) -> None:
        super().__init__(sentence)
        self.request_id = request_id


@dataclass(frozen=True)
class Request:
    """One message of a client; its type decides which fields apply."""

    type: str
    request_id: str | int | None = None
    action_name: str | None = None
    action_index: int | None = None
    vibe: str | None = None
    talk: str | None = None
    step: bool = False
    for_step: int | None = None
    force: bool = False
    x: int = 0
    y: int = 0
    order_mode: OrderMode = "go"
    count: int = 1
    steps_per_second: float = 0.0
    tick_mode: TickMode = "fixed"
    line: int = 0
    tick: int = 0
    rights: Rights = "watch"
    slot: int | None = None


# type -> required fields and optional fields
_FIELDS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "action": ((), ("action_name", "action_index", "vibe", "talk", "policy_infos", "step", "for_step")),
    "takeover": ((), ("force",)),
    "release_takeover": ((), ()),
    "order": (("x", "y"), ("mode",)),
    "cancel": ((), ()),
    "pause": ((), ("line",)),
    "resume": ((), ("line",)),
    "step": ((), ("count", "line")),
    "speed": (("steps_per_second",), ("line",)),
    "mode": (("tick_mode",), ("line",)),
    "branch": (("tick",), ("line",)),
    "close_line": (("line",), ()),
    "invite": (("rights",), ("slot",)),
    "end": ((), ("line",)),
}
_CHOICES: dict[str, tuple[str, ...]] = {
    "mode": get_args(OrderMode),
    "tick_mode": get_args(TickMode),
    "rights": ("player", "watch"),
}
_NUMBERS = ("action_index", "for_step", "x", "y", "count", "line", "tick", "slot")
_TEXTS = ("action_name", "vibe", "talk")
_FLAGS = ("step", "force")
_MAY_BE_NULL = (*_TEXTS, "action_index", "for_step", "slot")


def parse(raw: str | bytes) -> Request:
    """Parse a raw message; raises `BadRequest` if it is invalid. Unknown fields are ignored."""
    try:
        message: Any = json.loads(raw)
    except (ValueError, RecursionError):
        raise BadRequest("A message must be a JSON object") from None
    if not isinstance(message, dict):
        raise BadRequest("A message must be a JSON object")
    request_id = message.get("request_id")
    if isinstance(request_id, bool) or not (request_id is None or isinstance(request_id, str | int)):
        raise BadRequest("`request_id` must be a text or a number")
    kind = message.get("type")
    if not isinstance(kind, str) or kind not in _FIELDS:
        raise BadRequest(f"Unknown message type; the types are {', '.join(_FIELDS)}", request_id)
    needed, allowed = _FIELDS[kind]
    fields: dict[str, Any] = {}
    for name in (*needed, *allowed):
        if name not in message:
            if name in needed:
                raise BadRequest(f"A message of type {kind!r} needs `{name}`", request_id)
            continue
        value = message[name]
        if value is None and name in _MAY_BE_NULL:
            continue
        wrong = _wrong(name, value)
        if wrong is not None:
            raise BadRequest(wrong, request_id)
        if name != "policy_infos":
            fields["order_mode" if name == "mode" else name] = value
    return Request(type=kind, request_id=request_id, **fields)


def _wrong(name: str, value: object) -> str | None:
    """Return what is wrong with the value of a field, or None."""
    if name in _CHOICES and value not in _CHOICES[name]:
        return f"`{name}` must be one of {', '.join(_CHOICES[name])}"
    if name in _NUMBERS and (not isinstance(value, int) or isinstance(value, bool) or abs(value) > 1 << 31):
        return f"`{name}` must be a whole number"
    if name in _TEXTS and (not isinstance(value, str) or len(value) > MAX_TEXT or _HALF.search(value)):
        return f"`{name}` must be a text"
    if name in _FLAGS and not isinstance(value, bool):
        return f"`{name}` must be true or false"
    if name == "steps_per_second" and (not isinstance(value, int | float) or isinstance(value, bool)):
        return f"`{name}` must be a number"
    if name == "policy_infos" and not isinstance(value, dict):
        return f"`{name}` must be an object"
    return None
