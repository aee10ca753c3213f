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
    Entry("certify", "coworld.commands.certify:certify", "Check that a Coworld meets the contract.", BUILD),
    Entry("build", "coworld.commands.build:build", "Build the images of a project and its manifest.", BUILD),
    Entry("init", "coworld.commands.init:COMMANDS", "Start a project.", BUILD),
    Entry("make-policy", "coworld.commands.make_policy:make_policy", "Write a player from a template.", BUILD),
    Entry("map", "coworld.commands.map_image:map_image", "Map an image to the folder of its Dockerfile.", BUILD),
    Entry("bundle", "coworld.commands.bundle:bundle", "Pack the files of an episode into a zip.", AFTER),
    Entry("report", "coworld.commands.report:report", "Run a reporter on an episode.", AFTER),
    Entry("grade", "coworld.commands.grade:grade", "Run a grader on an episode.", AFTER),
    Entry("diagnose", "coworld.commands.diagnose:diagnose", "Run a diagnoser on an episode, for one policy.", AFTER),
    Entry("stats", "coworld.commands.stats:COMMANDS", "Statistics of episodes in one format.", AFTER),
    Entry(
        "optimize",
        "coworld.commands.optimize:optimize",
        "Change a player, compare the versions, keep the better one.",
        IMPROVE,
    ),
    Entry("reporters", "coworld.commands.reporters:COMMANDS", "Find reporters in catalogues or on a server.", INFO),
    Entry("roles", "coworld.commands.roles:COMMANDS", "Find implementations of roles in catalogues.", INFO),
    Entry("docs", "coworld.commands.docs:docs", "List or print documents and schemas.", INFO),
    Entry("manifest-schema", "coworld.commands.manifest_schema:COMMANDS", "The schema of manifests.", INFO),
]


class Coworld(CoworldProgram):
    """`coworld`, with the commands that other distributions add."""

    entries = COMMANDS
    entry_point_group = "coworld.commands"


app: typer.Typer = make_app("coworld", "Package a game, run it and certify it, without containers.", Coworld)
