"""The frame of the `cogames` command: `softmax.cli.program`, with explanations for policies that cannot load."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import typer

from softmax.cli import program
from softmax.cli.errors import CommandError, Explanation, explain
from softmax.cli.program import Entry, Program

__all__ = ["CogamesProgram", "make_group_app"]


class CogamesProgram(Program):
    """A program that explains errors of policies."""

    distribution = "cogames"
    packages = ("cogames", "cogames_training", "softmax", "mettagrid", "cogsguard", "cogbox")

    @classmethod
    def explain(cls, error: BaseException) -> Explanation:
        explanation = explain(error, cls.packages)
        if isinstance(error, CommandError) or explanation.hints:
            return explanation
        frames = str(getattr(error, "last_words", ""))  # set when a policy could not be created
        context = frames.splitlines() if "File " in frames else ()
        return replace(explanation, context=context, hints=_policy_hints(error))


def _policy_hints(error: BaseException) -> list[str]:
    """Return hints for a policy that cannot be created; the original exception stays in the worker process."""
    from cogames.policy.arguments import policy_error_hints

    cause = error.__cause__
    if cause is None and getattr(error, "error_type", None) == "ModuleNotFoundError":
        cause = ModuleNotFoundError(str(error))
    return policy_error_hints(cause) if isinstance(cause, Exception) else []


def make_group_app(name: str, summary: str, entries: Sequence[Entry]) -> typer.Typer:
    """Return a table of commands as a separate Typer application, as published programs import them."""
    return program.make_group_app(name, summary, entries, program=CogamesProgram)
