"""`explain` with a replay file; `packages/observatory/tests/matches/test_explanations.py` has it with a server."""

import json
from pathlib import Path
from typing import Any


def test_a_replay_is_explained_in_sentences_and_as_json(cogames: Any, tmp_path: Path) -> None:
    played = cogames("play", "-m", "tutorial", "-p", "noop", "-s", "40", "-r", "none", "--save-replay-file", "a.json.z")
    assert played.code == 0, played.err
    ran = cogames("explain", "a.json.z")
    assert (ran.code, ran.err) == (0, "")
    assert "Every agent of NoopPolicy does nothing from step 1 to the end (40 steps)" in ran.out
    assert "NoopPolicy (4 agents): idle 100 %" in ran.out
    document = json.loads(cogames("explain", "a.json.z", "--json").out)
    assert document["steps"] == 40 and document["policies"][0]["counts"]["idle"] == 160


def test_a_file_that_does_not_exist_is_not_taken_for_a_match(cogames: Any) -> None:
    ran = cogames("explain", "gone.json.z")
    assert (ran.code, ran.error) == (1, "Error: Replay file not found: gone.json.z")


def test_a_bitworld_replay_is_refused(cogames: Any, tmp_path: Path) -> None:
    (tmp_path / "game.bitreplay").write_bytes(b"BITWORLD" + b"\x00" * 60)
    ran = cogames("explain", "game.bitreplay")
    assert ran.code == 1
