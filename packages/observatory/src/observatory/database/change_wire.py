"""Changes as the text of notifications between servers. PostgreSQL limits a notification to 8000 bytes."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Iterator
from typing import Any

from observatory.events import Change, ChangeKind

__all__ = ["MAX_BYTES", "decode_changes", "encode_changes"]

MAX_BYTES = 7900
_MAX_CHANGE = 3000
"""bytes of one change; a longer one is sent without its ids, which means that any object may have changed"""


def encode_changes(changes: Iterable[Change], origin: str) -> Iterator[str]:
    """Yield the notifications that carry these changes; `origin` names the sender. `more` is in all but the last."""
    batch: list[str] = []
    size = 0
    for change in changes:
        text = _text(change, sorted(part.hex for part in change.ids))
        if len(text) > _MAX_CHANGE:
            text = _text(change, [])
        if batch and size + len(text) > MAX_BYTES - 100:
            yield _notification(batch, origin, ',"more":true')
            batch, size = [], 0
        batch.append(text)
        size += len(text) + 1
    if batch:
        yield _notification(batch, origin)


def decode_changes(rows: Any) -> list[Change]:
    """Return the changes of a notification. A kind that this program does not know is left out: it caches none."""
    kinds = {kind.value: kind for kind in ChangeKind}
    return [
        Change(kinds[kind], _uuid(season), frozenset(uuid.UUID(part) for part in ids), _uuid(division))
        for kind, season, division, ids in rows
        if kind in kinds
    ]


def _text(change: Change, ids: list[str]) -> str:
    row = [change.kind.value, _hex(change.season), _hex(change.division), ids]
    return json.dumps(row, separators=(",", ":"))


def _notification(batch: list[str], origin: str, more: str = "") -> str:
    return f'{{"from":{json.dumps(origin)},"changes":[{",".join(batch)}]{more}}}'


def _hex(value: uuid.UUID | None) -> str | None:
    return None if value is None else value.hex


def _uuid(text: str | None) -> uuid.UUID | None:
    return None if text is None else uuid.UUID(text)
