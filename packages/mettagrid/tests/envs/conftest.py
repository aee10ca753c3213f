"""A small game for the tests of the environments, and a recorded episode to play through each of them."""

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from mettagrid.config.game_value import stat
from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.config.reward_config import reward
from mettagrid.map_builder.random_map import RandomMapBuilder


def make_room(num_agents: int = 3, max_steps: int = 6, map_seed: int | None = 11) -> MettaGridConfig:
    """Agents and a few walls at random places of a small room; every successful move is worth 1."""
    config = MettaGridConfig.EmptyRoom(num_agents=num_agents, width=8, height=8, with_walls=True)
    config.game.map_builder = RandomMapBuilder.Config(
        agents=num_agents, width=8, height=8, border_width=1, objects={"wall": 4}, seed=map_seed
    )
    config.game.max_steps = max_steps
    config.game.obs.num_tokens = 60
    config.game.agent.rewards = {"moves": reward(stat("action.move.success"))}
    return config


@pytest.fixture
def room() -> Callable[..., MettaGridConfig]:
    return make_room


def new_buffers(num_agents: int = 3) -> dict[str, np.ndarray]:
    """Slices of larger arrays, as the workers of a trainer get them."""

    def part(dtype: type, *shape: int) -> np.ndarray:
        return np.zeros((2, num_agents, *shape), dtype)[1]

    return {
        "observations": part(np.uint8, 60, 3),
        "rewards": part(np.float32),
        "terminals": part(np.bool_),
        "truncations": part(np.bool_),
        "masks": part(np.bool_),
        "actions": part(np.int32),
        "teacher_actions": part(np.int32),
    }


@pytest.fixture
def make_buffers() -> Callable[..., dict[str, np.ndarray]]:
    return new_buffers


class Teacher:
    """Wants agent 0 to go south, agent 1 to change to vibe 3 and agent 2 to vibe 4, in every world."""

    def __init__(self) -> None:
        self.asked: list[np.ndarray] = []

    def step_batch(self, raw_observations: np.ndarray, raw_actions: np.ndarray) -> None:
        self.asked.append(raw_observations)
        raw_actions[:] = np.tile([2, 5 + 3, 5 + 4], len(raw_actions) // 3)


@pytest.fixture
def teacher() -> Teacher:
    return Teacher()


@dataclass
class Recording:
    """An episode of the published engine: its configuration, actions and results."""

    config: MettaGridConfig
    seed: int
    primary: np.ndarray  # int [steps, agents], engine ids
    vibes: np.ndarray  # int [steps, agents], engine ids, 0 = no change
    num_primary: int
    num_vibes: int
    observations: np.ndarray  # uint32 [steps + 1, agents, tokens], sorted
    rewards: np.ndarray  # float32 [steps, agents]
    terminals: np.ndarray  # bool [steps, agents]
    truncations: np.ndarray
    script: ModuleType

    @property
    def combined(self) -> np.ndarray:
        with_vibe = self.num_primary + self.primary * self.num_vibes + self.vibes - self.num_primary
        return np.where(self.vibes == 0, self.primary, with_vibe)

    @property
    def pairs(self) -> np.ndarray:
        vibes = np.where(self.vibes == 0, 0, self.vibes - self.num_primary + 1)
        return np.stack([self.primary, vibes], axis=-1)

    def check_observations(self, step: int, observations: np.ndarray, agents: slice = slice(None)) -> None:
        """Return the observations after this many steps, of all agents or some."""
        seen = self.script.canonical(observations)
        expected = self.observations[step, agents]
        width = expected.shape[1]
        assert np.array_equal(seen[:, :width], expected), f"observations after step {step}"
        assert (seen[:, width:] == 0xFFFFFF).all()

    def check_step(self, step: int, observations: np.ndarray, rewards: np.ndarray, agents: slice = slice(None)) -> None:
        """Return the results of step number `step`, counted from 0."""
        self.check_observations(step + 1, observations, agents)
        expected = self.rewards[step, agents]
        assert np.allclose(rewards, expected, rtol=1e-5, atol=1e-5), f"rewards of step {step}"


@pytest.fixture(scope="session", params=["arena_8_1_played", "arena_8_1"])
def recording(request: pytest.FixtureRequest, oracle_dir: Path) -> Recording:
    """The first has rewards and no vibe change, the second many vibe changes: its actions are random ones."""
    script = load_script(oracle_dir / "trace_episode.py")
    start = oracle_dir / "missions" / request.param
    trace = dict(np.load(f"{start}.npz"))
    meta = script.read_json(f"{start}.meta.json")
    names = trace["action_names"].tolist()
    num_vibes = sum(name.startswith("change_vibe_") for name in names)
    num_primary = len(names) - num_vibes
    written = Path(f"{start}.actions.npz")
    actions = dict(np.load(written)) if written.exists() else draw_actions(meta, trace, num_primary, num_vibes)
    return Recording(
        config=script.load_config(script.read_json(f"{start}.json.gz")),
        seed=meta["seed"],
        primary=actions["actions"].astype(np.int64),
        vibes=actions["vibe_actions"].astype(np.int64),
        num_primary=num_primary,
        num_vibes=num_vibes,
        script=script,
        **{name: trace[name] for name in ("observations", "rewards", "terminals", "truncations")},
    )


def load_script(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return script


def draw_actions(
    meta: dict[str, int], trace: dict[str, np.ndarray], num_primary: int, num_vibes: int
) -> dict[str, np.ndarray]:
    """The actions of an episode without a file of them, drawn as the README beside the recordings says."""
    steps, agents = trace["rewards"].shape
    rng = np.random.default_rng(meta["action_seed"])
    vibe_ids = [0, *range(num_primary, num_primary + num_vibes)]
    drawn = [(rng.choice(num_primary, size=agents), rng.choice(vibe_ids, size=agents)) for _ in range(steps)]
    primary, vibes = (np.stack(stream) for stream in zip(*drawn, strict=True))
    assert (vibes == 0).any() and (vibes != 0).any()
    return {"actions": primary, "vibe_actions": vibes}
