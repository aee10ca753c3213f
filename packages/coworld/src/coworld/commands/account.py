"""`coworld player`, `secret`, `credits`, `power-analysis` and `hosted-game`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from coworld.cli.league import LeagueServer, moment, print_document, print_line, print_rows
from coworld.cli.options import Json
from softmax.cli.errors import UsageError
from softmax.cli.output import print_error
from softmax.cli.program import Entry, examples

if TYPE_CHECKING:
    from coworld.server.upload_client import CoworldUploadClient

__all__ = ["HOSTED_GAME", "PLAYER", "SECRET", "credits", "power_analysis"]

PLAYER = [
    Entry("list", "coworld.commands.account:list_players", "List your players."),
    Entry("create", "coworld.commands.account:create_player", "Create a player."),
    Entry("use", "coworld.commands.account:use_player", "Act as one of your players."),
    Entry("unset", "coworld.commands.account:unset_player", "Act as yourself again."),
]
SECRET = [
    Entry("put", "coworld.commands.account:put_secret", "Store a secret of a Coworld."),
    Entry("list", "coworld.commands.account:list_secrets", "List the secrets of a Coworld."),
    Entry("delete", "coworld.commands.account:delete_secret", "Delete a secret of a Coworld."),
]
HOSTED_GAME = [
    Entry("create", "coworld.commands.account:create_game", "Start a game on the server."),
    Entry("join", "coworld.commands.account:join_game", "Take a seat in a game on the server."),
]

PlayerName = Annotated[str, typer.Argument(metavar="NAME", help="The new player's name.")]
PlayerArg = Annotated[str, typer.Argument(metavar="PLAYER", help="A player's id (ply_...) or name.")]
NameArg = Annotated[str, typer.Argument(metavar="COWORLD", help="The name of your Coworld.")]
SecretName = Annotated[str, typer.Argument(metavar="NAME", help="The secret's name.")]
SecretPath = Annotated[Path, typer.Argument(metavar="FILE", help="The file with its bytes.")]
TargetArg = Annotated[str, typer.Argument(metavar="TARGET", help="A division or league: div_... or league_....")]
Anchor = Annotated[str | None, typer.Option("--policy", metavar="POLICY", help="Compare with this policy.")]
Elo = Annotated[str | None, typer.Option("--elo", metavar="N,N", help="Differences of strength, with commas.")]
Alpha = Annotated[float, typer.Option("--alpha", min=1e-6, max=0.999999, help="How often to be wrong by chance.")]
Power = Annotated[float, typer.Option("--power", min=1e-6, max=0.999999, help="How often to find a real one.")]
GameArg = Annotated[str, typer.Argument(metavar="COWORLD", help="A Coworld's id or name.")]
SessionArg = Annotated[str, typer.Argument(metavar="SESSION", help="The game's id (ps_...).")]
VariantOption = Annotated[str | None, typer.Option("--variant", metavar="ID", help="The variant to play.")]
Spectators = Annotated[bool, typer.Option("--spectators/--no-spectators", help="Whether others may watch.")]


def _client(server: str | None) -> CoworldUploadClient:
    from coworld.server.upload_client import CoworldUploadClient

    return CoworldUploadClient.from_login(server)


def _own_client(server: str | None) -> tuple[CoworldUploadClient, str]:
    """Return a client with the user's own token, even while a player's session is active, and the login server."""
    from coworld.server.connection import api_base
    from coworld.server.upload_client import CoworldUploadClient
    from softmax.client.addresses import resolve_addresses
    from softmax.client.credentials import user_token
    from softmax.client.errors import NotAuthenticated

    addresses = resolve_addresses(server)
    token = user_token(addresses.login)
    if token is None:
        raise NotAuthenticated(
            f"You are not signed in to {addresses.api}.", [f"softmax login --server {addresses.login}"]
        )
    return CoworldUploadClient(server_url=api_base(addresses.api), token=token), addresses.login


@examples("coworld player list")
def list_players(server: LeagueServer = None, json: Json = False) -> None:
    """List your players."""
    client, _ = _own_client(server)
    with client:
        rows = client.list_players()
    if json:
        print_document(rows)
        return
    lines = [[row.id, row.name, "yes" if row.is_default else "no", moment(row.created_at)] for row in rows]
    print_rows(["ID", "Name", "Default", "Created"], lines, empty="You have no players")


@examples("coworld player create my-player")
def create_player(name: PlayerName, server: LeagueServer = None, json: Json = False) -> None:
    """Create a player."""
    client, _ = _own_client(server)
    with client:
        row = client.create_player(name)
    print_document(row) if json else print_line(f"Player: {row.name} ({row.id})")


@examples("coworld player use ply_...")
def use_player(player: PlayerArg, server: LeagueServer = None, json: Json = False) -> None:
    """Act as one of your players, for a day: uploads and submissions are then theirs."""
    from softmax.client.credentials import save_player_session

    client, login = _own_client(server)
    with client:
        found = [row for row in client.list_players() if player in (row.id, row.name)]
        if len(found) != 1:
            raise UsageError(f"You have no player {player!r}", ["coworld player list shows them"])
        session = client.login_player(found[0].id)
    save_player_session(login, found[0].id, session.token, session.expires_at)
    if json:
        active = {"player_id": found[0].id, "name": found[0].name, "expires_at": session.expires_at.isoformat()}
        print_document(active)
        return
    print_line(f"You act as {found[0].name} ({found[0].id}) until {moment(session.expires_at)}")


@examples("coworld player unset")
def unset_player(server: LeagueServer = None, json: Json = False) -> None:
    """Act as yourself again."""
    from softmax.client.addresses import resolve_addresses
    from softmax.client.credentials import restore_user_session

    if restore_user_session(resolve_addresses(server).login) is None:
        print_error("You are not signed in")
    elif not json:
        print("You act as yourself")
    if json:
        print_document({"player_id": None, "name": None, "expires_at": None})


@examples("coworld secret put my-game api-key key.txt")
def put_secret(
    coworld: NameArg, name: SecretName, path: SecretPath, server: LeagueServer = None, json: Json = False
) -> None:
    """Store a secret of a Coworld; only its own episodes can read it."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}", ["give the path of a file"]) from None
    with _client(server) as client:
        row = client.put_coworld_secret(coworld_name=coworld, secret_name=name, body=data)
    print_document(row) if json else print_line(
        f"Stored {row.secret_name} of {row.coworld_name} ({row.size_bytes} bytes)"
    )


@examples("coworld secret list my-game")
def list_secrets(coworld: NameArg, server: LeagueServer = None, json: Json = False) -> None:
    """List the names of the secrets of a Coworld; their values cannot be read."""
    with _client(server) as client:
        rows = client.list_coworld_secrets(coworld_name=coworld)
    if json:
        print_document(rows)
        return
    lines = [[row.secret_name, row.size_bytes, moment(row.updated_at)] for row in rows]
    print_rows(["Name", "Bytes", "Changed"], lines, empty="No secrets", right=[1])


@examples("coworld secret delete my-game api-key")
def delete_secret(coworld: NameArg, name: SecretName, server: LeagueServer = None, json: Json = False) -> None:
    """Delete a secret of a Coworld."""
    with _client(server) as client:
        row = client.delete_coworld_secret(coworld_name=coworld, secret_name=name)
    print_document(row) if json else print_line(f"Deleted {row.secret_name} of {row.coworld_name}")


@examples("coworld credits")
def credits(server: LeagueServer = None, json: Json = False) -> None:
    """Show how many episodes you may still ask for."""
    with _client(server) as client:
        row = client.get_my_credits()
    if json:
        print_document(row)
        return
    status = row.status
    print_line(f"Balance: {status.balance_credits:g} of {status.max_balance_credits:g} credits")
    print_line(f"Refill: {status.refill_credits:g} {status.refill_cadence}, next {moment(status.next_refill_at)}")
    if not status.enforced:
        print("This server does not enforce credits")
    lines = [
        [each.experience_request_id, each.coworld, each.episodes, f"{each.compute_cost_credits:g}"]
        for each in row.recent_requests
    ]
    print_rows(
        ["Request", "Coworld", "Episodes", "Credits"], lines, empty="You have not requested any episodes", right=[2, 3]
    )


@examples("coworld power-analysis div_...", "coworld power-analysis league_... --elo 25,50,100")
def power_analysis(
    target: TargetArg,
    policy: Anchor = None,
    elo: Elo = None,
    alpha: Alpha = 0.05,
    power: Power = 0.8,
    server: LeagueServer = None,
    json: Json = False,
) -> None:
    """Estimate how many episodes it takes to see that a policy is stronger."""
    from coworld.server.api_client import CoworldApiClient

    body: dict[str, Any] = {"alpha": alpha, "power": power}
    if policy is not None:
        body["policy_ref"] = policy
    if elo is not None:
        try:
            body["elo_grid"] = [float(part) for part in elo.split(",")]
        except ValueError:
            raise UsageError(f"--elo {elo!r} is not a list of numbers", ["write --elo 25,50,100"]) from None
    with CoworldApiClient.maybe_signed_in(server) as client:
        if target.startswith("league_"):
            ladder = client.get_league_division_ladder(target)
            if not ladder:
                raise UsageError(f"{target} has no divisions", ["coworld divisions lists them"])
            target = ladder[0].id
        elif not target.startswith("div_"):
            raise UsageError(f"{target!r} is not the id of a division or league", ["coworld divisions lists them"])
        report = client.power_analysis(target, body)
    if json:
        print_document(report)
        return
    window = report["window"]
    print_line(f"Division: {report['division_id']}, {window['episodes_scanned']} episodes of {window['rounds']} rounds")
    if report.get("note"):
        print_line(report["note"])
    lines = [[row["elo"], row["blended_n_per_arm"], row["one_arm_n"]] for row in report["table"]]
    headers = ["Elo", "Episodes each", "Episodes against a known one"]
    print_rows(headers, lines, empty="No results yet to estimate from", right=[0, 1, 2])


@examples("coworld hosted-game create paintarena")
def create_game(
    coworld: GameArg,
    variant: VariantOption = None,
    spectators: Spectators = True,
    server: LeagueServer = None,
    json: Json = False,
) -> None:
    """Start a game on the server, for people and agents."""
    from coworld.cli.support import observatory_web_url
    from coworld.server.coworld_download import resolve_coworld_id

    with _client(server) as client:
        game = client.create_hosted_game(
            coworld_id=resolve_coworld_id(client, coworld), variant_id=variant, allow_spectators=spectators
        )
    if json:
        print_document(game)
        return
    print_line(f"Game: {game.session_id}, {game.player_count} seats")
    print_line(f"Lobby: {observatory_web_url(client.server_url, game.lobby_url)}")


@examples("coworld hosted-game join ps_...")
def join_game(session: SessionArg, server: LeagueServer = None, json: Json = False) -> None:
    """Take a seat in a game on the server."""
    from coworld.cli.support import observatory_web_url

    with _client(server) as client:
        seat = client.join_hosted_game(session)
    if json:
        print_document(seat)
        return
    print_line(f"You are a {seat.entrant_kind}" + ("" if seat.slot is None else f" in seat {seat.slot}"))
    print(observatory_web_url(client.server_url, seat.target_url))
