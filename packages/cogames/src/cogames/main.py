"""The `cogames` command: what it can do, and where each command is.

Nothing but the table is needed to show help, so that is all that is imported; a command's module is imported when the
command is called. Each module parses, calls one function of the library and prints.
"""

import gc
import importlib
import os
import sys
from typing import Any

import typer

from cogames.cli.program import CogamesProgram
from softmax.cli.program import Entry, make_app

__all__ = ["app", "main"]

PLAY, EVALUATE, INFO, POLICIES, TUTORIALS = "Play", "Evaluate", "Info", "Policies", "Tutorials"
TOURNAMENT = "Tournament"

COMMANDS = [
    Entry("play", "cogames.commands.play:play", "Play a game and see what happens.", PLAY),
    Entry("replay", "cogames.commands.replay:replay", "Look at a saved episode in the browser.", PLAY),
    Entry(
        "scrimmage", "cogames.commands.evaluate:scrimmage", "Evaluate one policy that controls all agents.", EVALUATE
    ),
    Entry("run", "cogames.commands.evaluate:run", "Evaluate one or more policies on missions.", EVALUATE),
    Entry("pickup", "cogames.commands.pickup:pickup", "Measure what a policy adds to a pool of others.", EVALUATE),
    Entry("diagnose", "cogames.commands.diagnose:diagnose", "Find out what is wrong with a policy.", EVALUATE),
    Entry("missions", "cogames.commands.missions:missions", "List missions, or show and save one.", INFO),
    Entry("version", "cogames.commands.version:version", "Show the versions of what is installed.", INFO),
    Entry("docs", "cogames.commands.docs:docs", "List or print documents.", INFO),
    Entry("policies", "cogames.commands.policies:policies", "List the short names of policies.", POLICIES),
    Entry("create-bundle", "cogames.commands.bundles:create_bundle", "Pack a policy into a bundle.", POLICIES),
    Entry("validate-bundle", "cogames.commands.bundles:validate_bundle", "Try a bundle in a sandbox.", POLICIES),
    Entry(
        "submissions",
        "cogames.commands.submissions:submissions",
        "Show your uploads and what is submitted to a season.",
        TOURNAMENT,
    ),
    Entry("leaderboard", "cogames.commands.leaderboard:leaderboard", "Show the standings of a season.", TOURNAMENT),
    Entry(
        "matches",
        "cogames.commands.matches:matches",
        "Show your recent matches, or one match with its logs.",
        TOURNAMENT,
    ),
    Entry(
        "match-artifacts",
        "cogames.commands.matches:match_artifacts",
        "Fetch what a match left behind: logs, or why it failed.",
        TOURNAMENT,
    ),
    Entry(
        "reproduce",
        "cogames.commands.reproduce:reproduce",
        "Play a match again here, and compare it byte for byte.",
        TOURNAMENT,
    ),
    Entry("upload", "cogames.commands.upload:upload", "Pack a policy, try it, upload it and submit it.", TOURNAMENT),
    Entry("submit", "cogames.commands.upload:submit", "Submit a policy that is uploaded to a season.", TOURNAMENT),
    Entry("ship", "cogames.commands.upload:ship", "Pack, try, upload and submit a policy in one go.", TOURNAMENT),
    Entry("auth", "cogames.commands.auth:COMMANDS", "Sign in, and act as a player.", TOURNAMENT),
    Entry("season", "cogames.commands.season:COMMANDS", "What a server plays, and how it stands.", TOURNAMENT),
    Entry("episode", "cogames.commands.episode:COMMANDS", "Look at games that were played.", TOURNAMENT),
    Entry("assay", "cogames.commands.assay:COMMANDS", "Try a policy on a set of missions on the server.", TOURNAMENT),
    Entry("tutorial", "cogames.commands.tutorial:COMMANDS", "Get started: play lessons, write a policy.", TUTORIALS),
    Entry("docsync", "cogames.commands.docsync:COMMANDS", "Keep tutorials in step.", TUTORIALS, hidden=True),
    # Spellings of older documents. They work as before and say on stderr what to write today.
    Entry("eval", "cogames.commands.older:evaluate", instead="run"),
    Entry("evaluate", "cogames.commands.older:evaluate", instead="run"),
    Entry("make-policy", "cogames.commands.older:make_policy", instead="tutorial make-policy"),
    Entry("mission", "cogames.commands.missions:missions", instead="missions"),
    Entry("games", "cogames.commands.missions:missions", instead="missions"),
    Entry("evals", "cogames.commands.older:evals", instead="missions --evals"),
    Entry("variants", "cogames.commands.older:variants", instead="missions --variants"),
    Entry("describe", "cogames.commands.older:describe", instead="missions -m MISSION"),
    Entry("make-mission", "cogames.commands.older:make_mission", instead="missions -m MISSION --save FILE"),
    Entry("make-game", "cogames.commands.older:make_mission", instead="missions -m MISSION --save FILE"),
    Entry("login", "softmax.commands.auth:login", instead="auth login"),
    Entry("seasons", "cogames.commands.season:list_seasons", instead="season list"),
    Entry("validate-policy", "cogames.commands.older:validate_policy", instead="validate-bundle"),
]


# Published names of what this module offers, imported when they are asked for.
_PUBLISHED = {
    "POLICY_NAME_MAX_LENGTH": "cogames.client.references:LONGEST_NAME",
    "create_bundle_cmd": "cogames.commands.bundles:create_bundle",
    "cvc_tutorial_cmd": "cogames.commands.tutorial:cvc",
    "diagnose_cmd": "cogames.commands.diagnose:diagnose",
    "docs_cmd": "cogames.commands.docs:docs",
    "make_policy": "cogames.commands.tutorial:make_policy",
    "pickup_cmd": "cogames.commands.pickup:pickup",
    "play_cmd": "cogames.commands.play:play",
    "policies_cmd": "cogames.commands.policies:policies",
    "replay_cmd": "cogames.commands.replay:replay",
    "run_cmd": "cogames.commands.evaluate:run",
    "ship_cmd": "cogames.commands.upload:ship",
    "submit_cmd": "cogames.commands.upload:submit",
    "tutorial_app": "cogames.softmax_cli:tutorial_app",
    "tutorial_cmd": "cogames.commands.tutorial:play",
    "upload_cmd": "cogames.commands.upload:upload",
    "validate_bundle_cmd": "cogames.commands.bundles:validate_bundle",
    "version_cmd": "cogames.commands.version:version",
}


def __getattr__(name: str) -> Any:
    if name not in _PUBLISHED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, _, attribute = _PUBLISHED[name].partition(":")
    return getattr(importlib.import_module(module), attribute)


class Cogames(CogamesProgram):
    """`cogames`, with the commands that other distributions add."""

    entries = COMMANDS
    entry_point_group = "cogames.commands"


app: typer.Typer = make_app("cogames", "Play, evaluate, pack and submit policies for games with many agents.", Cogames)


def main() -> None:
    """Run the command with the arguments of this process, and end the process."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # whoever started us closed it; in this order each takes its old place
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115
    # Nothing that is imported becomes garbage; `prints_to_stderr` begins to collect when policies begin to run.
    gc.disable()
    app(prog_name="cogames")
