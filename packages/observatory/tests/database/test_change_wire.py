"""Changes in notifications between servers."""

from __future__ import annotations

import json
import uuid

from observatory.database.change_wire import MAX_BYTES, decode_changes, encode_changes
from observatory.events import Change, ChangeKind


def test_notifications_stay_within_the_limit_and_come_back_as_they_were() -> None:
    ids = frozenset(uuid.uuid4() for _ in range(60))
    changes = [Change(kind, uuid.uuid4(), ids, uuid.uuid4()) for kind in ChangeKind for _ in range(3)]
    many = Change(ChangeKind.QUEUE, ids=frozenset(uuid.uuid4() for _ in range(100)))
    payloads = list(encode_changes([*changes, many], "me"))
    assert len(payloads) > 1 and max(len(payload) for payload in payloads) <= MAX_BYTES
    assert [json.loads(payload).get("more", False) for payload in payloads] == [*[True] * (len(payloads) - 1), False]
    received = [change for payload in payloads for change in decode_changes(json.loads(payload)["changes"])]
    assert received == [*changes, Change(ChangeKind.QUEUE)]  # without ids: any job may have changed


def test_kinds_of_a_newer_server_are_left_out() -> None:
    assert decode_changes([["of tomorrow", None, None, []], ["queue", None, None, []]]) == [Change(ChangeKind.QUEUE)]
