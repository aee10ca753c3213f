"""Read the reply of a language model. Any text is a directive."""

from __future__ import annotations

import json
from collections.abc import Iterator
from enum import Enum
from typing import Any, TypeVar

from pydantic import ValidationError

from cogames.sdk.cogsguard.planner_library import MODES, SKILLS, resource_names
from cogames.sdk.cogsguard.planner_models import PlannerDirective, SkillName, StrategyMode

__all__ = ["parse_planner_response"]

Choice = TypeVar("Choice", bound=Enum)


def parse_planner_response(text: str) -> PlannerDirective:
    """Return the directive of a reply.

    The first JSON object in the text counts, with or without a fence around it. If there is none, or if it is not a
    directive, the modes and skills that the text mentions count; a text without any explores. Never raises.
    """
    document = next(_json_objects(text), None)
    if document is not None:
        try:
            return PlannerDirective.model_validate(document)
        except ValidationError:
            pass
    return _scan(text)


def _json_objects(text: str) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects in a text, in order; objects inside broken ones too."""
    decoder = json.JSONDecoder()
    start = text.find("{")
    while start >= 0:
        try:
            yield decoder.raw_decode(text, start)[0]
        except ValueError:
            pass
        except RecursionError:
            return
        start = text.find("{", start + 1)


def _scan(text: str) -> PlannerDirective:
    mode, skill = _mentioned(text, StrategyMode), _mentioned(text, SkillName)
    if mode is None:
        mode = StrategyMode.FRONTIER_EXPAND if skill is None else SKILLS[skill][2]
    if skill is None:
        skill = MODES[mode][1]
    biases = (name for name in resource_names() if _mentions_bias(text, name))
    analysis = text.encode(errors="replace").decode()  # lone surrogates are not valid in a directive
    document = {"mode": mode, "skill": skill, "resource_bias": next(biases, None), "analysis": analysis}
    return PlannerDirective.model_validate(document)


def _mentioned(text: str, choices: type[Choice]) -> Choice | None:
    return next((choice for choice in choices if choice.value in text), None)


def _mentions_bias(text: str, name: str) -> bool:
    return any(f'"resource_bias":{space}"{name}"' in text for space in ("", " "))
