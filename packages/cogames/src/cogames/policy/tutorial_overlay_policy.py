"""The policy of the interactive tutorials: the user plays, and the policy sends the viewer the tutorial texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from mettagrid.policy.noop import NOOP
from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy
from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.simulator.interface import AgentObservation
from mettagrid.types import Action

__all__ = ["TutorialOverlayAgentPolicy", "TutorialOverlayPolicy"]

# The key that viewers read from a policy's infos; its value is a list of texts, each with its title in the first line.
PHASES_KEY = "tutorial_overlay_phases"

_PLAY = (
    "One cog, one map\n"
    "A cog scores for every junction its team holds, in every step.\n"
    "This tour goes through what a cog needs for that.",
    "Look around\n"
    "Zoom with the wheel, drag to move the view.\n"
    "Click an object to see what it holds; click the cog to steer it.",
    "Walk, and stay well\n"
    "Steer with WASD or the arrow keys. Walking into an object uses it.\n"
    "In your team's territory the cog is healed; outside it loses 1 hp a step, in the enemy's 2.\n"
    "At 0 hp it drops its gear and its hearts.",
    "Take gear\n"
    "South of the hub stand four stations: aligner, scrambler, miner, scout.\n"
    "The hub pays for the gear. A cog holds one piece; a new one replaces the old.",
    "Gather\n"
    "Extractors give carbon, oxygen, germanium and silicon: 10 at a time to a miner, 1 to others.\n"
    "A miner carries 40, others 4. Bring it to the hub, or to a junction of your team.",
    "Take hearts\n"
    "Walk into the hub with empty hands. It gives a heart it has, or makes one from 7 of each element.\n"
    "A cog carries up to 10.",
    "Hold junctions\n"
    "An aligner with a heart takes a junction up to 25 cells from the hub or 15 from your network.\n"
    "A scrambler with a heart takes one away from the enemy.\n"
    "That is all there is to it: close this and play on.",
)

_CVC = (
    "Cogs against Clips\n"
    "Both sides take junctions; what counts is how many you hold and for how long.\n"
    "Four steps make a strong opening.",
    "Share the work\n"
    "Half of the cogs as miners and half as aligners is a good start.\n"
    "The hub starts with enough for the gear of all cogs and five hearts.",
    "Grow outwards\n"
    "Take the junctions next to the hub first: each one carries the network 15 cells farther.\n"
    "A junction cut off from the hub turns neutral at once.",
    "Expect the waves\n"
    "The Clips come at step 100 and every 200 steps after that, from the corners.\n"
    "Each ship takes the nearest junction away from you and keeps it.",
    "Answer\n"
    "An aligner may also take a junction that the Clips hold; then it counts for both, and the Clips leave it alone.\n"
    "A scrambler makes it neutral, which costs a heart as well.",
    "Stay supplied\n"
    "A heart costs 7 of each element, so the scarcest element decides.\n"
    "Cogs far out should keep enough hp for the way back.",
    "Over to you\nClose this and outlast the Clips.",
)

_TUTORIALS = {"play": _PLAY, "cvc": _CVC}


class TutorialOverlayAgentPolicy(AgentPolicy):
    """Waits; its first step carries the texts."""

    def __init__(self, policy_env_info: PolicyEnvInterface, phases: Sequence[str]) -> None:
        super().__init__(policy_env_info)
        self._phases: list[str] | None = list(phases)

    def step(self, obs: AgentObservation) -> Action:
        self._infos = {} if self._phases is None else {PHASES_KEY: self._phases}
        self._phases = None
        return Action(name=NOOP)


class TutorialOverlayPolicy(MultiAgentPolicy):
    """`tutorial` is `cvc` (a team against Clips) or `play` (the controls of one cog; also for unknown names)."""

    short_names: ClassVar[list[str] | None] = ["tutorial_noop"]

    def __init__(self, policy_env_info: PolicyEnvInterface, tutorial: str = "play", device: str = "cpu") -> None:
        super().__init__(policy_env_info, device)
        self._phases = _TUTORIALS.get(tutorial, _PLAY)
        self._noop = policy_env_info.action_name_to_flat_index.get(NOOP, 0)

    def agent_policy(self, agent_id: int) -> AgentPolicy:
        return TutorialOverlayAgentPolicy(self.policy_env_info, self._phases)

    def step_batch(self, raw_observations: np.ndarray, raw_actions: np.ndarray) -> None:
        raw_actions[:] = self._noop
