"""`observatory admin network` and `audit`: what policies may reach, and who decided it."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import quote

import typer

from observatory.cli.admin import admin_calls, show
from observatory.cli.options import Json
from softmax.cli.errors import fail
from softmax.cli.output import table
from softmax.cli.program import Entry

if TYPE_CHECKING:
    from observatory.serving.admin_client import AdminClient

__all__ = ["NETWORK", "audit"]

NETWORK = [
    Entry("list", "observatory.cli.network:list_grants", "List the hosts that a policy version may reach."),
    Entry("grant", "observatory.cli.network:grant", "Allow a policy version to reach a host."),
    Entry("revoke", "observatory.cli.network:revoke", "Take a grant back."),
]

Policy = Annotated[str, typer.Argument(help="NAME:v3, or the id of a policy version.")]
Host = Annotated[
    str, typer.Argument(help="Such as api.example.com, or @package-index to let its setup script install packages.")
]
Owner = Annotated[bool, typer.Option("--owner", help="For all versions of its owner, also those to come.")]


def list_grants(policy: Policy, as_json: Json = False) -> None:
    """What a policy version may reach."""
    with admin_calls() as client:
        grants = client.call("GET", _path(client, policy))
    show(grants, as_json, _rows(grants))


def grant(policy: Policy, host: Host, owner: Owner = False, as_json: Json = False) -> None:
    """Let a policy version reach a host, or its setup script the package index. The audit log records it."""
    with admin_calls() as client:
        body = {"host": host, "scope": "owner" if owner else "version"}
        grants = client.call("POST", _path(client, policy), body)
    show(grants, as_json, _rows(grants))


def revoke(policy: Policy, host: Host, owner: Owner = False, as_json: Json = False) -> None:
    """Take a grant back. The audit log records it."""
    with admin_calls() as client:
        scope = "owner" if owner else "version"
        grants = client.call("DELETE", f"{_path(client, policy)}/{quote(host, safe='')}?scope={scope}")
    show(grants, as_json, _rows(grants))


def audit(
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many entries.")] = 50, as_json: Json = False
) -> None:
    """Decisions of administrators, the newest first."""
    with admin_calls() as client:
        entries = client.call("GET", f"/observatory/api/admin/audit?limit={limit}")
    rows = [
        [
            entry["at"],
            entry["actor"],
            entry["action"],
            " ".join(f"{name}={value}" for name, value in entry["details"].items() if value is not None),
        ]
        for entry in entries
    ]
    show(entries, as_json, table(["Time", "Administrator", "Decision", "Details"], rows))


def _rows(grants: list[dict[str, Any]]) -> str:
    rows = [[g["host"], g["scope"], g["reason"], g["granted_by"] or "", g["created_at"]] for g in grants]
    return table(["Host", "Scope", "Reason", "Granted by", "Since"], rows) if rows else "No hosts"


def _path(client: AdminClient, policy: str) -> str:
    return f"/stats/policy-versions/{_version_id(client, policy)}/network"


def _version_id(client: AdminClient, policy: str) -> str:
    """The id of the version that is meant; ends the program where that is not one."""
    try:
        return str(uuid.UUID(policy))
    except ValueError:
        name, _, version = policy.rpartition(":v")
    if not name or not version.isdecimal():
        raise typer.BadParameter(f"{policy!r} is neither NAME:v3 nor the id of a policy version.")
    entries = client.call("GET", f"/stats/policy-versions?name_exact={quote(name, safe='')}&version={version}")[
        "entries"
    ]
    if len(entries) != 1:
        ids = ", ".join(entry["id"] for entry in entries)
        fail(
            f"There are {len(entries)} policies {policy}; name one by its id: {ids}"
            if entries
            else f"No policy {policy}"
        )
    return str(entries[0]["id"])
