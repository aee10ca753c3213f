"""An installed wheel shows a replay in a browser, on a machine without Node.js and without this repository."""

import os
import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import Browser

pytestmark = pytest.mark.slow

PLAY = """
import sys
from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.replay import EpisodeRecorder, save_replay
from mettagrid.simulator import Simulation
simulation = Simulation(MettaGridConfig.EmptyRoom(num_agents=2), seed=1)
recorder = EpisodeRecorder.of(simulation)
for _ in range(20):
    simulation.step()
    recorder.record()
save_replay(recorder.finish(), sys.argv[1])
"""


def test_the_wheel_opens_a_replay_without_node(tmp_path: Path, empty_python: Path, browser: Browser) -> None:
    bare = {"PATH": "/nowhere", "HOME": str(tmp_path), "LANG": os.environ.get("LANG", "C.UTF-8")}
    replay = tmp_path / "episode.cogreplay"
    subprocess.run([empty_python, "-c", PLAY, replay], check=True, env=bare, cwd=tmp_path)
    command = [empty_python, "-m", "mettagrid.viewer", replay, "--no-browser"]
    with subprocess.Popen(command, env=bare, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        page = browser.new_page()
        page.goto(server.stdout.readline().strip())
        page.wait_for_selector(".row-button[data-id]")
        assert page.locator(".row-button[data-id]").count() == 2
        assert page.locator(".last-tick").inner_text() == "/ 20"
        page.close()
        server.terminate()
