"""Our own files: the same bytes for the same episode, any tick from one chunk, and no crash on any bytes."""

import io
import struct
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mettagrid.replay import (
    Frame,
    Note,
    Replay,
    ReplayError,
    ReplayFile,
    UnknownReplayFormat,
    UnknownReplayVersion,
    UnreadableReplay,
    frame_at,
    load_replay,
    replay_bytes,
    save_replay,
    v4_document,
)
from mettagrid.replay._compact_write import FOOT, HEAD, compact_bytes
from mettagrid.replay._rows import Field, Rows, float_bits

from .conftest import Played, busy_game, play


def same(one: Frame, other: Frame) -> bool:
    parts = (one.tick, one.objects, one.agents, one.stats) == (other.tick, other.objects, other.agents, other.stats)
    return parts and np.array_equal(one.owners, other.owners)


@pytest.mark.parametrize("ticks_per_chunk", [1, 7, 30, 100])
def test_any_tick_of_a_file_is_what_playing_through_gives(ticks_per_chunk: int, busy: Played) -> None:
    data = compact_bytes(busy.replay, ticks_per_chunk=ticks_per_chunk)
    with ReplayFile(io.BytesIO(data)) as file:
        assert (file.first_tick, file.last_tick) == (0, 30)
        for tick in np.random.default_rng(0).permutation(31).tolist():
            assert same(file.frame(tick), frame_at(busy.replay, tick))
        for tick in (-1, 31):
            with pytest.raises(IndexError, match=f"ticks 0 to 30, not {tick}"):
                file.frame(tick)


@given(seed=st.integers(0, 10_000), size=st.integers(1, 15))
@settings(max_examples=15, deadline=None)
def test_a_file_that_was_read_is_written_with_the_same_content(seed: int, size: int) -> None:
    replay = play(busy_game(), seed=seed, steps=13).replay
    data = compact_bytes(replay, ticks_per_chunk=size)
    again = load_replay(data)
    assert parts_of(compact_bytes(again, ticks_per_chunk=size)) == parts_of(data)
    for tick in (0, 1, 7, 13):
        assert same(frame_at(again, tick), frame_at(replay, tick))
    assert again.stats == replay.stats
    assert again.notes == replay.notes
    assert again.config == replay.config


class Counting(io.BytesIO):
    read_bytes = 0

    def read(self, size: int | None = -1) -> bytes:
        content = super().read(size)
        self.read_bytes += len(content)
        return content


def test_a_tick_is_reached_by_reading_one_chunk() -> None:
    replay = play(busy_game(max_steps=300), seed=1, steps=300).replay
    data = compact_bytes(replay, ticks_per_chunk=10)
    source = Counting(data)
    with ReplayFile(source) as file:
        chunks = {first: size for first, _, _, size, _ in file._index.chunks}
        for first, size in list(chunks.items())[::5]:
            before = source.read_bytes
            file.frame(first + 3)
            file.frame(first)
            assert source.read_bytes - before == size


def test_files_are_written_and_read_by_name(busy: Played, tmp_path: Path) -> None:
    for name in ("a.cogreplay", "a.json.z", "a.json.gz", "a.json"):
        save_replay(busy.replay, tmp_path / name)
        assert v4_document(load_replay(tmp_path / name)) == v4_document(busy.replay)
    with pytest.raises(UnknownReplayFormat, match=r"'a\.mp4' must end in one of \.json\.z, .*\.cogreplay"):
        save_replay(busy.replay, tmp_path / "a.mp4")
    with pytest.raises(FileNotFoundError):
        load_replay(tmp_path / "missing.cogreplay")


def test_notes_stay_in_force_across_chunks(busy: Played) -> None:
    notes = [
        Note(2, 0, "infos", {"policy_name": "p"}),
        Note(3, 0, "monologue", ["one ", False]),
        Note(5, 0, "talk", ["hello", 20]),
        Note(9, 0, "monologue", ["two", False]),
        Note(15, 0, "monologue", ["anew", True]),
    ]
    data = compact_bytes(replace(busy.replay, notes=notes), ticks_per_chunk=4)
    with ReplayFile(io.BytesIO(data)) as file:
        said = {tick: file.frame(tick).agents[0] for tick in (1, 4, 12, 24, 25, 30)}
    assert [said[tick].monologue for tick in (1, 4, 12, 30)] == ["", "one ", "one two", "anew"]
    talk = [(said[tick].talk, said[tick].talk_remaining) for tick in (12, 24, 25)]
    assert talk == [("hello", 13), ("hello", 1), ("", 0)]
    assert said[30].infos == {"policy_name": "p"}


def test_rewards_add_up_the_same_way_from_any_chunk(busy: Played) -> None:
    odd = np.random.default_rng(0).normal(size=30).astype(np.float32) * 1e3
    number = busy.replay.objects.of_agents[0]
    rest = busy.replay.rows.take(busy.replay.rows.field != Field.REWARD)
    rows = [(Field.REWARD, number, 0, i + 1, bits) for i, bits in enumerate(float_bits(odd).tolist())]
    replay = replace(busy.replay, rows=rest.then(Rows.of(rows)))
    totals = np.cumsum(odd.astype(np.float64))
    with ReplayFile(io.BytesIO(compact_bytes(replay, ticks_per_chunk=7))) as file:
        assert [file.frame(tick).agents[0].total_reward for tick in range(1, 31)] == totals.tolist()


def test_rows_and_notes_of_a_later_release_are_left_out(busy: Played) -> None:
    later = busy.replay.rows.then(Rows.of([(60, 3, 0, 4, 1)]))
    notes = [*busy.replay.notes, Note(30, 0, "thought", {"deep": 1})]
    with_more = compact_bytes(replace(busy.replay, rows=later, notes=notes))
    assert parts_of(compact_bytes(load_replay(with_more))) == parts_of(compact_bytes(busy.replay))


def test_an_episode_without_steps_has_its_first_state() -> None:
    replay = play(busy_game(), steps=0).replay
    again = load_replay(replay_bytes(replay, ".cogreplay"))
    assert again.steps == 0
    assert same(frame_at(again, 0), frame_at(replay, 0))


def test_a_version_that_is_not_known_is_refused_in_one_sentence(busy: Played) -> None:
    data = bytearray(replay_bytes(busy.replay, ".cogreplay"))
    data[8:12] = struct.pack("<I", 2)
    with pytest.raises(UnknownReplayVersion, match="format version 2, and this package reads versions 1 to 1"):
        load_replay(bytes(data))


@pytest.fixture(scope="module")
def small() -> bytes:
    return replay_bytes(play(busy_game(), seed=3, steps=3).replay, ".cogreplay")


def test_a_file_that_is_cut_off_anywhere_is_refused(small: bytes) -> None:
    for size in (*range(64), *range(64, len(small) - 64, 97), *range(len(small) - 64, len(small))):
        with pytest.raises(UnreadableReplay):
            load_replay(small[:size])


def test_a_part_that_unpacks_to_more_than_is_allowed_is_refused(small: bytes) -> None:
    with pytest.raises(UnreadableReplay, match=r"out of range|larger than"):
        load_replay(small, max_bytes=1000)


def read_all(data: bytes) -> None:
    """Everything a reader would do with it."""
    try:
        replay = load_replay(data, max_bytes=1 << 22)
        for tick in {replay.first_tick, replay.last_tick}:
            frame_at(replay, tick)
        v4_document(replay)
        with ReplayFile(io.BytesIO(data), max_bytes=1 << 22) as file:
            file.frame(file.last_tick)
    except ReplayError as error:
        assert "\n" not in str(error)


@given(st.data())
@settings(max_examples=200, deadline=None)
def test_damaged_bytes_are_read_or_refused(small: bytes, data: st.DataObject) -> None:
    broken = bytearray(small)
    for _ in range(data.draw(st.integers(1, 3))):
        broken[data.draw(st.integers(0, len(broken) - 1))] = data.draw(st.integers(0, 255))
    read_all(bytes(broken))


def parts_of(data: bytes) -> dict[str, bytes]:
    """The unpacked sections of a file, by name."""
    with ReplayFile(io.BytesIO(data)) as file:
        places = {name: getattr(file._index, name) for name in ("header", "config", "initial", "result")}
        places |= {"chunk" if i == 0 else f"chunk {i}": chunk[2:] for i, chunk in enumerate(file._index.chunks)}
        return {name: file._section(place) for name, place in places.items()}


def put_together(parts: dict[str, bytes], first: int, last: int) -> bytes:
    """A file with right packing and lengths around any content."""
    pieces, at, index = [HEAD.pack(b"\x89CGREP\r\n", 1, 0)], HEAD.size, {}
    for name, content in parts.items():
        packed = zlib.compress(content)
        place = [at, len(packed), len(content)]
        index |= {"chunks": [[first, last, *place]]} if name == "chunk" else {name: place}
        pieces.append(packed)
        at += len(packed)
    listed = str(index).replace("'", '"').encode()
    packed = zlib.compress(listed)
    return b"".join([*pieces, packed, FOOT.pack(at, len(packed), len(listed), b"\x89CGREP\r\n")])


def test_a_file_put_together_by_hand_is_read(small: bytes) -> None:
    assert load_replay(put_together(parts_of(small), 1, 3)).steps == 3


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_damage_inside_the_packing_is_read_or_refused(small: bytes, data: st.DataObject) -> None:
    parts = parts_of(small)
    name = data.draw(st.sampled_from(["header", "initial", "chunk", "result"]))
    broken = bytearray(parts[name])
    for _ in range(data.draw(st.integers(1, 3))):
        broken[data.draw(st.integers(0, len(broken) - 1))] = data.draw(st.integers(0, 255))
    if data.draw(st.booleans()):
        broken = broken[: data.draw(st.integers(0, len(broken)))]
    read_all(put_together(parts | {name: bytes(broken)}, 1, data.draw(st.sampled_from([3, 2, 4]))))


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("header", lambda part: part.replace(b'"num_agents":4', b'"num_agents":"4"')),
        ("header", lambda part: part.replace(b'"last_tick":3', b'"last_tick":99999999')),
        ("header", lambda part: part.replace(b'"map_size":[10,6]', b'"map_size":[60000,60000]')),
        ("header", lambda part: part.replace(b'"kinds":[', b'"kinds":[7,')),
        ("header", lambda part: b"[" * 100_000),
        ("result", lambda part: b'{"stats": {"game": {"a": "b"}, "agent": []}}'),
        ("initial", lambda part: struct.pack("<III", 1 << 31, 0, 0) + part[12:]),
        ("chunk", lambda part: part[:8] + struct.pack("<I", 1 << 31) + part[12:]),
    ],
)
def test_content_that_says_the_impossible_is_refused(name: str, change: Any, small: bytes) -> None:
    parts = parts_of(small)
    changed = change(parts[name])
    assert changed != parts[name]
    with pytest.raises(UnreadableReplay, match=r"The replay is (damaged|too large|too long)"):
        load_replay(put_together(parts | {name: changed}, 1, 3))


def test_replays_can_be_compared_as_values(busy: Played) -> None:
    again: Replay = load_replay(replay_bytes(busy.replay, ".cogreplay"))
    assert again.kinds == busy.replay.kinds
    assert again.capacities == busy.replay.capacities
    assert np.array_equal(again.objects.ids, busy.replay.objects.ids)
