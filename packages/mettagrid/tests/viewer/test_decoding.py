"""The viewer never disagrees with the engine: its decoder against what the engine said while the episode was played."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.replay import EpisodeRecorder, save_replay
from mettagrid.simulator import Simulation

from .conftest import STEPS, TICK, Watched

pytestmark = pytest.mark.slow

Dump = Callable[..., list[Any]]


@pytest.mark.parametrize("kind", ["cogreplay", "v4"])
def test_every_frame_of_an_episode_is_what_the_engine_said(
    kind: str, watched: Watched, replay_files: dict[str, Path], dump: Dump
) -> None:
    said = dict(dump("digests", replay_files[kind]))
    first = 1 if kind == "v4" else 0  # the published format leaves out the state before the first step
    assert list(said) == list(range(first, STEPS + 1))
    assert [tick for tick in said if said[tick] != watched.digests[tick]] == []


@pytest.mark.parametrize("kind", ["cogreplay", "v4"])
def test_walls_totals_and_stats_are_what_the_engine_said(
    kind: str, watched: Watched, replay_files: dict[str, Path], dump: Dump
) -> None:
    ticks = [tick for tick in watched.states if tick > 0]
    for frame in dump("frames", replay_files[kind], *ticks):
        tick = frame["tick"]
        told = {number: (name, (x, y)) for number, name, x, y, _, _ in frame["objects"]}
        said = {number: (item["type_name"], item["location"]) for number, item in watched.states[tick].items()}
        assert told == said
        totals = [agent["total"] for agent in frame["agents"]]
        assert totals == pytest.approx(watched.totals[tick].tolist(), abs=1e-9)
        if kind == "cogreplay":
            tokens = ("tokens_written", "tokens_dropped", "tokens_free_space")
            known = {name: value for name, value in watched.stats[tick].items() if name not in tokens}
            # A stat is 0 before anything is counted; the engine has none then.
            assert {name: value for name, value in frame["stats"].items() if value or name in known} == known


def tokens_of(observation: np.ndarray) -> list[list[int]]:
    return sorted(token for token in observation.tolist() if token[1] != 255)


def test_rebuilt_observations_are_what_agents_observed(
    watched: Watched, replay_files: dict[str, Path], dump: Dump
) -> None:
    for frame in dump("frames", replay_files["cogreplay"], *watched.observations):
        for agent, told in enumerate(frame["observations"]):
            assert told["missing"] == []
            assert sorted(told["tokens"]) == tokens_of(watched.observations[frame["tick"]][agent])


def test_what_the_published_format_cannot_tell_is_left_out_and_named(
    watched: Watched, replay_files: dict[str, Path], dump: Dump
) -> None:
    (frame,) = dump("frames", replay_files["v4"], TICK)
    assert frame["territory"] == "derived"
    features = {feature.name: feature.id for feature in watched_features(watched)}
    unknown = {features[f"lp:{side}"] for side in ("east", "west", "north", "south")}
    for agent, told in enumerate(frame["observations"]):
        assert told["missing"] == ["lp:*"]
        observed = tokens_of(watched.observations[TICK][agent])
        assert sorted(told["tokens"]) == [token for token in observed if token[1] not in unknown]


def watched_features(watched: Watched) -> list[Any]:
    from mettagrid.policy.policy_env_interface import PolicyEnvInterface

    return list(PolicyEnvInterface.from_mg_cfg(watched.config).obs_features)


@pytest.mark.parametrize("name", ["obs_vision_00", "obs_vision_01", "spawning_00", "event_motion_00", "territory_00"])
@pytest.mark.filterwarnings("ignore::mettagrid.compiler.errors.ConfigWarning")
def test_other_games_are_decoded_too(name: str, oracle_dir: Path, tmp_path: Path, dump: Dump) -> None:
    """Things that block sight, appear, move and own cells; played with random actions."""
    config = MettaGridConfig.model_validate_json((oracle_dir / "cases" / f"{name}.json").read_text())
    simulation = Simulation(config, seed=3)
    recorder = EpisodeRecorder.of(simulation)
    random = np.random.default_rng(3)
    states = [simulation.grid_objects()]
    observations = [simulation._c_sim.observations().copy()]
    for _ in range(20):
        simulation._c_sim.actions()[:] = random.integers(0, len(simulation.action_names), simulation.num_agents)
        simulation.step()
        recorder.record()
        states.append(simulation.grid_objects())
        observations.append(simulation._c_sim.observations().copy())
    save_replay(recorder.finish(), tmp_path / "game.cogreplay")
    for frame in dump("frames", tmp_path / "game.cogreplay", *range(21)):
        said = states[frame["tick"]]
        told = {number: (name, (x, y), dict(held)) for number, name, x, y, held, _ in frame["objects"]}
        assert told == {n: (item["type_name"], item["location"], item["inventory"]) for n, item in said.items()}
        for agent, rebuilt in enumerate(frame["observations"]):
            observed = tokens_of(observations[frame["tick"]][agent])
            if not rebuilt["missing"]:
                assert sorted(rebuilt["tokens"]) == observed
            else:
                assert not [token for token in rebuilt["tokens"] if token not in observed]
