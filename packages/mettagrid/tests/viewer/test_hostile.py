"""Damaged, foreign and huge files: one sentence in the page, and a page that still works afterwards."""

import dataclasses
import gzip
import json
import os
import random
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mettagrid.replay import Replay, replay_bytes
from mettagrid.viewer import ReplayServer

from .conftest import Visit, Watched
from .test_page import drop

pytestmark = pytest.mark.slow

SEED = 20
COUNT = int(os.environ.get("VIEWER_MUTATIONS", "50"))


def mutations(watched: Watched) -> list[bytes]:
    """Files that were cut, overwritten, doubled or edited, of all formats."""
    chance = random.Random(SEED)
    small = shortened(watched)
    compact, packed = (replay_bytes(small, name) for name in ("x.cogreplay", "x.json.z"))
    document = json.loads(zlib.decompress(packed))
    made = []
    for number in range(COUNT):
        kind = number % 5
        whole = bytearray(compact if number % 2 else packed)
        if kind == 0:
            made.append(bytes(whole[: chance.randrange(len(whole))]))
        elif kind == 1:
            for _ in range(chance.randint(1, 20)):
                whole[chance.randrange(len(whole))] = chance.randrange(256)
            made.append(bytes(whole))
        elif kind == 2:
            at = chance.randrange(len(whole))
            made.append(bytes(whole[:at] + whole[at : at + 50] * 3 + whole[at:]))
        else:
            made.append(zlib.compress(json.dumps(edited(document, chance)).encode(), 1))
    return made


def shortened(watched: Watched) -> Replay:
    """The first ticks of the episode: opening it many times must not take long."""
    replay = watched.replay
    config = json.loads(json.dumps(replay.config))
    config["game"]["events"] = {}
    rows = replay.rows.take(replay.rows.tick <= 12)
    parts = (json.dumps(config).encode(),)
    return dataclasses.replace(replay, last_tick=12, rows=rows, notes=[], config_parts=parts)


JUNK: list[object] = [None, -1, 1e308, "x", [], {}, [[0, [1]]], [[5, 5], [3, 3]], True, 2**40, [["a", "b"]], {"a": 1}]


def edited(document: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    """A document of which some values are other ones."""
    copy = json.loads(json.dumps(document))
    for _ in range(chance.randint(1, 4)):
        place = copy
        while True:
            key = chance.choice(list(place)) if isinstance(place, dict) else chance.randrange(len(place))
            below = place[key]
            if not isinstance(below, dict | list) or not below or chance.random() < 0.3:
                break
            place = below
        place[key] = chance.choice(JUNK)
    return copy


def test_whatever_is_wrong_with_a_file_is_said_in_a_sentence(
    visit: Callable[..., Visit], served: ReplayServer, watched: Watched, replay_files: dict[str, Path]
) -> None:
    found = visit(served.address)
    found.panel("info")
    refused = 0
    error, shown = found.page.locator("[data-testid=error]"), found.page.locator("[data-fact=file]")
    for number, content in enumerate(mutations(watched)):
        drop(found, content, f"mutation-{number}")
        found.until(lambda n=number: error.is_visible() or shown.inner_text() == f"mutation-{n}")  # type: ignore[misc]
        if error.is_visible():
            refused += 1
            sentence = error.inner_text()
            assert 10 < len(sentence) < 250 and sentence[0].isupper(), sentence
            assert "undefined" not in sentence and "[object" not in sentence
            found.page.click("text=Back to the replay")
        else:
            for panel in ("agent", "sight", "charts", "heat", "stats", "info"):
                found.panel(panel)
            found.page.keyboard.press("End")
    assert refused > COUNT / 3
    drop(found, replay_files["cogreplay"].read_bytes(), "whole.cogreplay")
    found.until(lambda: found.text("[data-fact=file]") == "whole.cogreplay")


def bomb() -> bytes:
    """Return a small file that unpacks to a gigabyte of zeros."""
    packer = zlib.compressobj(9)
    block = bytes(1 << 20)
    # After a full flush the packer has no history, so that equal blocks become equal bytes.
    start, repeated = (packer.compress(block) + packer.flush(zlib.Z_FULL_FLUSH) for _ in range(2))
    return start + 1023 * repeated


FOREIGN = {
    "nothing": (b"", "empty"),
    "a picture": (b"\x89PNG\r\n\x1a\n" + bytes(100), "not a replay"),
    "a page": (b"<!doctype html><p>hello", "not a replay"),
    "other JSON": (json.dumps({"hello": "world"}).encode(), "`version` is missing"),
    "a list": (b"[1, 2, 3]", "not a replay"),
    "a game of pixels": (b"BITWORLD" + bytes(20), "BitWorld"),
    "deep nesting": (b"[" * 200_000, "not a replay"),
    "a bomb": (bomb(), "larger than 256 MB"),
    "a packed nothing": (gzip.compress(b""), "not a replay"),
    "a format of the future": (b"\x89CGREP\r\n" + struct.pack("<II", 9, 0) + bytes(40), "version 9"),
    "a document of the future": (json.dumps({"version": 17}).encode(), "version 17"),
    "a map without end": (json.dumps({"version": 4, "map_size": [65535, 65535]}).encode(), "too large"),
    "an age": (json.dumps({"version": 4, "map_size": [9, 9], "max_steps": 1 << 40}).encode(), "max_steps"),
}


def test_foreign_and_huge_files_are_told_apart(visit: Callable[..., Visit], served: ReplayServer) -> None:
    found = visit(served.address)
    for name, (content, words) in FOREIGN.items():
        drop(found, content, name)
        found.until(lambda: found.page.locator("[data-testid=error]").is_visible())
        assert words in found.text("[data-testid=error]"), name
        found.page.click("text=Back to the replay")


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("nowhere.json.z", "Replay not found at this address (404)"),
        ("http://127.0.0.1:9/closed", "cannot be reached"),
        ("javascript:alert(1)", "cannot be opened from a `javascript:` address"),
        ("http://", "is not an address"),
    ],
)
def test_an_address_that_gives_nothing_is_said_in_a_sentence(
    visit: Callable[..., Visit], served: ReplayServer, address: str, words: str
) -> None:
    found = visit(f"{served.address.split('?')[0]}?replay={address}")
    assert words in found.text("[data-testid=error]")
    found.errors.clear()  # the browser itself notes failed requests
