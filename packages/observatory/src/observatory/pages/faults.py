"""The party that a failed episode of a Coworld blames, by the words of `error_info.json`."""

from __future__ import annotations

from observatory.pages.episode_schemas import FaultKind

__all__ = ["SENTENCES", "fault_kind"]

_GAME = frozenset(
    {
        "game_unhealthy",
        "game_contract_violation",
        "results_missing",
        "results_malformed",
        "replay_missing",
        "replay_unloadable",
        "players_missing",
        "oom",
    }
)
_UNKNOWN = frozenset({"episode_timeout", "crash"})

SENTENCES = {
    FaultKind.GAME: "The game is at fault, no policy",
    FaultKind.SERVER: "The server is at fault, no policy",
    FaultKind.UNKNOWN: "It is not known which side is at fault",
}


def fault_kind(error_type: str, seat: int | None) -> FaultKind:
    """Return who is to blame. A policy is to blame only if its seat is known."""
    if error_type == "player_error" and seat is not None:
        return FaultKind.POLICY
    if error_type in _GAME:
        return FaultKind.GAME
    if error_type in _UNKNOWN or error_type == "player_error":
        return FaultKind.UNKNOWN
    return FaultKind.SERVER
