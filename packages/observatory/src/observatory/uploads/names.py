"""The name of a policy that is uploaded without one."""

from __future__ import annotations

from sqlalchemy.orm import Session

from observatory.accounts import repository as accounts
from observatory.accounts.principal import Principal
from observatory.errors import BadRequest
from observatory.policies import repository
from observatory.policies.names import MAX_NAME_CHARACTERS, check_policy_name

__all__ = ["name_for"]

_ID_CHARACTERS = 8


def name_for(session: Session, principal: Principal, name: str | None) -> str:
    """Return the given name, or else the name of the uploading player.

    When another user or player has a policy of that name, the beginning of the player's id is added.
    """
    if name is not None:
        return check_policy_name(name)
    players = accounts.players(session, principal.user_id)
    player = next((row for row in players if principal.player_id in (None, row.id)), None)
    if player is None:
        raise BadRequest("You have no player; name the policy")
    own = player.name.replace(":", "-").strip()[:MAX_NAME_CHARACTERS]
    if not repository.is_name_taken(session, own, principal.user_id, [principal.player_id, player.id]):
        return check_policy_name(own)
    end = f"-{player.id[:_ID_CHARACTERS]}"
    return check_policy_name(own[: MAX_NAME_CHARACTERS - len(end)] + end)
