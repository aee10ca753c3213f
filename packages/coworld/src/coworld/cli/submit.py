"""Submit a policy to a league and say what became of it."""

from __future__ import annotations

from typing import Any

from coworld.cli.browser import open_page
from coworld.cli.support import console, observatory_web_url
from coworld.server.api_client import AutoChampion, CoworldApiClient
from coworld.server.references import parse_policy_identifier, policy_version_of, resolve_league_id

__all__ = ["parse_policy_identifier", "submit_policy_to_league_cmd"]


def submit_policy_to_league_cmd(
    policy_identifier: str,
    *,
    league_id: str,
    server: str | None = None,
    open_browser: bool = True,
    auto_champion: AutoChampion = AutoChampion.always,
    preferences: dict[str, Any] | None = None,
    player_id: str | None = None,
) -> None:
    """Submit one of your policies to a league, print the submission and open the policy's page.

    Raises:
        ClientError: the policy or league does not exist, or the server refuses. `ValueError`: a malformed reference.
    """
    with CoworldApiClient.from_login(server_url=server) as client:
        submission = client.submit_to_league(
            resolve_league_id(client, league_id),
            policy_version_of(client, policy_identifier),
            auto_champion=auto_champion,
            preferences=preferences,
            player_id=player_id,
        )
    page = observatory_web_url(client.server_url, f"policies/versions/{submission.policy_version.id}")
    for name, text in (("Submission", submission.id), ("Status", submission.status), ("Page", page)):
        console.print(f"{name}: {text}", markup=False, highlight=False, soft_wrap=True)
    if open_browser:
        open_page(page)
