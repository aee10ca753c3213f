"""`coworld league`: what an operator wants leagues to be."""

from __future__ import annotations

import json as format
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from coworld.cli.league import LeagueServer, moment, print_document, print_line, print_rows
from coworld.cli.options import Json
from coworld.cli.pairs import json_pairs
from softmax.cli.errors import UsageError
from softmax.cli.output import note
from softmax.cli.program import Entry, examples

if TYPE_CHECKING:
    from collections.abc import Sequence

    from coworld.server.upload_client import CoworldUploadClient
    from softmax.wire.leagues import CompetitionSeed

__all__ = [
    "COMMANDS",
    "LeagueArg",
    "create",
    "game_of_week",
    "league_client",
    "list_seeds",
    "lock",
    "rebind",
    "setup",
    "update",
]

COMMANDS = [
    Entry("create", "coworld.commands.league:create", "Create a league for a Coworld."),
    Entry("list", "coworld.commands.league:list_seeds", "List what leagues should be."),
    Entry("update", "coworld.commands.league:update", "Change what a league should be."),
    Entry("rebind", "coworld.commands.league:rebind", "Move leagues to other Coworlds, from a file."),
    Entry("game-of-week", "coworld.commands.league:game_of_week", "Make a league the game of the week."),
    Entry("setup", "coworld.commands.league:setup", "Give a league its first division and rounds."),
    Entry("lock", "coworld.commands.league:lock", "Show or change what is locked in a league."),
    Entry("settings", "coworld.commands.league_rounds:settings", "Show or change how a league is played."),
    Entry("pause", "coworld.commands.league_rounds:pause", "Start no more rounds of a league."),
    Entry("resume", "coworld.commands.league_rounds:resume", "Start rounds of a league again."),
    Entry("trigger", "coworld.commands.league_rounds:trigger", "Start the next round of a league now."),
    Entry("cancel-round", "coworld.commands.league_rounds:cancel_round", "Cancel a round that is being played."),
]

NameArg = Annotated[str, typer.Argument(metavar="COWORLD", help="The name of a Coworld.")]
KeyArg = Annotated[str, typer.Argument(metavar="KEY", help="A short key of the league among those of its Coworld.")]
LeagueName = Annotated[str, typer.Argument(metavar="NAME", help="The league's name.")]
SeedArg = Annotated[str, typer.Argument(metavar="SEED", help="A seed's id (lseed_...).")]
LeagueArg = Annotated[str, typer.Argument(metavar="LEAGUE", help="A league's id or name.")]
PlanArg = Annotated[Path, typer.Argument(metavar="PLAN", help="A JSON file with a list of changes.")]
Variant = Annotated[
    str | None,
    typer.Option("--default-variant", metavar="ID", help="The variant to play; by default the manifest's first."),
]
Template = Annotated[str, typer.Option("--template", "-t", metavar="NAME", help="The kind of league.")]
Set = Annotated[
    list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="A setting; JSON values are read (repeatable).")
]
ManifestDefault = Annotated[bool, typer.Option("--use-manifest-default", help="Play the manifest's first variant.")]
Commit = Annotated[bool, typer.Option("--commit", help="Do it; without this, only show what would happen.")]
Approve = Annotated[bool, typer.Option("--approve", help="Do it, with the --revision that you have seen.")]
Revision = Annotated[str | None, typer.Option("--revision", metavar="REVISION", help="The revision of the preview.")]
Preview = Annotated[bool, typer.Option("--preview", help="Only show what would happen.")]
Submissions = Annotated[bool | None, typer.Option("--submissions/--no-submissions", help="Lock submissions, or not.")]
GameVersion = Annotated[bool | None, typer.Option("--game-version/--no-game-version", help="Pin the game's version.")]


def league_client(server: str | None) -> CoworldUploadClient:
    """Return a client with the saved token of a server."""
    from coworld.server.upload_client import CoworldUploadClient

    return CoworldUploadClient.from_login(server)


@examples("coworld league create paintarena main 'Paint Arena League' --set schedule_interval_minutes=10")
def create(
    coworld: NameArg,
    key: KeyArg,
    name: LeagueName,
    default_variant: Variant = None,
    template: Template = "commissioner_driven",
    settings: Set = None,
    server: LeagueServer = None,
    json: Json = False,
) -> None:
    """Create a league for a Coworld, or change the one with this key. Owners may, and administrators."""
    with league_client(server) as client:
        seed = client.create_league_seed(
            coworld_name=coworld,
            league_key=key,
            league_name=name,
            default_variant_id=default_variant,
            template=template,
            overrides=json_pairs(settings, "--set"),
        )
    print_document(seed) if json else _print_seeds([seed])


@examples("coworld league list")
def list_seeds(server: LeagueServer = None, json: Json = False) -> None:
    """List what leagues should be."""
    with league_client(server) as client:
        seeds = client.list_league_seeds()
    print_document(seeds) if json else _print_seeds(seeds)


@examples("coworld league update lseed_... --set minimum_champions=4")
def update(
    seed: SeedArg,
    settings: Set = None,
    default_variant: Variant = None,
    use_manifest_default: ManifestDefault = False,
    server: LeagueServer = None,
    json: Json = False,
) -> None:
    """Change what a league should be. Settings replace all earlier ones."""
    with league_client(server) as client:
        row = client.update_league_seed(
            seed_id=seed,
            overrides=json_pairs(settings, "--set") or None,
            default_variant_id=default_variant,
            clear_default_variant=use_manifest_default,
        )
    print_document(row) if json else _print_seeds([row])


@examples("coworld league game-of-week lseed_...")
def game_of_week(seed: SeedArg, server: LeagueServer = None, json: Json = False) -> None:
    """Make a league the game of the week."""
    with league_client(server) as client:
        row = client.set_league_game_of_week(seed_id=seed)
    print_document(row) if json else _print_seeds([row])


@examples("coworld league rebind plan.json", "coworld league rebind plan.json --commit")
def rebind(plan: PlanArg, commit: Commit = False, server: LeagueServer = None, json: Json = False) -> None:
    """Move leagues to other Coworlds: all changes of a file, or none."""
    try:
        document = format.loads(plan.read_text())
    except OSError as error:
        raise UsageError(f"{plan} cannot be read: {error.strerror}", ["give the path of a JSON file"]) from None
    except ValueError as error:
        raise UsageError(f"{plan} is not JSON: {error}", ["correct it"]) from None
    changes = document.get("changes") if isinstance(document, dict) else document
    if not isinstance(changes, list):
        raise UsageError(f"{plan} has no list of changes", ['write [{"seed_id": ..., "coworld_name": ...}]'])
    with league_client(server) as client:
        answer = client.rebind_league_seeds(changes=changes, dry_run=not commit)
    if json:
        print_document(answer)
        return
    lines = [
        [row["seed_id"], row["league_name"], row["proposed"]["coworld_name"], "; ".join(row["blocking_reasons"])]
        for row in answer["results"]
    ]
    print_rows(["Seed", "League", "New Coworld", "Problem"], lines, empty="No changes")
    note("Done" if answer["applied"] else "Nothing was changed" + ("" if commit else "; add --commit to do it"))


@examples("coworld league setup league_... --preview", "coworld league setup league_... --approve --revision abc")
def setup(
    league: LeagueArg,
    approve: Approve = False,
    revision: Revision = None,
    preview: Preview = False,
    server: LeagueServer = None,
    json: Json = False,
) -> None:
    """Give a league its first division and rounds. Shows first what it would do, and asks."""
    from coworld.server.references import resolve_league_id

    if approve and revision is None:
        raise UsageError("--approve needs the --revision that you have seen", ["run it with --preview first"])
    with league_client(server) as client:
        league_id = resolve_league_id(client, league)
        answer = client.setup_league(league_id, approve=approve, revision=revision)
        if not (approve or preview or json) and answer["status"] == "ready_for_approval":
            _print_setup(answer)
            if typer.confirm("Do this?"):
                answer = client.setup_league(league_id, approve=True, revision=answer["revision"])
    print_document(answer) if json else _print_setup(answer)


def _print_setup(answer: dict[str, Any]) -> None:
    print_line(f"Status: {answer['status'].replace('_', ' ')}")
    for name, value in (answer.get("proposal") or {}).items():
        print_line(f"  {name.replace('_', ' ')}: {value}")
    if answer.get("revision"):
        print_line(f"Revision: {answer['revision']}")


@examples("coworld league lock league_...", "coworld league lock league_... --submissions --no-game-version")
def lock(
    league: LeagueArg,
    submissions: Submissions = None,
    game_version: GameVersion = None,
    server: LeagueServer = None,
    json: Json = False,
) -> None:
    """Show or change what is locked in a league: submissions, and the version of the game."""
    from coworld.server.references import resolve_league_id

    with league_client(server) as client:
        league_id = resolve_league_id(client, league)
        locks = client.get_league_locks(league_id)
        if submissions is not None or game_version is not None:
            locks = client.set_league_locks(
                league_id,
                submissions_locked=locks.submissions_locked if submissions is None else submissions,
                game_version_locked=locks.game_version_locked if game_version is None else game_version,
            )
    if json:
        print_document(locks)
        return
    print_line(f"Submissions: {'locked' if locks.submissions_locked else 'open'}")
    pinned = f"locked to {locks.locked_game_version}" if locks.game_version_locked else "follows the canonical one"
    print_line(f"Game version: {pinned} (canonical: {locks.canonical_game_version or '-'})")


def _print_seeds(seeds: Sequence[CompetitionSeed]) -> None:
    lines = [
        [row.id, row.coworld_name, row.league_key, row.league_name, row.league_id, moment(row.created_at)]
        for row in seeds
    ]
    print_rows(["ID", "Coworld", "Key", "Name", "League", "Created"], lines, empty="You have no leagues")
