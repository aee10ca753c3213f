"""Typed calls to a league server, one method per call. Names, parameters and models are the published ones.

from coworld.api_client import CoworldApiClient

with CoworldApiClient.from_login(server_url="http://127.0.0.1:8000") as client:
    for league in client.list_leagues():
        print(league.id, league.name)
"""

from __future__ import annotations

from collections.abc import Iterable

from coworld.server.episode_calls import CoworldReplaySessionResponse, EpisodeCalls
from coworld.server.lobby_calls import LobbyCalls
from coworld.server.membership_calls import AutoChampion, MembershipCalls
from coworld.server.pages import (
    CompetitionEventPage,
    LeaguePolicyMembershipPage,
    LeagueSubmissionPage,
    ReporterListPage,
)
from coworld.server.request_calls import EpisodeFeedRestart, EpisodeFeedRetry, RequestCalls
from coworld.server.standing_calls import StandingCalls
from softmax.client.api import path_part
from softmax.wire.coworlds import CoworldVersionRow as CoworldVisibilityVersion
from softmax.wire.coworlds import CoworldVisibility as CoworldVisibilityResponse
from softmax.wire.coworlds import ReporterOutputRow as ReporterOutputPublic
from softmax.wire.coworlds import ReporterRow as ReporterPublic
from softmax.wire.coworlds import ReporterRowDetail as ReporterDetailPublic
from softmax.wire.leagues import Competition as LeaguePublic
from softmax.wire.leagues import CompetitionDivision as DivisionPublic
from softmax.wire.leagues import CompetitionEventRow as CompetitionEventPublic
from softmax.wire.leagues import CompetitionGame as GamePublic
from softmax.wire.leagues import CompetitionMembership as LeaguePolicyMembershipPublic
from softmax.wire.leagues import CompetitionPlayer as PlayerPublic
from softmax.wire.leagues import CompetitionPolicy as PolicyPublic
from softmax.wire.leagues import CompetitionPolicyVersion as PolicyVersionPublic
from softmax.wire.leagues import CompetitionPool as PoolPublic
from softmax.wire.leagues import CompetitionPoolDetail as PoolDetailPublic
from softmax.wire.leagues import CompetitionRound as RoundPublic
from softmax.wire.leagues import CompetitionRoundDetail as RoundDetailPublic
from softmax.wire.leagues import CompetitionRoundPage as RoundListPublic
from softmax.wire.leagues import CompetitionRoundResult as RoundResultPublic
from softmax.wire.leagues import CompetitionSubmission as LeagueSubmissionPublic
from softmax.wire.leagues import CreditRequest as ExperienceRequestComputeCostRow
from softmax.wire.leagues import Credits as MyCreditsResponse
from softmax.wire.leagues import CreditStatus as UserCreditsStatus
from softmax.wire.leagues import DivisionLadderEntry as DivisionLadderEntryPublic
from softmax.wire.leagues import DivisionLeaderboardEntry as LeaderboardEntryPublic
from softmax.wire.leagues import DivisionLeaderboards as DivisionLeaderboardsPublic
from softmax.wire.leagues import FeatureFlags as MyFlags
from softmax.wire.leagues import FeedCheck as FeedCheckResponse
from softmax.wire.leagues import FeedRound as FeedCheckRound
from softmax.wire.leagues import LeaderboardColumn as LeaderboardColumnPublic
from softmax.wire.leagues import LeaderboardRow as LeaderboardRowPublic
from softmax.wire.leagues import LeaderboardView as LeaderboardViewPublic
from softmax.wire.leagues import LeagueLocks as LeagueLockSettings
from softmax.wire.leagues import PowerAnalysis as PowerAnalysisResponse
from softmax.wire.leagues import PowerAnchor as PowerAnalysisAnchor
from softmax.wire.leagues import PowerMode as PowerAnalysisMode
from softmax.wire.leagues import PowerModeMix as PowerAnalysisModeMix
from softmax.wire.leagues import PowerRow as PowerAnalysisTableRow
from softmax.wire.leagues import PowerWindow as PowerAnalysisWindow
from softmax.wire.leagues import RecentRound as LeaderboardRecentRoundPublic
from softmax.wire.lobbies import CompetitionLobby as LobbyPublic
from softmax.wire.lobbies import CompetitionLobbySeat as LobbySeatPublic
from softmax.wire.lobbies import LobbyPermissions
from softmax.wire.policies import PolicyVersionRow, PolicyVersionsResponse
from softmax.wire.policies import SelectionAccess as PolicySelectionAccess
from softmax.wire.requests import BulkEpisode as BulkEpisodeEntry
from softmax.wire.requests import BulkEpisodePage, ExperienceRequestDetail, ExperienceRequestPage, ExperienceRequestRow
from softmax.wire.requests import ChangeBatch as EpisodeBatchProgress
from softmax.wire.requests import DownloadEntry as EpisodeDownloadEntry
from softmax.wire.requests import DownloadManifest as EpisodeDownloadPage
from softmax.wire.requests import EpisodeChange as EpisodeChangeEntry
from softmax.wire.requests import EpisodeChanges as EpisodeChangePage
from softmax.wire.requests import EpisodeParticipant as V2EpisodeRequestParticipant
from softmax.wire.requests import EpisodeRequestPage as EpisodeRequestSummaryPage
from softmax.wire.requests import EpisodeRequestRow as V2EpisodeRequestRow
from softmax.wire.requests import EpisodeRequestSummary as V2EpisodeRequestSummary
from softmax.wire.requests import EpisodeScore as EpisodeRequestScore
from softmax.wire.requests import PolicyArtifactInfo as EpisodeRequestPolicyArtifactInfo
from softmax.wire.requests import RequestedAgentStats as AgentStatsDetail
from softmax.wire.requests import RequestedEpisodeStats as EpisodeStatsResponse
from softmax.wire.requests import RequestedPolicyStats as PolicyStatsDetail

__all__ = [
    "AgentStatsDetail",
    "AutoChampion",
    "BulkEpisodeEntry",
    "BulkEpisodePage",
    "CompetitionEventPage",
    "CompetitionEventPublic",
    "CoworldApiClient",
    "CoworldReplaySessionResponse",
    "CoworldVisibilityResponse",
    "CoworldVisibilityVersion",
    "DivisionLadderEntryPublic",
    "DivisionLeaderboardsPublic",
    "DivisionPublic",
    "EpisodeBatchProgress",
    "EpisodeChangeEntry",
    "EpisodeChangePage",
    "EpisodeDownloadEntry",
    "EpisodeDownloadPage",
    "EpisodeFeedRestart",
    "EpisodeFeedRetry",
    "EpisodeRequestPolicyArtifactInfo",
    "EpisodeRequestScore",
    "EpisodeRequestSummaryPage",
    "EpisodeStatsResponse",
    "ExperienceRequestComputeCostRow",
    "ExperienceRequestDetail",
    "ExperienceRequestPage",
    "ExperienceRequestRow",
    "FeedCheckResponse",
    "FeedCheckRound",
    "GamePublic",
    "LeaderboardColumnPublic",
    "LeaderboardEntryPublic",
    "LeaderboardRecentRoundPublic",
    "LeaderboardRowPublic",
    "LeaderboardViewPublic",
    "LeagueLockSettings",
    "LeaguePolicyMembershipPage",
    "LeaguePolicyMembershipPublic",
    "LeaguePublic",
    "LeagueSubmissionPage",
    "LeagueSubmissionPublic",
    "LobbyPermissions",
    "LobbyPublic",
    "LobbySeatPublic",
    "MyCreditsResponse",
    "MyFlags",
    "PlayerPublic",
    "PolicyPublic",
    "PolicySelectionAccess",
    "PolicyStatsDetail",
    "PolicyVersionPublic",
    "PolicyVersionRow",
    "PolicyVersionsResponse",
    "PoolDetailPublic",
    "PoolPublic",
    "PowerAnalysisAnchor",
    "PowerAnalysisMode",
    "PowerAnalysisModeMix",
    "PowerAnalysisResponse",
    "PowerAnalysisTableRow",
    "PowerAnalysisWindow",
    "ReporterDetailPublic",
    "ReporterListPage",
    "ReporterOutputPublic",
    "ReporterPublic",
    "RoundDetailPublic",
    "RoundListPublic",
    "RoundPublic",
    "RoundResultPublic",
    "UserCreditsStatus",
    "V2EpisodeRequestListRow",
    "V2EpisodeRequestParticipant",
    "V2EpisodeRequestPolicyParticipant",
    "V2EpisodeRequestRow",
    "V2EpisodeRequestSummary",
]

V2EpisodeRequestPolicyParticipant = V2EpisodeRequestParticipant
V2EpisodeRequestListRow = V2EpisodeRequestRow


class CoworldApiClient(StandingCalls, MembershipCalls, EpisodeCalls, RequestCalls, LobbyCalls):
    """A client of one server. Errors are those of `softmax.client.errors`."""

    def update_coworld_visibility(self, coworld_name: str, visibility: str) -> CoworldVisibilityResponse:
        path = f"/v2/coworlds/{path_part(coworld_name)}/visibility"
        body = {"visibility": visibility}
        return self._post(path, CoworldVisibilityResponse, f"Coworld {coworld_name}", json=body)

    def list_reporters(
        self,
        *,
        q: str | None = None,
        types: Iterable[str] | None = None,
        mode: str = "all",
        author: str | None = None,
        schema_uri: str | None = None,
        limit: int = 200,
        cursor: str | None = None,
    ) -> ReporterListPage:
        params = {
            "mode": mode,
            "limit": limit,
            "q": q,
            "type": list(types or []),
            "author": author,
            "schema_uri": schema_uri,
            "cursor": cursor,
        }
        return self._rows("/v2/reporters", ReporterListPage, params, "Reporters")

    def get_reporter(self, reporter_id: str) -> ReporterDetailPublic:
        return self._get(f"/v2/reporters/{path_part(reporter_id)}", ReporterDetailPublic, f"Reporter {reporter_id}")
