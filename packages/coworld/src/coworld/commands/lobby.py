"""`coworld lobby`: play a game of a league with people and champions."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Annotated, Any

import typer

from coworld.cli.league import LeagueServer, moment, print_document, print_line, print_rows
from coworld.cli.options import Json
from coworld.cli.pairs import json_pairs
from softmax.cli.errors import UsageError
from softmax.cli.program import Entry, examples

if TYPE_CHECKING:
    from coworld.server.api_client import CoworldApiClient
    from softmax.wire.lobbies import CompetitionLobby

__all__ = ["COMMANDS", "cancel", "claim", "create", "end", "get", "leave", "remove", "seat", "start"]

COMMANDS = [
    Entry("create", "coworld.commands.lobby:create", "Create a lobby for a game of a league."),
    Entry("get", "coworld.commands.lobby:get", "Show a lobby and its seats."),
    Entry("seat", "coworld.commands.lobby:seat", "Choose the occupant of a seat."),
    Entry("claim", "coworld.commands.lobby:claim", "Take a seat yourself."),
    Entry("remove", "coworld.commands.lobby:remove", "Remove the player of a seat."),
    Entry("leave", "coworld.commands.lobby:leave", "Leave a lobby."),
    Entry("start", "coworld.commands.lobby:start", "Start the game of a lobby."),
    Entry("end", "coworld.commands.lobby:end", "End the game of a lobby."),
    Entry("cancel", "coworld.commands.lobby:cancel", "Cancel a lobby before its game starts."),
]
SEAT_KINDS = ("human", "human_open", "league_player", "random", "closed")

LeagueArg = Annotated[str, typer.Argument(metavar="LEAGUE", help="A league's id or name.")]
LobbyArg = Annotated[str, typer.Argument(metavar="LOBBY", help="A lobby's id (lby_...).")]
PositionArg = Annotated[int, typer.Argument(metavar="SEAT", min=0, help="The number of a seat, from 0.")]
SpecArg = Annotated[
    str, typer.Argument(metavar="SEAT:KIND[:PLAYER]", help=f"The seat and its occupant: {', '.join(SEAT_KINDS)}.")
]
VariantOption = Annotated[str | None, typer.Option("--variant", metavar="ID", help="The variant to play.")]
NumPlayers = Annotated[int | None, typer.Option("--num-players", metavar="N", min=1, help="Number of seats in use.")]
Override = Annotated[
    list[str] | None,
    typer.Option("--override", metavar="KEY=VALUE", help="A setting of the game; JSON values are read (repeatable)."),
]
Seats = Annotated[
    list[str] | None, typer.Option("--seat", metavar="SEAT:KIND[:PLAYER]", help="The occupant of a seat (repeatable).")
]
Revision = Annotated[
    int | None, typer.Option("--revision", metavar="N", help="Revision that you have seen [default: the current one]")
]


def _client(server: str | None) -> CoworldApiClient:
    from coworld.server.api_client import CoworldApiClient

    return CoworldApiClient.from_login(server)


@examples("coworld lobby create league_... --seat 1:league_player:ply_...", "coworld lobby create league_... --json")
def create(
    league: LeagueArg,
    variant: VariantOption = None,
    num_players: NumPlayers = None,
    override: Override = None,
    seats: Seats = None,
    server: LeagueServer = None,
    json: Json = False,
) -> None:
    """Create a lobby for a game of a league. You host it and have its first seat."""
    from coworld.server.references import resolve_league_id

    overrides = json_pairs(override, "--override")
    chosen = [_seat(text) for text in seats or []]
    with _client(server) as client:
        lobby = client.create_lobby(
            resolve_league_id(client, league),
            idempotency_key=str(uuid.uuid4()),
            variant_id=variant,
            game_config_overrides=overrides or None,
            num_players=num_players,
            seats=chosen or None,
        )
    _print(lobby, json=json)


@examples("coworld lobby get lby_...")
def get(lobby: LobbyArg, server: LeagueServer = None, json: Json = False) -> None:
    """Show a lobby and its seats."""
    with _client(server) as client:
        _print(client.get_lobby(lobby), json=json)


@examples("coworld lobby seat lby_... 2:closed", "coworld lobby seat lby_... 1:league_player:ply_...")
def seat(
    lobby: LobbyArg, spec: SpecArg, revision: Revision = None, server: LeagueServer = None, json: Json = False
) -> None:
    """Choose the occupant of a seat, before the game starts."""
    chosen = _seat(spec)
    with _client(server) as client:
        row = client.update_lobby_seat(
            lobby,
            chosen.pop("position"),
            expected_revision=client.get_lobby(lobby).revision if revision is None else revision,
            **chosen,
        )
    _print(row, json=json)


@examples("coworld lobby claim lby_... 2")
def claim(lobby: LobbyArg, position: PositionArg, server: LeagueServer = None, json: Json = False) -> None:
    """Take a seat yourself."""
    with _client(server) as client:
        _print(client.claim_lobby_seat(lobby, position), json=json)


@examples("coworld lobby remove lby_... 2")
def remove(lobby: LobbyArg, position: PositionArg, server: LeagueServer = None, json: Json = False) -> None:
    """Remove the player of a seat."""
    with _client(server) as client:
        _print(client.remove_lobby_player(lobby, position), json=json)


@examples("coworld lobby leave lby_...")
def leave(lobby: LobbyArg, server: LeagueServer = None, json: Json = False) -> None:
    """Leave a lobby."""
    with _client(server) as client:
        _print(client.leave_lobby(lobby), json=json)


@examples("coworld lobby start lby_...")
def start(lobby: LobbyArg, revision: Revision = None, server: LeagueServer = None, json: Json = False) -> None:
    """Start the game of a lobby."""
    with _client(server) as client:
        expected = client.get_lobby(lobby).revision if revision is None else revision
        row = client.start_lobby(lobby, idempotency_key=str(uuid.uuid4()), expected_revision=expected)
    _print(row, json=json)


@examples("coworld lobby end lby_...")
def end(lobby: LobbyArg, server: LeagueServer = None, json: Json = False) -> None:
    """End the game of a lobby."""
    with _client(server) as client:
        _print(client.end_lobby(lobby), json=json)


@examples("coworld lobby cancel lby_...")
def cancel(lobby: LobbyArg, server: LeagueServer = None, json: Json = False) -> None:
    """Cancel a lobby before its game starts."""
    with _client(server) as client:
        _print(client.cancel_lobby(lobby), json=json)


def _seat(text: str) -> dict[str, Any]:
    """Return the fields of `SEAT:KIND[:PLAYER]`."""
    position, _, rest = text.partition(":")
    kind, _, player = rest.partition(":")
    if not position.isdigit() or kind not in SEAT_KINDS:
        raise UsageError(f"{text!r} is not SEAT:KIND[:PLAYER]", [f"the kinds are {', '.join(SEAT_KINDS)}"])
    if bool(player) != (kind == "league_player"):
        raise UsageError(
            f"{text!r}: `league_player` needs a player, other kinds have none", ["1:league_player:ply_..."]
        )
    return {"position": int(position), "kind": kind, **({"player_id": player} if player else {})}


def _print(lobby: CompetitionLobby, *, json: bool) -> None:
    if json:
        print_document(lobby)
        return
    print_line(f"Lobby: {lobby.id}, {lobby.status}, revision {lobby.revision}")
    print_line(f"Game: {lobby.coworld_name} {lobby.coworld_version}, variant {lobby.variant_id or '-'}")
    print_line(f"Seats: {lobby.min_players} to {lobby.max_players}, open until {moment(lobby.expires_at)}")
    if lobby.episode_request_id:
        print_line(f"Episode: {lobby.episode_request_id}")
    lines = [
        [row.position, row.kind, row.player_name or row.player_id, "you" if row.is_me else ""] for row in lobby.seats
    ]
    print_rows(["Seat", "Kind", "Player", ""], lines, empty="No seats", right=[0])
