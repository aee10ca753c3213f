"""The renderer under both loops, its clock, and its use by the commands."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from websockets.sync.client import connect

from mettagrid.live import BadOrder, Clock, LiveRenderer, play_live
from mettagrid.live._browser import BrowserRenderer
from mettagrid.policy.policy import AgentPolicy
from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.renderer.renderer import create_renderer
from mettagrid.replay import load_replay
from mettagrid.runner.episode import play_episode
from mettagrid.simulator.interface import AgentObservation
from mettagrid.simulator.rollout import Rollout
from mettagrid.types import Action

from .conftest import Client, plan_of, room, until


class Nobody:
    def waiting_for(self) -> list[int]:
        return []

    def acts_now(self) -> bool:
        return False


class Still(AgentPolicy):
    def step(self, obs: AgentObservation) -> Action:
        return Action("noop")


def in_a_thread(work: Any) -> threading.Thread:
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def test_a_paused_clock_waits_until_it_plays_steps_or_ends() -> None:
    clock = Clock(steps_per_second=1000)
    taken: list[bool] = []

    def play() -> None:
        while clock.wait(Nobody()):
            taken.append(True)

    thread = in_a_thread(play)
    clock.step(3)
    until(lambda: len(taken) == 3, "three steps")
    clock.play()
    until(lambda: len(taken) > 20, "playing")
    clock.pause()
    clock.end()
    thread.join(20)
    assert not thread.is_alive()


def test_speeds_and_modes_that_do_not_exist_are_refused() -> None:
    clock = Clock()
    for speed in (0, -1, 1001, float("nan")):
        with pytest.raises(BadOrder, match="The speed must be from"):
            clock.set_speed(speed)
    with pytest.raises(BadOrder, match="must be one of fixed, tick_when_act, not 'slow'"):
        clock.set_mode("slow")  # type: ignore[arg-type]


def test_a_view_in_the_same_thread_is_called_while_the_game_waits() -> None:
    clock = Clock(steps_per_second=1000)
    calls: list[int] = []

    def idle() -> None:
        calls.append(1)
        if len(calls) == 3:
            clock.play()

    outcome = play_episode(plan_of(steps=4), renderer=LiveRenderer(clock, idle=idle))
    assert outcome.steps == 4
    assert len(calls) >= 6


def test_an_ended_clock_ends_the_episode_after_one_step_and_its_replay_is_kept() -> None:
    renderer = LiveRenderer()
    renderer.clock.end()
    assert play_episode(plan_of(), renderer=renderer).steps == 1
    assert load_replay(renderer.feed.whole()[1]).last_tick == 1


def test_deferred_actions_work_as_published() -> None:
    renderer = LiveRenderer(Clock(paused=False, steps_per_second=1000))
    renderer.defer_user_action(0, Action("move_east"))  # cleared by the beginning of the episode
    plan = plan_of(agents=1, steps=30)
    real = renderer.on_episode_start

    def start() -> None:
        real()
        renderer.defer_user_action(0, Action("move_east"))

    renderer.on_episode_start = start  # type: ignore[method-assign]
    play_episode(plan, renderer=renderer)
    names = renderer._sim.action_names
    assert [names[int(moves.actions[0])] for moves in renderer.moves[:3]] == ["move_east", "noop", "noop"]


def test_the_gui_of_a_rollout_is_played_from_a_page(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mettagrid.live._play._RELOAD_SECONDS", 0.1)
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    env = room(1, steps=5)
    rollout = Rollout(env, [Still(PolicyEnvInterface.from_mg_cfg(env))], render_mode="gui")
    renderer = rollout._renderer
    assert isinstance(renderer, BrowserRenderer)
    assert renderer.server is not None
    token = renderer.server.address.partition("token=")[2]
    address = f"ws://127.0.0.1:{renderer.server.port}"
    with (
        connect(f"{address}/global?token={token}", max_queue=None) as page,
        connect(f"{address}/admin?token={token}") as host,
    ):
        thread = in_a_thread(rollout.run_until_done)
        watcher, admin = Client(page), Client(host)
        assert watcher.receive()["can_branch"] is False
        assert admin.ask("branch", tick=0)["message"] == "This game has no branches"
        admin.ask("resume")
        assert watcher.next("final")["step"] == 5
        assert thread.is_alive()  # the page is still open
    thread.join(20)
    assert not thread.is_alive()
    said = capsys.readouterr().err
    assert "Open this address in a browser:\nhttp://127.0.0.1:" in said
    assert "The episode is over; close the page or press Ctrl-C to exit" in said


def test_an_episode_that_nobody_watches_ends_by_itself(capsys: pytest.CaptureFixture[str]) -> None:
    outcome = play_live(plan_of("random", steps=6), autostart=True, browser=False)
    assert outcome.compared() == play_episode(plan_of("random", steps=6)).compared()
    assert "#token=" in capsys.readouterr().err


def test_a_browser_is_opened_where_there_is_a_display(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    opened: list[str] = []

    def fake_open(address: str) -> bool:
        opened.append(address)
        return True

    monkeypatch.setattr("webbrowser.open", fake_open)
    monkeypatch.setenv("DISPLAY", ":9")
    play_live(plan_of(steps=2), autostart=True)
    assert len(opened) == 1
    assert opened[0] in capsys.readouterr().err


def test_modes_without_a_renderer_are_refused() -> None:
    with pytest.raises(ValueError, match="Invalid render_mode: 'film'"):
        create_renderer("film")  # type: ignore[arg-type]
