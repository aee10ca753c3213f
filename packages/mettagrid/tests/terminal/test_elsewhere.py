"""Without a terminal, and through the other entry points: `play_episode`, `cogames play`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.policy.policy_spec import PolicySpec
from mettagrid.renderer.renderer import create_renderer
from mettagrid.runner.episode import EpisodePlan, play_episode
from mettagrid.simulator import Simulation
from packages.mettagrid.tests.terminal.shell import GAME, Game, Shell


def test_without_a_terminal_every_step_is_printed_and_nothing_is_waited_for(tmp_path: Path) -> None:
    command = [sys.executable, "-W", "error", str(GAME), str(tmp_path), "short"]
    environment = os.environ | {"LC_ALL": "C.UTF-8", "COLUMNS": "80", "LINES": "24"}
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=60, env=environment)
    text = done.stdout.decode()
    assert (done.returncode, done.stderr) == (0, b"")
    assert [f"Step {step}/30" in text for step in range(31)] == [True] * 31
    assert "\x1b" not in text
    assert "██·  0· · · · · ██" in text
    assert text.endswith("played 30 steps, reward 0\n")


def test_a_view_that_nobody_can_see_does_not_change_the_game(capsys: pytest.CaptureFixture[str]) -> None:
    env = MettaGridConfig.EmptyRoom(num_agents=2)
    env.game.max_steps = 6
    seen = play_episode(_plan(env), renderer=create_renderer("unicode"))
    assert "Step 6/6" in capsys.readouterr().out
    assert seen.stats == play_episode(_plan(env)).stats


def test_a_loop_that_knows_only_render_works_too(capsys: pytest.CaptureFixture[str]) -> None:
    renderer = create_renderer("unicode")
    simulation = Simulation(MettaGridConfig.EmptyRoom(num_agents=1), event_handlers=[renderer])
    for _ in range(3):
        simulation.step()
        renderer.render()
    simulation.close()
    assert "Step 3/" in capsys.readouterr().out


def test_cogames_play_shows_the_game_and_then_the_results(shell: Shell, tmp_path: Path) -> None:
    program = Path(sys.executable).with_name("cogames")
    replay = tmp_path / "replay.json.z"
    folder = shell.start(f"{program} play -m arena -c 2 -p starter -s 40 -r unicode --save-replay-file {replay}")
    game = Game(shell, folder)
    shell.until_shows("Step 0/40", "PAUSED", "StarterPolicy", "hub")
    shell.press("m", "d")
    shell.until_shows("you drive", "move_east", "Step 1/")
    shell.press("m", "n")
    shell.until_shows("StarterPolicy", "Step 2/")
    shell.press("q")
    shell.until_shows("Episode Complete!", "Steps: 3", "Episode Stats", "Replay saved!")
    assert game.left(has_pid=False) == 0
    assert replay.exists()


def _plan(env: MettaGridConfig) -> EpisodePlan:
    return EpisodePlan(env, [PolicySpec(class_path="random")], [0, 0], seed=1)
