"""The program that compares a GPU with the CPU, built for the CPU alone: plays recordings and notices differences."""

import subprocess
from pathlib import Path

import numpy as np
import pytest

import gpu_check
import gpu_episode

pytestmark = pytest.mark.slow

EPISODES = ["arena_8_1_played", "spawning_00", "territory_00"]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return gpu_check.build_host_only(tmp_path_factory.mktemp("gpu"))


@pytest.fixture(scope="module")
def episodes(oracle_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("episodes")
    paths = [folder / f"{name}.episode" for name in EPISODES]
    for name, path in zip(EPISODES, paths, strict=True):
        gpu_episode.write_episode(oracle_dir, name, path)
    return paths


def run(program: Path, *words: Path | str) -> tuple[int, list[str]]:
    done = subprocess.run([program, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout.splitlines()


def test_recorded_episodes_match_the_python_module(program: Path, episodes: list[Path]) -> None:
    status, lines = run(program, *episodes)
    assert status == 0, lines
    assert lines[1:] == [
        "arena_8_1_played: 300 of 300 steps equal",
        "spawning_00: 45 of 45 steps equal",
        "territory_00: 35 of 35 steps equal",
        "3 of 3 episodes equal",
    ]


def test_a_different_outcome_is_reported_at_its_step(program: Path, episodes: list[Path], tmp_path: Path) -> None:
    words = np.fromfile(episodes[1], np.uint32)
    steps, hashes = int(words[6]), int(words[7])
    words[len(words) - 2 * hashes - (steps + 1) + 12] ^= 1  # the digest after step 12
    words.tofile(tmp_path / "wrong.episode")
    status, lines = run(program, episodes[0], tmp_path / "wrong.episode")
    assert status == 1
    assert lines[2:] == [
        "wrong: 11 of 45 steps equal",
        "  step 12: observations, rewards or flags are not those of the file",
        "1 of 2 episodes equal",
    ]


def test_a_different_action_is_reported(program: Path, episodes: list[Path], tmp_path: Path) -> None:
    words = np.fromfile(episodes[1], np.uint32)
    program_words, height, width, agents = map(int, words[1:5])
    first_action = 9 + program_words + 2 * height * width
    words[first_action + 3 * agents : first_action + 4 * agents] = 0xFFFF  # no agent acts in step 4
    words.tofile(tmp_path / "wrong.episode")
    status, lines = run(program, tmp_path / "wrong.episode")
    assert status == 1
    assert lines[1] == "wrong: 3 of 45 steps equal"


@pytest.mark.parametrize("size", [0, 20, 4000])
def test_a_truncated_file_is_refused(program: Path, episodes: list[Path], tmp_path: Path, size: int) -> None:
    (tmp_path / "short.episode").write_bytes(episodes[1].read_bytes()[:size])
    status, lines = run(program, tmp_path / "short.episode")
    assert status == 2
    assert "not an episode file" in lines[-1]
