"""The generations of rules for a manifest, from the first release to today's."""

from __future__ import annotations

from typing import Literal

from coworld.errors import Problem
from coworld.manifest.tokens import token_count_bounds
from coworld.models.manifest import CoworldManifest
from coworld.models.reporters import CoworldReporterContainer
from coworld.models.runnables import MANIFEST_ROLE_SECTIONS
from coworld.schema.bounds import bound_problems

__all__ = ["DEFAULT_PROFILES", "PROFILES", "Profile", "manifest_warnings", "profile_problems"]

Profile = Literal["0.1.0", "guide", "0.1.26", "current"]
PROFILES: tuple[Profile, ...] = ("0.1.0", "guide", "0.1.26", "current")
DEFAULT_PROFILES: tuple[Profile, ...] = ("guide", "current")
"""one of these must pass when no profile is asked for"""


def profile_problems(manifest: CoworldManifest, *, has_readme: bool = True) -> dict[Profile, list[Problem]]:
    """Return the problems of a valid manifest under each profile. An empty list means that it passes.

    `has_readme` says whether the document has `game.docs.readme`, which older generations did not ask for.
    """
    readme = [] if has_readme else [Problem("game.docs.readme", "is required", "add `readme`: rules and how to play")]
    return {
        "0.1.0": seat_problems(manifest),
        "guide": guide_problems(manifest),
        "0.1.26": readme,
        "current": readme + current_problems(manifest),
    }


def guide_problems(manifest: CoworldManifest) -> list[Problem]:
    """Check the guide's rules: all seven roles have an entry, the number of seats is fixed, and there are pages with
    the rules and on how to play. A readme is not required."""
    problems = [
        Problem(
            section, f"the guide asks for at least one {section}", f"add one, such as softmax/default-{section}:latest"
        )
        for section in (*MANIFEST_ROLE_SECTIONS, "reporter")
        if not getattr(manifest, section)
    ]
    return problems + seat_problems(manifest) + page_problems(manifest)


def seat_problems(manifest: CoworldManifest) -> list[Problem]:
    """Return a problem when the number of seats is not fixed."""
    min_tokens, max_tokens = token_count_bounds(manifest.game.config_schema)
    if min_tokens == max_tokens:
        return []
    return [
        Problem(
            "game.config_schema.properties.tokens",
            f"the guide asks for a fixed number of seats, and {min_tokens} to {max_tokens} are allowed",
            "make minItems and maxItems equal",
        )
    ]


def page_problems(manifest: CoworldManifest) -> list[Problem]:
    """Return a problem for each of the guide's two required pages that is missing."""
    pages = [page.id for page in manifest.game.docs.pages]
    problems = []
    if "rules.md" not in pages:
        problems.append(Problem("game.docs.pages", "there is no page `rules.md`", "add a page with this id"))
    if not any(page.startswith("play_") and page.endswith(".md") for page in pages):
        fix = f"add one, for example `play_{manifest.game.name}.md`"
        problems.append(Problem("game.docs.pages", "there is no page `play_*.md`", fix))
    return problems


def current_problems(manifest: CoworldManifest) -> list[Problem]:
    """Check today's rules: there are tags, and reporters are references."""
    problems = []
    if manifest.tags is None:
        message = "Coworld certification requires at least three manifest tags"
        problems.append(Problem("tags", message, "add at least three words to find the game by"))
    for index, reporter in enumerate(manifest.reporter):
        if isinstance(reporter, CoworldReporterContainer):
            fix = "refer to a published reporter or to a component; the container still runs here"
            problems.append(Problem(f"reporter[{index}]", f"{reporter.id!r} is a container reporter", fix))
    return problems


def manifest_warnings(manifest: CoworldManifest) -> list[Problem]:
    """Return likely mistakes that break no rule, and schemas that a server refuses."""
    required = manifest.game.results_schema.get("required")
    warnings = []
    if not isinstance(required, list) or "scores" not in required:
        fix = "require `scores`, one number per slot: leagues rank by them"
        warnings.append(Problem("game.results_schema", "the results need no `scores`", fix))
    for name, schema in (
        ("config_schema", manifest.game.config_schema),
        ("results_schema", manifest.game.results_schema),
    ):
        warnings += bound_problems(schema, at=f"game.{name}")
    return warnings + page_problems(manifest)
