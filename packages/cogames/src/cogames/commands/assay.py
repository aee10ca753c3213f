"""`cogames assay`: play a fixed set of missions with one policy on the server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from cogames.commands.shared.server import NOTHING, Json, LoginServer, Server, client_for, moment, print_json, signed_in
from cogames.commands.shared.watching import follow
from cogames.commands.shared.web import Web, open_page
from softmax.cli.errors import fail
from softmax.cli.output import command_line, decimal, hint, note, print_table
from softmax.cli.program import Entry, examples

if TYPE_CHECKING:
    from cogames.client import TournamentServerClient
    from softmax.wire import AssayRunResponse, MissionSpec

COMMANDS = [
    Entry("status", "cogames.commands.assay:status", "Show a run, or the latest one of a policy."),
    Entry("list", "cogames.commands.assay:list_runs", "List runs, newest first."),
    Entry(
        "results",
        "cogames.commands.assay:results",
        "Show the scores of a run, or of the latest completed one of a policy.",
    ),
    Entry("submit", "cogames.commands.assay:submit", "Start a run for a policy."),
]

POLL_SECONDS = 10.0

RunOrPolicy = Annotated[
    str,
    typer.Argument(metavar="POLICY_OR_RUN_ID", help="Id of a run or a prefix of it, or a policy: NAME or NAME:v2."),
]
PolicyArgument = Annotated[str, typer.Argument(metavar="POLICY", help="NAME, NAME:v2, or the id of a version.")]
PolicyOption = Annotated[
    str | None,
    typer.Option("--policy", "-p", metavar="POLICY", help="Only runs of this policy: NAME, NAME:v2 or an id."),
]
Source = Annotated[str, typer.Option("--source", metavar="SET", help="Mission set to play.")]
RunName = Annotated[str | None, typer.Option("--name", "-n", metavar="NAME", help="Label, unique among active runs.")]
Compat = Annotated[str | None, typer.Option("--compat-version", "-c", metavar="VERSION", help="Game version to use.")]
Episodes = Annotated[int, typer.Option("--episodes", "-e", metavar="N", min=1, help="Episodes of each mission.")]
MaxSteps = Annotated[int, typer.Option("--max-steps", metavar="N", min=1, help="Maximum steps per episode.")]
Watch = Annotated[bool, typer.Option("--watch", "-w", help="Wait until the run ends; the exit code is 1 if it failed.")]


@examples("cogames assay status my-policy --watch", "cogames assay status RUN_ID --json status,completed_jobs")
def status(
    run: RunOrPolicy,
    watch: Watch = False,
    web: Web = False,
    server: Server = None,
    login_server: LoginServer = None,
    json: Json = False,
) -> None:
    """Show a run, or the latest one of a policy."""
    client = signed_in(client_for(server, login_server))
    assay_run = _find_run(client, run)
    if web:
        open_page(server, login_server, "policies", assay_run.policy_version_id)
        return
    if watch:
        assay_run = _watch(client, assay_run)
    print_json(assay_run) if json else _print_run(assay_run)
    if watch and assay_run.status == "failed":
        raise typer.Exit(1)


def list_runs(
    policy: PolicyOption = None, server: Server = None, login_server: LoginServer = None, json: Json = False
) -> None:
    """List runs, newest first."""
    client = signed_in(client_for(server, login_server))
    assay_runs = client.list_assay_runs(_version_id(client, policy) if policy else None)
    if json:
        print_json(assay_runs)
        return
    if not assay_runs:
        print("No assay runs found.")
        return
    rows = [
        (
            run.id,
            run.status,
            run.name or NOTHING,
            f"{run.completed_jobs}/{run.total_jobs}",
            run.compat_version or NOTHING,
            moment(run.created_at),
        )
        for run in assay_runs
    ]
    print_table(["ID", "Status", "Name", "Jobs", "Compat", "Created"], rows, title="Assay Runs", right=[3], ids=[0])


def results(run: RunOrPolicy, server: Server = None, login_server: LoginServer = None, json: Json = False) -> None:
    """Show the scores of a run, or of the latest completed one of a policy."""
    from cogames.client.references import as_uuid

    client = signed_in(client_for(server, login_server))
    run_id = as_uuid(run)
    if run_id is None:
        runs = client.list_assay_runs(_version_id(client, run))
        run_id = next((candidate.id for candidate in runs if candidate.status == "completed"), None)
        if run_id is None:
            fail(
                f"No completed run for '{run}'" + (f"; the latest ({runs[0].id}) is {runs[0].status}" if runs else ""),
                command_line("cogames", "assay", "status" if runs else "submit", run),
            )
    scores = client.get_assay_results(run_id)
    if json:
        print_json(scores)
        return
    print(f"Assay Run: {run_id}\nStatus: {scores.status}")
    print_table(["Axis", "Score"], [(axis.axis, decimal(axis.score)) for axis in scores.axes], title="Axes", right=[1])
    rows = [
        (
            name,
            decimal(mission.reward_variance),
            f"{mission.non_zero_episode_pct:.0f}%",
            decimal(mission.timeout_rate),
            decimal(mission.mean_move_success),
            decimal(mission.mean_action_failed),
            f"{mission.mean_stuck_steps:.1f}",
        )
        for name, mission in scores.missions.items()
    ]
    headers = ["Mission", "Reward Variance", "Non-zero", "Timeouts", "Move Success", "Action Failed", "Stuck Steps"]
    print_table(headers, rows, title="Missions", right=[1, 2, 3, 4, 5, 6])


@examples(
    "cogames assay submit my-policy --watch", "cogames assay submit my-policy:v3 --source role_specific_evals -e 1"
)
def submit(
    policy: PolicyArgument,
    source: Source = "cvc_evals",
    name: RunName = None,
    compat_version: Compat = None,
    episodes: Episodes = 3,
    max_steps: MaxSteps = 10_000,
    watch: Watch = False,
    server: Server = None,
    login_server: LoginServer = None,
    json: Json = False,
) -> None:
    """Start a run for a policy."""
    from cogames.client import Refused

    client = client_for(server, login_server)
    client.require_token()
    missions = _missions(source, episodes, max_steps)
    note(f"{source}: {len(missions)} missions, {episodes} episodes each")
    version = _version_id(signed_in(client), policy)
    try:
        run = client.create_assay_run(
            policy_version_id=version, missions=missions, name=name, compat_version=compat_version
        )
    except Refused as error:
        if error.status != 409:
            raise
        print(f"Skipped: {error.detail}")
        return
    if watch:
        run = _watch(client, run)
    print_json(run) if json else _print_run(run)
    if run.status == "failed":
        fail(f"The assay run failed{f': {run.error}' if run.error else ''}")
    if not watch:
        hint(f"cogames assay status {run.id}")


def _watch(client: TournamentServerClient, run: AssayRunResponse) -> AssayRunResponse:
    """Poll a run until it ends; finalise it once all its jobs have ended."""
    if run.status != "pending":
        return run
    ended = follow(lambda: client.get_assay_run(run.id), is_done=_has_ended, line=_progress, seconds=POLL_SECONDS)
    return client.finalize_assay_run(run.id) if ended.status == "pending" else ended


def _has_ended(run: AssayRunResponse) -> bool:
    return run.status != "pending" or run.completed_jobs + run.failed_jobs >= run.total_jobs


def _progress(run: AssayRunResponse) -> str:
    return f"{run.completed_jobs}/{run.total_jobs} completed, {run.failed_jobs} failed"


def _missions(source: str, episodes: int, max_steps: int) -> list[MissionSpec]:
    from cogames.commands.shared import choices
    from softmax.wire import MissionSpec

    chosen = choices.missions([], variants=None, mission_set=source, game="cogsguard", max_steps=max_steps)
    return [
        MissionSpec(
            mission_name=mission.name,
            env_config=mission.env.model_dump(mode="json"),
            num_episodes=episodes,
            max_steps=max_steps,
        )
        for mission in chosen
    ]


def _version_id(client: TournamentServerClient, policy: str) -> UUID:
    from cogames.client.lookup import own_version
    from cogames.client.references import as_uuid

    return as_uuid(policy) or own_version(client, policy).id


def _find_run(client: TournamentServerClient, text: str) -> AssayRunResponse:
    from cogames.client.lookup import find_assay_run

    run = find_assay_run(client, text)
    if run is None:
        fail(f"No assay runs for '{text}'", command_line("cogames", "assay", "submit", text))
    return run


def _print_run(run: AssayRunResponse) -> None:
    print(f"Assay Run: {run.id}\nStatus: {run.status}\nPolicy version: {run.policy_version_id}")
    if run.name:
        print(f"Name: {run.name}")
    print(f"Jobs: {run.completed_jobs}/{run.total_jobs} completed, {run.failed_jobs} failed")
    if run.error:
        print(f"Error: {run.error}")
