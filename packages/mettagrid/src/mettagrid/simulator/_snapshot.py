"""Encode a simulation as bytes: the current talk, then the snapshot of the engine."""

from __future__ import annotations

import json
import struct
from dataclasses import asdict
from typing import TYPE_CHECKING

from mettagrid.simulator.talk import ActiveTalk

if TYPE_CHECKING:
    from mettagrid.mettagrid_c import MettaGrid
    from mettagrid.simulator.talk import TalkChannel

_HEAD = struct.Struct("<8sI")  # format, bytes of talk
_FORMAT = b"MGEPISO1"


def write_snapshot(engine: MettaGrid, talk: TalkChannel) -> bytes:
    talk_state = {
        "active": {agent: asdict(text) for agent, text in talk._active_by_agent.items()},
        "pending": talk._pending_by_agent,
    }
    written = json.dumps(talk_state).encode()
    return _HEAD.pack(_FORMAT, len(written)) + written + engine.snapshot()


def read_snapshot(snapshot: bytes, engine: MettaGrid, talk: TalkChannel) -> None:
    """Restore a snapshot; raises ValueError if it is invalid, in which case nothing changes."""
    if len(snapshot) < _HEAD.size or not snapshot.startswith(_FORMAT):
        raise ValueError("These bytes are not a snapshot of a simulation.")
    length = _HEAD.unpack_from(snapshot)[1]
    try:
        talk_state = json.loads(snapshot[_HEAD.size : _HEAD.size + length])
        active = {int(agent): ActiveTalk(**text) for agent, text in talk_state["active"].items()}
        pending = {int(agent): str(text) for agent, text in talk_state["pending"].items()}
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise ValueError("The snapshot is damaged: its talk cannot be read.") from error
    engine.restore(snapshot[_HEAD.size + length :])
    talk._active_by_agent, talk._pending_by_agent = active, pending
