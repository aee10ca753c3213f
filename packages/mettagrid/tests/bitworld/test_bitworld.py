"""The published helpers of BitWorld: values and errors as published (tests/compat/bitworld_helpers.py compares)."""

import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mettagrid import bitworld
from mettagrid.bitworld import (
    BITWORLD_ACTION_MASKS,
    BITWORLD_ACTION_NAMES,
    RESET_INPUT_PACKET,
    BitWorldEndpoint,
    ControllerState,
    RewardEntry,
    bitworld_action_index,
    bitworld_action_mask,
    decode_buttons,
    dpad_action_indices,
    encode_buttons,
    pack_chat_packet,
    pack_frame_pixels,
    pack_input_packet,
    parse_reward_packet,
    parse_reward_value,
    trim_bitworld_replay_to_first_round,
    unpack_chat_packet,
    unpack_frame_pixels,
    unpack_input_packet,
    validate_bitworld_replay_bytes,
)

NAMES = (
    "noop a b up up+a up+b down down+a down+b left left+a left+b right right+a right+b up+left up+left+a up+left+b "
    "up+right up+right+a up+right+b down+left down+left+a down+left+b down+right down+right+a down+right+b"
)


def test_there_are_27_actions_in_the_published_order() -> None:
    assert " ".join(BITWORLD_ACTION_NAMES) == NAMES
    for index, mask in enumerate(BITWORLD_ACTION_MASKS.tolist()):
        assert bitworld_action_mask(index) == mask
        assert bitworld_action_index(mask) == index
        assert encode_buttons(decode_buttons(mask)) == mask


def test_the_pad_actions_hold_one_direction() -> None:
    assert dpad_action_indices().tolist() == [0, 3, 6, 9, 12]
    assert dpad_action_indices(include_noop=False).tolist() == [3, 6, 9, 12]


def test_packets_survive_the_wire() -> None:
    assert unpack_input_packet(pack_input_packet(0x61)) == 0x61
    assert unpack_chat_packet(pack_chat_packet("red did it")) == "red did it"
    assert RESET_INPUT_PACKET == b"\x00\xff"
    state = ControllerState(up=True, a=True)
    assert state.packet() == b"\x00\x21"
    assert ControllerState.from_mask(state.mask()) == state


def test_pictures_survive_the_wire() -> None:
    pixels = np.random.default_rng(1).integers(0, 16, 128 * 128, np.uint8).tobytes()
    packed = pack_frame_pixels(pixels)
    assert packed[0] == pixels[0] | pixels[1] << 4
    assert unpack_frame_pixels(packed) == pixels


def test_rewards_are_read_by_player() -> None:
    text = "reward ann 5\n\nkills ann 2\nreward bob -1\nreward ann 6\n"
    packet = parse_reward_packet(text)
    assert packet.entries[0] == RewardEntry(name="reward", player="ann", value=5)
    assert packet.reward_for("ann") == 6
    assert parse_reward_value(text) == 5
    assert parse_reward_value(text.encode(), "bob") == -1


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: decode_buttons(128), r"in \[0, 128\), got 128"),
        (lambda: bitworld_action_mask(27), r"in \[0, 27\), got 27"),
        (lambda: bitworld_action_index(16), "not in the trainable action set"),
        (lambda: pack_input_packet(256), r"in \[0, 255\]"),
        (lambda: unpack_input_packet(b"\x00\x01\x02"), "two bytes"),
        (lambda: pack_chat_packet(""), "non-empty"),
        (lambda: pack_chat_packet("caf\u00e9"), "printable ASCII"),
        (lambda: unpack_chat_packet(b"\x00hi"), "kind 1"),
        (lambda: pack_frame_pixels(b"\x10" * 16384), "4-bit"),
        (lambda: pack_frame_pixels(b""), "16384"),
        (lambda: unpack_frame_pixels(b""), "8192"),
        (lambda: parse_reward_packet("reward ann"), "a name, a player and a value"),
        (lambda: parse_reward_value("kills ann 2"), "does not contain a reward line"),
        (lambda: BitWorldEndpoint(address="a", port=1).player_url("a b"), "must not be empty or contain spaces"),
    ],
)
def test_wrong_values_raise_value_errors(call: Callable[[], Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        call()


def test_an_endpoint_has_the_addresses_of_all_sockets() -> None:
    endpoint = BitWorldEndpoint(address="127.0.0.1", port=2000)
    assert endpoint.player_url() == "ws://127.0.0.1:2000/player"
    assert endpoint.player_url("a&b") == "ws://127.0.0.1:2000/player?name=a%26b"
    assert endpoint.global_url() == "ws://127.0.0.1:2000/global"
    assert endpoint.reward_url() == "ws://127.0.0.1:2000/reward"
    assert BitWorldEndpoint(address="::1", port=1, scheme="wss").global_url() == "wss://[::1]:1/global"


def _text(text: str) -> bytes:
    return struct.pack("<H", len(text)) + text.encode()


def _replay(*records: bytes, version: int = 3, game: str = "among_them", game_version: str = "1") -> bytes:
    head = b"BITWORLD" + struct.pack("<H", version) + _text(game) + _text(game_version)
    return head + struct.pack("<Q", 0) + _text("{}") + b"".join(records)


JOIN = b"\x03" + struct.pack("<IB", 0, 0) + _text("ann") + struct.pack("<h", -1) + _text("")
HASHES = [b"\x01" + struct.pack("<IQ", tick, 7) for tick in range(3)]
LEAVE = b"\x04" + struct.pack("<IB", 41, 0)
CHAT = b"\x05" + struct.pack("<IB", 41, 0) + _text("hi")


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "magic"),
        (_replay(version=2), "version: 2"),
        (_replay(JOIN, game="tag"), "name does not match: tag"),
        (_replay(JOIN, game_version="2"), "version does not match: 2"),
        (_replay(HASHES[1]), "player joins"),
        (_replay(JOIN), "tick hashes"),
        (_replay(JOIN, HASHES[1], b"\x09"), "type 9"),
        (_replay(JOIN, HASHES[1], CHAT), "type 5"),
        (_replay(JOIN, HASHES[1])[:-1], "truncated"),
    ],
)
def test_a_wrong_replay_is_named(data: bytes, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        validate_bitworld_replay_bytes(data)


def test_whole_replays_of_both_versions_are_valid() -> None:
    validate_bitworld_replay_bytes(_replay(JOIN, HASHES[1], LEAVE))
    validate_bitworld_replay_bytes(_replay(JOIN, CHAT, HASHES[1], LEAVE, b"\x06\0\0\0\0", version=4))


def test_every_truncation_of_a_replay_is_an_error() -> None:
    data = _replay(JOIN, HASHES[1])
    for length in range(len(data)):
        with pytest.raises(ValueError, match="BitWorld replay"):
            validate_bitworld_replay_bytes(data[:length])


def test_only_the_first_game_of_an_old_file_stays(tmp_path: Path) -> None:
    first, rest = _replay(JOIN, HASHES[1], HASHES[2]), HASHES[0] + JOIN + HASHES[1]
    path = tmp_path / "game.bitreplay"
    path.write_bytes(first + rest)
    assert trim_bitworld_replay_to_first_round(path)
    assert path.read_bytes() == first
    assert not trim_bitworld_replay_to_first_round(path)
    newer = first.replace(b"BITWORLD\x03", b"BITWORLD\x04") + rest
    path.write_bytes(newer)
    assert not trim_bitworld_replay_to_first_round(path)
    assert path.read_bytes() == newer


def test_recorded_files_are_valid_and_trimmed_where_the_second_game_begins(oracle_dir: Path, tmp_path: Path) -> None:
    folder = oracle_dir / "bitworld" / "replays"
    for path in sorted(folder.glob("*.bitreplay")):
        content = path.read_bytes()
        validate_bitworld_replay_bytes(content)
        copy = tmp_path / path.name
        copy.write_bytes(content)
        is_long = path.stem == "g07_three_games"
        assert trim_bitworld_replay_to_first_round(copy) == is_long
        assert copy.stat().st_size == (25279 if is_long else len(content))


def test_every_published_name_is_there(oracle_dir: Path) -> None:
    rows = json.loads((oracle_dir / "imports.json").read_text())
    names = {row["name"] for row in rows if row["module"] == "mettagrid.bitworld"}
    assert len(names) == 55
    assert names <= set(bitworld.__all__)
