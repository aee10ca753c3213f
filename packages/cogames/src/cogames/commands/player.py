"""`cogames auth player`: manage a user's players, sessions as a player, and their credentials.

All calls use the user's own token, even while a player's session is active.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from cogames.commands.shared.server import Json, LoginServer, Server, moment, print_json
from softmax.cli.errors import fail
from softmax.cli.output import hint, note, print_table
from softmax.cli.program import Entry

if TYPE_CHECKING:
    from cogames.client import Addresses, TournamentServerClient

COMMANDS = [
    Entry("list", "cogames.commands.player:list_players", "List your players."),
    Entry("login", "cogames.commands.player:login", "Act as a player: a short-lived session becomes the active one."),
    Entry(
        "logout",
        "cogames.commands.player:logout",
        "Stop acting as a player: the user's saved session becomes the active one.",
    ),
    Entry("create", "cogames.commands.player:create", "Create a player."),
    Entry("credentials", "cogames.commands.player:CREDENTIALS", "Manage tokens of a player."),
]
CREDENTIALS = [
    Entry("list", "cogames.commands.player:list_credentials", "List the tokens of a player."),
    Entry("create", "cogames.commands.player:create_credential", "Create a token for a player; it is shown once."),
    Entry("revoke", "cogames.commands.player:revoke_credential", "Revoke a token of a player."),
]

Player = Annotated[str, typer.Argument(metavar="PLAYER", help="Name of a player, or its id (ply_...).")]
CredentialId = Annotated[str, typer.Argument(metavar="CREDENTIAL_ID", help="Id of the credential.")]
PlayerName = Annotated[str, typer.Option("--name", "-n", metavar="NAME", help="Name of the new player.")]
CredentialName = Annotated[str, typer.Option("--name", "-n", metavar="NAME", help="Name of the credential.")]
Scopes = Annotated[
    list[str] | None, typer.Option("--scope", metavar="SCOPE", help="What it may do (repeatable): write.")
]


def list_players(server: Server = None, login_server: LoginServer = None, json: Json = False) -> None:
    """List your players."""
    players = _client(_addresses(server, login_server)).list_players()
    if json:
        print_json(players)
    elif not players:
        print("No players found.")
    else:
        rows = [(player.id, player.name, moment(player.created_at)) for player in players]
        print_table(["ID", "Name", "Created"], rows)


def create(name: PlayerName, server: Server = None, login_server: LoginServer = None, json: Json = False) -> None:
    """Create a player."""
    player = _client(_addresses(server, login_server)).create_player(name)
    if json:
        print_json(player)
    else:
        print(f"Player created: {player.id}\nname: {player.name}")


def login(player: Player, server: Server = None, login_server: LoginServer = None, json: Json = False) -> None:
    """Act as a player: a short-lived session becomes the active one."""
    from softmax.client.credentials import save_player_session

    addresses = _addresses(server, login_server)
    client = _client(addresses)
    session = client.login_player(_player_id(client, player))
    save_player_session(addresses.login, session.player_id, session.token, session.expires_at)
    if json:
        print_json(session)
        return
    print(f"Player session active: {session.player_id}")
    print(f"subject_type: player\nsubject_id: {session.player_id}\nexpires_at: {session.expires_at.isoformat()}")
    hint("cogames auth status shows the active session, cogames auth player logout ends it")


def logout(server: Server = None, login_server: LoginServer = None) -> None:
    """Stop acting as a player: the user's saved session becomes the active one."""
    from cogames.client import ClientError, NotAuthenticated, TokenRejected, fetch_whoami
    from softmax.client.credentials import restore_user_session

    addresses = _addresses(server, login_server)
    token = restore_user_session(addresses.login)
    if token is None:
        raise NotAuthenticated("No saved user session found.")
    print("User session active.")
    try:
        identity = fetch_whoami(addresses.api, token)
    except TokenRejected:
        raise
    except ClientError as error:
        note(f"Could not verify the session: {error}")
        return
    print(f"user_email: {identity.user_email}\nsubject_type: {identity.subject_type}")
    print(f"subject_id: {identity.subject_id or '-'}")


def list_credentials(
    player: Player, server: Server = None, login_server: LoginServer = None, json: Json = False
) -> None:
    """List the tokens of a player."""
    client = _client(_addresses(server, login_server))
    credentials = client.list_player_credentials(_player_id(client, player))
    if json:
        print_json(credentials)
    elif not credentials:
        print("No credentials found.")
    else:
        rows = [
            (row.id, row.name, row.token_preview, ", ".join(row.scopes) or "-", moment(row.created_at))
            for row in credentials
        ]
        print_table(["ID", "Name", "Preview", "Scopes", "Created"], rows)


def create_credential(
    player: Player,
    name: CredentialName,
    scope: Scopes = None,
    server: Server = None,
    login_server: LoginServer = None,
    json: Json = False,
) -> None:
    """Create a token for a player; it is shown once.

    Without the scope `write` the token can only read.
    """
    client = _client(_addresses(server, login_server))
    credential = client.create_player_credential(_player_id(client, player), name, scope)
    if json:
        print_json(credential)
        return
    print(f"Credential created: {credential.name}")
    print(f"token: {credential.token}\nid: {credential.id}\nscopes: {', '.join(credential.scopes) or '-'}")
    hint("save the token now: it is not shown again")


def revoke_credential(
    player: Player, credential_id: CredentialId, server: Server = None, login_server: LoginServer = None
) -> None:
    """Revoke a token of a player."""
    client = _client(_addresses(server, login_server))
    revoked = client.revoke_player_credential(_player_id(client, player), credential_id)
    print(f"Credential revoked: {revoked.id}")


def _addresses(server: str | None, login_server: str | None) -> Addresses:
    from cogames.client import resolve_addresses

    return resolve_addresses(server, login_server)


def _client(addresses: Addresses) -> TournamentServerClient:
    from cogames.client import NotAuthenticated, TournamentServerClient
    from softmax.client.credentials import user_token

    token = user_token(addresses.login)
    if token is None:
        raise NotAuthenticated("No saved user session found.")
    return TournamentServerClient(addresses.api, token)


def _player_id(client: TournamentServerClient, player: str) -> str:
    """Return the id of a player given by id or name."""
    if player.startswith("ply_"):
        return player
    player_ids = [row.id for row in client.list_players() if row.name == player]
    if not player_ids:
        fail(f"No player found with name: {player}", "cogames auth player list")
    if len(player_ids) > 1:
        fail(f"Several players have the name {player}: {', '.join(player_ids)}", "use the id instead")
    return player_ids[0]
