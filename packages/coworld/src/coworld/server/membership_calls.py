"""Typed calls about who plays in leagues: policies, submissions, memberships, events."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Literal
from uuid import UUID

from coworld.server.connection import SLOW_SECONDS, LeagueConnection
from coworld.server.pages import CompetitionEventPage, LeaguePolicyMembershipPage, LeagueSubmissionPage
from softmax.client.api import path_part
from softmax.client.transport import parse
from softmax.wire.leagues import CompetitionMembership, CompetitionSubmission
from softmax.wire.policies import PolicyVersionRow, SelectionAccess

__all__ = ["AutoChampion", "MembershipCalls"]


class AutoChampion(StrEnum):
    """When a new version becomes its player's champion."""

    always = "always"
    never = "never"
    lineage = "lineage"


class MembershipCalls(LeagueConnection):
    """Submit policies to leagues, and read who plays there."""

    def list_memberships(
        self,
        *,
        league_id: str | None = None,
        division_id: str | None = None,
        policy_version_id: UUID | None = None,
        player_id: str | None = None,
        active_only: bool = False,
        champions_only: bool = False,
        mine: bool = False,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> LeaguePolicyMembershipPage:
        params = {
            "league_id": league_id,
            "division_id": division_id,
            "policy_version_id": policy_version_id,
            "player_id": player_id,
            "active_only": active_only,
            "champions_only": champions_only,
            "mine": mine,
            "limit": limit,
            "cursor": cursor,
        }
        return self._rows("/v2/league-policy-memberships", LeaguePolicyMembershipPage, params, "Memberships")

    def retire_membership(self, membership_id: str, *, reason: str | None = None) -> CompetitionMembership:
        body = {} if reason is None else {"json": {"reason": reason}}
        path = f"/v2/league-policy-memberships/{path_part(membership_id)}/retire"
        return self._post(path, CompetitionMembership, f"Membership {membership_id}", **body)

    def make_champion(self, membership_id: str) -> CompetitionMembership:
        path = f"/v2/league-policy-memberships/{path_part(membership_id)}/champion"
        return self._post(path, CompetitionMembership, f"Membership {membership_id}")

    def list_submissions(
        self,
        *,
        league_id: str | None = None,
        player_id: str | None = None,
        policy_version_id: UUID | None = None,
        mine: bool = False,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> LeagueSubmissionPage:
        params = {
            "league_id": league_id,
            "player_id": player_id,
            "policy_version_id": policy_version_id,
            "mine": mine,
            "limit": limit,
            "cursor": cursor,
        }
        return self._rows("/v2/league-submissions", LeagueSubmissionPage, params, "Submissions")

    def submit_to_league(
        self,
        league_id: str,
        policy_version_id: UUID,
        *,
        auto_champion: AutoChampion | str = AutoChampion.always,
        preferences: Mapping[str, Any] | None = None,
        player_id: str | None = None,
    ) -> CompetitionSubmission:
        body = {
            "league_id": league_id,
            "policy_version_id": str(policy_version_id),
            "auto_champion": str(auto_champion),
            **({} if preferences is None else {"preferences": dict(preferences)}),
            **({} if player_id is None else {"player_id": player_id}),
        }
        path = "/v2/league-submissions"
        return self._post(path, CompetitionSubmission, f"League {league_id}", json=body, timeout=SLOW_SECONDS)

    def list_events(
        self,
        *,
        league_id: str | None = None,
        division_id: str | None = None,
        round_id: str | None = None,
        event_type: str | None = None,
        audience: str | None = None,
        player_id: str | None = None,
        policy_version_id: UUID | None = None,
        limit: int = 50,
        cursor: str | None = None,
    ) -> CompetitionEventPage:
        params = {
            "league_id": league_id,
            "division_id": division_id,
            "round_id": round_id,
            "event_type": event_type,
            "audience": audience,
            "player_id": player_id,
            "policy_version_id": policy_version_id,
            "limit": limit,
            "cursor": cursor,
        }
        return self._rows("/v2/competition-events", CompetitionEventPage, params, "Events")

    def get_policy_selection_access(self, policy_id: UUID) -> SelectionAccess:
        """Return who may give a policy a seat in an experience request."""
        return self._get(f"/v2/policies/{policy_id}/selection-access", SelectionAccess, f"Policy {policy_id}")

    def set_policy_selection_access(
        self, policy_id: UUID, *, selection_scope: Literal["any_request", "owner_visible"]
    ) -> SelectionAccess:
        body = {"selection_scope": selection_scope}
        response = self._call("PUT", f"/v2/policies/{policy_id}/selection-access", f"Policy {policy_id}", json=body)
        return parse(response, SelectionAccess)

    def lookup_policy_version(self, *, name: str, version: int | None = None) -> PolicyVersionRow | None:
        """Return your newest version of this name, or the given one; None if there is none."""
        params = {"mine": True, "name_exact": name, "limit": 100, "version": version}
        page = self._get("/stats/policy-versions", dict[str, Any], "Policies", params)
        entries = [PolicyVersionRow.model_validate(entry) for entry in page["entries"]]
        return entries[0] if entries else None
