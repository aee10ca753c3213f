"""`cogames download-policy`, `cogames withdraw` and `cogames delete-policy`: manage uploaded policies."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cogames.commands.shared.server import OUTPUT, TOURNAMENT, LoginServer, Server, client_for, signed_in
from softmax.cli.errors import CommandError, fail
from softmax.cli.output import command_line, hint, note
from softmax.cli.program import examples

if TYPE_CHECKING:
    from softmax.wire import PolicyVersionRow

PolicyReference = Annotated[str, typer.Argument(metavar="POLICY", help="NAME (the latest version), NAME:v2 or an id.")]
ToDelete = Annotated[
    str, typer.Argument(metavar="POLICY", help="NAME:v2 or the id of a version; with --all-versions NAME.")
]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", metavar="FILE", help="File to write.", show_default="NAME-v2.zip", rich_help_panel=OUTPUT
    ),
]
Force = Annotated[bool, typer.Option("--force", help="Replace an existing file.", rich_help_panel=OUTPUT)]
Season = Annotated[
    str | None,
    typer.Option(
        "--season",
        metavar="SEASON",
        help="Season to leave.",
        show_default="the server's default",
        rich_help_panel=TOURNAMENT,
    ),
]
AllVersions = Annotated[bool, typer.Option("--all-versions", help="Delete the policy with all its versions.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")]


@examples("cogames download-policy my-policy:v2", "cogames download-policy my-policy -o my-policy.zip")
def download_policy(
    policy: PolicyReference,
    output: Output = None,
    force: Force = False,
    server: Server = None,
    login_server: LoginServer = None,
) -> None:
    """Download the bundle of a policy that you uploaded."""
    from cogames.client.lookup import own_version

    client = signed_in(client_for(server, login_server))
    version = own_version(client, policy)
    bundle = client.get_policy_bundle(version.id)
    suffix = ".zip" if bundle.kind == "bundle" else ""
    path = output or Path(re.sub(r"[^\w.-]+", "_", f"{version.name}-v{version.version}") + suffix)
    if path.is_dir():
        fail(f"{path} is a folder; pass the path of a file")
    if path.exists() and not force:
        fail(f"{path} exists", "--force replaces it; -o writes another file")
    path.parent.mkdir(parents=True, exist_ok=True)
    client.download(bundle.url, path, _label(version), sha256=bundle.sha256)
    print(f"Wrote {path}")
    hint(command_line("cogames", "validate-bundle", "-p", path if path.is_absolute() else f"./{path}"))


@examples("cogames withdraw my-policy", "cogames withdraw my-policy:v2 --season beta-cvc --yes")
def withdraw(
    policy: PolicyReference,
    season: Season = None,
    yes: Yes = False,
    server: Server = None,
    login_server: LoginServer = None,
) -> None:
    """Withdraw a policy from a season.

    No more matches are scheduled for this version. Its results stay, and it cannot enter the season again; a new
    version can. A team season can be left only before it starts.
    """
    from cogames.client.lookup import own_version

    client = signed_in(client_for(server, login_server))
    version = own_version(client, policy)
    name = season or client.get_default_season().name
    _confirm(f"withdraw {_label(version)} from season '{name}'", "It cannot enter the season again.", yes)
    with _refusals():
        pools = client.withdraw_from_season(name, version.id).pools
    print(f"Withdrew {_label(version)} from season '{name}'\nLeft pools: {', '.join(pools)}")


@examples("cogames delete-policy my-policy:v2", "cogames delete-policy my-policy --all-versions --yes")
def delete_policy(
    policy: ToDelete,
    all_versions: AllVersions = False,
    yes: Yes = False,
    server: Server = None,
    login_server: LoginServer = None,
) -> None:
    """Delete an uploaded version of a policy.

    Its bundle and secrets are deleted too. A version that has played stays, because its matches are public records;
    `cogames withdraw` takes it out of a season.
    """
    from cogames.client.lookup import UnknownPolicy, own_version
    from cogames.client.references import as_uuid, split_reference

    client = signed_in(client_for(server, login_server))
    if all_versions:
        name, number = split_reference(policy)
        if number is not None:
            fail(f"--all-versions deletes every version of {name}; leave out ':v{number}'")
        rows = client.get_my_policy_versions(name)
        if not rows:
            raise UnknownPolicy(policy, client.get_my_policy_versions())
        count = "its only version" if len(rows) == 1 else f"all {len(rows)} versions"
        _confirm(f"delete {name} with {count}", "This cannot be undone.", yes)
        with _refusals():
            deleted = client.delete_policy(rows[0].policy_id).deleted
    else:
        if as_uuid(policy) is None and split_reference(policy)[1] is None:
            fail(
                f"'{policy}' does not name a version",
                f"{command_line('cogames', 'delete-policy', f'{policy}:v1')} deletes one version",
                f"{command_line('cogames', 'delete-policy', policy)} --all-versions deletes all versions",
            )
        version = own_version(client, policy)
        _confirm(f"delete {_label(version)}", "This cannot be undone.", yes)
        with _refusals():
            deleted = client.delete_policy_version(version.id).deleted
    print(f"Deleted {', '.join(deleted)}")


@contextmanager
def _refusals() -> Iterator[None]:
    """Show why the server refuses, in its own words."""
    from cogames.client import Refused

    try:
        yield
    except Refused as error:
        if error.status != 409 or error.detail is None:
            raise
        raise CommandError(error.detail) from error


def _confirm(action: str, consequence: str, yes: bool) -> None:
    """Ask on the terminal; refuse without one."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise CommandError(f"Not confirmed: {action}", ["stdin is not a terminal; pass --yes to confirm"])
    print(f"{action[0].upper()}{action[1:]}? {consequence} [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        note("Nothing was changed")
        raise typer.Exit(1)


def _label(version: PolicyVersionRow) -> str:
    return f"{version.name}:v{version.version}"
