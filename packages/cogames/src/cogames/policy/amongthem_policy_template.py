"""A scripted policy for Among Them, to start from.

It sees the last four pictures of every player, 128 x 128 pixels of 16 colours, and chooses one of 27 actions: a
direction, a button (A or B), or both. Edit `_choose_actions`; everything else can stay.

    cogames run -m bitworld.among_them -p class=amongthem_policy.AmongThemPolicy
"""

from __future__ import annotations

import numpy as np

from mettagrid.bitworld import BITWORLD_ACTION_NAMES, bitworld_action_index, bitworld_action_name, encode_buttons
from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy
from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.simulator.interface import AgentObservation
from mettagrid.types import Action

BUTTON_CYCLE: tuple[tuple[str, ...], ...] = (
    (),
    ("right",),
    ("right", "a"),
    ("down",),
    ("down", "a"),
    ("left",),
    ("left", "b"),
    ("up",),
    ("up", "a"),
)
"""a walk around the block that also presses A (work, report, kill) and B (vent)"""
ACTION_CYCLE = np.array([bitworld_action_index(encode_buttons(buttons)) for buttons in BUTTON_CYCLE], np.int32)
SCREENS_WITHOUT_MAP = 0.6
"""share of black pixels above which a picture is a screen with text, not the map"""


class AmongThemPolicy(MultiAgentPolicy):
    """Decides for all its players at once; `step_batch` gets a row for every player of the game."""

    def __init__(self, policy_env_info: PolicyEnvInterface, device: str = "cpu", *, hold_ticks: str | int = 4) -> None:
        """Hold each action for `hold_ticks` ticks; there are 24 ticks in a second."""
        super().__init__(policy_env_info, device)
        self._hold_ticks = int(hold_ticks)
        if self._hold_ticks < 1:
            raise ValueError(f"hold_ticks must be at least 1, not {hold_ticks}")
        if list(policy_env_info.action_names) != list(BITWORLD_ACTION_NAMES):
            raise ValueError("This policy plays BitWorld games; run it with `-m bitworld.among_them`")
        self.reset()

    def reset(self) -> None:
        self._tick = 0

    def agent_policy(self, agent_id: int) -> AgentPolicy:
        return AmongThemAgentPolicy(self.policy_env_info, self, agent_id)

    def next_action(self, agent_id: int) -> int:
        """Return the action of one player now; players are at different places of the cycle."""
        return int(ACTION_CYCLE[(self._tick // self._hold_ticks + agent_id) % len(ACTION_CYCLE)])

    def step_batch(self, raw_observations: np.ndarray, raw_actions: np.ndarray) -> None:
        raw_actions[...] = self._choose_actions(raw_observations)
        self._tick += 1

    def bitworld_chat_messages(self, agent_ids: list[int]) -> list[str | None]:
        """Return what each player says now: at most 320 characters of ASCII, in meetings; None for nothing."""
        return [None for _ in agent_ids]

    def _choose_actions(self, raw_observations: np.ndarray) -> np.ndarray:
        """Return an action number for every player. Edit this.

        `raw_observations` is uint8 [players, 4, 128, 128], the newest picture last; rows of players that are not
        yours are zero. The own figure is in the middle of the picture.
        """
        actions = np.zeros(len(raw_observations), np.int32)
        for player, pictures in enumerate(raw_observations):
            newest = pictures[-1]
            if np.mean(newest == 0) < SCREENS_WITHOUT_MAP:
                actions[player] = self.next_action(player)
            else:  # a lobby or a meeting: A votes for the framed player
                actions[player] = bitworld_action_index(encode_buttons(("a",))) if self._tick % 48 == 0 else 0
        return actions


class AmongThemAgentPolicy(AgentPolicy):
    """One player, for programs that step players one by one."""

    def __init__(self, policy_env_info: PolicyEnvInterface, parent: AmongThemPolicy, agent_id: int) -> None:
        super().__init__(policy_env_info)
        self._parent = parent
        self._agent_id = agent_id

    def step(self, obs: AgentObservation) -> Action:
        return Action(name=bitworld_action_name(self._parent.next_action(self._agent_id)))
