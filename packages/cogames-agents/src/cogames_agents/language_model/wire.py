"""The two protocols: OpenAI's chat completions and Anthropic's messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cogames.policy.cog import HEART_COST
from cogames_agents.language_model.budget import Cost
from cogames_agents.language_model.settings import Settings

__all__ = ["SYSTEM", "Protocol", "WireError"]

SYSTEM = (
    "You direct one cog of a team in the game Cogs vs Clips. Miners bring elements to the hub. A heart costs "
    f"{HEART_COST} of each element. An aligner spends a heart to capture a junction near the hub or near an own "
    "junction; a scrambler spends one to clear a junction of the enemy. Gear is cheap, and gives the role. You choose "
    "what the cog does next; a program carries it out. Answer with one JSON object."
)
ANTHROPIC_VERSION = "2023-06-01"


class WireError(ValueError):
    """The endpoint answered with a document that its protocol does not allow."""


class Protocol:
    """Builds requests and reads answers of one endpoint. The key is part of headers only."""

    def __init__(self, settings: Settings, environment: Mapping[str, str]) -> None:
        self._settings = settings
        self._anthropic = settings.api == "anthropic"
        self._key = environment.get("ANTHROPIC_API_KEY" if self._anthropic else "OPENAI_API_KEY", "").strip()
        self.limit_field = "max_tokens"
        """name of the reply limit; some endpoints know only `max_completion_tokens`"""

    def headers(self) -> dict[str, str]:
        if self._anthropic:
            return {"anthropic-version": ANTHROPIC_VERSION} | ({"x-api-key": self._key} if self._key else {})
        return {"authorization": f"Bearer {self._key}"} if self._key else {}

    def body(self, prompt: str) -> dict[str, Any]:
        settings, user = self._settings, {"role": "user", "content": prompt}
        body: dict[str, Any] = {"model": settings.model, self.limit_field: settings.max_tokens}
        if self._anthropic:
            body |= {"system": SYSTEM, "messages": [user]}
        else:
            body["messages"] = [{"role": "system", "content": SYSTEM}, user]
        if settings.temperature is not None:
            body["temperature"] = settings.temperature
        return body

    def read(self, document: object) -> tuple[str, Cost | None]:
        """Return the text of an answer, and its cost if the endpoint states it. The key is removed from the text.

        Raises `WireError` for other documents.
        """
        try:
            answer: Any = document
            content = answer["content"] if self._anthropic else answer["choices"][0]["message"]["content"]
            text = content if isinstance(content, str) else "".join(map(_text, content))
            usage = answer.get("usage")
        except (KeyError, IndexError, TypeError, AttributeError):
            raise WireError(f"the reply has no text in the form of {self._settings.api}") from None
        return self.redact(text), self._cost(usage)

    def redact(self, text: str) -> str:
        """Remove the key from a text."""
        return text.replace(self._key, "[key]") if self._key else text

    def _cost(self, usage: object) -> Cost | None:
        if not isinstance(usage, dict):
            return None
        prompt, reply = ("input_tokens", "output_tokens") if self._anthropic else ("prompt_tokens", "completion_tokens")
        cached = ("cache_creation_input_tokens", "cache_read_input_tokens") if self._anthropic else ()
        counts: list[Any] = [usage.get(prompt), usage.get(reply), *(usage.get(name) or 0 for name in cached)]
        if not all(type(count) is int and count >= 0 for count in counts):
            return None
        return Cost(counts[0] + sum(counts[2:]), counts[1])


def _text(part: Any) -> str:
    text = part.get("text", "")
    return text if isinstance(text, str) else ""
