"""The viewer and the Python reader report the same fault of a file in the same words."""

import gzip
import json
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.replay import EpisodeRecorder, ReplayError, load_replay, replay_bytes
from mettagrid.simulator import Simulation

pytestmark = pytest.mark.slow

FOOT = struct.Struct("<QII8s")
"""offset of the index, its size, its unpacked size, magic"""


def document(**fields: Any) -> bytes:
    base = {"version": 4, "map_size": [5, 4], "num_agents": 1, "max_steps": 3, "objects": []}
    return json.dumps(base | fields).encode()


DOCUMENTS = {
    "text": b"hello",
    "list": b"[1, 2]",
    "no version": b"{}",
    "version of the future": document(version=17),
    "BitWorld": b"BITWORLD" + bytes(20),
    "objects": document(objects=[1]),
    "agents": document(objects=[{"id": 1, "agent_id": 4, "location": [0, 0]}]),
    "names": document(action_names=[1]),
    "number": document(max_steps=-1),
    "map size": document(map_size=[1]),
    "large map": document(map_size=[60_000, 60_000]),
    "tags": document(tags={"team:cogs": -1}),
    "location": document(objects=[{"id": 1, "location": 7}]),
    "inventory": document(objects=[{"id": 1, "inventory": 7}]),
    "older action": document(version=1, grid_objects=[{"id": 1, "r": 0, "c": 0, "action": 3}], object_types=["agent"]),
    "older list": document(version=2, type_names=3, objects=[{"id": 1}]),
    "older objects": document(version=2, objects=[3]),
    "compressed list": gzip.compress(b"[]", mtime=0),
}


@pytest.fixture(scope="module")
def compact() -> bytes:
    simulation = Simulation(MettaGridConfig.EmptyRoom(num_agents=1, width=4, height=4), seed=1)
    recorder = EpisodeRecorder.of(simulation)
    for _ in range(3):
        simulation.step()
        recorder.record()
    return replay_bytes(recorder.finish(), ".cogreplay")


def index_of(data: bytes) -> dict[str, Any]:
    begin, size, _, _ = FOOT.unpack(data[-FOOT.size :])
    index: dict[str, Any] = json.loads(zlib.decompress(data[begin : begin + size]))
    return index


def with_section(data: bytes, name: str, change: Callable[[bytes], bytes]) -> bytes:
    """Replace a section, or the index itself."""
    body, magic = data[: -FOOT.size], data[:8]
    index = index_of(data)
    if name != "index":
        begin, size, _ = index["chunks"][0][2:] if name == "chunk" else index[name]
        content = change(zlib.decompress(data[begin : begin + size]))
        packed = zlib.compress(content)
        place = [len(body), len(packed), len(content)]
        if name == "chunk":
            index["chunks"][0][2:] = place
        else:
            index[name] = place
        body += packed
    text = json.dumps(index).encode()
    if name == "index":
        text = change(text)
    packed = zlib.compress(text)
    return body + packed + FOOT.pack(len(body), len(packed), len(text), magic)


def with_values(data: bytes, name: str, **fields: Any) -> bytes:
    return with_section(data, name, lambda text: json.dumps(json.loads(text) | fields).encode())


def compact_faults(whole: bytes) -> dict[str, bytes]:
    begin, packed, unpacked = index_of(whole)["header"]
    return {
        "short": whole[:30],
        "no end": whole[:-10],
        "version": whole[:8] + struct.pack("<I", 9) + whole[12:],
        "offset": with_values(whole, "index", header=[1 << 30, 1, 1]),
        "size": with_values(whole, "index", header=[begin, packed, unpacked + 1]),
        "index": with_values(whole, "index", header=3),
        "chunks": with_values(whole, "index", chunks=[]),
        "section": with_section(whole, "config", lambda _: b"[]"),
        "header": with_values(whole, "header", num_agents=-1),
        "ticks": with_values(whole, "header", first_tick=9),
        "long": with_values(whole, "header", last_tick=1 << 22, num_agents=60_000),
        "large map": with_values(whole, "header", map_size=[60_000, 60_000]),
        "kind": with_values(whole, "header", kinds=[]),
        "agent": with_values(whole, "header", num_agents=0),
        "mismatch": with_section(whole, "chunk", lambda content: struct.pack("<I", 99) + content[4:]),
        "early end": with_section(whole, "chunk", lambda content: content[:30]),
    }


def python_error(data: bytes) -> str | None:
    try:
        load_replay(data)
    except ReplayError as error:
        return str(error).replace("this package", "this viewer")
    return None


def test_the_viewer_reports_faults_in_the_words_of_the_python_reader(
    compact: bytes, dump: Callable[..., list[Any]], tmp_path: Path
) -> None:
    files = DOCUMENTS | {f"compact {name}": data for name, data in compact_faults(compact).items()}
    paths = []
    for number, data in enumerate(files.values()):
        paths.append(tmp_path / str(number))
        paths[-1].write_bytes(data)
    messages = dict(zip(files, dump("errors", *paths), strict=True))
    assert None not in messages.values()
    assert messages == {name: python_error(data) for name, data in files.items()}
