"""Compatibility names for `softmax cogames`: the commands for local games as Typer applications."""

from dataclasses import replace

from cogames.commands.shared.program import make_group_app
from cogames.commands.tutorial import COMMANDS as TUTORIAL
from softmax.cli.program import Entry, added_entries, merged

__all__ = ["app", "evaluate_app", "tutorial_app"]

LOCAL, TUTORIALS, TOURNAMENT = "Local Games", "Tutorials", "Tournament"

EVALUATE = [
    Entry("run", "cogames.commands.evaluate:run", "Evaluate one or more policies on missions."),
    Entry("pickup", "cogames.commands.pickup:pickup", "Measure what a policy adds to a pool of others."),
    Entry("diagnose", "cogames.commands.diagnose:diagnose", "Find out what is wrong with a policy."),
]
# `train` and `tutorial train` come from another distribution, as in `cogames`.
ADDED = [entry for entry in added_entries("cogames.commands") if entry.name.split()[-1] == "train"]
LOCAL_COMMANDS = [
    Entry("play", "cogames.commands.play:play", "Play a game and see what happens.", LOCAL),
    Entry("bundle", "cogames.commands.bundles:create_bundle", "Pack a policy into a bundle.", LOCAL),
    Entry("eval", "cogames.softmax_cli:EVALUATE", "Evaluate policies.", LOCAL),
    Entry("tutorial", "cogames.commands.tutorial:COMMANDS", "Get started: write and train a policy.", TUTORIALS),
    Entry("player", "cogames.commands.player:COMMANDS", "Manage players and act as one.", TOURNAMENT),
    Entry("train", "cogames.commands.tutorial:train", instead="tutorial train", fallback=True),
]
COMMANDS = merged(LOCAL_COMMANDS, ADDED)
TUTORIAL_COMMANDS = merged(TUTORIAL, [replace(entry, name="train") for entry in ADDED if " " in entry.name])

app = make_group_app("cogames", "Play, evaluate and pack policies on this machine.", COMMANDS)
evaluate_app = make_group_app("eval", "Evaluate policies.", EVALUATE)
tutorial_app = make_group_app("tutorial", "Get started: play lessons, write and train a policy.", TUTORIAL_COMMANDS)
