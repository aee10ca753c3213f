"""Create a policy and ask its agents for actions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cogames_agents.audit.claims import Claims, read_claims

if TYPE_CHECKING:
    from mettagrid.config.mettagrid_config import MettaGridConfig
    from mettagrid.simulator.interface import AgentObservation
    from mettagrid.types import Action

__all__ = ["Player", "PolicyFailed", "PolicyNotLoaded"]


class PolicyNotLoaded(Exception):
    """The text names no policy, or one that does not take the given arguments or this game."""


class PolicyFailed(Exception):
    """A policy raised an exception, the `__cause__`, in a step."""

    hint = "run it again with --debug to see where this happened"


class Player:
    """A policy that controls all agents of an environment. `policy` is a name, a URI or any other value of `-p`."""

    def __init__(self, env: MettaGridConfig, policy: str) -> None:
        from cogames.policy.arguments import parse_policy_spec
        from mettagrid.policy.loader import initialize_or_load_policy
        from mettagrid.policy.policy_env_interface import PolicyEnvInterface

        try:
            spec = parse_policy_spec(policy).to_policy_spec()
            created = initialize_or_load_policy(PolicyEnvInterface.from_mg_cfg(env), spec)
        except (ValueError, TypeError, OSError, ImportError) as error:
            raise PolicyNotLoaded(f"Cannot load the policy {policy!r}: {error}") from error
        self._agents = [created.agent_policy(agent) for agent in range(env.game.num_agents)]
        for agent in self._agents:
            agent.reset()
        self._name = policy
        self._steps = [0] * len(self._agents)

    def act(self, agent: int, observation: AgentObservation) -> Action:
        """Return the agent's action for its next step."""
        try:
            action = self._agents[agent].step(observation)
        except Exception as error:
            where = f"in step {self._steps[agent]} for agent {agent}"
            raise PolicyFailed(f"The policy {self._name!r} failed {where}: {type(error).__name__}: {error}") from error
        self._steps[agent] += 1
        return action

    def claims(self, agent: int) -> Claims:
        """Return the infos of the agent's last step."""
        return read_claims(self._agents[agent].infos)
