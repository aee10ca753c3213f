"""Replay files: what is written is read, plays to the same states, and every damage is named."""

import gzip
import io
import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bitworld.errors import BadReplay
from bitworld.replays import (
    Chat,
    Hash,
    Input,
    Join,
    Leave,
    Record,
    Recorder,
    ReplayGame,
    ReplayWriter,
    Restart,
    read_replay,
)
from bitworld.replays.records import step_at, time_of
from packages.bitworld.tests.tiny import Tiny

RECORDINGS = (
    "g01_default8",
    "g05_chat_breaks",
    "g07_three_games",
    "g14_leave_in_vote",
    "live_leave_in_vote",
    "live_server",
)


def written(
    *records: Record, version: int | None = None, game: str = "tiny", game_version: str = "1", config_text: str = "{}"
) -> bytes:
    file = io.BytesIO()
    writer = ReplayWriter(file, game=game, game_version=game_version, config_text=config_text)
    for record in records:
        writer.write(record)
    data = file.getvalue()
    return data if version is None else data[:8] + bytes((version,)) + data[9:]


def play(actions: Callable[[Recorder, int], None], steps: int, **config: int) -> tuple[bytes, list[int]]:
    """Record a game in which every player presses random buttons; return the file and the hash after each step."""
    file, draw, hashes = io.BytesIO(), random.Random(4), []
    recorder = Recorder(Tiny(config), file, start_ms=5)
    for step in range(steps):
        actions(recorder, step)
        recorder.step([draw.choice((0, 2, 8, 0x20, 0x29)) for _ in recorder.game.seats])
        hashes.append(recorder.game.state_hash())
    return file.getvalue(), hashes


def two_join(recorder: Recorder, step: int) -> None:
    if recorder.game.wants_players_again:
        recorder.game.rejoin_done()
    if not recorder.game.seats:
        recorder.join("ann", 3)
        recorder.join("bob", -1, "secret")


def two_join_and_one_leaves(recorder: Recorder, step: int) -> None:
    if step == 0:
        two_join(recorder, step)
    if step == 7:
        recorder.leave(0)


def two_join_and_chat(recorder: Recorder, step: int) -> None:
    two_join(recorder, step)
    if step == 5:
        assert recorder.chat(1, "hello")


def two_join_and_the_match_restarts(recorder: Recorder, step: int) -> None:
    if step == 6:
        recorder.restart(Tiny(recorder.game.config))
    two_join(recorder, step)


@pytest.mark.parametrize(
    ("actions", "config", "version"),
    [
        (two_join, {}, 3),
        (two_join_and_one_leaves, {}, 3),
        (two_join_and_chat, {}, 4),
        (two_join, {"ticks": 9}, 3),
        (two_join_and_the_match_restarts, {}, 4),
    ],
    ids=["plain", "leave", "chat", "several games", "restart"],
)
def test_a_recorded_game_plays_to_the_same_states(
    actions: Callable[[Recorder, int], None], config: dict[str, int], version: int
) -> None:
    data, hashes = play(actions, 30, **config)
    replay = read_replay(data)
    assert replay.version == version
    assert replay.start_ms == 5
    playback = ReplayGame(replay, Tiny(replay.config))
    assert playback.length == 30
    replayed = []
    while not playback.is_at_end:
        playback.step()
        replayed.append(playback.game.state_hash())
    assert replayed == hashes
    for position in (3, 29, 8, 0, 30, 17):
        playback.seek(position)
        assert playback.position == position
        if position:
            assert playback.game.state_hash() == hashes[position - 1]


def test_a_game_without_chat_is_written_for_published_readers() -> None:
    data, _ = play(two_join, 9)
    assert data[8:10] == b"\x03\x00"


def test_version_3_files_with_and_without_repaired_leaves_are_read() -> None:
    for repaired in (False, True):
        game = Tiny()
        records: list[Record] = []
        for player, name in enumerate("abc"):
            records.append(Join(0, game.join(name), name, -1, ""))
            assert player == len(game.seats) - 1
        for step in range(6):
            if step == 3:
                (game.leave if repaired else game.leave_unrepaired)(1)
                records.append(Leave(time_of(step), 1))
            game.step([0] * len(game.seats))
            records.append(Hash(game.tick, game.state_hash()))
        playback = ReplayGame(read_replay(written(*records)), Tiny())
        playback.seek(6)
        assert playback.game.state_hash() == game.state_hash()


def test_a_wrong_hash_is_named_by_its_tick_and_the_position_stays() -> None:
    data, hashes = play(two_join, 8)
    damaged = data.replace(hashes[4].to_bytes(8, "little"), (1).to_bytes(8, "little"))
    playback = ReplayGame(read_replay(damaged), Tiny())
    with pytest.raises(BadReplay, match="at tick 5"):
        playback.seek(8)
    assert playback.position == 4
    assert playback.game.state_hash() == hashes[3]
    playback.seek(2)
    assert playback.game.state_hash() == hashes[1]


def test_every_truncation_is_refused_or_a_shorter_replay() -> None:
    data, hashes = play(two_join_and_chat, 12, ticks=6)
    whole = read_replay(data)
    begins = {record.offset for record in whole.records} | {len(data)}
    for length in range(len(data)):
        if length in begins:
            playback = ReplayGame(read_replay(data[:length]), Tiny(whole.config))
            playback.seek(playback.length)
            assert playback.length == 0 or playback.game.state_hash() == hashes[playback.length - 1]
        else:
            with pytest.raises(BadReplay, match=r"Truncated at byte|begin with"):
                read_replay(data[:length])


JOIN, HASH = Join(0, 0, "a", -1, ""), Hash(1, 5)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "begin with `BITWORLD`"),
        (b"BITWORLT" + written()[8:], "begin with `BITWORLD`"),
        (b"BITWORLD\x02\x00" + written()[10:], "version 2"),
        (b"BITWORLD\x05\x00" + written()[10:], "version 5"),
        (written(config_text="[]"), "not a JSON object"),
        (written(config_text="{"), "not a JSON object"),
        (written(config_text="[" * 9000), "not a JSON object"),
        (written() + b"\x09", "unknown type 9"),
        (written() + Chat(0, 0, "x").encode(), "unknown type 5"),
        (written() + Restart(0).encode(), "unknown type 6"),
        (written(JOIN) + b"\x03\0\0\0\0\x01\x01\x00\xff\xff\xff\0\0", "not UTF-8"),
        (written(JOIN, Input(90, 0, 1), Input(89, 0, 1)), "goes back from 90 ms to 89"),
        (written(Join(90, 0, "a", -1, ""), Join(50, 1, "b", -1, "")), "The join .* goes back"),
        (written(JOIN, Leave(90, 0), Leave(50, 0)), "The leave .* goes back"),
        (written(JOIN, Hash(5, 1), Hash(3, 1), version=4), "recorded before"),
        (written(Hash(1 << 31, 1)), "for tick 2147483648"),
    ],
)
def test_a_damaged_file_is_refused_with_a_sentence(data: bytes, says: str) -> None:
    with pytest.raises(BadReplay, match=says):
        read_replay(data)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (written(game="other"), "game 'other', not 'tiny'"),
        (written(game_version="9"), "version '9'"),
        (written(Join(0, 3, "a", -1, ""), HASH), "player 3, but there are 0"),
        (written(JOIN, Join(0, 1, "b", 0, ""), HASH), "not possible: Slot 0 is taken"),
        (written(JOIN, Input(0, 9, 1), HASH), "The input .* player 9"),
        (written(JOIN, Leave(0, 0), HASH), "The leave .* player 0, but there are 0"),
        (written(JOIN, Chat(0, 4, "x"), HASH), "The chat .* player 4"),
        (written(JOIN, HASH), "differs at tick 1"),
        (written(Hash(1, 5), Hash(0, 5), version=4), "differs at tick 1"),
    ],
)
def test_an_impossible_game_is_refused_with_a_sentence(data: bytes, says: str) -> None:
    with pytest.raises(BadReplay, match=says):
        ReplayGame(read_replay(data), Tiny()).seek(1)


def test_a_version_3_file_ends_silently_where_a_later_game_is_not_in_order() -> None:
    data, hashes = play(two_join, 30, ticks=9)
    replay = read_replay(data)
    second = next(record for record in replay.records if isinstance(record, Hash) and record.tick == 0)
    late = data[: second.offset + len(second.encode())] + Input(90, 0, 1).encode() + Input(50, 0, 1).encode()
    for tail in (late, data[: -len(second.encode())] + Hash(1, 5).encode()):
        playback = ReplayGame(read_replay(tail), Tiny(replay.config))
        playback.seek(playback.length)
        assert playback.game.state_hash() == hashes[playback.length - 1]
    assert playback.length == 29


def test_a_file_for_published_readers_has_version_3_and_no_chat() -> None:
    file = io.BytesIO()
    recorder = Recorder(Tiny({"minPlayers": 1}), file, is_published=True)
    recorder.join("ann")
    for _ in range(3):
        recorder.step([0])
    assert recorder.chat(0, "hello")
    recorder.step([0])
    recorder.leave(0)
    recorder.restart(Tiny())
    replay = read_replay(file.getvalue())
    assert replay.version == 3
    assert not any(isinstance(record, Chat) for record in replay.records)


@given(st.binary(max_size=200))
@settings(max_examples=200, deadline=None)
def test_any_bytes_are_read_or_refused(tail: bytes) -> None:
    for begin in (b"", written(), written(JOIN, version=4)):
        try:
            replay = read_replay(begin + tail)
            if replay.length < 1000:
                ReplayGame(replay, Tiny()).seek(replay.length)
        except BadReplay as error:
            assert str(error)


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_a_file_with_changed_bytes_is_read_or_refused(changes: st.DataObject) -> None:
    data = bytearray(play(two_join_and_chat, 12, ticks=6)[0])
    first = read_replay(bytes(data)).records[0].offset  # a changed configuration would be another game
    for _ in range(changes.draw(st.integers(1, 3))):
        data[changes.draw(st.integers(first, len(data) - 1))] = changes.draw(st.integers(0, 255))
    try:
        replay = read_replay(bytes(data))
        if replay.length < 1000:
            ReplayGame(replay, Tiny(replay.config)).seek(replay.length)
    except BadReplay as error:
        assert str(error)


@given(st.integers(0, 1 << 24))
def test_the_time_of_a_tick_leads_back_to_it(tick: int) -> None:
    assert step_at(time_of(tick)) == tick


@pytest.mark.parametrize("name", RECORDINGS)
def test_published_files_decode_as_recorded(name: str, oracle_dir: Path) -> None:
    folder = oracle_dir / "bitworld" / "replays"
    replay = read_replay((folder / f"{name}.bitreplay").read_bytes())
    with gzip.open(folder / f"{name}.jsonl.gz", "rt") as file:
        header, *rows = (json.loads(line) for line in file)
    assert header == {
        "record": "header",
        "version": replay.version,
        "game": replay.game,
        "gameVersion": replay.game_version,
        "startMs": replay.start_ms,
        "config": replay.config_text,
    }
    assert [_row(record) for record in replay.records] == rows


def _row(record: Record) -> dict[str, object]:
    row = {name: getattr(record, name) for name in record.__dataclass_fields__}
    if isinstance(record, Hash):
        row["hash"] = f"{record.hash:016X}"
    return {"record": type(record).__name__.lower(), **row}
