"""`cogames season`: show a server's seasons, standings, teams and matches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from cogames.commands.shared.server import NOTHING, Json, LoginServer, Server, client_for, moment, number, print_json
from cogames.commands.shared.web import Web, open_page
from softmax.cli.errors import fail
from softmax.cli.output import print_data, print_table
from softmax.cli.program import Entry

if TYPE_CHECKING:
    from softmax.wire import (
        LeaderboardEntry,
        MatchResponse,
        ScorePoliciesLeaderboardEntry,
        TeamSummary,
    )

COMMANDS = [
    Entry("list", "cogames.commands.season:list_seasons", "List seasons; the default one comes first."),
    Entry("show", "cogames.commands.season:show", "Show a season."),
    Entry("versions", "cogames.commands.season:versions", "List the versions of a season."),
    Entry("stages", "cogames.commands.season:stages", "Show the stages of a season."),
    Entry("progress", "cogames.commands.season:progress", "Show the progress of a team season."),
    Entry(
        "leaderboard", "cogames.commands.season:leaderboard", "Show the standings of a season, or of one of its pools."
    ),
    Entry("teams", "cogames.commands.season:teams", "Show the teams of a season."),
    Entry("matches", "cogames.commands.season:matches", "Show the matches of a season, newest first."),
    Entry("pool-config", "cogames.commands.season:pool_config", "Show the game of a pool."),
]

SeasonName = Annotated[str, typer.Argument(metavar="SEASON", help="Name of the season: NAME or NAME:v2.")]
MaybeSeason = Annotated[
    str | None, typer.Argument(metavar="SEASON", help="Name of the season.", show_default="the server's default")
]
PoolName = Annotated[str, typer.Argument(metavar="POOL", help="Name of the pool.")]
Pool = Annotated[str | None, typer.Option("--pool", "-p", metavar="POOL", help="Standings of one pool.")]
LeaderboardType = Literal["policy", "team", "score-policies"]
Kind = Annotated[LeaderboardType, typer.Option("--type", "-t", help="What to rank.")]
Limit = Annotated[int, typer.Option("--limit", "-n", metavar="N", min=1, help="Number of matches.")]


def list_seasons(server: Server = None, login_server: LoginServer = None, json: Json = False) -> None:
    """List seasons; the default one comes first."""
    seasons = client_for(server, login_server).get_seasons()
    if json:
        print_json(seasons)
    elif not seasons:
        print("No seasons found.")
    else:
        rows = [(season.name, season.summary) for season in seasons]
        print_table(["Season", "Description"], rows, title="Tournament Seasons")


def show(
    season: SeasonName, web: Web = False, server: Server = None, login_server: LoginServer = None, json: Json = False
) -> None:
    """Show a season."""
    detail = client_for(server, login_server).get_season(season)
    if web:
        open_page(server, login_server, "seasons", season)
        return
    if json:
        print_json(detail)
        return
    print(detail.display_name)
    print(f"Name: {detail.name}\nStatus: {detail.status}\nType: {detail.tournament_type}\nVersion: v{detail.version}")
    print(f"Compat: {detail.compat_version or NOTHING}\nStarted: {moment(detail.started_at)}")
    print(f"Entrants: {detail.active_entrant_count} active / {detail.entrant_count} total")
    print(f"Matches: {detail.match_count}\nStages: {detail.stage_count}\n\nPools:")
    for pool in detail.pools:
        print(f"  {pool.name}: {pool.description}".rstrip())


def versions(season: SeasonName, server: Server = None, login_server: LoginServer = None, json: Json = False) -> None:
    """List the versions of a season."""
    season_versions = client_for(server, login_server).get_season_versions(season)
    if json:
        print_json(season_versions)
        return
    rows = [
        (
            f"v{summary.version}",
            summary.compat_version or NOTHING,
            "canonical" if summary.canonical else "historical",
            moment(summary.created_at),
        )
        for summary in season_versions
    ]
    print_table(["Version", "Compat", "Status", "Created"], rows, title=f"Versions: {season}")


def stages(season: SeasonName, server: Server = None, login_server: LoginServer = None, json: Json = False) -> None:
    """Show the stages of a season."""
    season_stages = client_for(server, login_server).get_stages(season)
    if json:
        print_json(season_stages)
        return
    if not season_stages:
        print(f"No stages found in '{season}'.")
        return
    rows = [
        (
            stage.name,
            stage.policy_count,
            stage.match_count,
            f"{stage.completion_pct:.1f}%",
            NOTHING if stage.team_count is None else stage.team_count,
            NOTHING if stage.eliminated_count is None else stage.eliminated_count,
        )
        for stage in season_stages
    ]
    headers = ["Stage", "Policies", "Matches", "Complete", "Teams", "Eliminated"]
    print_table(headers, rows, title=f"Stages: {season}", right=[1, 2, 3, 4, 5])


def progress(season: SeasonName, server: Server = None, login_server: LoginServer = None, json: Json = False) -> None:
    """Show the progress of a team season."""
    state = client_for(server, login_server).get_progress(season)
    if json:
        print_json(state)
        return
    print(f"Progress: {season}\nStarted: {'yes' if state.started else 'no'}\nPhase: {state.phase}")
    if state.phase_detail:
        print(f"Phase detail: {', '.join(f'{key}={value}' for key, value in state.phase_detail.items())}")
    flow = state.stage_flow or []
    done = sum(stage.status == "complete" for stage in flow)
    print(f"Stages: {done}/{len(flow)}")
    active = [stage.name for stage in flow if stage.status == "active"]
    if active:
        print(f"Current stage: {active[0]}")


def leaderboard(
    season: MaybeSeason = None,
    pool: Pool = None,
    type: Kind = "policy",
    server: Server = None,
    login_server: LoginServer = None,
    json: Json = False,
) -> None:
    """Show the standings of a season, or of one of its pools."""
    if type == "team" and pool is None:
        fail("Team standings need --pool POOL.", "cogames season show SEASON lists the pools")
    client = client_for(server, login_server)
    name = season or client.get_default_season().name
    title = f"Leaderboard: {name}{f' ({pool})' if pool else ''}"
    if pool is not None:
        rows = client.get_stage_leaderboard(name, type, pool)
    elif type == "score-policies":
        rows = client.get_score_policies_leaderboard(name)
    else:
        rows = client.get_leaderboard(name)
    if json:
        print_json(rows)
    elif not rows:
        print(f"No scored policies in '{name}' yet.")
    elif type == "team":
        print_teams(rows, f"Team {title}", ranked=True)  # type: ignore[arg-type]
    else:
        print_standings(rows, title)  # type: ignore[arg-type]


def teams(season: SeasonName, server: Server = None, login_server: LoginServer = None, json: Json = False) -> None:
    """Show the teams of a season."""
    rows = client_for(server, login_server).get_teams(season)
    if json:
        print_json(rows)
    elif not rows:
        print(f"No teams found in '{season}'.")
    else:
        print_teams(rows, f"Teams: {season}")


def matches(
    season: SeasonName,
    limit: Limit = 20,
    server: Server = None,
    login_server: LoginServer = None,
    json: Json = False,
) -> None:
    """Show the matches of a season, newest first."""
    rows = client_for(server, login_server).get_season_matches(season, limit=limit)
    if json:
        print_json(rows)
    elif not rows:
        print(f"No matches found in '{season}'.")
    else:
        print_matches(rows, f"Matches: {season}")


def pool_config(
    season: SeasonName, pool: PoolName, server: Server = None, login_server: LoginServer = None, json: Json = False
) -> None:
    """Show the game of a pool."""
    pool_info = client_for(server, login_server).get_pool_config(season, pool)
    if json:
        print_json(pool_info)
        return
    print(f"Pool Config: {pool_info.pool_name}")
    print_data(pool_info.config, "json")


def print_standings(rows: Sequence[LeaderboardEntry] | Sequence[ScorePoliciesLeaderboardEntry], title: str) -> None:
    """Print rank, policy, score and matches; for placements the sum of ranks and the number of teams."""
    cells = []
    for row in rows:
        placement = getattr(row, "placement_score", None)
        score = row.score if placement is None else placement  # type: ignore[union-attr]
        count = row.matches if placement is None else row.team_appearances  # type: ignore[union-attr]
        cells.append((row.rank, row.policy.label, number(score), count))
    print_table(["Rank", "Policy", "Score", "Matches"], cells, title=title, right=[0, 2, 3])


def print_teams(teams: Sequence[TeamSummary], title: str, *, ranked: bool = False) -> None:
    rows = [
        (
            *([place] if ranked else []),
            team.id,
            team.pool_name,
            number(team.score),
            team.matches,
            "yes" if team.eliminated else "no",
            ", ".join(f"{cog.position}:{cog.policy.label}" for cog in team.cogs),
        )
        for place, team in enumerate(teams, 1)
    ]
    headers = ["Team", "Pool", "Score", "Matches", "Eliminated", "Members"]
    print_table([*(["Rank"] if ranked else []), *headers], rows, title=title, right=[0, 3, 4] if ranked else [2, 3])


def print_matches(matches: Sequence[MatchResponse], title: str, *, own: bool = False) -> None:
    """Print matches; a narrow terminal shows prefixes of the ids of the user's own, which other commands accept."""
    rows = [
        (
            match.id,
            moment(match.created_at),
            match.status,
            match.pool_name,
            ", ".join(player.policy.label for player in match.players),
            ", ".join(number(player.score) for player in match.players),
        )
        for match in matches
    ]
    headers = ["Match ID", "Date", "Status", "Pool", "Policies", "Score"]
    print_table(headers, rows, title=title, ids=[0] if own else [])
