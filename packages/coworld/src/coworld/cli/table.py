"""The `coworld` command: the table of its commands and their modules.

A command's module is imported when the command is called. Each module parses, calls one function of the library and
prints. None of them knows how to sign in anywhere.
"""

import typer

from coworld.cli.program import CoworldProgram
from softmax.cli.program import Entry, make_app

__all__ = ["COMMANDS", "app"]

RUN, BUILD, AFTER, IMPROVE, INFO = "Play", "Make", "After an episode", "Improve", "Info"

COMMANDS = [
    Entry("play", "coworld.commands.play:play", "Play a Coworld in the browser, with or against players.", RUN),
    Entry("run-episode", "coworld.commands.run_episode:run_episode", "Run episodes without a browser.", RUN),
    Entry("scrimmage", "coworld.commands.scrimmage:scrimmage", "Run an episode with one player in every seat.", RUN),
    Entry("replay", "coworld.commands.replay:replay", "Watch a replay in the browser.", RUN),
    Entry("certify", "coworld.commands.certify:certify", "Try everything a Coworld promises.", BUILD),
    Entry("init", "coworld.commands.init:COMMANDS", "Begin a project.", BUILD),
    Entry("make-policy", "coworld.commands.make_policy:make_policy", "Write a player from a template.", BUILD),
    Entry("map", "coworld.commands.map_image:map_image", "Let a Dockerfile's folder stand for its image.", BUILD),
    Entry("bundle", "coworld.commands.bundle:bundle", "Pack what an episode left behind.", AFTER),
    Entry("report", "coworld.commands.report:report", "Have a reporter tell what happened.", AFTER),
    Entry("grade", "coworld.commands.grade:grade", "Have a grader give an episode a number.", AFTER),
    Entry("diagnose", "coworld.commands.diagnose:diagnose", "Have a diagnoser advise one policy.", AFTER),
    Entry("stats", "coworld.commands.stats:COMMANDS", "Statistics of episodes in one format.", AFTER),
    Entry("optimize", "coworld.commands.optimize:optimize", "Change a player, compare, keep what is better.", IMPROVE),
    Entry("docs", "coworld.commands.docs:docs", "List or print documents and schemas.", INFO),
    Entry("manifest-schema", "coworld.commands.manifest_schema:COMMANDS", "The schema of manifests.", INFO),
]


class Coworld(CoworldProgram):
    """`coworld`, with the commands that other distributions add."""

    entries = COMMANDS
    entry_point_group = "coworld.commands"


app: typer.Typer = make_app("coworld", "Package a game, run it and certify it, without containers.", Coworld)
