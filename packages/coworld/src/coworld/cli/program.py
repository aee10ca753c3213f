"""The frame of the `coworld` command: `softmax.cli.program`, with explanations for manifests, files and engines."""

from __future__ import annotations

from softmax.cli.errors import CommandError, Explanation, explain, hints_of, is_interrupt
from softmax.cli.program import Program

__all__ = ["CoworldProgram"]


class CoworldProgram(Program):
    """A program that lists all problems of a manifest, and prints errors as JSON with `--json`."""

    distribution = "coworld"
    packages = ("coworld", "softmax", "cogbox")
    json_errors = True

    @classmethod
    def explain(cls, error: BaseException) -> Explanation:
        explanation = explain(error, cls.packages)
        if isinstance(error, CommandError) or is_interrupt(error):
            return explanation
        if isinstance(error, OSError) and error.strerror and error.filename is not None and hints_of(error) is None:
            place = error.filename if error.filename2 is None else error.filename2
            hint = "check the path, its permissions and the free space"
            return Explanation(f"{place} cannot be used: {error.strerror}", [hint], "file")
        problems = getattr(error, "problems", ())
        if len(problems) > 1:
            lines = [f"  {problem} ({problem.fix})" for problem in problems]
            return Explanation("\n".join([f"There are {len(problems)} problems:", *lines]), (), explanation.kind)
        if isinstance(error, ValueError | OSError) and explanation.kind == "internal":
            return Explanation(str(error) or type(error).__name__, hints_of(error) or (), explanation.kind)
        return explanation
