"""The policy `language_model`."""

from __future__ import annotations

import os
from typing import Any, ClassVar

from cogames.sdk.cogsguard import (
    PlannerDirective,
    SkillName,
    StrategyMode,
    build_planner_prompt,
    parse_planner_response,
)
from cogames_agents.language_model.client import Answer, ModelClient
from cogames_agents.language_model.requests import Desk, Ticket
from cogames_agents.language_model.settings import Settings
from cogames_agents.language_model.situation import Situation
from cogames_agents.language_model.skills import DirectedCog
from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy
from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.simulator.interface import AgentObservation
from mettagrid.simulator.simulator import Simulation
from mettagrid.types import Action

__all__ = ["LanguageModelPolicy"]

NAMES = tuple(choice.value for choices in (StrategyMode, SkillName) for choice in choices)
EARLIEST = 5  # a skill that has ended is replaced after this part of `every`


class LanguageModelPolicy(MultiAgentPolicy):
    """Cogs that a language model directs; see `Settings` for the parameters.

    The budget and the threads belong to the policy object, which plays one episode after the other. A parameter that is
    not allowed raises `ValueError`. The key of the endpoint comes from OPENAI_API_KEY or ANTHROPIC_API_KEY.
    """

    short_names: ClassVar[list[str] | None] = ["language_model"]

    def __init__(
        self,
        policy_env_info: PolicyEnvInterface,
        device: str = "cpu",
        *,
        url: str | None = None,
        model: str | None = None,
        api: str | None = None,
        every: int | str | None = None,
        deadline_ms: int | str | None = None,
        max_tokens: int | str | None = None,
        budget_tokens: int | str | None = None,
        budget_usd: float | str | None = None,
        price_in: float | str | None = None,
        price_out: float | str | None = None,
        replies: str | None = None,
        cache: str | None = None,
        parallel: int | str | None = None,
        retries: int | str | None = None,
        backoff_ms: int | str | None = None,
        temperature: float | str | None = None,
    ) -> None:
        arguments = {name: value for name, value in locals().items() if name in Settings.__dataclass_fields__}
        self.settings = Settings.parse(arguments, os.environ)
        if self.settings.replies == "wait":
            self.minimum_action_timeout_ms = 2 * self.settings.deadline_ms
        super().__init__(policy_env_info, device)
        self.client = ModelClient(self.settings, os.environ)
        self._desk = Desk(self.client)

    def agent_policy(self, agent_id: int) -> AgentPolicy:
        return DirectedAgent(self.policy_env_info, agent_id, self.client, self._desk)

    def close(self) -> None:
        """Wait for the requests under way; call it to end a program without open connections."""
        self._desk.close()


class DirectedAgent(AgentPolicy):
    """Asks for directives and follows them."""

    def __init__(self, policy_env_info: PolicyEnvInterface, agent_id: int, client: ModelClient, desk: Desk) -> None:
        super().__init__(policy_env_info)
        self._agent_id = agent_id
        self._client = client
        self._desk = desk
        self._ticket: Ticket | None = None
        self.reset()

    def reset(self, simulation: Simulation | None = None) -> None:
        if self._ticket is not None:
            self._desk.withdraw(self._ticket)
        self._player = DirectedCog(self.policy_env_info, self._agent_id)
        self._situation = Situation(self.policy_env_info, self._player)
        self._ticket = None
        self._asked_at: int | None = None
        self._said_at: int | None = None
        self._message: str | None = None
        self._error = ""
        self._infos = {}

    def step(self, obs: AgentObservation) -> Action:
        player = self._player
        player.look(obs.token_array().tobytes())
        self._situation.look()
        self._collect(wait=False)
        if self._ticket is None and self._is_due():
            self._ask(obs)
            self._collect(wait=self._client.settings.replies == "wait")
        action = player.decide()
        self._infos = self._describe()
        return Action(name=action, talk=self._talk())

    def _is_due(self) -> bool:
        if self._asked_at is None:
            return True
        every = self._client.settings.every
        gap = max(1, every // EARLIEST) if self._player.exit_reason else every
        return self._player.cog.steps - self._asked_at >= gap

    def _ask(self, observation: AgentObservation) -> None:
        self._asked_at = self._player.cog.steps
        summary = self._situation.summary(observation, self._cooldown())
        self._ticket = self._desk.submit(build_planner_prompt(summary))

    def _collect(self, *, wait: bool) -> None:
        """Follow the directive of an answer that has arrived; return to the script if there is none."""
        answer = None if self._ticket is None else self._ticket.answer(wait=wait)
        if answer is None:
            return
        self._ticket = None
        directive = self._directive(answer)
        self._player.follow(directive)
        self._message = None if directive is None else directive.talk

    def _directive(self, answer: Answer) -> PlannerDirective | None:
        self._error = answer.error
        if answer.text is None:
            return None
        if not any(name in answer.text for name in NAMES):
            self._error = "the reply names no mode and no skill"
            return None
        return parse_planner_response(answer.text)

    def _cooldown(self) -> int:
        """Return the steps until the cog may talk again."""
        if self._said_at is None:
            return 0
        return max(0, self._said_at + self.policy_env_info.talk.cooldown_steps - self._player.cog.steps)

    def _talk(self) -> str | None:
        talk = self.policy_env_info.talk
        if self._message is None or not talk.enabled or self._cooldown():
            return None
        message, self._message = self._message[: talk.max_length], None
        self._said_at = self._player.cog.steps
        return message or None

    def _describe(self) -> dict[str, Any]:
        player, client = self._player, self._client
        directive = player.directive
        return {
            "planner": "script" if directive is None else "model",
            "role": player.role,
            "mode": "scripted" if directive is None else directive.mode.value,
            "skill": player.role if directive is None else directive.skill.value,
            "analysis": "" if directive is None else directive.analysis,
            "waiting": self._ticket is not None,
            "requests": client.requests,
            "tokens": client.budget.tokens,
            "usd": float(client.budget.usd),
            "error": self._error,
        }
