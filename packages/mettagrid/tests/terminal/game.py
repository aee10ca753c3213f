"""A small game in a terminal, run by the tests: `python game.py FOLDER HOW`.

Two agents in a room; agent 0 walks to and fro between west and east, agent 1 rests. HOW names what else happens.
"""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.map_builder.ascii import AsciiMapBuilder
from mettagrid.policy.policy import AgentPolicy
from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.simulator.interface import AgentObservation
from mettagrid.simulator.rollout import Rollout
from mettagrid.types import Action

ROOM = [
    "#########",
    "#.......#",
    "#.@.....#",
    "#.......#",
    "#....@..#",
    "#########",
]
LESSON: Mapping[str, Any] = {
    "type": "lesson",
    "lesson": {"name": "moving", "title": "Moving", "number": 1, "count": 8},
    "goal": {
        "number": 2,
        "count": 3,
        "title": "Go to the mark",
        "text": "Take cog 0 over and walk.",
        "hint": "Press m, then d.",
        "progress": 0.5,
        "done": False,
    },
    "highlight": {"cells": [[6, 2]], "objects": []},
    "finished": False,
}


class Walker(AgentPolicy):
    """Walks, and performs the requested action at its fifth step."""

    def __init__(self, interface: PolicyEnvInterface, number: int, how: str) -> None:
        super().__init__(interface)
        self._number, self._how, self._steps = number, how, 0

    def step(self, obs: AgentObservation) -> Action:
        self._steps += 1
        if self._how == "print":
            print(f"printed at {self._steps}")
            os.write(2, b"from below\n")
        if self._steps == 5 and self._number == 0:
            if self._how == "raise":
                raise RuntimeError("the policy has broken")
            if self._how == "abort":
                os.abort()
        if self._number != 0:
            return Action("noop")
        return Action("move_east" if self._steps % 2 else "move_west")


def main() -> None:
    folder, how = Path(sys.argv[1]), sys.argv[2]
    (folder / "pid").write_text(str(os.getpid()))
    env = MettaGridConfig.EmptyRoom(num_agents=2)
    env.game.map_builder = AsciiMapBuilder.Config(
        map_data=[list(row) for row in ROOM],
        char_to_map_name={"#": "wall", ".": "empty", "@": "agent.agent"},
    )
    env.game.max_steps = 30 if how == "short" else 1000
    env.game.talk.enabled = how == "talk"
    interface = PolicyEnvInterface.from_mg_cfg(env)
    policies: list[AgentPolicy] = [Walker(interface, number, how) for number in range(2)]
    names = ["walker", "sleeper"]
    rollout = Rollout(env, policies, policy_names=names, render_mode="unicode", autostart=how == "autostart")
    assert rollout._renderer is not None
    if how == "lesson":
        rollout._renderer.show_lesson(LESSON)
    rollout.run_until_done()
    print(f"played {rollout._sim.current_step} steps, reward {rollout._sim.episode_rewards.sum():g}")


if __name__ == "__main__":
    main()
