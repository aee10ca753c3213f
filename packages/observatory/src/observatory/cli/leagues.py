"""`observatory admin league`: create leagues, start and stop their rounds, recompute their ratings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from observatory.cli.admin import admin_calls, show
from observatory.cli.options import Json
from softmax.cli.errors import fail
from softmax.cli.output import table
from softmax.cli.program import Entry

if TYPE_CHECKING:
    from observatory.serving.admin_client import AdminClient

__all__ = ["LEAGUES"]

LEAGUES = [
    Entry("list", "observatory.cli.leagues:list_leagues", "List leagues, including private ones."),
    Entry("create", "observatory.cli.leagues:create_league", "Create a league for a published Coworld."),
    Entry("seed", "observatory.cli.leagues:seed_leagues", "Create or change the leagues of files."),
    Entry("pause", "observatory.cli.leagues:pause_league", "Start no more rounds of a league."),
    Entry("resume", "observatory.cli.leagues:resume_league", "Start rounds of a league again."),
    Entry("trigger", "observatory.cli.leagues:trigger_round", "Start the next round of a league now."),
    Entry("cancel-round", "observatory.cli.leagues:cancel_round", "Cancel a round that is being played."),
    Entry("disqualify", "observatory.cli.leagues:disqualify_member", "Take a member out of a league."),
    Entry("restore", "observatory.cli.leagues:restore_member", "Let a disqualified member play again."),
    Entry("recompute", "observatory.cli.leagues:recompute_ratings", "Recompute ratings from logs and compare."),
]

Reference = Annotated[str, typer.Argument(metavar="LEAGUE", help="Its id, or its name.")]
Member = Annotated[str, typer.Argument(metavar="MEMBERSHIP", help="Its id, `lpm_...`.")]
Reason = Annotated[str, typer.Option(help="A sentence that everyone sees.")]


def list_leagues(as_json: Json = False) -> None:
    """List leagues, including private ones."""
    with admin_calls() as client:
        leagues = client.call("GET", "/v2/leagues")
    rows = [
        [league["id"], league["name"], league["game"]["name"], _visibility(league), _state(league)]
        for league in leagues
    ]
    show(leagues, as_json, table(["Id", "Name", "Game", "Visibility", "State"], rows))


def create_league(
    coworld: Annotated[str, typer.Argument(help="Name of a published Coworld.")],
    key: Annotated[str, typer.Option(help="Distinguishes the leagues of one Coworld.")] = "default",
    name: Annotated[str | None, typer.Option(help="Name of the league; by default that of the Coworld.")] = None,
    variant: Annotated[str | None, typer.Option(help="Variant of the game to play.")] = None,
    private: Annotated[bool, typer.Option("--private", help="Only its owner and administrators see it.")] = False,
    as_json: Json = False,
) -> None:
    """Create a league for a published Coworld; a league with the same key is returned as it is."""
    body = {
        "coworld_name": coworld,
        "league_key": key,
        "league_name": name,
        "default_variant_id": variant,
        "overrides": {"public": False} if private else {},
    }
    with admin_calls() as client:
        seed = client.call("POST", "/v2/coworld-league-seeds", body)
    show(seed, as_json, f"{seed['league_name']}: {seed['league_id']}")


def seed_leagues(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="YAML or JSON; one league each.")],
    as_json: Json = False,
) -> None:
    """Make leagues, their divisions and their settings what files say. The same file again changes nothing.

    What a file leaves out stays as it is. The keys are those of `PUT /v2/coworld-league-seeds`.
    """
    documents = [_read(path) for path in files]
    with admin_calls() as client:
        seeds = [client.call("PUT", "/v2/coworld-league-seeds", document) for document in documents]
    show(seeds, as_json, "\n".join(f"{seed['league_name']}: {seed['league_id']}" for seed in seeds))


def pause_league(league: Reference) -> None:
    """Start no more rounds of a league; a round that has begun ends as usual."""
    _set_paused(league, True)


def resume_league(league: Reference) -> None:
    """Start rounds of a league again."""
    _set_paused(league, False)


def trigger_round(league: Reference) -> None:
    """Start the next round of a league as soon as it can start; the interval does not count this once."""
    with admin_calls() as client:
        found = _find(client, league)
        client.call("POST", f"/v2/leagues/{found['id']}/trigger-round")
    print(f"The next round of {found['name']} starts now")


def cancel_round(
    round_id: Annotated[str, typer.Argument(metavar="ROUND", help="Its id, `round_...`.")],
    reason: Annotated[str | None, typer.Option(help="A sentence for those who play in it.")] = None,
) -> None:
    """Cancel a round that is being played; it changes no rating."""
    with admin_calls() as client:
        cancelled = client.call("POST", f"/v2/rounds/{round_id}/cancel", {"reason": reason})
    print(f"Cancelled round {cancelled['round_number']} of {cancelled['division']['name']}")


def disqualify_member(membership: Member, reason: Reason) -> None:
    """Take a member out of a league; its version cannot enter the league again."""
    _decide(membership, "disqualify", reason)


def restore_member(membership: Member, reason: Reason) -> None:
    """Let a disqualified member play again; it is the champion of a player that has no other one."""
    _decide(membership, "restore", reason)


def _decide(membership_id: str, action: str, reason: str) -> None:
    with admin_calls() as client:
        path = f"/v2/league-policy-memberships/{membership_id}/{action}"
        member = client.call("POST", path, {"reason": reason})
    version = member["policy_version"]
    print(f"{version['policy']['name']}:v{version['version']} is {member['status']} in {member['league']['name']}")


def recompute_ratings(
    league: Reference,
    fix: Annotated[bool, typer.Option("--fix", help="Correct ratings that differ.")] = False,
    as_json: Json = False,
) -> None:
    """Recompute the ratings of a league from the logs of its rounds; exit 1 if they differ from the stored ones."""
    with admin_calls() as client:
        found = _find(client, league)
        path = f"/observatory/api/admin/leagues/{found['id']}/recompute"
        report = client.call("POST", path, {"check": not fix})
    show(report, as_json, "\n".join([*report["differences"], report["sentence"]]))
    if report["differences"] and not fix:
        raise typer.Exit(1)


def _read(path: Path) -> dict[str, Any]:
    import yaml

    try:
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as problem:
        fail(f"{path} cannot be read: {problem.strerror}")
    except (yaml.YAMLError, UnicodeDecodeError) as problem:
        fail(f"{path} is neither YAML nor JSON: {problem}")
    if not isinstance(document, dict):
        fail(f"{path} has no league: it must be an object with `coworld_name`")
    return document


def _set_paused(reference: str, paused: bool) -> None:
    with admin_calls() as client:
        league = _find(client, reference)
        client.call("POST", f"/v2/leagues/{league['id']}/rounds-paused", {"paused": paused})
    print(f"{'Paused' if paused else 'Resumed'} {league['name']}")


def _find(client: AdminClient, reference: str) -> dict[str, Any]:
    leagues: list[dict[str, Any]] = client.call("GET", "/v2/leagues")
    named = [league for league in leagues if reference in (league["id"], league["name"])]
    if not named:
        fail(f"There is no league {reference!r}")
    if len(named) > 1:
        fail(f"{len(named)} leagues are named {reference!r}; use an id")
    return named[0]


def _visibility(league: dict[str, Any]) -> str:
    if not league["public"]:
        return "private"
    return "hidden" if league["hidden"] else "public"


def _state(league: dict[str, Any]) -> str:
    if league["disabled_at"]:
        return "closed"
    return "paused" if league["rounds_paused_at"] else "open"
