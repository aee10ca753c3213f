"""Recorded episodes through the kernels for GPUs, run by the CPU: every result as on the CPU engine."""

from pathlib import Path

import numpy as np
import pytest

import gpu_batch_check
import gpu_episode

WORLDS = 8
EPISODES = [
    "arena_8_1_played",
    "aoe_mobile_00",
    "four_score_32_327",
    "spawning_00",
    "territory_00",
]


@pytest.fixture(scope="module")
def episodes(oracle_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("episodes")
    paths = {name: folder / f"{name}.episode" for name in EPISODES}
    for name, path in paths.items():
        gpu_episode.write_episode(oracle_dir, name, path)
    return paths


@pytest.mark.parametrize("name", EPISODES)
def test_a_recorded_episode_is_equal_after_every_step(episodes: dict[str, Path], name: str) -> None:
    episode = gpu_batch_check.Episode(episodes[name])
    found = gpu_batch_check.check(episode, WORLDS, "emulated")
    assert found == {"episode": name, "equal_steps": episode.steps, "steps": episode.steps, "found": None}


def test_another_outcome_than_in_the_file_is_reported_at_its_step(episodes: dict[str, Path], tmp_path: Path) -> None:
    words = np.fromfile(episodes["spawning_00"], np.uint32)
    steps, hashes = int(words[6]), int(words[7])
    words[len(words) - 2 * hashes - (steps + 1) + 12] ^= 1  # the digest after step 12
    words.tofile(tmp_path / "wrong.episode")
    result = gpu_batch_check.check(gpu_batch_check.Episode(tmp_path / "wrong.episode"), 2, "emulated")
    assert (result["equal_steps"], result["found"]) == (11, "step 12: world 0 has other outputs than the file")


def test_another_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "other.episode").write_bytes(b"not an episode, and of an odd length")
    with pytest.raises(SystemExit, match="is not an episode file"):
        gpu_batch_check.Episode(tmp_path / "other.episode")
