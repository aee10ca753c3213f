"""The `coworld` command: the table of its commands and their modules.

A command's module is imported when the command is called. Each module parses, calls one function of the library and
prints.
"""

from typing import Annotated

import typer

from coworld.cli.program import CoworldProgram
from softmax.cli.program import Debug, Entry, Quiet, Verbose, Version, make_app

__all__ = ["COMMANDS", "app"]

RUN, BUILD, AFTER, IMPROVE, INFO = "Play", "Make", "After an episode", "Improve", "Info"
LEAGUE, EPISODES, PUBLISH = "Leagues on a server", "Episodes on a server", "Publish on a server"

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
    Entry("leagues", "coworld.commands.leagues:leagues", "List leagues, or show one.", LEAGUE),
    Entry("divisions", "coworld.commands.leagues:divisions", "List divisions, or show one.", LEAGUE),
    Entry("results", "coworld.commands.leagues:results", "Show how a league, division or round stands.", LEAGUE),
    Entry("rounds", "coworld.commands.leagues:rounds", "List rounds, or show one.", LEAGUE),
    Entry("pools", "coworld.commands.leagues:pools", "List the pools of rounds, or show one.", LEAGUE),
    Entry("events", "coworld.commands.leagues:events", "List what happened in leagues.", LEAGUE),
    Entry("submit", "coworld.commands.memberships:submit", "Submit a policy to a league.", LEAGUE),
    Entry("submissions", "coworld.commands.memberships:submissions", "List submissions.", LEAGUE),
    Entry("memberships", "coworld.commands.memberships:memberships", "List who plays in leagues.", LEAGUE),
    Entry("champion", "coworld.commands.memberships:champion", "Choose the version that plays for you.", LEAGUE),
    Entry(
        "retire-membership",
        "coworld.commands.memberships:retire_membership",
        "Take a policy out of a league.",
        LEAGUE,
    ),
    Entry("league", "coworld.commands.league:COMMANDS", "Create and change leagues.", LEAGUE),
    Entry("power-analysis", "coworld.commands.account:power_analysis", "How many episodes show a difference.", LEAGUE),
    Entry("list", "coworld.commands.published_coworlds:list_coworlds", "List published Coworlds.", PUBLISH),
    Entry("show", "coworld.commands.published_coworlds:show", "Show a published Coworld.", PUBLISH),
    Entry("status", "coworld.commands.published_coworlds:status", "Show whether the server accepts it.", PUBLISH),
    Entry("download", "coworld.commands.published_coworlds:download", "Download a published Coworld.", PUBLISH),
    Entry("next-version", "coworld.commands.published_coworlds:next_version", "Print the next version.", PUBLISH),
    Entry("upload-coworld", "coworld.commands.upload_coworld:upload_coworld", "Publish a Coworld.", PUBLISH),
    Entry(
        "resolve-and-upload",
        "coworld.commands.upload_coworld:upload_coworld",
        instead="upload-coworld",
    ),
    Entry(
        "retry-certification",
        "coworld.commands.published_coworlds:retry_certification",
        "Let the server certify it again.",
        PUBLISH,
    ),
    Entry(
        "patch-commissioner",
        "coworld.commands.upload_coworld:patch_commissioner",
        "Publish a Coworld with another commissioner.",
        PUBLISH,
    ),
    Entry("visibility", "coworld.commands.published_coworlds:visibility", "Make a Coworld public.", PUBLISH),
    Entry("images", "coworld.commands.published_coworlds:images", "List container images.", PUBLISH),
    Entry("upload-policy", "coworld.commands.upload_policy:upload_policy", "Upload a player.", PUBLISH),
    Entry("secret", "coworld.commands.account:SECRET", "Secrets of a Coworld.", PUBLISH),
    Entry("player", "coworld.commands.account:PLAYER", "The player you act as.", PUBLISH),
    Entry("credits", "coworld.commands.account:credits", "Show your credits.", EPISODES),
    Entry("hosted-game", "coworld.commands.account:HOSTED_GAME", "Games that the server runs.", EPISODES),
    Entry("lobby", "coworld.commands.lobby:COMMANDS", "Games of a league with people.", EPISODES),
    Entry("xp-request", "coworld.commands.xp_request:COMMANDS", "Ask for episodes, and follow them.", EPISODES),
    Entry("episodes", "coworld.commands.episodes:episodes", "List episodes, or show one.", EPISODES),
    Entry("episode-stats", "coworld.commands.episodes:episode_stats", "Show statistics of an episode.", EPISODES),
    Entry("episode-results", "coworld.commands.episodes:episode_results", "Print what the game wrote.", EPISODES),
    Entry("episode-logs", "coworld.commands.episodes:episode_logs", "Show or download logs.", EPISODES),
    Entry(
        "episode-annotations",
        "coworld.commands.episodes:episode_annotations",
        "Save what a policy noted about an episode.",
        EPISODES,
    ),
    Entry("replays", "coworld.commands.replays:replays", "List or download replays.", EPISODES),
    Entry("replay-open", "coworld.commands.replays:replay_open", "Watch the replay of an episode.", EPISODES),
    Entry("reproduce", "coworld.commands.reproduce:reproduce", "Play an episode again and compare.", EPISODES),
    Entry("reporters", "coworld.commands.reporters:COMMANDS", "Find reporters in catalogues or on a server.", INFO),
    Entry("roles", "coworld.commands.roles:COMMANDS", "Find implementations of roles in catalogues.", INFO),
    Entry("docs", "coworld.commands.docs:docs", "List or print documents and schemas.", INFO),
    Entry("manifest-schema", "coworld.commands.manifest_schema:COMMANDS", "The schema of manifests.", INFO),
]


class Coworld(CoworldProgram):
    """`coworld`, with the commands that other distributions add."""

    entries = COMMANDS
    entry_point_group = "coworld.commands"


app: typer.Typer = make_app("coworld", "Package a game, run it, certify it and publish it; play in leagues.", Coworld)


@app.callback()
def _root(
    version: Version = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
    debug: Debug = False,
    elevated: Annotated[bool, typer.Option("--elevated", hidden=True, help="Use an administrator's rights.")] = False,
) -> None:
    if elevated:
        from coworld.server.api_client import CoworldApiClient

        CoworldApiClient.set_elevated(True)
