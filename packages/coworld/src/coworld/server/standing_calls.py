"""Typed calls about leagues: divisions, standings, rounds, and the caller's credits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from coworld.server.connection import LeagueConnection
from softmax.client.api import path_part
from softmax.client.transport import parse
from softmax.wire.leagues import (
    Competition,
    CompetitionDivision,
    CompetitionGame,
    CompetitionPool,
    CompetitionPoolDetail,
    CompetitionRoundDetail,
    CompetitionRoundPage,
    Credits,
    DivisionLadderEntry,
    DivisionLeaderboardEntry,
    DivisionLeaderboards,
    FeatureFlags,
    LeagueLocks,
    LeagueSettings,
)

__all__ = ["StandingCalls"]


class StandingCalls(LeagueConnection):
    """Read leagues and how they stand."""

    # The account

    def get_my_credits(self) -> Credits:
        return self._get("/usage/me/credits", Credits, "Credits")

    def get_my_flags(self) -> FeatureFlags:
        return self._get("/flags/me", FeatureFlags, "Flags")

    # Leagues

    def list_games(self) -> list[CompetitionGame]:
        return self._get("/v2/games", list[CompetitionGame], "Games")

    def list_leagues(self, *, game_id: str | None = None) -> list[Competition]:
        return self._get("/v2/leagues", list[Competition], "Leagues", {"game_id": game_id})

    def get_league(self, league_id: str) -> Competition:
        return self._get(f"/v2/leagues/{path_part(league_id)}", Competition, f"League {league_id}")

    def get_game_of_week_league(self) -> Competition | None:
        return self._get_optional("/v2/leagues/game-of-week", Competition, "League")

    def get_league_locks(self, league_id: str) -> LeagueLocks:
        return self._get(f"/v2/leagues/{path_part(league_id)}/locks", LeagueLocks, f"League {league_id}")

    def set_league_locks(self, league_id: str, *, submissions_locked: bool, game_version_locked: bool) -> LeagueLocks:
        body = {"submissions_locked": submissions_locked, "game_version_locked": game_version_locked}
        return self._post(f"/v2/leagues/{path_part(league_id)}/locks", LeagueLocks, f"League {league_id}", json=body)

    def get_league_settings(self, league_id: str) -> LeagueSettings:
        return self._get(f"/v2/leagues/{path_part(league_id)}/settings", LeagueSettings, f"League {league_id}")

    def replace_league_settings(self, league_id: str, settings: Mapping[str, Any], *, revision: int) -> LeagueSettings:
        """Replace the settings of a league, unless they have changed since `revision`."""
        path, headers = f"/v2/leagues/{path_part(league_id)}/settings", {"If-Match": f'"{revision}"'}
        return parse(self._call("POST", path, f"League {league_id}", headers, json=dict(settings)), LeagueSettings)

    def pause_league_rounds(self, league_id: str, *, paused: bool) -> Competition:
        path = f"/v2/leagues/{path_part(league_id)}/rounds-paused"
        return self._post(path, Competition, f"League {league_id}", json={"paused": paused})

    def trigger_league_round(self, league_id: str) -> Competition:
        return self._post(f"/v2/leagues/{path_part(league_id)}/trigger-round", Competition, f"League {league_id}")

    def cancel_round(self, round_id: str, *, reason: str | None = None) -> CompetitionRoundDetail:
        path = f"/v2/rounds/{path_part(round_id)}/cancel"
        return self._post(path, CompetitionRoundDetail, f"Round {round_id}", json={"reason": reason})

    def get_league_division_ladder(self, league_id: str) -> list[DivisionLadderEntry]:
        path = f"/v2/leagues/{path_part(league_id)}/division-ladder"
        return self._get(path, list[DivisionLadderEntry], f"League {league_id}")

    def list_divisions(self, *, league_id: str | None = None) -> list[CompetitionDivision]:
        return self._get("/v2/divisions", list[CompetitionDivision], "Divisions", {"league_id": league_id})

    def get_division(self, division_id: str) -> CompetitionDivision:
        return self._get(f"/v2/divisions/{path_part(division_id)}", CompetitionDivision, f"Division {division_id}")

    def get_division_leaderboard(
        self, division_id: str, *, include_recent_rounds: bool | int = False
    ) -> list[DivisionLeaderboardEntry]:
        path = f"/v2/divisions/{path_part(division_id)}/leaderboard"
        params = {"include_recent_rounds": include_recent_rounds or None}
        return self._get_optional(path, list[DivisionLeaderboardEntry], f"Division {division_id}", params) or []

    def get_division_leaderboards(self, division_id: str) -> DivisionLeaderboards | None:
        path = f"/v2/divisions/{path_part(division_id)}/leaderboards"
        return self._get_optional(path, DivisionLeaderboards, f"Division {division_id}")

    def power_analysis(self, division_id: str, body: Mapping[str, Any]) -> dict[str, Any]:
        path = f"/v2/divisions/{path_part(division_id)}/power-analysis"
        return self._post(path, dict[str, Any], f"Division {division_id}", json=dict(body))

    # Rounds

    def list_rounds(
        self,
        *,
        league_id: str | None = None,
        division_id: str | None = None,
        status: str | None = None,
        limit: int = 25,
        cursor: str | None = None,
        offset: int | None = None,
    ) -> CompetitionRoundPage:
        params = {"league_id": league_id, "division_id": division_id, "status": status}
        page = {"limit": limit, "cursor": cursor, "offset": offset}
        return self._get("/v2/rounds", CompetitionRoundPage, "Rounds", {**params, **page})

    def get_round(self, round_id: str) -> CompetitionRoundDetail:
        return self._get(f"/v2/rounds/{path_part(round_id)}", CompetitionRoundDetail, f"Round {round_id}")

    def list_pools(self, *, round_id: str | None = None, limit: int = 50, offset: int = 0) -> list[CompetitionPool]:
        params = {"round_id": round_id, "limit": limit, "offset": offset}
        return self._get("/v2/pools", list[CompetitionPool], "Pools", params)

    def get_pool(self, pool_id: str) -> CompetitionPoolDetail:
        return self._get(f"/v2/pools/{path_part(pool_id)}", CompetitionPoolDetail, f"Pool {pool_id}")
