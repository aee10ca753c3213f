"""Roles: a piece of gear each, and the vibes that show them."""

from collections.abc import Sequence

from cogsguard.game.roles.aligner import AlignerVariant
from cogsguard.game.roles.miner import MinerVariant
from cogsguard.game.roles.role import RoleVariant
from cogsguard.game.roles.scout import ScoutVariant
from cogsguard.game.roles.scrambler import ScramblerVariant
from mettagrid.cogame.core import MissionError
from mettagrid.config.mettagrid_config import AgentConfig, MettaGridConfig

__all__ = [
    "ROLE_NAMES",
    "ROLE_NAME_SET",
    "AlignerVariant",
    "MinerVariant",
    "RoleVariant",
    "ScoutVariant",
    "ScramblerVariant",
    "assign_role_vibes",
    "require_role_names_from_vibes",
    "validate_role_name",
]

ROLE_NAMES = ("miner", "aligner", "scrambler", "scout")
"""The roles in the order in which a team hands them out."""

ROLE_NAME_SET = frozenset(ROLE_NAMES)


def validate_role_name(role_name: str) -> str:
    """Return the name, or raise `MissionError` if no role has it."""
    if role_name not in ROLE_NAME_SET:
        raise MissionError(f"Unknown role {role_name!r}; the roles are: {', '.join(ROLE_NAMES)}.")
    return role_name


def assign_role_vibes(
    env: MettaGridConfig, role_names_by_agent: Sequence[str], *, agent_cfgs: Sequence[AgentConfig] | None = None
) -> None:
    """Set the initial vibe of each agent (all of the environment's by default) to that of its role."""
    agents = env.game.agents if agent_cfgs is None else agent_cfgs
    if len(role_names_by_agent) != len(agents):
        raise MissionError(f"{len(role_names_by_agent)} roles for {len(agents)} agents; give one role per agent.")
    vibes = env.game.vibe_names
    for agent, role in zip(agents, role_names_by_agent, strict=True):
        if validate_role_name(role) not in vibes:
            raise MissionError(f"The environment has no vibe {role!r}; its vibes are: {', '.join(vibes) or 'none'}.")
        agent.vibe = vibes.index(role)


def require_role_names_from_vibes(env: MettaGridConfig, agent_cfgs: Sequence[AgentConfig]) -> tuple[str, ...]:
    """Return the role each agent shows, or raise `MissionError` if one shows another vibe."""
    vibes = env.game.vibe_names
    names = [vibes[agent.vibe] if agent.vibe < len(vibes) else f"number {agent.vibe}" for agent in agent_cfgs]
    return tuple(validate_role_name(name) for name in names)
