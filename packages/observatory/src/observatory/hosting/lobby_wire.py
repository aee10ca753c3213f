"""Lobbies as responses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from observatory.accounts.principal import Principal
from observatory.database.tables.hosted import HostedStatus, Lobby, LobbySeat, LobbyStatus, SeatKind
from observatory.experience.wire import RequestWire
from observatory.hosting import lobbies
from observatory.hosting.places import folder_of, place_of, token_of
from observatory.keys import Keys
from observatory.public_ids import public_id
from softmax.wire.lobbies import CompetitionLobby, CompetitionLobbySeat, LobbyPermissions

__all__ = ["LobbyWire"]

_HUMAN = (SeatKind.HUMAN, SeatKind.HUMAN_OPEN)


@dataclass(frozen=True)
class LobbyWire:
    """Writes lobbies as a caller sees them; the functions make full addresses of paths of pages and of games."""

    principal: Principal
    keys: Keys
    requests: RequestWire
    page_address: Callable[[str], str]
    game_address: Callable[[str], str]

    def row(self, lobby: Lobby) -> CompetitionLobby:
        game = lobby.hosted_game
        episode = None if game is None else game.episode
        is_host, is_draft = lobbies.is_host(lobby, self.principal), lobby.status is LobbyStatus.DRAFT
        is_active = lobby.status in (LobbyStatus.PENDING, LobbyStatus.RUNNING)
        play_url, watch_url = self._game_addresses(lobby)
        lobby_id = public_id("lby", lobby.id)
        return CompetitionLobby(
            id=lobby_id,
            league_id=public_id("league", lobby.league_id),
            coworld_id=public_id("cow", lobby.coworld_id),
            coworld_name=lobby.coworld.name,
            coworld_version=lobby.coworld.version,
            coworld_manifest_hash=lobby.coworld.manifest_hash,
            host_user_id=lobby.host_user_id,
            variant_id=lobby.variant_id,
            min_players=lobby.min_players,
            max_players=lobby.max_players,
            status=lobby.status.value,
            revision=lobby.revision,
            episode_request_id=None if episode is None else public_id("ereq", episode.id),
            episode_id=None if episode is None else episode.episode_id,
            replay_url=None if episode is None else self.requests.replay_url(episode),
            created_at=lobby.created_at,
            started_at=lobby.started_at,
            ended_at=lobby.ended_at,
            expires_at=lobby.expires_at,
            seats=[self._seat(lobby, seat) for seat in lobby.seats],
            can_manage=is_host,
            permissions=LobbyPermissions(
                can_start=is_host and is_draft,
                can_edit=is_host and is_draft,
                can_remove_player=is_host and is_draft,
                can_end_game=is_host and is_active,
            ),
            league_name=lobby.league.name,
            host_name=lobby.host.shown_name,
            variants=[
                {"id": row["id"], "name": row.get("name") or row["id"]}
                for row in lobby.coworld.manifest.get("variants") or []
            ],
            error=lobby.error,
            lobby_url=self.page_address(f"/observatory/lobbies/{lobby_id}"),
            play_url=play_url,
            watch_url=watch_url,
        )

    def _game_addresses(self, lobby: Lobby) -> tuple[str | None, str | None]:
        game = lobby.hosted_game
        if game is None or game.status is HostedStatus.ENDED:
            return None, None
        own = place_of(game, Principal(self.principal.user))
        shared = next(place for place in game.places if place.slot is None)
        play = None if own is None else self.game_address(folder_of(token_of(self.keys, own)))
        return play, self.game_address(folder_of(token_of(self.keys, shared)))

    def _seat(self, lobby: Lobby, seat: LobbySeat) -> CompetitionLobbySeat:
        is_draft, user_id = lobby.status is LobbyStatus.DRAFT, self.principal.user_id
        is_free = seat.kind in _HUMAN and seat.user_id is None
        is_active = lobby.status in (LobbyStatus.PENDING, LobbyStatus.RUNNING)
        has_seat = any(other.user_id == user_id for other in lobby.seats)
        may_join = is_active and seat.kind is SeatKind.HUMAN_OPEN and not has_seat
        has_player = seat.user_id is not None or seat.player_id is not None
        return CompetitionLobbySeat(
            position=seat.position,
            kind=seat.kind.value,
            player_id=seat.player_id,
            player_name=None if seat.player is None else seat.player.name,
            is_me=seat.user_id == user_id,
            claimant_label=None if seat.user is None else seat.user.shown_name,
            can_claim=is_free and (is_draft or may_join),
            can_remove=is_draft and has_player and lobbies.is_host(lobby, self.principal),
        )
