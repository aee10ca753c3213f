"""Policies for tests: well behaved ones, and ones that each break one rule. `step` counts from 0."""

import os
import random
import signal
from contextlib import suppress
from pathlib import Path

import numpy as np

from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy
from mettagrid.types import Action

MOVES = ["move_north", "move_east", "move_south", "move_west"]
NOW = [0.0]  # seconds of a clock that stands still unless a policy moves it


def clock() -> float:
    return NOW[0]


class Agent(AgentPolicy):
    def __init__(self, parent: "Base", agent_id: int) -> None:
        super().__init__(parent.policy_env_info)
        self.parent, self.agent_id, self.step_count = parent, agent_id, 0

    def reset(self, simulation=None) -> None:
        self.step_count = 0

    def step(self, obs):
        action = self.parent.choose(self, obs)
        self.step_count += 1
        return action


class Base(MultiAgentPolicy):
    def __init__(self, policy_env_info, device="cpu", **kwargs) -> None:
        super().__init__(policy_env_info, device)
        self.options = kwargs

    def agent_policy(self, agent_id):
        return Agent(self, agent_id)

    def choose(self, agent, obs):
        return Action(name="noop")


class Walker(Base):
    """Walks where the bytes of its observation say."""

    def choose(self, agent, obs):
        number = sum(sum(token.raw_token) for token in obs.tokens) + agent.step_count + agent.agent_id
        return Action(name=MOVES[number % 4])


class BatchWalker(Walker):
    """The same, for all its agents at once."""

    supports_step_batch = True

    def __init__(self, policy_env_info, device="cpu", **kwargs) -> None:
        super().__init__(policy_env_info, device, **kwargs)
        self.steps = 0

    def step_batch(self, raw_observations, raw_actions):
        for agent_id, tokens in enumerate(raw_observations):
            rows = tokens[tokens[:, 0] != 255].astype(int)
            number = int(rows.sum()) + self.steps + agent_id
            raw_actions[agent_id] = self.policy_env_info.action_name_to_flat_index[MOVES[number % 4]]
        self.steps += 1


class Gambler(Base):
    """Draws from the generators that all code of a process shares."""

    def choose(self, agent, obs):
        return Action(name=MOVES[(random.randrange(4) + int(np.random.randint(4))) % 4])


class Slow(Base):
    """Takes `ms` for every answer, by the clock of this module."""

    def choose(self, agent, obs):
        NOW[0] += float(self.options["ms"]) / 1000
        return Action(name="move_east")


class Demanding(Base):
    minimum_action_timeout_ms = 30_000


class Crasher(Walker):
    """Raises at step `at`."""

    def choose(self, agent, obs):
        if agent.step_count == int(self.options.get("at", 3)):
            raise ValueError("I cannot continue")
        return super().choose(agent, obs)


class Leaver(Walker):
    """Calls sys.exit at step 3."""

    def choose(self, agent, obs):
        if agent.step_count == 3:
            raise SystemExit(5)
        return super().choose(agent, obs)


class Flyer(Walker):
    """Chooses an action that no game has, at step 3."""

    def choose(self, agent, obs):
        return Action(name="fly") if agent.step_count == 3 else super().choose(agent, obs)


class Garbler(Walker):
    """Answers with a number, at step 3."""

    def choose(self, agent, obs):
        return 42 if agent.step_count == 3 else super().choose(agent, obs)


class WildBatch(BatchWalker):
    """Writes an invalid action number at step 3."""

    def step_batch(self, raw_observations, raw_actions):
        steps = self.steps
        super().step_batch(raw_observations, raw_actions)
        if steps == 3:
            raw_actions[:] = 10_000


class BadAtBirth(Base):
    def __init__(self, policy_env_info, device="cpu", **kwargs) -> None:
        super().__init__(policy_env_info, device)
        raise RuntimeError("no weights")


class Killer(Walker):
    """Ends its process at step 3: always, or only if it can create the file `once`."""

    def choose(self, agent, obs):
        if agent.step_count == 3:
            once = self.options.get("once")
            with suppress(FileExistsError):  # exclusive, because several workers may arrive at once
                if once is not None:
                    Path(once).touch(exist_ok=False)
                os.kill(os.getpid(), signal.SIGKILL)
        return super().choose(agent, obs)


class Talker(Base):
    """Says the step aloud, and shows what it heard."""

    def choose(self, agent, obs):
        agent._infos = {"heard": [talk.text for talk in obs.talk], "step": agent.step_count}
        return Action(name="noop", talk=f"step {agent.step_count}")


class Grouped(Base):
    """Decides for all its agents in one call."""

    def agent_policy(self, agent_id):
        return GroupedAgent(self, agent_id)


class GroupedAgent(Agent):
    def can_step_group(self, policies):
        return all(isinstance(policy, GroupedAgent) for policy in policies)

    def step_group(self, observations):
        self.parent.options.setdefault("calls", []).append([agent_id for agent_id, _ in observations])
        return [Action(name=MOVES[agent_id % 4]) for agent_id, _ in observations]

    def group_step_infos(self, agent_ids):
        return [{"group": len(agent_ids)} for _ in agent_ids]


class Secretive(Base):
    """Writes the environment variables that concern it to its output."""

    def __init__(self, policy_env_info, device="cpu", **kwargs) -> None:
        super().__init__(policy_env_info, device)
        print({name: value for name, value in os.environ.items() if "SECRET" in name}, flush=True)
