"""The published handlers, and writing in the background."""

import json
import subprocess
import sys
import threading
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.replay import BackgroundWriter, ReplayNotWritten, load_replay
from mettagrid.simulator import Simulation, Simulator
from mettagrid.simulator.replay_log_writer import (
    METTASCOPE_POLICY_INFO_MAX_BYTES,
    METTASCOPE_REPLAY_URL_PREFIX,
    EpisodeReplay,
    InMemoryReplayWriter,
    ReplayLogWriter,
)

Game = Callable[..., MettaGridConfig]


def finish(simulation: Simulation) -> None:
    while not simulation.is_done():
        simulation.step()


def test_every_episode_that_ends_is_kept(game: Game) -> None:
    writer, simulator = InMemoryReplayWriter(), Simulator()
    simulator.add_event_handler(writer)
    for seed in range(2):
        finish(simulator.new_simulation(game(max_steps=4), seed=seed))
        simulator.close()
    documents = [replay.get_replay_data() for replay in writer.get_completed_replays()]
    assert [document["max_steps"] for document in documents] == [4, 4]
    assert [document["infos"]["attributes"]["seed"] for document in documents] == [0, 1]


def test_an_episode_that_does_not_end_is_not_kept(game: Game) -> None:
    writer = InMemoryReplayWriter()
    simulation = Simulation(game(max_steps=4), event_handlers=[writer])
    simulation.step()
    simulation.close()
    assert writer.get_completed_replays() == []


def test_steps_after_the_end_belong_to_no_replay(game: Game) -> None:
    writer = InMemoryReplayWriter()
    simulation = Simulation(game(max_steps=3), event_handlers=[writer])
    for _ in range(5):
        simulation.step()
    (replay,) = writer.get_completed_replays()
    assert replay.get_replay_data()["max_steps"] == 3


def test_a_replay_outlives_its_simulation(game: Game) -> None:
    writer = InMemoryReplayWriter()
    simulation = Simulation(game(max_steps=3), event_handlers=[writer])
    finish(simulation)
    simulation.close()
    assert len(writer.get_completed_replays()[0].get_replay_data()["objects"]) > 30


def test_files_get_names_of_their_own_and_the_simulation_is_told_the_url(game: Game, tmp_path: Path) -> None:
    writer = ReplayLogWriter(str(tmp_path / "new" / "folder"))
    urls = []
    for seed in range(2):
        simulation = Simulation(game(max_steps=3), seed=seed, event_handlers=[writer])
        finish(simulation)
        urls.append(simulation._context["replay_url"])
    paths = [Path(path) for path in writer.get_written_replay_paths()]
    assert list(writer.get_written_replay_urls().values()) == urls == [path.as_uri() for path in paths]
    assert list(writer.get_written_replay_urls()) == [path.name.removesuffix(".json.z") for path in paths]
    for path in paths:
        assert json.loads(zlib.decompress(path.read_bytes()))["version"] == 4
    assert writer.get_completed_replays() == []


def test_the_published_constants_are_there() -> None:
    assert METTASCOPE_POLICY_INFO_MAX_BYTES == 1024
    assert METTASCOPE_REPLAY_URL_PREFIX.endswith("mettascope.html?replay=")


def logged(game: Game, steps: int = 3) -> EpisodeReplay:
    simulation = Simulation(game())
    replay = EpisodeReplay(simulation)
    for step in range(1, steps + 1):
        simulation.step()
        replay.log_step(step, simulation._c_sim.actions(), np.full(4, 0.5))
    return replay


def test_steps_are_logged_with_the_rewards_that_are_given(game: Game) -> None:
    replay = logged(game)
    agents = [o for o in replay.get_replay_data()["objects"] if o.get("is_agent")]
    assert [agent["current_reward"] for agent in agents] == [0.5] * 4
    assert agents[0]["total_reward"] == [[0, 0.5], [1, 1.0], [2, 1.5]]
    assert replay.step == 3


@pytest.mark.parametrize("step", [0, 3, 5])
def test_steps_that_do_not_follow_are_refused(step: int, game: Game) -> None:
    replay = logged(game, steps=3)
    with pytest.raises(ValueError, match=f"Writing multiple steps at once.*step {step}"):
        replay.log_step(step, np.zeros(4, np.int32), np.zeros(4, np.float32))
    replay.log_step(4, np.zeros(4, np.int32), np.zeros(4, np.float32))
    assert replay.get_replay_data()["max_steps"] == 4


def test_the_name_or_the_chosen_compression_decides_how_a_file_is_packed(game: Game, tmp_path: Path) -> None:
    replay = logged(game)
    heads = {}
    for compression in ("zlib", "gzip"):
        replay.set_compression(compression)
        for name in ("a.json.z", "a.json.gz", "a.cogreplay", "a.replay"):
            replay.write_replay(str(tmp_path / name))
            heads[compression, name] = (tmp_path / name).read_bytes()[:2]
            assert load_replay(tmp_path / name).steps == 3
    packed = {b"\x78\x9c": "zlib", b"\x1f\x8b": "gzip", b"\x89C": "ours"}
    assert [packed[head] for head in heads.values()] == ["zlib", "gzip", "ours", "zlib", "zlib", "gzip", "ours", "gzip"]
    with pytest.raises(ValueError, match="unknown compression 'lzma'; it must be 'zlib' or 'gzip'"):
        replay.set_compression("lzma")


def test_a_finished_replay_takes_no_more_steps(game: Game) -> None:
    replay = logged(game)
    replay.finish()
    with pytest.raises(ValueError, match="finished"):
        replay.record()


def test_replays_are_written_beside_the_next_episode(game: Game, tmp_path: Path) -> None:
    with BackgroundWriter() as background:
        writer = ReplayLogWriter(str(tmp_path), background=background)
        for seed in range(6):
            finish(Simulation(game(max_steps=3), seed=seed, event_handlers=[writer]))
        paths = writer.get_written_replay_paths()
        assert [load_replay(path).seed for path in paths] == list(range(6))


def test_a_background_writer_keeps_the_order_and_waits_when_too_much_waits() -> None:
    done: list[int] = []
    gate = threading.Event()
    background = BackgroundWriter(max_waiting=2)

    def write(number: int) -> None:
        gate.wait()
        done.append(number)

    for number in range(3):
        background.submit(lambda number=number: write(number), f"file {number}")
    fourth = threading.Thread(target=lambda: background.submit(lambda: write(3), "file 3"))
    fourth.start()
    assert fourth.is_alive() and done == []
    gate.set()
    fourth.join()
    background.close()
    assert done == [0, 1, 2, 3]


def test_what_could_not_be_written_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    def fail() -> None:
        raise OSError("the disk is full")

    background = BackgroundWriter()
    for number in range(3):
        background.submit(fail if number else lambda: None, f"file {number}")
    with pytest.raises(ReplayNotWritten, match=r"file 1 could not be written: the disk is full \(and 1 more\)"):
        background.wait()
    background.close()
    assert "file 2 could not be written: the disk is full" in caplog.text


def test_a_program_that_ends_has_written_everything(tmp_path: Path) -> None:
    target = tmp_path / "written"
    program = (
        "import time\n"
        "from mettagrid.replay import BackgroundWriter\n"
        "def write():\n"
        "    time.sleep(0.2)\n"
        f"    open({str(target)!r}, 'w').close()\n"
        "BackgroundWriter().submit(write, 'a file')\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
    assert target.exists()
