"""A small game whose scores are known, and policies that earn a chosen amount in it."""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cogames.main import app

# Every move pays 1; with several teams each agent earns for itself.
MISSION = """
from mettagrid.config.mettagrid_config import AgentConfig, MettaGridConfig
from mettagrid.config.game_value import stat
from mettagrid.config.reward_config import reward
from mettagrid.map_builder.random_map import RandomMapBuilder

def get_config():
    env = MettaGridConfig.EmptyRoom(num_agents={agents}, width=12, height=12)
    kinds = {{f"team_{{team}}": {spawns} // {teams} for team in range({teams})}}
    env.game.max_steps = {steps}
    env.game.agents = [
        AgentConfig(team_id=number % {teams}, rewards={{"moves": reward(stat("action.move.success"))}})
        for number in range({agents})
    ]
    env.game.map_builder = RandomMapBuilder.Config(width=12, height=12, agents=kinds, border_width=1)
    return env
"""
POLICIES = """
import os
import signal
import time
from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy
from mettagrid.types import Action

class Agent(AgentPolicy):
    def __init__(self, policy_env_info, policy):
        super().__init__(policy_env_info)
        self.policy, self.number = policy, 0

    def step(self, obs):
        self.number += 1
        self.policy.before(self.number)
        if self.number > self.policy.moves:
            return Action(name="noop")
        return Action(name=("move_east", "move_west", "move_north", "move_south")[self.number % 4])

class Mover(MultiAgentPolicy):
    '''Each agent tries to move in its first steps.'''

    def __init__(self, policy_env_info, moves="0"):
        super().__init__(policy_env_info)
        self.moves = int(moves)

    def before(self, number):
        pass

    def agent_policy(self, agent_id):
        return Agent(self.policy_env_info, self)

class Raiser(Mover):
    def before(self, number):
        if number == 3:
            raise RuntimeError(f"no idea, says {self!r}")

class Dier(Mover):
    def before(self, number):
        if number == 3:
            os._exit(7)

class Unborn(Mover):
    def __init__(self, policy_env_info, moves="0"):
        raise RuntimeError("no weights")

class Killer(Mover):
    '''Kills the ladder once, when it has finished as many games as LADDER_KILL_AT says.'''

    def before(self, number):
        at = os.environ.get("LADDER_KILL_AT")
        if at is None or number != 2:
            return
        if sum(not name.startswith(".") for name in os.listdir("out/games")) < int(at):
            return
        try:
            open(f"killed-at-{at}", "x").close()
        except FileExistsError:
            return
        os.kill(os.getppid(), signal.SIGKILL)
        signal.pause()

class Fickle(Mover):
    '''Moves in one step more in every episode.'''

    def __init__(self, policy_env_info, moves="0"):
        with open("episodes.txt", "a+") as file:
            super().__init__(policy_env_info, file.tell())
            file.write("x")

class Slow(Mover):
    def before(self, number):
        until = time.perf_counter() + 0.05
        while number == 2 and time.perf_counter() < until:
            pass

class SetWalker(Mover):
    '''Depends on the order of a set of strings, which differs between processes unless they agree on it.'''

    def before(self, number):
        self.moves = len(next(iter({"a", "bb", "ccc", "dddd", "eeeee", "ffffff"})))
"""


@dataclass(frozen=True)
class Ran:
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def error(self) -> str:
        """Return the line that says what was wrong."""
        return next((line for line in self.err.splitlines() if line.startswith("Error")), "")

    @property
    def hints(self) -> list[str]:
        return [line.removeprefix("hint: ") for line in self.err.splitlines() if line.startswith("hint: ")]


def write_mission(path: Path, *, agents: int = 4, teams: int = 1, steps: int = 8, spawns: int | None = None) -> None:
    spawns = agents if spawns is None else spawns
    path.write_text(MISSION.format(agents=agents, teams=teams, steps=steps, spawns=spawns))


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A working folder with the mission `moves.py` (one team), `versus.py` (four teams) and the module `players`."""
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "path", list(sys.path))
    write_mission(folder / "moves.py")
    write_mission(folder / "versus.py", agents=8, teams=4)
    (folder / "players.py").write_text(POLICIES)
    modules = set(sys.modules)
    yield folder
    for name in set(sys.modules) - modules:
        file = getattr(sys.modules[name], "__file__", None)
        if file is not None and Path(file).is_relative_to(tmp_path):
            del sys.modules[name]


@pytest.fixture
def ladder(work: Path) -> Callable[..., Ran]:
    """Calls `cogames ladder` in this process, in the working folder."""

    def run(*words: object) -> Ran:
        result = CliRunner().invoke(app, ["ladder", *(str(word) for word in words)])
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        return Ran(result.exit_code, result.stdout, result.stderr)

    return run


def mover(moves: int) -> str:
    return f"class=players.Mover,kw.moves={moves}"
