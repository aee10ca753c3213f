"""`cogames episode`: list, show and replay episodes of a server."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit
from uuid import UUID

import typer

from cogames.commands.shared import choices
from cogames.commands.shared.server import (
    FILTER,
    NOTHING,
    OUTPUT,
    Json,
    LoginServer,
    LongServer,
    client_for,
    moment,
    number,
    print_json,
)
from softmax.cli.errors import fail
from softmax.cli.output import hint, note, print_table
from softmax.cli.program import Entry, examples

COMMANDS = [
    Entry("list", "cogames.commands.episode:list_episodes", "List episodes, newest first."),
    Entry("show", "cogames.commands.episode:show", "Show an episode."),
    Entry("replay", "cogames.commands.episode:replay", "Watch an episode in the browser, or save its replay."),
]

EpisodeId = Annotated[str, typer.Argument(metavar="EPISODE_ID", help="Id of the episode.")]
Policy = Annotated[
    str | None,
    typer.Option(
        "--policy",
        "-p",
        metavar="POLICY_VERSION_ID",
        help="Only episodes with this policy version.",
        rich_help_panel=FILTER,
    ),
]
Tags = Annotated[
    str | None,
    typer.Option(
        "--tags", "-t", metavar="TAGS", help="Only episodes with these tags: key:value,...", rich_help_panel=FILTER
    ),
]
Limit = Annotated[
    int, typer.Option("--limit", "-n", metavar="N", min=1, help="Number of episodes.", rich_help_panel=FILTER)
]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FILE", help="Save it instead of watching.", rich_help_panel=OUTPUT),
]
NoBrowser = Annotated[bool, typer.Option("--no-browser", help="Only print the address of the viewer.")]
Port = Annotated[int, typer.Option("--port", metavar="N", min=0, max=65535, help="Port of the viewer; 0: a free one.")]


@examples("cogames episode list", "cogames episode list -t game:cogsguard -n 5 --json")
def list_episodes(
    policy: Policy = None,
    tags: Tags = None,
    limit: Limit = 20,
    server: LongServer = None,
    login_server: LoginServer = None,
    json: Json = False,
) -> None:
    """List episodes, newest first."""
    if policy is not None:
        policy = str(_id(policy, "policy version"))
    page = client_for(server, login_server).list_episodes(policy, tags, limit)
    if json:
        print_json(page)
        return
    if not page:
        print("No episodes found.")
        return
    rows = [
        (
            episode.id,
            moment(episode.created_at),
            NOTHING if episode.steps is None else episode.steps,
            ", ".join(result.policy.label for result in episode.policy_results) or NOTHING,
            ", ".join(number(result.avg_reward) for result in episode.policy_results) or NOTHING,
            "yes" if episode.replay_url else "no",
        )
        for episode in page
    ]
    headers = ["Episode ID", "Date", "Steps", "Policies", "Avg Reward", "Replay"]
    print_table(headers, rows, title="Episodes", right=[2, 4])
    hint("cogames episode show EPISODE_ID")


def show(
    episode_id: EpisodeId, server: LongServer = None, login_server: LoginServer = None, json: Json = False
) -> None:
    """Show an episode."""
    episode = client_for(server, login_server).get_episode(_id(episode_id, "episode"))
    if json:
        print_json(episode)
        return
    print(f"Episode {episode.id}\nDate: {moment(episode.created_at)}")
    print(f"Steps: {NOTHING if episode.steps is None else episode.steps}")
    if episode.tags:
        print(f"Tags: {', '.join(f'{key}={value}' for key, value in episode.tags.items())}")
    if episode.replay_url:
        print(f"Replay: {episode.replay_url}")
    print("\nPolicy Results:")
    for result in episode.policy_results:
        reward = number(result.avg_reward)
        print(f"  #{result.position}: {result.policy.label} ({result.num_agents} agents) - Avg Reward: {reward}")
    if episode.game_stats:
        print("\nGame Stats:")
        for name, value in sorted(episode.game_stats.items()):
            print(f"  {name}: {value:.4f}")
    if episode.replay_url:
        hint(f"cogames episode replay {episode.id}")


@examples("cogames episode replay EPISODE_ID", "cogames episode replay EPISODE_ID -o game.json.z")
def replay(
    episode_id: EpisodeId,
    output: Output = None,
    no_browser: NoBrowser = False,
    port: Port = 0,
    server: LongServer = None,
    login_server: LoginServer = None,
) -> None:
    """Watch an episode in the browser, or save its replay."""
    client = client_for(server, login_server)
    episode = client.get_episode(_id(episode_id, "episode"))
    note(f"Downloading the replay of episode {episode.id}")
    data = client.download_replay(episode)
    if output is not None:
        choices.output_file(output).write_bytes(data)
        print(f"Replay saved to {output}")
        return
    from cogames.commands.replay import replay as watch

    name = Path(urlsplit(episode.replay_url or "").path).name or "episode.json.z"
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / name
        file.write_bytes(data)
        watch(file, port=port, no_browser=no_browser)


def _id(text: str, noun: str) -> UUID:
    from cogames.client.references import as_uuid

    identifier = as_uuid(text)
    if identifier is None:
        fail(f"{text!r} is not a valid {noun} id")
    return identifier
