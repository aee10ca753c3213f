"""A small game, policies to play it, and where other processes find them."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from mettagrid.config.mettagrid_config import MettaGridConfig, TalkConfig
from mettagrid.policy.policy_spec import PolicySpec

STAND_INS = Path(__file__).parent / "stand_ins"
sys.path.insert(0, str(STAND_INS))


@pytest.fixture(autouse=True)
def stand_ins(monkeypatch: pytest.MonkeyPatch) -> None:
    """`stand_in_policies` can be imported in processes started from here, too."""
    monkeypatch.setenv("PYTHONPATH", str(STAND_INS))


def make_room(agents: int = 4, *, steps: int = 10, talk: bool = False) -> MettaGridConfig:
    env = MettaGridConfig.EmptyRoom(num_agents=agents, width=10, height=10, with_walls=True)
    env.game.max_steps = steps
    if talk:
        env.game.talk = TalkConfig(enabled=True, max_length=20, cooldown_steps=1)
    return env


@pytest.fixture
def room() -> Callable[..., MettaGridConfig]:
    """`room(agents=4, steps=10, talk=False)`: a walled room in which agents can walk."""
    return make_room


@pytest.fixture
def stand_in() -> Callable[..., PolicySpec]:
    """`stand_in("Walker", x=1)`: the spec of a policy in `stand_in_policies`."""

    def make(name: str, **kwargs: object) -> PolicySpec:
        return PolicySpec(class_path=f"stand_in_policies.{name}", init_kwargs=kwargs)

    return make
