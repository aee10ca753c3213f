"""Functions under the published module names: playing, evaluating, replays, devices, seeds, signals."""

import io
import os
import random
import signal
import sys
import threading
import zlib
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from cogames import replays
from cogames.cli.mission import get_mission
from cogames.cli.policy import parse_policy_spec
from cogames.curricula import RotationSupplier, make_rotation
from cogames.device import resolve_training_device
from cogames.display_detect import has_display
from cogames.evaluate import RawMissionEvaluationResult, evaluate
from cogames.optional_deps import has_neural, require_neural
from cogames.pickup import pickup
from cogames.play import ELEMENTS, GEAR, play
from cogames.policy.signal_handler import DeferSigintContextManager
from cogames.seed import seed_rollout_rng
from cogames.verbose import print_configs
from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.simulator.multi_episode.summary import MultiEpisodeRolloutSummary


@pytest.fixture
def console() -> Console:
    return Console(file=io.StringIO(), width=120)


@pytest.fixture
def arena() -> MettaGridConfig:
    env = get_mission("arena", cogs=2)[1]
    env.game.max_steps = 10
    return env


def text(console: Console) -> str:
    return console.file.getvalue()  # type: ignore[attr-defined]


def test_play_runs_an_episode_without_a_renderer(console: Console, arena: MettaGridConfig, tmp_path: Path) -> None:
    file = tmp_path / "replays" / "game.json.z"
    policies = [parse_policy_spec("random")]
    assert play(console, arena, policies, "arena", seed=3, render_mode="none", save_replay_file=file) is None
    assert "Episode Complete!\nSteps: 10\n" in text(console)
    assert f"cogames replay {file}" in text(console)
    assert replays.viewer_for_path(file).name == "mettascope"
    play(console, arena, policies, "arena", render_mode="none", save_replay=tmp_path / "folder")
    assert len(list((tmp_path / "folder").iterdir())) == 1
    with pytest.raises(ValueError, match="cannot be combined"):
        play(console, arena, policies, "arena", render_mode="none", save_replay=tmp_path, save_replay_file=file)
    assert (len(ELEMENTS), GEAR[0]) == (4, "miner")


def test_evaluate_returns_a_summary_for_each_mission(console: Console, arena: MettaGridConfig) -> None:
    specs = [parse_policy_spec("random"), parse_policy_spec("noop")]
    summaries = evaluate(console, [("arena", arena)], specs, [1.0, 1.0], episodes=2, action_timeout_ms=250)
    assert [type(summary) for summary in summaries] == [MultiEpisodeRolloutSummary]
    assert summaries[0].episodes == 2
    assert "Policy Assignments" in text(console)
    quiet = Console(file=io.StringIO(), width=20)
    evaluate(quiet, [("arena", arena)], specs[:1], [1.0], 1, 250, output_format="json")
    import json

    assert json.loads(text(quiet))["missions"][0]["mission_name"] == "arena"
    with pytest.raises(ValueError, match="At least one mission"):
        evaluate(console, [], specs, [1.0, 1.0], 1, 250)
    with pytest.raises(ValueError, match="Each policy needs a proportion"):
        evaluate(console, [("arena", arena)], specs, [1.0], 1, 250)
    with pytest.raises(ValueError, match="Unknown game engine 'bitworld'"):
        evaluate(console, [("arena", arena)], specs, [1.0, 1.0], 1, 250, game_engine="bitworld")
    row = np.zeros(2)
    raw = RawMissionEvaluationResult(
        mission_name="arena", per_episode_rewards=[row], per_episode_assignments=[row], per_episode_timeouts=[row]
    )
    assert raw.per_episode_rewards[0] is row


def test_pickup_prints_value_over_replacement(console: Console, arena: MettaGridConfig) -> None:
    before = arena.model_dump()
    pickup(
        console,
        parse_policy_spec("random"),
        [parse_policy_spec("noop")],
        env_cfg=arena,
        mission_name="arena",
        episodes=1,
        seed=3,
        map_seed=4,
        action_timeout_ms=250,
        save_replay_dir=None,
        candidate_label="mine",
        pool_labels=["theirs"],
    )
    assert "arena-c1-r1" in text(console) and "Overall VOR" in text(console)
    assert "Pool order in the mix: theirs" in text(console)
    assert arena.model_dump() == before


def test_configs_are_printed_on_request(console: Console, arena: MettaGridConfig) -> None:
    print_configs(console, arena)
    assert text(console) == ""
    print_configs(console, arena, None, print_cvc_config=True, print_mg_config=True)
    assert "from a file" in text(console) and "num_agents: 2" in text(console)


def test_replays_from_memory_are_opened_through_a_file_that_is_deleted(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[tuple[str, bytes]] = []

    def launch(request: replays.ReplayPathRequest) -> int:
        opened.append((request.replay_path.name, request.replay_path.read_bytes()))
        return 3

    monkeypatch.setattr(replays, "_launch_mettascope_replay", launch)
    data = zlib.compress(b"{}")
    assert replays.launch_replay_bytes(data, prefix="episode-1-") == 3
    assert opened == [("episode-1-replay.json.z", data)]
    assert replays.viewer_for_bytes(b"BITWORLD\x02\x00").name == "bitworld"
    monkeypatch.setattr(replays, "bitworld_viewer", lambda: None)
    with pytest.raises(ValueError, match=r"pip install cogames\[bitworld\]"):
        replays.viewer_for_bytes(b"BITWORLD\x02\x00")


def test_seeding_repeats_all_generators() -> None:
    drawn = []
    for _ in range(2):
        seed_rollout_rng(5)
        drawn.append((random.random(), np.random.rand()))
    assert drawn[0] == drawn[1]


def test_a_rotation_supplies_missions_in_turn_as_copies() -> None:
    missions = [("a", MettaGridConfig(label="a")), ("b", MettaGridConfig(label="b"))]
    supply = make_rotation(missions)
    assert isinstance(supply, RotationSupplier)
    supplied = [supply() for _ in range(3)]
    assert [env.label for env in supplied] == ["a", "b", "a"]
    assert supplied[0] is not supplied[2] and supplied[0] is not missions[0][1]
    with pytest.raises(ValueError, match="at least one mission"):
        make_rotation([])


def test_the_training_device_is_the_cpu_where_there_is_no_other(console: Console) -> None:
    for requested in ("cpu", "auto", "CPU "):
        assert str(resolve_training_device(console, requested)) == "cpu"
    assert text(console) == ""
    assert str(resolve_training_device(console, "cuda:99")) == "cpu"


def test_a_missing_display_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    assert not has_display()
    monkeypatch.setenv("DISPLAY", ":0")
    assert has_display()


def test_missing_networks_end_the_program_with_a_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cogames.optional_deps.find_spec", lambda name: None)
    assert not has_neural()
    with pytest.raises(SystemExit, match=r"pip install cogames\[neural\]"):
        require_neural("tutorial train")
    monkeypatch.undo()
    if has_neural():
        require_neural("tutorial train")


@pytest.fixture
def previous() -> list[int]:
    """The signals that reach the handler that was there before."""
    calls: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: calls.append(number))
    yield calls
    signal.signal(signal.SIGINT, before)


def test_the_first_interrupt_is_raised_inside_and_forwarded_at_the_end(previous: list[int]) -> None:
    deferred = DeferSigintContextManager()
    with deferred:
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
        assert previous == []
    assert (previous, deferred.sigint_count) == ([signal.SIGINT], 1)
    os.kill(os.getpid(), signal.SIGINT)
    assert len(previous) == 2


def test_a_second_interrupt_is_forwarded_at_once(previous: list[int]) -> None:
    with DeferSigintContextManager() as deferred:
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)
        assert len(previous) == 1
    assert (len(previous), deferred.sigint_count) == (1, 2)


def test_without_an_interrupt_nothing_is_forwarded(previous: list[int]) -> None:
    with pytest.raises(ValueError), DeferSigintContextManager():
        raise ValueError
    assert previous == []
    handler = signal.getsignal(signal.SIGINT)
    ran = threading.Thread(target=DeferSigintContextManager().__enter__)
    ran.start()
    ran.join()
    assert signal.getsignal(signal.SIGINT) is handler
