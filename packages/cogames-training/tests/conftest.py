"""Small runs on one thread, and small missions."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from cogames.missions.files import save_mission_file
from cogames_training.args import TrainArgs
from cogames_training.preparation import prepare
from cogames_training.trainer import Trainer
from cogames_training.training import Result, make_trainer, seed_everything, train
from mettagrid.config.game_value import stat
from mettagrid.config.handler_config import Handler, updateActor
from mettagrid.config.mettagrid_config import AgentConfig, GridObjectConfig, MettaGridConfig
from mettagrid.config.reward_config import inventoryReward, reward

SMALL = {
    "missions": ["tutorial.miner"],
    "cogs": 2,
    "policy": "class=lstm",
    "parallel_envs": 2,
    "horizon": 8,
    "minibatch_size": 16,
    "maps": 2,
    "device": "cpu",
    "threads": 1,
    "seed": 5,
    "total_steps": 96,
}


@pytest.fixture(autouse=True)
def _one_thread_outside_of_the_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)  # `run.json` names the commit of the working folder, which takes time to find
    monkeypatch.setenv("WANDB_MODE", "disabled")
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def small_settings() -> dict[str, Any]:
    """The settings of `small_run`."""
    return dict(SMALL)


@pytest.fixture
def small_run(tmp_path: Path) -> Callable[..., Result]:
    """Train for at most `epochs` epochs, in 2 worlds for 8 steps each; keyword arguments are settings."""

    def small_run(
        run: str = "run",
        *,
        folder: Path = tmp_path,
        layout: str = "tutorial",
        epochs: int = 999,
        tell: Callable[[str], None] = lambda text: None,
        **settings: Any,
    ) -> Result:
        return train(
            TrainArgs(**SMALL | settings),
            run=run,
            layout=layout,
            checkpoints=folder,
            tell=tell,
            stop=lambda report: report.epoch >= epochs,
        )

    return small_run


@pytest.fixture
def small_trainer() -> Iterator[Callable[..., Trainer]]:
    """Make a trainer as `train` does, with the settings of `small_run`."""
    made: list[Trainer] = []

    def small_trainer(**settings: Any) -> Trainer:
        args = TrainArgs(**SMALL | settings)
        args.check()
        seed_everything(args.seed)
        made.append(make_trainer(args, prepare(args)))
        return made[-1]

    yield small_trainer
    for trainer in made:
        trainer.close()


@pytest.fixture(scope="session")
def two_teams() -> Callable[[Path], str]:
    """Write a mission into a folder and return its file: two teams of two, mixed on the map; moves are worth 1.

    Its episodes have 5 steps.
    """

    def two_teams(folder: Path) -> str:
        env = MettaGridConfig.EmptyRoom(num_agents=4, width=6, height=4)
        moves = {"moves": reward(stat("action.move.success"))}
        env.game.agents = [AgentConfig(team_id=team, rewards=moves) for team in (0, 0, 1, 1)]
        env.game.max_steps, env.game.episode_truncates = 5, True
        env.game.obs.width, env.game.obs.height, env.game.obs.num_tokens = 5, 3, 40
        env.with_ascii_map(["######", "#A.BB#", "#.A..#", "######"], {"A": "agent.team_0", "B": "agent.team_1"})
        save_mission_file(env, folder / "teams.json")
        return str(folder / "teams.json")

    return two_teams


@pytest.fixture
def corridor(tmp_path: Path) -> Callable[..., str]:
    """Write a mission and return its file: a corridor with agents `@` and a mine `M`.

    A move into the mine is worth 1; with one agent two steps away from it, an episode is worth `steps` - 2 at best.
    `extra` resources and objects come before the others, so that all ids differ.
    """

    def corridor(
        line: str, *, steps: int = 16, truncates: bool = False, extra: bool = False, reward: float = 1.0
    ) -> str:
        env = MettaGridConfig.EmptyRoom(num_agents=line.count("@"), width=len(line), height=3)
        game = env.game
        game.resource_names = ["apple", "ore"] if extra else ["ore"]
        game.max_steps, game.episode_truncates = steps, truncates
        game.obs.width, game.obs.height, game.obs.num_tokens = 9, 3, 40
        if extra:
            game.objects = {"anvil": GridObjectConfig(name="anvil"), **game.objects}
        mine = Handler(mutations=[updateActor({"ore": 1})])
        game.objects["mine"] = GridObjectConfig(name="mine", on_use_handler=mine)
        game.agent.rewards = {"ore": inventoryReward("ore", weight=reward)}
        env.with_ascii_map(["#" * len(line), line, "#" * len(line)], {"M": "mine"})
        path = tmp_path / f"corridor-{len(list(tmp_path.glob('corridor-*')))}.json"
        save_mission_file(env, path)
        return str(path)

    return corridor
