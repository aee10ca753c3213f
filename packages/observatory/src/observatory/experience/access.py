"""Decide which files of an episode a caller who sees it may read.

| file | readers |
|---|---|
| replay, game log, error info, events, player status | everyone who may see the episode |
| results and statistics | the requester, owners of policies in it, administrators; of a lobby its host and its people |
| log, artifact and annotations of a seat | the owner of the policy version in it, administrators |

The files of a game's own player belong to the owner of the game.
"""

from __future__ import annotations

import uuid

from observatory.accounts.principal import Principal
from observatory.database.tables.requests import EpisodeRequest, EpisodeSeat, RequestSource
from observatory.errors import Forbidden, NotFound

__all__ = ["check_results", "may_read_results", "own_seat", "own_seats"]


def may_read_results(episode: EpisodeRequest, principal: Principal | None) -> bool:
    """Return whether a caller who sees an episode may read its results and its game log in a lobby."""
    if principal is None:
        return False
    if principal.is_admin or episode.user_id == principal.user_id:
        return True
    if episode.source is RequestSource.LOBBY:
        return not principal.is_player and any(seat.user_id == principal.user_id for seat in episode.seats)
    return any(_owns(seat, principal) for seat in episode.seats if seat.policy_version is not None)


def check_results(episode: EpisodeRequest, principal: Principal | None) -> None:
    """Raise `Forbidden` for a caller who may not read the results of an episode."""
    if not may_read_results(episode, principal):
        raise Forbidden("Only the requester and the owners of policies in this episode may read its results")


def own_seats(episode: EpisodeRequest, principal: Principal | None) -> list[EpisodeSeat]:
    """Return the seats whose files the caller may read."""
    if principal is None:
        return []
    if principal.is_admin:
        return list(episode.seats)
    return [seat for seat in episode.seats if _owns(seat, principal, episode.coworld.user_id)]


def own_seat(
    episode: EpisodeRequest, policy_version_id: uuid.UUID, agent: int, principal: Principal | None
) -> EpisodeSeat:
    """Return a seat of a policy version; `NotFound` if another one sat there, `Forbidden` if it is not the caller's."""
    seat = next((seat for seat in episode.seats if seat.position == agent), None)
    if seat is None or seat.policy_version_id != policy_version_id:
        raise NotFound(f"The policy version {policy_version_id} did not play in seat {agent} of this episode")
    if seat not in own_seats(episode, principal):
        raise Forbidden("Only the owner of a policy may read what it wrote")
    return seat


def _owns(seat: EpisodeSeat, principal: Principal, game_owner: str | None = None) -> bool:
    version = seat.policy_version
    if version is None:
        return game_owner == principal.user_id and not principal.is_player
    is_owner = version.policy.user_id == principal.user_id
    return is_owner and (not principal.is_player or principal.player_id in (seat.player_id, version.player_id))
