"""The `cogames` command: its table of commands.

Help needs only the table, so a command's module is imported when the command runs. Each module parses arguments, calls
one function of the library and prints.
"""

import gc
import importlib
import os
import sys
from typing import Any

import typer

from cogames.commands.shared.program import CogamesProgram
from softmax.cli.program import Entry, make_app

__all__ = ["app", "main"]

PLAY, EVALUATE, INFO, POLICIES, TUTORIALS = "Play", "Evaluate", "Info", "Policies", "Tutorials"
TOURNAMENT = "Tournament"

COMMANDS = [
    Entry("play", "cogames.commands.play:play", "Play a game and see what happens.", PLAY),
    Entry("replay", "cogames.commands.replay:replay", "Watch a saved episode in the browser.", PLAY),
    Entry(
        "scrimmage", "cogames.commands.evaluate:scrimmage", "Evaluate one policy that controls all agents.", EVALUATE
    ),
    Entry("run", "cogames.commands.evaluate:run", "Evaluate one or more policies on missions.", EVALUATE),
    Entry("pickup", "cogames.commands.pickup:pickup", "Measure what a policy adds to a pool of others.", EVALUATE),
    Entry("ladder", "cogames.commands.ladder:ladder", "Rate policies against each other, with a report.", EVALUATE),
    Entry("diagnose", "cogames.commands.diagnose:diagnose", "Find out what is wrong with a policy.", EVALUATE),
    Entry("explain", "cogames.commands.explain:explain", "Explain what decided an episode.", EVALUATE),
    Entry("missions", "cogames.commands.missions:missions", "List missions, or show and save one.", INFO),
    Entry("version", "cogames.commands.version:version", "Show the versions of the installed packages.", INFO),
    Entry("docs", "cogames.commands.docs:docs", "List or print documents.", INFO),
    Entry("policies", "cogames.commands.policies:policies", "List the short names of policies.", POLICIES),
    Entry("create-bundle", "cogames.commands.bundles:create_bundle", "Pack a policy into a bundle.", POLICIES),
    Entry("validate-bundle", "cogames.commands.bundles:validate_bundle", "Validate a bundle in a sandbox.", POLICIES),
    Entry("cache", "cogames.commands.cache:COMMANDS", "Show or empty the cache of bundles.", POLICIES),
    Entry(
        "submissions",
        "cogames.commands.submissions:submissions",
        "Show your uploads, or your submissions to a season.",
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
        "Fetch the artifacts of a match: logs, or why it failed.",
        TOURNAMENT,
    ),
    Entry(
        "reproduce",
        "cogames.commands.reproduce:reproduce",
        "Replay a match on this machine and compare it byte for byte.",
        TOURNAMENT,
    ),
    Entry("upload", "cogames.commands.upload:upload", "Pack, validate, upload and submit a policy.", TOURNAMENT),
    Entry("submit", "cogames.commands.upload:submit", "Submit an uploaded policy to a season.", TOURNAMENT),
    Entry(
        "ship", "cogames.commands.upload:ship", "Pack, validate, upload and submit a policy in one step.", TOURNAMENT
    ),
    Entry(
        "download-policy",
        "cogames.commands.manage_policies:download_policy",
        "Download the bundle of a policy that you uploaded.",
        TOURNAMENT,
    ),
    Entry("withdraw", "cogames.commands.manage_policies:withdraw", "Withdraw a policy from a season.", TOURNAMENT),
    Entry(
        "delete-policy",
        "cogames.commands.manage_policies:delete_policy",
        "Delete an uploaded version of a policy.",
        TOURNAMENT,
    ),
    Entry("auth", "cogames.commands.auth:COMMANDS", "Sign in to servers, and act as a player.", TOURNAMENT),
    Entry("season", "cogames.commands.season:COMMANDS", "Show a server's seasons and their standings.", TOURNAMENT),
    Entry("episode", "cogames.commands.episode:COMMANDS", "List, show and replay episodes.", TOURNAMENT),
    Entry("assay", "cogames.commands.assay:COMMANDS", "Test a policy on a set of missions on the server.", TOURNAMENT),
    Entry(
        "tutorial",
        "cogames.commands.tutorial:COMMANDS",
        "Get started: play lessons, write and train a policy.",
        TUTORIALS,
    ),
    Entry(
        "bitworld",
        "cogames.commands.bitworld:bitworld",
        "Play BitWorld games and watch their replays.",
        "BitWorld",
        fallback=True,
    ),
    Entry("docsync", "cogames.commands.docsync:COMMANDS", "Keep tutorials in sync.", TUTORIALS, hidden=True),
    # Spellings from older documents. They work as before and print the current spelling on stderr.
    Entry("eval", "cogames.commands.older:evaluate", instead="run"),
    Entry("evaluate", "cogames.commands.older:evaluate", instead="run"),
    Entry("make-policy", "cogames.commands.older:make_policy", instead="tutorial make-policy"),
    Entry("train", "cogames.commands.tutorial:train", instead="tutorial train", fallback=True),
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


# Published names of this module, imported on first use.
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
        if getattr(sys, name) is None:  # the parent closed it; in this order each stream gets its old descriptor
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115
    # Imported modules never become garbage; `prints_to_stderr` enables the collector when policies start to run.
    gc.disable()
    try:
        app(prog_name="cogames")
    finally:
        gc.freeze()  # the process ends: nothing is worth collecting
