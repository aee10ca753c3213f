"""Statistics of Paint Arena replays."""

from __future__ import annotations

import hashlib
import json
import zlib
from pathlib import Path
from typing import Any

import pytest

from coworld.errors import DocumentError
from coworld.roles.html_safety import html_violations
from coworld.stats import read_stats
from coworld.stats.paintarena import extract_batch, measure


def replay(places: list[list[tuple[int, int]]], tiles: list[int]) -> dict[str, Any]:
    frames = [{"tick": tick, "positions": row} for tick, row in enumerate(places, 1)]
    return {"config": {}, "player_names": ["Ada", "Ben"], "frames": frames, "results": {"painted_tiles": tiles}}


STILL_AND_MOVING = replay([[(0, 0), (5, 5)], [(0, 0), (4, 5)], [(0, 0), (4, 4)]], [1, 3])


def entry(file: Path, name: str, **changes: object) -> dict[str, object]:
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    return {"path": file.name, "episode_id": name, "game_id": "paintarena", "replay_sha256": digest, **changes}


def test_moves_are_counted_from_the_second_frame_on_and_the_rest_is_said_to_be_missing() -> None:
    found = [
        {one.metric_id.removeprefix("paintarena."): one for one in seat.measurements}
        for seat in measure(STILL_AND_MOVING)
    ]
    assert [seat["executed_transitions"].model_dump()["count"] for seat in found] == [0, 2]
    assert [seat["active_fraction"].model_dump()["value"] for seat in found] == [0.0, 1.0]
    assert [seat["final_tiles"].model_dump()["count"] for seat in found] == [1, 3]
    assert found[0]["submitted_commands"].status == "missing" and found[0]["purchase_fraction"].status == "unsupported"
    single = measure(replay([[(0, 0), (5, 5)]], [1, 1]))
    assert single[0].measurements[1].status == "no_opportunities"


def test_a_batch_is_written_with_its_failures_and_again_with_the_same_bytes(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text(json.dumps(STILL_AND_MOVING))
    (tmp_path / "packed.z").write_bytes(zlib.compress(json.dumps(STILL_AND_MOVING).encode()))
    (tmp_path / "broken").write_text("{}")
    inputs = tmp_path / "inputs.json"
    policies = [{"id": "<b>ada</b>", "sha256": None}, {"id": "ben", "sha256": "0" * 64}]
    entries = [
        entry(tmp_path / "plain", "one", policies=policies, context={"league": 1}),
        entry(tmp_path / "packed.z", "two", game_build_id="build"),
        entry(tmp_path / "broken", "three"),
        entry(tmp_path / "plain", "four", replay_sha256="0" * 64),
        entry(tmp_path / "plain", "five", path="nowhere"),
    ]
    inputs.write_text(json.dumps(entries))
    first = extract_batch(inputs, tmp_path / "out", workers=2)
    assert [one.provenance.episode_id for one in first.episodes] == ["one", "two"]
    assert [one.provenance.episode_id for one in first.failures] == ["three", "four", "five"]
    files = {path.relative_to(tmp_path / "out"): path.read_bytes() for path in (tmp_path / "out").rglob("*.*")}
    assert sorted(path.parts[0] for path in files) == ["batches", "episodes", "episodes", "report.html", "stats.json"]
    assert read_stats(files[Path("stats.json")]) == first
    assert html_violations(files[Path("report.html")].decode()) == []
    assert b"&lt;b&gt;ada" in files[Path("report.html")]
    for path, data in files.items():
        if len(path.parts) == 2:
            assert hashlib.sha256(data).hexdigest() == path.stem
    extract_batch(inputs, tmp_path / "out", workers=4)
    assert files == {path.relative_to(tmp_path / "out"): path.read_bytes() for path in (tmp_path / "out").rglob("*.*")}


@pytest.mark.parametrize("document", ["[]", '[{"path": "x"}]', "{}"])
def test_a_list_of_replays_that_is_none_is_refused(tmp_path: Path, document: str) -> None:
    (tmp_path / "inputs.json").write_text(document)
    with pytest.raises(DocumentError):
        extract_batch(tmp_path / "inputs.json", tmp_path / "out")
