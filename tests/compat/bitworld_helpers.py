"""Call `mettagrid.bitworld` of the published package and of ours with the same arguments: the same values and errors.

usage: bitworld_helpers.py PUBLISHED_PYTHON     exit status 1 if a result differs

Errors are compared by type. Two results differ on purpose and are left out: an IPv6 address is put in brackets, and
a replay of version 4 is valid.
"""

from __future__ import annotations

import json
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any


def probe() -> dict[str, Any]:
    """Return the results of all calls in this interpreter, as JSON values."""
    import mettagrid.bitworld as b

    pixels = bytes(number * 7 % 16 for number in range(16384))
    endpoint = b.BitWorldEndpoint(address="localhost", port=8080)
    masks, names = range(-2, 300), (None, "", "a b", "a&b/c", "x")
    rewards = ["reward p 5\n", "reward p 5\n\nreward p 6\nkills p 2\nreward q -1", "", "reward p", "reward p x"]
    rewards += ["a b c d", "reward p 1.5", "  reward   p   7  ", "kills p 2"]
    bad_endpoints = ({"address": ""}, {"address": "a", "port": 0}, {"address": "a", "port": 1, "scheme": "http"})
    return {
        "constants": _constants(vars(b)),
        "masks": [b.BITWORLD_ACTION_MASKS.tolist(), str(b.BITWORLD_ACTION_MASKS.dtype)],
        "buttons": [[button.name, int(button)] for button in b.Button],
        "encode": _results(b.encode_buttons, ([], ["up", "a", "up"], ["A"], ["x"])),
        "decode": _results(b.decode_buttons, masks),
        "mask names": _results(b.bitworld_input_mask_name, masks),
        "indices": _results(b.bitworld_action_index, masks),
        "action masks": _results(b.bitworld_action_mask, range(-2, 30)),
        "action names": [_results(b.bitworld_action_name, range(-2, 30)), b.bitworld_action_names()],
        "pad": [
            [function(include_noop=bool(noop)).tolist(), str(function().dtype)]
            for function in (b.dpad_action_indices, b.dpad_action_masks)
            for noop in range(2)
        ],
        "inputs": _results(b.pack_input_packet, masks),
        "unpacked inputs": _results(b.unpack_input_packet, (b"", b"\0", b"\0\1", b"\1\1", b"\0\1\2", bytearray(2))),
        "chats": _results(b.pack_chat_packet, ("", " ", "hi", "a\n", "\xe9", "~ ", "\x7f")),
        "unpacked chats": _results(b.unpack_chat_packet, (b"", b"\1", b"\1hi", b"\0hi", b"\1\xff")),
        "frames": _results(b.pack_frame_pixels, (pixels, b"", b"\x10" * 16384)),
        "unpacked frames": _results(b.unpack_frame_pixels, (pixels[:8192], b"")),
        "rewards": _results(b.parse_reward_packet, rewards),
        "reward values": _results(lambda text: b.parse_reward_value(text, "p"), rewards),
        "other values": _results(lambda text: b.parse_reward_value(text, "q"), rewards),
        "first rewards": _results(b.parse_reward_value, rewards),
        "controller": _results(b.ControllerState.from_mask, range(300)),
        "addresses": [*_results(endpoint.player_url, names), endpoint.global_url(), endpoint.reward_url()],
        "bad addresses": _results(lambda fields: b.BitWorldEndpoint(**fields), bad_endpoints),
        "valid": _results(b.validate_bitworld_replay_bytes, _replays()),
        "trimmed": [_trimmed(b.trim_bitworld_replay_to_first_round, data) for data in _replays()],
    }


def _constants(module: dict[str, Any]) -> dict[str, Any]:
    kinds = (int, str, tuple, bytes, dict)
    return {
        name: value.hex() if isinstance(value, bytes) else value
        for name, value in sorted(module.items())
        if name.isupper() and not name.startswith("_") and isinstance(value, kinds)
    }


def _results(call: Callable[[Any], Any], arguments: Iterable[Any]) -> list[Any]:
    return [_result(call, argument) for argument in arguments]


def _result(call: Callable[[Any], Any], argument: Any) -> Any:
    try:
        value = call(argument)
    except Exception as error:
        return type(error).__name__
    if hasattr(value, "model_dump"):
        return value.model_dump()
    return value.hex() if isinstance(value, bytes) else value


def _text(text: bytes) -> bytes:
    return struct.pack("<H", len(text)) + text


def _head(game: bytes = b"among_them", game_version: bytes = b"1", version: int = 3) -> bytes:
    return b"BITWORLD" + struct.pack("<H", version) + _text(game) + _text(game_version) + bytes(8) + _text(b"{}")


def _replays() -> list[bytes]:
    join = b"\3" + struct.pack("<IB", 0, 0) + _text(b"x") + struct.pack("<h", -1) + _text(b"")
    late, early = (b"\2" + struct.pack("<IBB", time, 0, 1) for time in (90, 50))
    leave = b"\4" + struct.pack("<IB", 41, 0)
    ticks = [b"\1" + struct.pack("<IQ", tick, 5) for tick in range(10)]
    whole = _head() + join + late + ticks[1] + leave + ticks[2]
    wrong = [b"", b"BITWORLD", _head(version=2), _head(b"tag") + join, _head(game_version=b"2"), _head()]
    wrong += [_head() + ticks[1], _head() + join, whole + b"\5", _head() + join + late + early + ticks[0] + ticks[9]]
    long = [whole + ticks[2], whole + ticks[0] + join + ticks[1]]
    return [whole, *wrong, *long, *(whole[:length] for length in range(len(whole)))]


def _trimmed(trim: Callable[[Path], bool], data: bytes) -> list[Any]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "game.bitreplay"
        path.write_bytes(data)
        return [_result(trim, path), len(path.read_bytes())]


def main(published: str) -> int:
    outputs = [subprocess.check_output([python, __file__, "--probe"]) for python in (published, sys.executable)]
    theirs, ours = map(json.loads, outputs)
    different = [name for name in theirs if theirs[name] != ours.get(name)]
    for name in different:
        print(f"bitworld helpers: {name}: published {theirs[name]!r}, ours {ours.get(name)!r}")
    print(f"bitworld helpers: {len(theirs) - len(different)} of {len(theirs)} groups of calls are equal")
    return int(bool(different))


if __name__ == "__main__":
    if sys.argv[1] == "--probe":
        print(json.dumps(probe(), sort_keys=True))
    else:
        sys.exit(main(sys.argv[1]))
