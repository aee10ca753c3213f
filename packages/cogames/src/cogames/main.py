"""The `cogames` command: what it can do, and where each command is.

Nothing but the table is needed to show help, so that is all that is imported; a command's module is imported when the
command is called. Each module parses, calls one function of the library and prints.
"""

import gc

import typer

from cogames.cli.program import Entry, Program, make_app

__all__ = ["app", "main"]

PLAY, EVALUATE, INFO, POLICIES, TUTORIALS = "Play", "Evaluate", "Info", "Policies", "Tutorials"

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
    Entry("validate-policy", "cogames.commands.older:validate_policy", instead="validate-bundle"),
]


class CogamesProgram(Program):
    entries = COMMANDS


app: typer.Typer = make_app("cogames", "Play, evaluate and pack policies for games with many agents.", CogamesProgram)


def main() -> None:
    """Run the command with the arguments of this process, and end the process."""
    # Nothing that is imported becomes garbage; `prints_to_stderr` begins to collect when policies begin to run.
    gc.disable()
    app(prog_name="cogames")
