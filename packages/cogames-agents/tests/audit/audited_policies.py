"""Policies for the audit's tests: a sound team that publishes infos, and copies of any policy with one defect.

The copies change what the policy observes, does or reports, and leave everything else to it.
"""

from collections.abc import Sequence
from typing import Any

from cogames.policy.arguments import parse_policy_spec
from cogames.policy.cells import lowest
from cogames.policy.starter_agent import BaseStarterPolicy, StarterCogPolicyImpl, StarterCogState
from mettagrid.policy.loader import initialize_or_load_policy
from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy
from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.simulator.interface import AgentObservation, ObservationToken
from mettagrid.types import Action

ROLES = ("miner", "scout", "aligner", "scrambler", "miner", "scrambler", "aligner", "miner", "scout", "miner")
TEAM = "audited_policies.TeamPolicy"


class TeamCog(StarterCogPolicyImpl):
    """A starter cog that tells its role, its goal and what it knows."""

    def __init__(self, policy_env_info: PolicyEnvInterface, agent_id: int) -> None:
        self.role = ROLES[agent_id % len(ROLES)]
        super().__init__(policy_env_info, agent_id, role=self.role)

    def choose(self, row: bytes, cog: StarterCogState) -> str:
        cog.look(row)
        for cells in self._wishes(cog):
            wanted = cells & ~cog.useless
            action = cog.walker.toward(wanted)
            if action is not None:
                self._infos = {"role": self.role, **self._goal(cog, wanted), **_known(cog)}
                return action
        self._infos = {"role": self.role, "goal": "explore", **_known(cog)}
        return self._explore(cog)

    def _goal(self, cog: StarterCogState, wanted: int) -> dict[str, Any]:
        """Return the goal that goes with a target."""
        memory = cog.memory
        cell = memory.ahead if wanted >> memory.ahead & 1 else lowest(wanted)
        offset, here = memory.grid.offset(cell), memory.grid.offset(memory.here)
        place = {"target": [offset[0] - here[0], offset[1] - here[1]]}
        bit = 1 << cell
        if bit & cog.junctions:
            goal = "scramble" if self.role == "scrambler" and bit & cog.theirs else "align"
            if bit & cog.ours and goal == "align":
                goal = "deposit" if cog.cargo else "guard"
            return {"goal": goal, "target_type": "junction", **place}
        if bit & cog.hub:
            return {"goal": "deposit" if cog.cargo else "fetch_heart", "target_type": "hub", **place}
        if bit & memory.objects:
            is_station = bit & cog.ours
            return (
                {"goal": "gear_up", "target_type": f"{self.role}_station", **place}
                if is_station
                else {"goal": "mine", **place}
            )
        return {"goal": "explore", **place}


class TeamPolicy(BaseStarterPolicy):
    """Four miners, two scouts, two aligners and two scramblers of ten."""

    def _decisions(self, agent_id: int) -> TeamCog:
        return TeamCog(self.policy_env_info, agent_id)


def _known(cog: StarterCogState) -> dict[str, int]:
    tagged = cog.memory.tagged
    return {
        "known_hubs": tagged("type:hub").bit_count(),
        "known_stations": sum(tagged(f"type:{role}").bit_count() for role in set(ROLES)),
        "known_junctions": cog.junctions.bit_count(),
        "known_extractors": sum(cog.extractors(e).bit_count() for e in ("carbon", "oxygen", "germanium", "silicon")),
        "own_junctions": (cog.junctions & cog.ours).bit_count(),
    }


class CopyAgent(AgentPolicy):
    """One agent of a copy."""

    def __init__(self, copy: "CopyPolicy", inner: AgentPolicy, agent_id: int) -> None:
        super().__init__(copy.policy_env_info)
        self._copy, self._inner, self._agent_id, self._steps = copy, inner, agent_id, 0

    def reset(self, simulation: Any = None) -> None:
        self._inner.reset(simulation)
        self._steps = 0

    def step(self, obs: AgentObservation) -> Action:
        copy = self._copy
        seen = AgentObservation(obs.agent_id, copy.observe(obs.tokens), obs.talk)
        action = self._inner.step(seen)
        action = copy.act(self._agent_id, self._steps, action, self._inner.infos)
        self._infos = copy.report(dict(self._inner.infos))
        self._steps += 1
        return action


class CopyPolicy(MultiAgentPolicy):
    """A copy of the policy `inner`, without a defect."""

    def __init__(self, policy_env_info: PolicyEnvInterface, device: str = "cpu", inner: str = TEAM) -> None:
        super().__init__(policy_env_info, device)
        self._policy = initialize_or_load_policy(policy_env_info, parse_policy_spec(inner).to_policy_spec())
        self._tags = {name: number for number, name in enumerate(policy_env_info.tags)}
        self._tag_feature = next(feature for feature in policy_env_info.obs_features if feature.name == "tag")

    def agent_policy(self, agent_id: int) -> AgentPolicy:
        return CopyAgent(self, self._policy.agent_policy(agent_id), agent_id)

    def observe(self, tokens: Sequence[ObservationToken]) -> list[ObservationToken]:
        return list(tokens)

    def act(self, agent_id: int, step: int, action: Action, infos: dict[str, Any]) -> Action:
        return action

    def report(self, infos: dict[str, Any]) -> dict[str, Any]:
        return infos

    def locations(self, tokens: Sequence[ObservationToken], prefix: str) -> set[int]:
        """Return the locations of cells with a tag that starts with `prefix`."""
        tags = self.policy_env_info.tags
        tag_tokens = (token for token in tokens if token.feature.name == "tag" and not token.is_global)
        return {token.raw_token[0] for token in tag_tokens if tags[token.value].startswith(prefix)}


class KeepsCargo(CopyPolicy):
    """Never walks into the place to which it brings its cargo."""

    def act(self, agent_id: int, step: int, action: Action, infos: dict[str, Any]) -> Action:
        return Action(name="noop") if infos.get("goal") == "deposit" else action


class MissesOwnJunctions(CopyPolicy):
    """Does not see that a junction belongs to its team."""

    def observe(self, tokens: Sequence[ObservationToken]) -> list[ObservationToken]:
        junctions, own = self.locations(tokens, "type:junction"), {self._tags["team:cogs"], self._tags["net:cogs"]}
        return [
            token
            for token in tokens
            if not (token.feature.name == "tag" and token.value in own and token.raw_token[0] in junctions)
        ]


class TakesNeutralForClips(CopyPolicy):
    """Sees the clips' tag on every neutral junction."""

    def observe(self, tokens: Sequence[ObservationToken]) -> list[ObservationToken]:
        neutral = self.locations(tokens, "type:junction") - self.locations(tokens, "team:")
        tag, feature = self._tags["team:clips"], self._tag_feature
        # The tokens of a cell stay together.
        seen: list[ObservationToken] = []
        for token in tokens:
            seen.append(token)
            if token.raw_token[0] in neutral and token.feature.name == "tag":
                seen.append(ObservationToken(feature, tag, (token.raw_token[0], feature.id, tag)))
        return seen


class WithoutScramblerGear(CopyPolicy):
    """Takes the scramblers' station for a wall."""

    def observe(self, tokens: Sequence[ObservationToken]) -> list[ObservationToken]:
        stations = self.locations(tokens, "type:scrambler")
        wall, feature = self._tags["type:wall"], self._tag_feature
        walls = [ObservationToken(feature, wall, (location, feature.id, wall)) for location in sorted(stations)]
        return [token for token in tokens if token.raw_token[0] not in stations] + walls


class SwapsRoles(CopyPolicy):
    """Reports miners as scramblers and scramblers as miners."""

    def report(self, infos: dict[str, Any]) -> dict[str, Any]:
        swapped = {"miner": "scrambler", "scrambler": "miner"}
        return {**infos, "role": swapped.get(infos.get("role", ""), infos.get("role"))}


class ClaimsAllJunctions(CopyPolicy):
    """Counts every known junction as its own."""

    def report(self, infos: dict[str, Any]) -> dict[str, Any]:
        return {**infos, "own_junctions": infos.get("known_junctions", 0)}


class MinesJunctions(CopyPolicy):
    """Says it mines when it aligns."""

    def report(self, infos: dict[str, Any]) -> dict[str, Any]:
        return {**infos, "goal": "mine"} if infos.get("goal") == "align" else infos


class Mumbles(CopyPolicy):
    """Reports a number as a word."""

    def report(self, infos: dict[str, Any]) -> dict[str, Any]:
        return {**infos, "known_hubs": "one"}


class DiffersOnce(CopyPolicy):
    """Waits in one step where the policy moves, or moves where it waits."""

    def __init__(
        self,
        policy_env_info: PolicyEnvInterface,
        device: str = "cpu",
        inner: str = TEAM,
        step: int = 37,
        agent: int = 3,
    ) -> None:
        super().__init__(policy_env_info, device, inner)
        self._where = int(agent), int(step)

    def act(self, agent_id: int, step: int, action: Action, infos: dict[str, Any]) -> Action:
        if (agent_id, step) != self._where:
            return action
        return Action(name="move_north" if action.name == "noop" else "noop")


class Talks(CopyPolicy):
    """Waits with a vibe, or with a word where the game has talk."""

    def __init__(self, policy_env_info: PolicyEnvInterface, device: str = "cpu", inner: str = "noop") -> None:
        super().__init__(policy_env_info, device, inner)

    def act(self, agent_id: int, step: int, action: Action, infos: dict[str, Any]) -> Action:
        if self.policy_env_info.talk.enabled:
            return Action(name="noop", talk="hi" if step == 0 else None)
        return Action(name="noop", vibe="change_vibe_heart")


class Crashes(CopyPolicy):
    """Raises in its tenth step."""

    def act(self, agent_id: int, step: int, action: Action, infos: dict[str, Any]) -> Action:
        if step == 10:
            raise RuntimeError("out of ideas")
        return action


class StationCog(StarterCogPolicyImpl):
    """Takes the gear of the aligner and the miner in turn."""

    def choose(self, row: bytes, cog: StarterCogState) -> str:
        cog.look(row)
        return cog.walker.toward(cog.station("aligner" if cog.has("miner") else "miner")) or self._explore(cog)


class StationPolicy(BaseStarterPolicy):
    """Changes gear until the hub is empty, and keeps trying."""

    def _decisions(self, agent_id: int) -> StationCog:
        return StationCog(self.policy_env_info, agent_id)


class ChangesRoles(CopyPolicy):
    """Reports another role every tenth step."""

    def __init__(self, policy_env_info: PolicyEnvInterface, device: str = "cpu", inner: str = "noop") -> None:
        super().__init__(policy_env_info, device, inner)
        self._step = 0

    def act(self, agent_id: int, step: int, action: Action, infos: dict[str, Any]) -> Action:
        self._step = step
        return action

    def report(self, infos: dict[str, Any]) -> dict[str, Any]:
        return {"role": ("miner", "scout")[self._step // 10 % 2]}


class FlipsCoins(CopyPolicy):
    """Moves in its step 7, but only in every third policy object."""

    flips = 0

    def __init__(self, policy_env_info: PolicyEnvInterface, device: str = "cpu", inner: str = "noop") -> None:
        super().__init__(policy_env_info, device, inner)
        FlipsCoins.flips += 1
        self._is_heads = FlipsCoins.flips % 3 == 1

    def act(self, agent_id: int, step: int, action: Action, infos: dict[str, Any]) -> Action:
        return Action(name="move_north") if step == 7 and self._is_heads else action
