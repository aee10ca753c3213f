"""Snapshots that went wrong on the way: by accident, and on purpose."""

from __future__ import annotations

import random
import struct

HEAD = 40  # bytes before the state; the last eight are the check sum of what follows
VALUES = [0, 1, -1, 2, 255, 65535, 2**31 - 1, -(2**31), 2**30]
_MASK = 2**64 - 1


def damaged(rng: random.Random, snapshot: bytes) -> bytes:
    """Some bytes lost, added or changed."""
    at = rng.randrange(len(snapshot))
    other = bytes([snapshot[at] ^ 1 << rng.randrange(8)])
    return rng.choice(
        [snapshot[:at], snapshot[:at] + other + snapshot[at + 1 :], snapshot + b"more", b"", snapshot * 2]
    )


def forged(rng: random.Random, snapshot: bytes) -> bytes:
    """Some numbers of the state changed, and the check sum made to fit."""
    changed = bytearray(snapshot)
    for _ in range(rng.choice([1, 1, 2, 5])):
        # Sizes and counters are in front; most of the rest are arrays of 32-bit numbers.
        end = len(changed) - 4 if rng.random() < 0.7 else min(len(changed) - 4, HEAD + 400)
        at = HEAD + 4 * rng.randrange((end - HEAD) // 4)
        old = struct.unpack_from("<i", changed, at)[0]
        value = rng.choice([*VALUES, old + 1 if old < 2**31 - 1 else 0, old - 1 if old > -(2**31) else 0])
        struct.pack_into("<i", changed, at, value)
    struct.pack_into("<Q", changed, HEAD - 8, check_sum(bytes(changed[HEAD:])))
    return bytes(changed)


def check_sum(content: bytes) -> int:
    """The engine's own (`core/state/hash.hpp`, `cpu/snapshot.hpp`)."""
    padded = content + bytes(-len(content) % 32)
    words = struct.unpack(f"<{len(padded) // 8}Q", padded)
    streams = [len(padded), 1, 2, 3]
    for i, word in enumerate(words):
        streams[i % 4] = _mix(streams[i % 4], word)
    joined = _mix(_mix(streams[0], streams[1]), _mix(streams[2], streams[3]))
    return _mix(joined, len(content))


def _mix(value: int, word: int) -> int:
    value = (value ^ word) * 0x9E3779B97F4A7C15 & _MASK
    return value ^ value >> 32
